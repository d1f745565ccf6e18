//! Writes a registry as a Python stub, for type checkers and editors.

use std::collections::BTreeMap;
use std::fmt::Write;

use lexpool_plugin::{Literal, Param, Type};

use super::{ObjectClass, Op, Registry};

/// Returns the text of a `.pyi` file with all ops and types of a registry.
///
/// A namespace is a class of static methods, and types of objects are classes in it: `ops.doc.` and
/// `ops.text.Counter(` complete in Pyright, mypy and Jedi alike, and one file holds all of them,
/// where submodules would need a file for each namespace and could not be made for one that a
/// plugin brings. Namespaces and what is in them are sorted, so that equal registries give equal
/// texts.
///
/// ```
/// use lexpool_ops::{Registry, op, stubs};
///
/// let registry = Registry::new();
/// registry.register(|ops| {
///     op!(*ops, "text.repeat"(text, *, times = 2) = |text: &str, times: usize| text.repeat(times),
///         "The text, over and over.");
/// })?;
/// let text = stubs(&registry);
/// assert!(text.contains("def repeat(text: str, *, times: int = 2) -> str"));
/// # Ok::<(), lexpool_ops::Failure>(())
/// ```
pub fn stubs(registry: &Registry) -> String {
    let mut root = Namespace::default();
    for op in registry.ops() {
        if let Some((space, name)) = root.of(op.name()) {
            space.members.insert(name, Member::Op(op));
        }
    }
    for class in registry.classes() {
        if let Some((space, name)) = root.of(class.key()) {
            space.members.insert(name, Member::Class(class));
        }
    }
    let mut out = HEAD.to_owned();
    for (name, space) in &root.inner {
        out.push('\n');
        space.write(name, 0, &mut out);
    }
    out
}

/// The imports of a stub; their names start with an underscore, so that no namespace can hide them.
const HEAD: &str = "\
# The ops of the process that wrote this file; made by lexpool.

import builtins as _b
from collections.abc import Callable as _Callable, Mapping as _Mapping, Sequence as _Sequence
from typing import Any as _Any

from lexpool.tokens import Doc as _Doc
from lexpool.vocab import Vocab as _Vocab
";

#[derive(Default)]
struct Namespace<'a> {
    members: BTreeMap<&'a str, Member<'a>>,
    inner: BTreeMap<&'a str, Namespace<'a>>,
}

enum Member<'a> {
    Op(&'a Op),
    Class(&'a ObjectClass),
}

impl<'a> Namespace<'a> {
    /// Returns the namespace of a full name, and its last part.
    fn of(&mut self, name: &'a str) -> Option<(&mut Namespace<'a>, &'a str)> {
        let (space, name) = name.rsplit_once('.')?;
        Some((space.split('.').fold(self, |at, part| at.inner.entry(part).or_default()), name))
    }

    fn write(&self, name: &str, depth: usize, out: &mut String) {
        line(out, depth, format_args!("class {name}:"));
        let names = self.members.keys().chain(self.inner.keys());
        let scope = Scope { hidden: names.copied().collect() };
        for (name, member) in &self.members {
            match member {
                Member::Op(op) => {
                    line(out, depth + 1, format_args!("@staticmethod"));
                    scope.def(out, depth + 1, name, op, op.params());
                }
                Member::Class(class) => write_class(class, name, depth + 1, out),
            }
        }
        for (name, space) in &self.inner {
            // An op or type hides a namespace of the same name, as in Python.
            if !self.members.contains_key(name) {
                space.write(name, depth + 1, out);
            }
        }
    }
}

fn write_class(class: &ObjectClass, name: &str, depth: usize, out: &mut String) {
    line(out, depth, format_args!("class {name}:"));
    write_doc(out, depth + 1, class.doc());
    let names = class.fields().iter().map(super::Field::name);
    let names = names.chain(class.methods().iter().map(|method| last(method.name())));
    let scope = Scope { hidden: names.collect() };
    if let Some(new) = class.constructor() {
        let comma = if new.params().is_empty() { "" } else { ", " };
        let params = scope.params(new.params());
        line(
            out,
            depth + 1,
            format_args!("def __new__(cls{comma}{params}) -> {}: ...", class.key()),
        );
    }
    for field in class.fields() {
        let (name, result) = (field.name(), scope.result(field.ty()));
        line(out, depth + 1, format_args!("@property"));
        line(out, depth + 1, format_args!("def {name}(self) -> {result}:"));
        write_doc(out, depth + 2, field.doc());
        line(out, depth + 2, format_args!("..."));
        if field.set().is_some() {
            let value = scope.argument(field.ty());
            line(out, depth + 1, format_args!("@{name}.setter"));
            line(out, depth + 1, format_args!("def {name}(self, value: {value}) -> None: ..."));
        }
    }
    for method in class.methods() {
        scope.def(out, depth + 1, last(method.name()), method, method.params());
    }
}

/// The names that a class defines, which hide the same names outside it.
struct Scope<'a> {
    hidden: Vec<&'a str>,
}

impl Scope<'_> {
    fn def(&self, out: &mut String, depth: usize, name: &str, op: &Op, params: &[Param]) {
        let (params, result) = (self.params(params), self.result(op.result()));
        line(out, depth, format_args!("def {name}({params}) -> {result}:"));
        write_doc(out, depth + 1, op.doc());
        line(out, depth + 1, format_args!("..."));
    }

    fn params(&self, params: &[Param]) -> String {
        let mut parts = Vec::new();
        let mut by_name = false;
        for param in params {
            if param.keyword_only && !by_name {
                parts.push("*".to_owned());
                by_name = true;
            }
            // The receiver of a method needs no type.
            if matches!(param.ty, Type::Object(_)) && param.name == "self" {
                parts.push("self".to_owned());
                continue;
            }
            let default = param.default.as_ref().map_or_else(String::new, shown);
            parts.push(format!("{}: {}{default}", param.name, self.argument(&param.ty)));
        }
        parts.join(", ")
    }

    /// The annotation of a parameter.
    fn argument(&self, ty: &Type) -> String {
        match ty {
            Type::Optional(inner) => format!("{} | None", self.argument(inner)),
            Type::List(inner) => format!("_Sequence[{}]", self.argument(inner)),
            Type::Map(key, value) => {
                format!("_Mapping[{}, {}]", self.argument(key), self.argument(value))
            }
            Type::Bytes => {
                let names = ["bytes", "bytearray", "memoryview"].map(|name| self.builtin(name));
                names.join(" | ")
            }
            _ => self.result(ty),
        }
    }

    /// The annotation of a result.
    fn result(&self, ty: &Type) -> String {
        match ty {
            Type::None => "None".to_owned(),
            Type::Bool => self.builtin("bool"),
            Type::Int => self.builtin("int"),
            Type::Float => self.builtin("float"),
            Type::Str => self.builtin("str"),
            Type::Bytes => self.builtin("bytes"),
            Type::Optional(inner) => format!("{} | None", self.result(inner)),
            Type::List(inner) => format!("{}[{}]", self.builtin("list"), self.result(inner)),
            Type::Map(key, value) => {
                format!("{}[{}, {}]", self.builtin("dict"), self.result(key), self.result(value))
            }
            Type::Doc => "_Doc".to_owned(),
            Type::Vocab => "_Vocab".to_owned(),
            Type::Callable => "_Callable[..., _Any]".to_owned(),
            Type::Object(key) => key.clone(),
            // Arrays may be NumPy's or others; records have no Python type.
            _ => "_Any".to_owned(),
        }
    }

    fn builtin(&self, name: &str) -> String {
        if self.hidden.contains(&name) { format!("_b.{name}") } else { name.to_owned() }
    }
}

fn shown(default: &Literal) -> String {
    format!(" = {default}")
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Writes a docstring with quotes and backslashes escaped.
fn write_doc(out: &mut String, depth: usize, doc: &str) {
    if doc.is_empty() {
        return;
    }
    let doc = doc.replace('\\', "\\\\").replace('"', "\\\"");
    let mut lines = doc.lines();
    let first = lines.next().unwrap_or_default();
    let several = doc.lines().nth(1).is_some();
    line(out, depth, format_args!("\"\"\"{first}{}", if several { "" } else { "\"\"\"" }));
    for text in lines {
        if text.is_empty() {
            out.push('\n');
        } else {
            line(out, depth, format_args!("{text}"));
        }
    }
    if several {
        line(out, depth, format_args!("\"\"\""));
    }
}

fn line(out: &mut String, depth: usize, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{:width$}{text}", "", width = 4 * depth);
}

#[cfg(test)]
mod tests {
    use super::super::{Class, Object, class, global, op};
    use super::*;

    struct Counter;

    impl Class for Counter {
        const KEY: &'static str = "text.Counter";
    }

    #[test]
    fn a_registry_of_every_form_is_one_text() {
        let registry = Registry::new();
        registry
            .register(|ops| {
                op!(
                    *ops,
                    "text.list"(words, *, sep = "\"") = |words: Vec<&str>, sep: &str| -> Vec<String> {
                        vec![words.join(sep)]
                    },
                    "One \"line\".\n\nMore."
                );
                op!(*ops, "deep.er.op"(x = None) = |x: Option<i64>| x, "Deep.");
                class!(*ops, Counter, "Counts.", {
                    new(start = 0) = |_: i64| Object::new(Counter), "Makes one.";
                    fixed int = |_: &Counter| 1_i64, "A name that hides a type.";
                    fn add(k) = |_: &Counter, k: i64| k, "Adds.";
                });
            })
            .unwrap();
        let expected = r#"
class deep:
    class er:
        @staticmethod
        def op(x: int | None = None) -> int | None:
            """Deep."""
            ...

class text:
    class Counter:
        """Counts."""
        def __new__(cls, start: _b.int = 0) -> text.Counter: ...
        @property
        def int(self) -> _b.int:
            """A name that hides a type."""
            ...
        def add(self, k: _b.int) -> _b.int:
            """Adds."""
            ...
    @staticmethod
    def list(words: _Sequence[str], *, sep: str = "\"") -> _b.list[str]:
        """One \"line\".

        More.
        """
        ...
"#;
        assert_eq!(stubs(&registry).strip_prefix(HEAD), Some(expected));
    }

    #[test]
    fn every_op_of_the_process_is_in_its_stubs() {
        let text = stubs(global());
        for op in global().ops() {
            assert!(text.contains(&format!("    def {}(", last(op.name()))), "{}", op.name());
        }
    }
}
