//! Plugin loader: validates a plugin's tables and converts them to declarations.
//!
//! Holds unsafe code: tables, strings and values that came from C. **Invariants:**
//!
//! - L1: null, alignment, counts and UTF-8 are checked before anything is read.
//! - L2: an address that passes L1 leads to as many items as its count, for as long as the tables
//!   are read: the contract of a plugin, which the caller of [`batch`] vouches for. What [`batch`]
//!   returns refers to none of it but functions and their contexts.

use std::ffi::c_void;

use lexpool_plugin::abi::{CHECKED, ClassDefC, FieldDefC, OpDefC, ParamC, PluginC};
use lexpool_plugin::{
    CallC, ClassDeclaration, Declaration, Failure, FailureKind, FieldDeclaration, Gil, Kernel, Key,
    Literal, MAX_ARGS, Param, Registrar, StrC, Tag, Type, Value, ValueC,
};

use super::checked_kernel::checked_kernel;
use super::host::text_of;
use super::registration::{Batch, is_identifier};

/// Maximum length of a table; guards against garbage counts.
const MAX_ITEMS: usize = 1 << 16;

/// Reads the name and the version of a plugin.
///
/// # Safety
///
/// As for [`batch`].
pub(super) unsafe fn name_and_version(
    plugin: &PluginC,
) -> Result<(&'static str, &'static str), Failure> {
    // SAFETY: L1, L2, by this function's contract.
    let (name, version) =
        unsafe { (text(plugin.name, "its name")?, text(plugin.version, "its version")?) };
    if !is_identifier(name) {
        return Err(wrong(format!(
            "its name {name:?} is not a namespace; a namespace is such as `bench`"
        )));
    }
    if RESERVED.contains(&name) {
        return Err(wrong(format!(
            "its name {name:?} is a function of `lexpool.ops`; take another"
        )));
    }
    Ok((name, version))
}

/// Names in `lexpool.ops` that a namespace must not take.
const RESERVED: [&str; 7] = ["cpu", "get", "kernels", "map", "names", "override", "remove"];

/// Reads and validates everything that a plugin declares, up to the checks of the registry itself.
///
/// # Safety
///
/// The plugin filled in the struct, and its pointers are valid during the call (L2); its functions
/// and their contexts stay valid for the life of the process.
pub(super) unsafe fn batch(plugin: &PluginC, path: &str) -> Result<Batch, Failure> {
    // SAFETY: L1, L2, by this function's contract.
    unsafe {
        let (name, version) = name_and_version(plugin)?;
        let reader = Reader { name, checked: plugin.flags & CHECKED != 0, path };
        let mut batch = Batch::default();
        for (i, class) in table(plugin.classes, plugin.n_classes, "its types")?.iter().enumerate() {
            batch.class(
                reader.class(class).map_err(|fault| fault.context(format_args!("type {i}")))?,
            );
        }
        for (i, op) in table(plugin.ops, plugin.n_ops, "its ops")?.iter().enumerate() {
            batch.op(reader
                .op(op, As::Op)
                .map_err(|fault| fault.context(format_args!("op {i}")))?);
        }
        if plugin.n_ops == 0 && plugin.n_classes == 0 {
            return Err(wrong(format!("{name} {version} has neither ops nor types")));
        }
        Ok(batch)
    }
}

/// The role of a declared op.
#[derive(Clone, Copy)]
enum As<'a> {
    /// An op, by its full name.
    Op,
    /// The constructor of a type, which names it.
    New,
    /// A method of a type.
    Method(&'a str),
}

struct Reader<'a> {
    name: &'static str,
    checked: bool,
    path: &'a str,
}

impl Reader<'_> {
    /// Reads the declaration of an op.
    ///
    /// # Safety
    ///
    /// As for [`batch`].
    unsafe fn op(&self, op: &OpDefC, of: As<'_>) -> Result<Declaration, Failure> {
        // SAFETY: L1, L2, by this function's contract.
        unsafe {
            let name = if let As::New = of { "new" } else { text(op.name, "the name")? };
            let is_valid = if let As::Op = of { self.is_ours(name) } else { is_identifier(name) };
            if !is_valid {
                let text = format!(
                    "{name:?} is not in its namespace; a name is such as {}.name",
                    self.name
                );
                return Err(wrong(text));
            }
            let named = |fault: Failure| fault.context(name);
            let params = table(op.params, op.n_params, "the arguments").map_err(named)?;
            if params.len() > MAX_ARGS {
                let text = format!("{} arguments; an op has at most {MAX_ARGS}", params.len());
                return Err(named(wrong(text)));
            }
            let params = params.iter().map(|of| param(of)).collect::<Result<Vec<_>, _>>();
            let params = params.map_err(named)?;
            if let As::Method(key) = of {
                let object = params.first().map(|first| &first.ty);
                if object != Some(&Type::Object(key.to_owned())) {
                    return Err(named(wrong(format!("the first argument of a method is a {key}"))));
                }
            }
            let result = ty(op.result).map_err(named)?;
            let gil = match op.gil {
                0 => Gil::Hold,
                1 => Gil::Release,
                2 => Gil::BySize(op.gil_size),
                other => {
                    return Err(named(wrong(format!("{other} is not a treatment of the GIL"))));
                }
            };
            let key = Key::ALL.get(op.key as usize).copied();
            let key =
                key.ok_or_else(|| named(wrong(format!("{} is not a key of kernels", op.key))))?;
            let types = params.iter().map(|param| param.ty.clone());
            let kernel = self.kernel(op.call, op.context, types, &result).map_err(named)?;
            Ok(Declaration {
                name: name.into(),
                params,
                result,
                doc: text(op.doc, "the text on it").map_err(named)?.into(),
                gil,
                place: self.place(op.place).map_err(named)?.into(),
                key,
                kernel,
            })
        }
    }

    /// Reads the declaration of a class with its methods and fields.
    ///
    /// # Safety
    ///
    /// As for [`batch`].
    unsafe fn class(&self, class: &ClassDefC) -> Result<ClassDeclaration, Failure> {
        // SAFETY: L1, L2, by this function's contract.
        unsafe {
            let key = text(class.key, "the name")?;
            if !self.is_ours(key) {
                let text = format!(
                    "{key:?} is not in its namespace; a name is such as {}.Name",
                    self.name
                );
                return Err(wrong(text));
            }
            let named = |fault: Failure| fault.context(key);
            let mut constructor = None;
            if !class.constructor.is_null() {
                let new = one(class.constructor, "the constructor").map_err(named)?;
                let new = self.op(new, As::New).map_err(named)?;
                if new.result != Type::Object(key.to_owned()) {
                    return Err(named(wrong(format!("the constructor gives {}", new.result))));
                }
                constructor = Some(new);
            }
            let fields = table(class.fields, class.n_fields, "the attributes").map_err(named)?;
            let fields = fields.iter().map(|of| self.field(of, key)).collect::<Result<Vec<_>, _>>();
            let fields = fields.map_err(named)?;
            let methods = table(class.methods, class.n_methods, "the methods").map_err(named)?;
            let methods = methods
                .iter()
                .map(|of| self.op(of, As::Method(key)))
                .collect::<Result<Vec<_>, _>>();
            let methods = methods.map_err(named)?;
            let mut names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            names.extend(methods.iter().map(|method| &*method.name));
            names.sort_unstable();
            if let Some([twice, _]) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(named(wrong(format!("two of its parts are named {twice}"))));
            }
            Ok(ClassDeclaration {
                key: key.into(),
                doc: text(class.doc, "the text on it").map_err(named)?.into(),
                place: self.place(class.place).map_err(named)?.into(),
                constructor,
                fields,
                methods,
            })
        }
    }

    /// Reads the declaration of a field.
    ///
    /// # Safety
    ///
    /// As for [`batch`].
    unsafe fn field(&self, field: &FieldDefC, key: &str) -> Result<FieldDeclaration, Failure> {
        // SAFETY: L1, L2, by this function's contract.
        unsafe {
            let name = text(field.name, "the name of an attribute")?;
            if !is_identifier(name) {
                return Err(wrong(format!("{name:?} is not a name of an attribute")));
            }
            let named = |fault: Failure| fault.context(name);
            let of = ty(field.ty).map_err(named)?;
            let object = Type::Object(key.to_owned());
            let get = self.kernel(field.get, field.get_context, [object.clone()], &of);
            let mut set = None;
            if field.set.is_some() {
                let types = [object, of.clone()];
                set = Some(
                    self.kernel(field.set, field.set_context, types, &Type::None).map_err(named)?,
                );
            }
            Ok(FieldDeclaration {
                name: name.into(),
                get: get.map_err(named)?,
                set,
                ty: of,
                doc: text(field.doc, "the text on it").map_err(named)?.into(),
                fixed: field.fixed != 0,
            })
        }
    }

    fn kernel(
        &self,
        call: Option<CallC>,
        context: *const c_void,
        params: impl IntoIterator<Item = Type>,
        result: &Type,
    ) -> Result<Kernel, Failure> {
        let call = call.ok_or_else(|| wrong("its function is null".to_owned()))?;
        if self.checked {
            // SAFETY: L2; a declared call may be made from any thread.
            return Ok(unsafe { Kernel::of_entry(call, context, None) });
        }
        Ok(checked_kernel(call, context, params, result.clone(), None))
    }

    fn is_ours(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.name).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| rest.split('.').all(is_identifier))
    }

    /// Reads a place in a source file, or takes the path of the library.
    ///
    /// # Safety
    ///
    /// As for [`batch`].
    unsafe fn place(&self, place: StrC) -> Result<String, Failure> {
        // SAFETY: L1, L2, by this function's contract.
        Ok(match unsafe { text(place, "the place")? } {
            "" => self.path.to_owned(),
            place => format!("{place} in {}", self.path),
        })
    }
}

/// Reads the declaration of a parameter.
///
/// # Safety
///
/// As for [`batch`].
unsafe fn param(param: &ParamC) -> Result<Param, Failure> {
    // SAFETY: L1, L2, by this function's contract.
    unsafe {
        let name = text(param.name, "the name of an argument")?;
        let named = |fault: Failure| fault.context(format_args!("argument {name:?}"));
        let default = if param.has_default == 0 { None } else { Some(literal(param.default)) };
        Ok(Param {
            name: name.into(),
            ty: ty(param.ty).map_err(named)?,
            default: default.transpose().map_err(named)?,
            keyword_only: param.keyword_only != 0,
        })
    }
}

/// Reads a default value.
///
/// # Safety
///
/// As for [`batch`].
unsafe fn literal(value: ValueC) -> Result<Literal, Failure> {
    // SAFETY: L1, L2, by this function's contract.
    let value: Value<'static> = unsafe { Value::from_c(value) };
    value.validate()?;
    match value.tag() {
        Some(Tag::None) => Ok(Literal::None),
        Some(Tag::Bool) => Ok(Literal::Bool(value.as_bool() == Some(true))),
        Some(Tag::Int) => Ok(Literal::Int(value.as_int().unwrap_or_default())),
        Some(Tag::Float) => Ok(Literal::Float(value.as_float().unwrap_or_default())),
        Some(Tag::Str) => Ok(Literal::Str(value.as_str().unwrap_or_default().into())),
        _ => Err(wrong(format!("a {} cannot be a default", value.type_name()))),
    }
}

/// Reads a type by its name.
///
/// # Safety
///
/// As for [`batch`].
unsafe fn ty(of: StrC) -> Result<Type, Failure> {
    // SAFETY: L1, L2, by this function's contract.
    unsafe { text(of, "a type")? }.parse()
}

/// Reads a string; `what` names it in errors.
///
/// # Safety
///
/// As for [`batch`].
unsafe fn text(of: StrC, what: &str) -> Result<&'static str, Failure> {
    // SAFETY: L1, L2, by this function's contract.
    unsafe { text_of(of) }.ok_or_else(|| {
        wrong(format!("{what} is not a string in UTF-8: {} bytes at {:p}", of.len, of.at))
    })
}

/// Borrows one record of a table; `what` names it in errors.
///
/// # Safety
///
/// As for [`batch`].
unsafe fn one<T>(at: *const T, what: &str) -> Result<&'static T, Failure> {
    // SAFETY: L1, L2, by this function's contract.
    Ok(&unsafe { table(at, 1, what) }?[0])
}

/// Borrows the records of a table; `what` names it in errors.
///
/// # Safety
///
/// As for [`batch`].
unsafe fn table<T>(at: *const T, n: usize, what: &str) -> Result<&'static [T], Failure> {
    if n == 0 {
        return Ok(&[]);
    }
    if at.is_null() || !at.is_aligned() || n > MAX_ITEMS {
        return Err(wrong(format!("{what} are no table: {n} at {at:p}")));
    }
    // SAFETY: L1, L2, by this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(at, n) })
}

fn wrong(text: String) -> Failure {
    Failure::new(FailureKind::Value, "plugin-refused", text)
}
