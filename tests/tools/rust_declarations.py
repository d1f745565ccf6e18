"""Reads from py/src what its `#[pyclass]`es, `#[pymethods]` and `#[pyfunction]`s declare to Python.

It relies on the layout that rustfmt gives to files: an `impl` ends at its own indentation, and each
function of it is indented by four further spaces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

NOTE = "// stub: "
VISIBLE = r"(?:pub(?:\([a-z]+\))? )?"
KINDS = ("staticmethod", "classmethod", "new", "classattr", "getter", "setter", "deleter")
# The members of a property beside its getter, by the key under which they are found.
ACCESSORS = {"setter": "=", "deleter": "del"}
# Python's types of the attributes that `slots!` declares, by the form of their values.
FORMS = {
    "Text": "str",
    "Space": "str",
    "Number": "int",
    "Position": "int",
    "Offset": "int",
    "Flag": "bool",
}


class StubError(Exception):
    """A declaration from which no stub can be written."""


@dataclass
class Parameter:
    """A parameter of a function."""

    name: str
    """With the stars before it, or a lone `*` or `/`."""
    rust: str | None
    """Its type in Rust."""
    default: str | None = None


@dataclass
class Declaration:
    """A function, method, property or constant."""

    name: str
    kind: str
    """`function`, `method` or one of `KINDS`."""
    parameters: list[Parameter]
    result: str | None
    """The type in Rust; None for `()`."""
    notes: list[str]
    """The texts of the `// stub:` comments."""
    place: str


@dataclass
class Declarations:
    """Everything that the folder declares."""

    classes: dict[str, str] = field(default_factory=dict)
    """From the name in Rust to the name in Python."""
    bases: dict[str, str] = field(default_factory=dict)
    """Base classes that only type checkers see, by the class's name in Python."""
    members: dict[tuple[str, str, str], Declaration] = field(default_factory=dict)
    """By the class in Rust (empty for functions), the name, and `=` for a setter."""
    attributes: dict[tuple[str, str], str] = field(default_factory=dict)
    """Types of members that macros declare, by class and name in Python."""
    slots: dict[str, str] = field(default_factory=dict)
    """Types of the attributes that `slots!` declares, by name."""


def split(text: str) -> list[str]:
    """The parts of a text between commas that are in no bracket and no string."""
    parts, depth, in_string, start = [], 0, False, 0
    for at, char in enumerate(text):
        if char == '"':
            in_string = not in_string
        elif in_string:
            continue
        elif char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1] != "-"):
            depth -= 1
        elif char == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def closing(text: str, opening: int) -> int:
    """The index of the bracket that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            return at
    raise StubError(f"no bracket closes {text[opening : opening + 80]!r}")


def read_folder(folder: Path) -> Declarations:
    """Reads all Rust files of a folder."""
    found = Declarations()
    for path in sorted(folder.rglob("*.rs")):
        _File(path, found).read()
    return found


class _File:
    """One Rust file."""

    def __init__(self, path: Path, found: Declarations) -> None:
        self.path = path
        self.found = found
        # Python has the names without the prefix by which Rust tells them from keywords.
        self.lines = path.read_text(encoding="utf-8").replace("r#", "").splitlines()
        self.at = 0
        self.before: list[str] = []
        """The attributes and notes of the item that follows."""
        self.owner = ""
        """The class whose `#[pymethods]` these are, and how the last line of the block reads."""
        self.end = "}"

    def read(self) -> None:
        while self.at < len(self.lines):
            self.read_line(self.lines[self.at])
            self.at += 1

    def read_line(self, line: str) -> None:
        text = line.strip()
        if text.startswith("#["):
            while text.count("[") > text.count("]"):
                text += " " + self.next_line()
            self.before.append(text)
        elif text.startswith(NOTE):
            self.read_note(text.removeprefix(NOTE))
        elif text.startswith("//"):
            pass
        elif line == self.end:
            self.owner, self.before = "", []
        elif slot := re.match(r'c"(\w+)" [A-Z_]+ (\w+) c"', text):
            self.found.slots[slot[1]] = FORMS[slot[2]]
        elif text:
            self.read_item(line)
            self.before = []

    def next_line(self) -> str:
        self.at += 1
        return self.lines[self.at].strip()

    def read_note(self, note: str) -> None:
        while self.at + 1 < len(self.lines) and self.lines[self.at + 1].strip()[:7] == "//     ":
            note += " " + self.next_line()[2:].strip()
        if named := re.match(r"class (\w+)\((.+)\)", note):
            self.found.bases[named[1]] = named[2]
        elif named := re.match(r"(?:def )?(\w+)\.(\w+)(?:: |(?=\())(.+)", note):
            self.found.attributes[named[1], named[2]] = named[3]
        else:
            self.before.append(note)

    def read_item(self, line: str) -> None:
        if block := re.match(r"( *)impl(?:<[^>]*>)? ([$\w]+)[^{]*\{", line):
            self.owner = block[2] if "#[pymethods]" in self.before else ""
            self.end = block[1] + "}"
        elif named := re.match(rf"{VISIBLE}(?:struct|enum) (\w+)", line):
            self.read_class(named[1])
        elif named := re.match(rf"( *){VISIBLE}(?:unsafe )?fn (\w+)", line):
            place = f"{self.path}:{self.at + 1}"
            head = line.strip()
            while "{" not in head and not head.endswith(";"):
                head += " " + self.next_line()
            is_function = any(one.startswith("#[pyfunction") for one in self.before)
            if is_function or (self.owner and named[1] == self.end[:-1] + "    "):
                self.read_function("" if is_function else self.owner, named[2], head, place)

    def read_class(self, rust: str) -> None:
        pyclass = next((one for one in self.before if one.startswith("#[pyclass")), None)
        if pyclass is None:
            return
        if rust in self.found.classes:
            raise StubError(f"{self.path}: another class is named {rust} too; rename one of them")
        name = re.search(r'name = "(\w+)"', pyclass)
        self.found.classes[rust] = name[1] if name else rust
        while "get_all" in pyclass and (line := self.next_line()) != "}":
            if entry := re.match(rf"{VISIBLE}(\w+): (.+),", line):
                place = f"{self.path}:{self.at + 1}"
                made = Declaration(entry[1], "getter", [], entry[2], [], place)
                self.found.members[rust, entry[1], ""] = made

    def read_function(self, owner: str, rust: str, head: str, place: str) -> None:
        attributes = " ".join(one for one in self.before if one.startswith("#["))
        notes = [one for one in self.before if not one.startswith("#[")]
        kind = next((one for one in KINDS if re.search(rf"#\[{one}\b", attributes)), "")
        kind = kind or ("method" if owner else "function")
        opening = head.index("(", head.index(f"fn {rust}"))
        end = closing(head, opening)
        result = re.match(r" -> (.+?)(?: where .*)? \{", head[end + 1 :])
        given = split(head[opening + 1 : end])
        if kind in ("method", "classmethod", "getter", *ACCESSORS):
            given = given[1:]
        types: dict[str, str] = {}
        for one in given:
            name, _, type_of = one.removeprefix("mut ").partition(": ")
            if not type_of.startswith("Python<"):
                types[name] = type_of
        name = python_name(kind, rust, attributes)
        parameters = python_parameters(kind, types, attributes)
        made = Declaration(name, kind, parameters, result and result[1], notes, place)
        self.found.members[owner, name, ACCESSORS.get(kind, "")] = made


def python_name(kind: str, rust: str, attributes: str) -> str:
    """The name that Python sees."""
    name = rust.removeprefix("r#")
    if kind == "new":
        return "__new__"
    if kind in ("getter", *ACCESSORS):
        named = re.search(r"#\[[a-z]+ter\((\w+)\)\]", attributes)
        return named[1] if named else re.sub("^(get|set|delete)_", "", name)
    named = re.search(r'#\[py(?:o3|function)\((?:.*, )?name = "(\w+)"', attributes)
    return named[1] if named else name


def python_parameters(kind: str, types: dict[str, str], attributes: str) -> list[Parameter]:
    """The parameters that Python sees, of `#[pyo3(signature = ...)]` if it is there."""
    if kind == "setter":
        return [Parameter("value", one) for one in types.values()]
    start = attributes.find("signature = (")
    if start < 0:
        return [Parameter(name, type_of) for name, type_of in types.items()]
    opening = attributes.index("(", start)
    parameters: list[Parameter] = []
    for one in split(attributes[opening + 1 : closing(attributes, opening)]):
        name, _, default = (part.strip() for part in one.partition("="))
        parameters.append(Parameter(name, types.get(name.lstrip("*")), default or None))
    return parameters
