"""The code samples of a page of the site: what is one, in which order they run, what they print.

The blocks of a page run from top to bottom, in one folder:

- a block with `title="name.ext"` is written to that file;
- `python` runs in one namespace for the page; a block of `>>>` lines runs as a doctest;
- `sh` runs in bash;
- `rust` with a `main` is compiled against the crate and run;
- `text` runs nowhere: a drawing, or what cannot run. One titled "Output" is what the block before
  it has to print, where `...` stands for anything.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<ticks>`{3,})(?P<language>\w*)[ \t]*(?P<meta>[^\n]*)\n"
    r"(?P<body>.*?)^(?P=indent)(?P=ticks)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'title="([^"]*)"')


@dataclass
class Sample:
    """One block of code, and what it has to print if the page says so."""

    line: int
    language: str
    title: str | None
    body: str
    output: str | None = None

    @property
    def is_file(self) -> bool:
        return (
            self.title is not None
            and re.fullmatch(r"[\w./-]+\.\w+|Makefile", self.title) is not None
        )


def samples(page: str) -> list[Sample]:
    """The blocks of a page that run or are written, in order."""
    found: list[Sample] = []
    for fence in FENCE.finditer(page):
        line = page.count("\n", 0, fence.start()) + 1
        title = TITLE.search(fence["meta"])
        body = textwrap.dedent(fence["body"])
        sample = Sample(line, fence["language"], title and title[1], body)
        if sample.language != "text":
            found.append(sample)
        elif sample.title == "Output":
            if not found or found[-1].output is not None:
                raise ValueError(f"line {line}: an output without a sample before it")
            found[-1].output = body
    return found


class Failure(Exception):
    """A sample that does not do what its page says."""


@dataclass
class Runner:
    """Runs the samples of a page in a folder. `rlibs` is where cargo put the crate and what it
    needs.
    """

    folder: Path
    rlibs: Path

    def run(self, found: list[Sample]) -> None:
        namespace: dict[str, object] = {"__name__": "__main__"}
        sys.path.insert(0, str(self.folder))
        os.chdir(self.folder)
        for sample in found:
            try:
                printed = self.run_one(sample, namespace)
            except Failure as failure:
                raise Failure(f"line {sample.line}: {failure}") from None
            except BaseException:
                shown = traceback.format_exc(limit=-3)
                raise Failure(f"line {sample.line}: {sample.language} raised\n{shown}") from None
            if printed is not None:
                compare(sample, printed)

    def run_one(self, sample: Sample, namespace: dict[str, object]) -> str | None:
        """Returns the output of a sample; None if the page does not state it."""
        if sample.is_file:
            path = self.folder / str(sample.title)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(sample.body)
            return None
        if sample.language == "python":
            return run_python(sample, namespace)
        if sample.language == "sh":
            printed = self.command(["bash", "-euo", "pipefail", "-c", sample.body])
            return printed if sample.output is not None else None
        if sample.language == "rust":
            source = self.folder / f"sample{sample.line}.rs"
            source.write_text(sample.body)
            return self.run_rust(source)
        kind = sample.language or "a block without a language"
        raise Failure(f"{kind} does not run: give it a file's name as title, or call it text")

    def run_rust(self, source: Path) -> str:
        program = source.with_suffix("")
        crates = (f"{name}={self.rlibs}/lib{name}.rlib" for name in ("lexpool", "lexpool_ops"))
        externs = [word for crate in crates for word in ("--extern", crate)]
        self.command(
            ["rustc", "--edition", "2024", "-L", f"dependency={self.rlibs / 'deps'}"]
            + [*externs, "-o", str(program), str(source)]
        )
        return self.command([str(program)])

    def command(self, command: list[str]) -> str:
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


def run_python(sample: Sample, namespace: dict[str, object]) -> str | None:
    if sample.body.startswith(">>> "):
        run_doctest(sample, namespace)
        return None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(sample.body, f"<line {sample.line}>", "exec"), namespace)
    return printed.getvalue()


def run_doctest(sample: Sample, namespace: dict[str, object]) -> None:
    parser = doctest.DocTestParser()
    test = parser.get_doctest(sample.body, namespace, "page", None, sample.line)
    said = io.StringIO()
    test.globs = namespace
    results = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(
        test, out=said.write, clear_globs=False
    )
    if results.failed:
        raise Failure(said.getvalue())


def compare(sample: Sample, printed: str) -> None:
    wanted = sample.output or ""
    checker = doctest.OutputChecker()
    if not checker.check_output(plain(wanted), plain(printed), doctest.ELLIPSIS):
        raise Failure(f"line {sample.line}: the page says\n{wanted}\nbut it printed\n{printed}")


def plain(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.strip().splitlines())


def pages(root: Path) -> Iterator[Path]:
    """All pages of the site but those that are generated."""
    for page in sorted((root / "docs/src/content/docs").rglob("*.md*")):
        if page.relative_to(root / "docs/src/content/docs").parts[0] != "api":
            yield page


if __name__ == "__main__":
    page, folder, rlibs = map(Path, sys.argv[1:])
    try:
        Runner(folder, rlibs).run(samples(page.read_text()))
    except (Failure, ValueError) as failure:
        sys.exit(f"{page.name}, {failure}")
