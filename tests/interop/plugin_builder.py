"""Builds plugins from the templates in `py/examples`, or from those with something changed."""

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "py" / "lexpool" / "include"
IN_C = ROOT / "py" / "examples" / "plugin-c"
IN_RUST = ROOT / "py" / "examples" / "plugin-rust"


class Builder:
    """Builds plugins into a folder, each file under a name of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.template: Path | None = None

    def place(self, name: str) -> Path:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        return folder / name

    def in_c(self, changes: dict[str, str] | None = None, headers: Path = INCLUDE) -> Path:
        """The template in C, with texts replaced by others."""
        source = self.place("source")
        shutil.copytree(IN_C, source)
        change(source / "counts.c", changes or {})
        # A change may leave something unused.
        flags = "-w" if changes else "-Werror"
        run("make", "-C", source, f"LEXPOOL={headers}", f"OUT={source.parent}", f"CFLAGS={flags}")
        return source.parent / "libcounts.so"

    def from_source(self, source: str) -> Path:
        """A plugin in C of a source of its own."""
        folder = self.place("source")
        shutil.copytree(IN_C, folder)
        (folder / "counts.c").write_text(source)
        run("make", "-C", folder, f"LEXPOOL={INCLUDE}", f"OUT={folder.parent}", "CFLAGS=-w")
        return folder.parent / "libcounts.so"

    def headers(self, name: str, changes: dict[str, str]) -> Path:
        """lexpool's headers, one of them changed: those of another version of lexpool."""
        folder = self.place("include")
        shutil.copytree(INCLUDE, folder)
        change(folder / name, changes)
        return folder

    def in_rust(self, lib: str | None = None) -> Path:
        """The template in Rust, or the same crate with another `lib.rs`."""
        if lib is None and self.template is not None:
            # Cargo would take it for built, but the file has the name of that of the other crates.
            return Path(shutil.copy(self.template, self.place(self.template.name)))
        crate = IN_RUST
        if lib is not None:
            crate = self.place("crate")
            ignored = shutil.ignore_patterns("target")
            shutil.copytree(IN_RUST, crate, ignore=ignored)
            change(crate / "Cargo.toml", {"../../..": str(ROOT)})
            (crate / "src" / "lib.rs").write_text(textwrap.dedent(lib))
        target = self.folder / "target"
        run("cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target, cwd=crate)
        suffix = "dylib" if sys.platform == "darwin" else "so"
        built = target / "release" / f"libgauge.{suffix}"
        made = Path(shutil.copy(built, self.place(built.name)))
        if lib is None:
            self.template = made
        return made


def change(file: Path, changes: dict[str, str]) -> None:
    text = file.read_text()
    for old, new in changes.items():
        assert old in text, f"{file.name} has no {old!r}"
        text = text.replace(old, new)
    file.write_text(text)


def run(*words, cwd: Path = ROOT) -> None:
    command = [str(word) for word in words]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
