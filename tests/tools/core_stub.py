"""Writes `py/lexpool/_core.pyi`, the types of lexpool's native module.

    make stubs

Classes, constants, defaults and docstrings come from the built module; names, parameters and types
from the `#[pymethods]` and `#[pyfunction]`s of py/src: `PyResult<Option<usize>>` is `int | None`.
Where a type in Rust says less than Python's, as `&Bound<'_, PyAny>` does, a comment before the `fn`
adds it, for those parameters only and, after the arrow, for the result:

    // stub: (key: str | _Id) -> list[str]

- A long comment goes on in lines that begin with `//` and five spaces.
- Several comments are overloads; each of them lists all parameters.
- `// stub: (other: Span | None)` before `__richcmp__` gives the class an order, not only equality.

Outside of functions:

- `// stub: class Stream(Generic[_Item])` adds a base class.
- `// stub: Doc.cats: dict[str, float] = dict[str, float]` declares an attribute for a macro: what
  it reads as and, if it can be set, what it can be set to.
- `// stub: def Doc.name(self, x: int) -> None` declares a method.

What stands above the mark in the file is written by hand: imports, aliases and protocols that the
comments use.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from rust_declarations import (
    ACCESSORS,
    Declaration,
    Declarations,
    Parameter,
    StubError,
    closing,
    read_folder,
    split as split_at_commas,
)

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "py" / "lexpool" / "_core.pyi"
MARK = "# `make stubs` writes the rest, from py/src and the built module.\n"

SIMPLE = {
    "()": "None",
    "bool": "bool",
    "String": "str",
    "str": "str",
    "f32": "float",
    "f64": "float",
    "[u8]": "bytes",
    "Vec<u8>": "bytes",
    "PathBuf": "_Path",
    "PyString": "str",
    "PyBytes": "bytes",
    "PyBool": "bool",
    "PyInt": "int",
    "PyFloat": "float",
    "PyCapsule": "CapsuleType",
    "Setting": "object",
    "Settings": "dict[str, Any]",
    "PyMemoryView": "memoryview",
    **{f"{sign}{size}": "int" for sign in "iu" for size in (8, 16, 32, 64, "size")},
}
POINTERS = ("Bound", "Py", "PyRef", "Borrowed", "PyResult", "Cow", "Box", "Arc")
# Methods that stubs leave out unless a comment describes them.
HIDDEN = {"__traverse__", "__clear__", "__repr__", "__str__", "__reduce__", "__releasebuffer__"}
DECORATORS = {"staticmethod": "staticmethod", "classmethod": "classmethod", "getter": "property"}
RECEIVERS = {"function": [], "staticmethod": [], "classmethod": ["cls"], "new": ["cls"]}
# Types of the values to which attributes of `slots!` can be set, by their own type.
SETTERS = {"str": "str | None", "int": "_Id", "bool": "object"}
BUFFER = [
    "    if sys.version_info >= (3, 12):",
    "        def __buffer__(self, flags: int, /) -> memoryview: ...",
]


class Writer:
    """Writes the stub of a module."""

    def __init__(self, module: ModuleType, found: Declarations) -> None:
        self.module = module
        self.found = found
        self.rust = {name: rust for rust, name in found.classes.items()}
        self.unknown: list[str] = []
        """Parameters and results whose types nothing tells."""

    def text(self) -> str:
        """The stub but for its head."""
        public = sorted(self.module.__all__)
        private = [name for name in vars(self.module) if re.match(r"_(?!_)", name)]
        constants: list[str] = []
        functions: list[str] = []
        classes: list[str] = []
        for name in sorted({*public, *private}):
            value = getattr(self.module, name)
            if isinstance(value, type):
                classes += self.class_of(name, value)
            elif callable(value):
                functions += self.definition(self.function(name), "", value)
            else:
                constants.append(f"{name}: Final[{type_of(value)}]")
        if self.unknown:
            listed = "\n".join(self.unknown)
            raise StubError(f"types that need a `// stub:` comment before the function:\n{listed}")
        return "\n".join([f"__all__ = {public}", "", *constants, "", *functions, *classes, ""])

    def function(self, name: str) -> Declaration:
        if found := self.found.members.get(("", name, "")):
            return found
        raise StubError(f"no #[pyfunction] is named {name}")

    def method(self, rust: str, name: str) -> Declaration | None:
        """A method of the class or of a macro that serves several."""
        members = self.found.members
        return members.get((rust, name, "")) or members.get(("$class", name, ""))

    def class_of(self, name: str, value: type) -> list[str]:
        bases = [base.__name__ for base in value.__bases__ if base is not object]
        bases += [self.found.bases[name]] if name in self.found.bases else []
        if self.method(self.rust.get(name, ""), "__getbuffer__"):
            bases.append("Buffer")
        head = [f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"]
        body = docstring(value, "    ")
        if not issubclass(value, BaseException):
            can_have_subclasses = value.__flags__ & 1 << 10
            head.insert(0, "@disjoint_base" if can_have_subclasses else "@final")
            body += self.members(name, value)
        return [*head, *(body or ["    ..."]), ""]

    def members(self, owner: str, value: type) -> list[str]:
        rust = self.rust[owner]
        names = {name for name in vars(value) if not re.fullmatch(r"__\w+__", name)}
        names |= {name for of, name, _ in self.found.members if of == rust}
        names |= {name for of, name in self.found.attributes if of == owner}
        body: list[str] = []
        if vars(value).get("__hash__", ...) is None:
            body.append("    __hash__: ClassVar[None]  # type: ignore[assignment]")
            names.add("__richcmp__" if "__eq__" not in names else "__eq__")
        for name in sorted(names, key=lambda name: (name != "__new__", name)):
            body += self.member(owner, name, value)
        return body

    def member(self, owner: str, name: str, value: type) -> list[str]:
        runtime = inspect.getattr_static(value, name, None)
        declared = self.method(self.rust[owner], name)
        if name in HIDDEN and not (declared and declared.notes):
            return []
        if (owner, name) in self.found.attributes:
            return attribute(name, runtime, self.found.attributes[owner, name])
        if name == "__getbuffer__":
            return BUFFER
        if name == "__richcmp__":
            return comparisons(declared.notes if declared else [])
        if declared is None and name in self.found.slots:
            kind = self.found.slots[name]
            # A part of speech is always named.
            to_set = "str" if name == "pos_" else SETTERS[kind]
            both = f"{kind} = {to_set}" if is_writable(owner, name) else kind
            return attribute(name, runtime, both)
        if declared is None and type(runtime).__name__ == "getset_descriptor":
            self.unknown.append(f"{owner}.{name}, which no #[pymethods] declares")
            return []
        if declared is None or declared.kind == "classattr":
            return [f"    {name}: Final[{type_of(getattr(value, name))}]"]
        body = self.definition(declared, owner, value if declared.kind == "new" else runtime)
        for accessor in ACCESSORS.values():
            if found := self.found.members.get((self.rust[owner], name, accessor)):
                body += self.definition(found, owner, None)
        return body

    def definition(self, one: Declaration, owner: str, runtime: object) -> list[str]:
        indent = "    " if owner else ""
        is_accessor = one.kind in ACCESSORS
        decorator = f"{one.name}.{one.kind}" if is_accessor else DECORATORS.get(one.kind)
        before = [f"{indent}@{decorator}"] if decorator else []
        body: list[str] = []
        for at, note in enumerate(one.notes or [""]):
            listed, result = read_note(note, one.place)
            if len(one.notes) > 1:
                body.append(f"{indent}@overload")
                parameters = [f"{name}: {kind}" if kind else name for name, kind in listed.items()]
            else:
                parameters = self.parameters(one, listed, runtime)
            result = result or self.result(one, owner)
            every = ", ".join([*RECEIVERS.get(one.kind, ["self"]), *parameters])
            doc = docstring(runtime, indent + "    ") if not at and one.kind != "new" else []
            body += [
                *before,
                f"{indent}def {one.name}({every}) -> {result}:{'' if doc else ' ...'}",
            ]
            body += doc
        return body

    def parameters(
        self, one: Declaration, listed: dict[str, str | None], runtime: object
    ) -> list[str]:
        defaults = runtime_defaults(runtime)
        parameters = [self.parameter(each, one, listed, defaults) for each in one.parameters]
        if unknown := listed.keys() - {each.name for each in one.parameters}:
            raise StubError(f"{one.place}: {one.name} has no parameter {', '.join(unknown)}")
        is_slot = type(runtime).__name__ == "wrapper_descriptor"
        if parameters and is_slot and one.name not in ("__call__", "__init__"):
            parameters.append("/")
        return parameters

    def parameter(
        self,
        each: Parameter,
        one: Declaration,
        listed: dict[str, str | None],
        defaults: dict[str, str],
    ) -> str:
        if each.name in ("*", "/"):
            return each.name
        kind = listed.get(each.name) or self.kind(each.rust, True)
        if kind is None and each.name.startswith("*"):
            kind = "object"
        if kind is None:
            self.unknown.append(f"{one.place}: parameter {each.name} of {one.name}")
        default = ""
        if each.default:
            default = f" = {defaults.get(each.name) or literal(each.default)}"
        return f"{each.name}: {kind}{default}"

    def result(self, one: Declaration, owner: str) -> str:
        if one.kind == "new":
            return "Self"
        kind = self.kind(one.result or "()", False)
        if one.kind in ACCESSORS:
            return "None"
        if kind is None:
            self.unknown.append(f"{one.place}: result of {one.name}")
            return "Any"
        if one.name in ("__iter__", "__enter__") and kind == owner:
            return "Self"
        # `None` ends an iteration.
        return kind.removesuffix(" | None") if one.name == "__next__" else kind

    def kind(self, rust: str | None, is_input: bool) -> str | None:
        """Python's type for a type of Rust's; None if that says too little."""
        if rust is None:
            return None
        rust = re.sub(r"&(?:'\w+ )?(?:mut )?|(?:pyo3|std|lexpool)::(?:\w+::)*", "", rust).strip()
        rust = re.sub(r"'\w+(?:, )?", "", rust).replace("<>", "")
        if is_input and rust == "isize":
            return "SupportsIndex"
        if rust in SIMPLE:
            return SIMPLE[rust]
        if rust in self.found.classes:
            name = self.found.classes[rust]
            return name if name in self.module.__all__ else None
        if rust.startswith("("):
            parts = [self.kind(part, is_input) for part in split_at_commas(rust[1:-1])]
            return None if None in parts else f"tuple[{', '.join(map(str, parts))}]"
        generic = re.fullmatch(r"(\w+)<(.+)>", rust)
        if generic is None:
            return None
        inner = self.kind(split_at_commas(generic[2])[0], is_input)
        if inner is None or generic[1] in POINTERS:
            return inner
        named = {
            "Option": f"{inner} | None",
            "Vec": f"list[{inner}]",
            "Items": f"Sequence[{inner}]",
        }
        return named.get(generic[1])


def attribute(name: str, runtime: object, declared: str) -> list[str]:
    """A member that a `// stub:` comment declares: `type`, `type = type to set` or `(...) ->
    type`.
    """
    if declared.startswith("("):
        return [f"    def {name}{declared}: ..."]
    kind, _, to_set = declared.partition(" = ")
    doc = docstring(runtime, "        ")
    body = ["    @property", f"    def {name}(self) -> {kind}:{'' if doc else ' ...'}", *doc]
    if to_set:
        body += [f"    @{name}.setter", f"    def {name}(self, value: {to_set}) -> None: ..."]
    return body


def comparisons(notes: list[str]) -> list[str]:
    """Equality with any object and, if a note names the type of `other`, an order."""
    kinds = dict.fromkeys(("__eq__", "__ne__"), "object")
    if notes:
        other, _ = read_note(notes[0], "__richcmp__")
        kinds |= dict.fromkeys(("__lt__", "__le__", "__gt__", "__ge__"), str(other["other"]))
    return [f"    def {name}(self, value: {kind}, /) -> bool: ..." for name, kind in kinds.items()]


def is_writable(owner: str, name: str) -> bool:
    """Returns whether an attribute of tokens or lexemes has a setter; no one can be deleted."""
    import lexpool

    token = lexpool.blank("en")("word")[0]
    try:
        delattr(token if owner == "Token" else token.lex, name)
    except AttributeError as error:
        return "not writable" not in str(error)
    raise StubError(f"{owner}.{name} can be deleted")


def read_note(note: str, place: str) -> tuple[dict[str, str | None], str | None]:
    """The parameters with their types, and the result's type if the note has it."""
    listed: dict[str, str | None] = {}
    rest = note
    if note.startswith("("):
        end = closing(note, 0)
        for one in split_at_commas(note[1:end]):
            name, _, kind = one.partition(":")
            listed[name] = kind.strip() or None
        rest = note[end + 1 :].strip()
    if rest and not rest.startswith("-> "):
        raise StubError(f"{place}: expected `(name: type) -> type` after `stub:`, not {note!r}")
    return listed, rest.removeprefix("-> ") or None


def runtime_defaults(runtime: object) -> dict[str, str]:
    """The defaults of a function as `inspect.signature` has them."""
    if not callable(runtime) and not isinstance(runtime, classmethod):
        return {}
    try:
        parameters = inspect.signature(runtime).parameters
    except (TypeError, ValueError):
        return {}
    return {
        one.name: "..." if one.default is ... else repr(one.default)
        for one in parameters.values()
        if one.default is not one.empty
    }


def literal(rust: str) -> str:
    """Returns a default of Rust's as Python writes it; `...` if it is not a literal."""
    if rust in ("true", "false"):
        return rust.capitalize()
    return rust if re.fullmatch(r'None|"[^"\\]*"|[\d.]+', rust) else "..."


def type_of(value: object) -> str:
    """The type of a constant."""
    if isinstance(value, dict) and value:
        key, inner = next(iter(value.items()))
        return f"dict[{type_of(key)}, {type_of(inner)}]"
    if isinstance(value, tuple) and value:
        return f"tuple[{type_of(value[0])}, ...]"
    if isinstance(value, list) and value:
        return f"list[{type_of(value[0])}]"
    if isinstance(value, type):
        return "type"
    kind = type(value)
    return kind.__name__ if kind in (str, int, float, bool, bytes) else "object"


def docstring(value: object, indent: str) -> list[str]:
    """The lines of an object's docstring, unless it is of a slot, whose text is CPython's."""
    if isinstance(value, staticmethod):
        # One of a native class has the docstring of `staticmethod` itself.
        value = value.__func__
    # From 3.13 on, `None` has a docstring of CPython's.
    doc = None if value is None else value.__doc__
    if not isinstance(doc, str) or type(value).__name__ == "wrapper_descriptor":
        return []
    lines = inspect.cleandoc(doc).replace("\\", "\\\\").replace('"""', '\\"""').split("\n")
    lines[0] = f'"""{lines[0]}'
    if len(lines) > 1:
        lines.append('"""')
    else:
        lines[0] += '"""' if not lines[0].endswith('"') else ' """'
    return [f"{indent}{line}".rstrip() for line in lines]


def stub() -> str:
    """The text of the stub."""
    from lexpool import _core

    head, _, _ = TARGET.read_text(encoding="utf-8").partition(MARK)
    text = f"{head}{MARK}\n{Writer(_core, read_folder(ROOT / 'py' / 'src')).text()}"
    ruff = os.environ.get("RUFF") or str(Path(sys.executable).with_name("ruff"))
    command = [ruff, "format", "--quiet", "--stdin-filename", str(TARGET), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


if __name__ == "__main__":
    TARGET.write_text(stub(), encoding="utf-8")
