//! Registration: a batch is installed as a whole or not at all, and overrides can be undone.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use lexpool_plugin::declare::ClassDeclaration;
use lexpool_plugin::{Declaration, Failure, FailureKind, Function, Key, Literal, Registrar, Type};

use super::Registry;
use super::checked_kernel::checked_kernel;
use super::classes::ObjectClass;
use super::op::Op;

/// Declarations that are installed together.
#[derive(Debug, Default)]
pub struct Batch {
    ops: Vec<Declaration>,
    classes: Vec<ClassDeclaration>,
}

impl Batch {
    /// The names of the ops, then those of the types, each once.
    pub(super) fn names(&self) -> Vec<String> {
        let ops = self.ops.iter().map(|op| &*op.name);
        let mut names: Vec<String> = Vec::new();
        for name in ops.chain(self.classes.iter().map(|class| &*class.key)) {
            if !names.iter().any(|other| other == name) {
                names.push(name.to_owned());
            }
        }
        names
    }
}

impl Registrar for Batch {
    fn op(&mut self, declaration: Declaration) {
        self.ops.push(declaration);
    }

    fn class(&mut self, declaration: ClassDeclaration) {
        self.classes.push(declaration);
    }
}

/// An override or removal, which is undone on drop.
#[must_use = "dropped at once, it changes nothing"]
pub struct Registration {
    layers: Vec<(Arc<Op>, u64)>,
}

impl Registration {
    /// Makes the change permanent.
    pub fn keep(mut self) {
        self.layers.clear();
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        for (op, layer) in self.layers.drain(..) {
            op.take_away(layer);
        }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.layers.iter().map(|(op, _)| op.name())).finish()
    }
}

impl Registry {
    /// Registers everything that `declare` declares, or nothing if one declaration is not valid.
    ///
    /// # Errors
    ///
    /// `op-duplicate` if a name, or the key of a kernel, is taken, with both places; `op-name` if a
    /// name does not have the form `namespace.name`; `op-signature` if a kernel differs from its
    /// op; `op-default` if a default has another type than its parameter.
    pub fn register(&self, declare: impl FnOnce(&mut Batch)) -> Result<(), Failure> {
        let mut batch = Batch::default();
        declare(&mut batch);
        self.install(batch, false).map(Registration::keep)
    }

    /// Overrides the kernels of ops, until the result is dropped.
    ///
    /// # Errors
    ///
    /// Those of `register` except `op-duplicate`; `op-unknown` if an op does not exist.
    pub fn override_with(&self, declare: impl FnOnce(&mut Batch)) -> Result<Registration, Failure> {
        let mut batch = Batch::default();
        declare(&mut batch);
        for declared in &batch.ops {
            self.find(&declared.name)?;
        }
        self.install(batch, true)
    }

    /// Overrides all kernels of an op by a function, until the result is dropped. Its results are
    /// checked against the op's result type.
    ///
    /// # Errors
    ///
    /// `op-unknown`.
    pub fn override_by(
        &self,
        name: &str,
        function: Function,
        place: &str,
    ) -> Result<Registration, Failure> {
        let op = self.find(name)?;
        let (call, context) = function.entry();
        let params = op.params().iter().map(|param| param.ty.clone());
        let keep = Some(Box::new(function) as Box<dyn std::any::Any + Send + Sync>);
        let kernel = checked_kernel(call, context, params, op.result().clone(), keep);
        let _writer = self.lock();
        // Kernels of better keys would take precedence over this one.
        let hidden = op.remove();
        let mut registration = Registration { layers: vec![(Arc::clone(op), hidden)] };
        let layer = op.install(kernel, Key::Scalar, place)?;
        registration.layers.push((Arc::clone(op), layer));
        Ok(registration)
    }

    /// Makes calls of an op fail until the result is dropped.
    ///
    /// # Errors
    ///
    /// `op-unknown`.
    pub fn remove(&self, name: &str) -> Result<Registration, Failure> {
        let op = self.find(name)?;
        let _writer = self.lock();
        Ok(Registration { layers: vec![(Arc::clone(op), op.remove())] })
    }

    pub(super) fn install(&self, batch: Batch, overriding: bool) -> Result<Registration, Failure> {
        let limit = self.lock();
        self.validate(&batch, overriding)?;
        let mut undo = Registration { layers: Vec::new() };
        for declared in batch.classes {
            let class = ObjectClass::new(declared, *limit)?;
            self.classes.insert(&Arc::new(class), ObjectClass::key)?;
        }
        for declared in batch.ops {
            if let Some(op) = self.get(&declared.name) {
                let layer = op.install(declared.kernel, declared.key, &declared.place)?;
                undo.layers.push((Arc::clone(op), layer));
            } else {
                let op = Op::new(declared, *limit)?;
                self.ops.insert(&Arc::new(op), Op::name)?;
            }
        }
        Ok(undo)
    }

    /// Validates a whole batch, before any of it is installed.
    fn validate(&self, batch: &Batch, overriding: bool) -> Result<(), Failure> {
        let mut places: HashMap<(&str, Key), &Declaration> = HashMap::new();
        let mut first: HashMap<&str, &Declaration> = HashMap::new();
        for declared in &batch.ops {
            let name: &str = &declared.name;
            check_name(name, 2)?;
            check_params(declared)?;
            if let Some(op) = self.get(name) {
                let same = op.params() == declared.params && *op.result() == declared.result;
                if !same {
                    return Err(another_signature(declared, op.place(), &op.signature()));
                }
                if let Some(place) = op.place_of(declared.key).filter(|_| !overriding) {
                    return Err(duplicate(declared, &place));
                }
            } else if let Some(op) = first.get(name) {
                if (&op.params, &op.result) != (&declared.params, &declared.result) {
                    return Err(another_signature(declared, &op.place, &op.signature()));
                }
            }
            first.entry(name).or_insert(declared);
            if let Some(other) = places.insert((name, declared.key), declared) {
                return Err(duplicate(declared, &other.place));
            }
        }
        let mut keys: HashMap<&str, &str> = HashMap::new();
        for declared in &batch.classes {
            check_name(&declared.key, 2)?;
            declared.methods.iter().chain(&declared.constructor).try_for_each(check_params)?;
            let there = self.class(&declared.key).map(|class| class.place());
            if let Some(place) = there.or_else(|| keys.get(&*declared.key).copied()) {
                let text = format!(
                    "the type {} of {} is there already, from {place}",
                    declared.key, declared.place
                );
                return Err(Failure::new(FailureKind::Value, "op-duplicate", text));
            }
            keys.insert(&declared.key, &declared.place);
        }
        Ok(())
    }
}

fn duplicate(declared: &Declaration, place: &str) -> Failure {
    let Declaration { name, key, place: own, .. } = declared;
    let text = format!(
        "{name} ({} kernel, from {own}) is there already, from {place}; override it or take another \
         name",
        key.name()
    );
    Failure::new(FailureKind::Value, "op-duplicate", text)
}

fn another_signature(declared: &Declaration, place: &str, signature: &str) -> Failure {
    let text = format!(
        "{} is {} at {}, but {signature} at {place}; kernels of one op are of one type",
        declared.name,
        declared.signature(),
        declared.place
    );
    Failure::new(FailureKind::Type, "op-signature", text)
}

/// Returns whether a name is a Python identifier and not a keyword.
pub(super) fn is_identifier(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !KEYWORDS.contains(&part)
}

/// Checks that a name has at least `parts` Python identifiers, separated by dots.
fn check_name(name: &str, parts: usize) -> Result<(), Failure> {
    if name.split('.').count() >= parts && name.split('.').all(is_identifier) {
        return Ok(());
    }
    let text = format!("{name:?} is not a name of an op; a name is such as text.edit_distance");
    Err(Failure::new(FailureKind::Value, "op-name", text))
}

/// Python's keywords.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Checks that parameters have different names, that defaults come last and have the parameter's
/// type.
fn check_params(declared: &Declaration) -> Result<(), Failure> {
    let fault = |text: String| {
        let text = format!("{} ({}): {text}", declared.name, declared.place);
        Err(Failure::new(FailureKind::Value, "op-default", text))
    };
    let mut optional = false;
    for (i, param) in declared.params.iter().enumerate() {
        check_name(&param.name, 1)?;
        if declared.params[..i].iter().any(|other| other.name == param.name) {
            return fault(format!("two arguments are named {}", param.name));
        }
        if let Some(default) = &param.default {
            if !takes(&param.ty, default) {
                return fault(format!(
                    "{} = {default}: the default is not of the type {}",
                    param.name, param.ty
                ));
            }
        } else if optional && !param.keyword_only {
            return fault(format!("{} without a default follows one that has one", param.name));
        }
        optional |= param.default.is_some() && !param.keyword_only;
    }
    Ok(())
}

/// Returns whether a default is of a type.
fn takes(ty: &Type, default: &Literal) -> bool {
    match (ty, default) {
        (Type::Any | Type::Optional(_) | Type::None, Literal::None)
        | (Type::Bool, Literal::Bool(_))
        | (Type::Int, Literal::Int(_))
        | (Type::Float, Literal::Int(_) | Literal::Float(_))
        | (Type::Str, Literal::Str(_))
        | (Type::Any, _) => true,
        (Type::Optional(inner), _) => takes(inner, default),
        _ => false,
    }
}
