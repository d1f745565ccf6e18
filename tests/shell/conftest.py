"""Runs the installed command `lexpool` in processes of its own."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


class Shell:
    """The command in a folder of its own."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.command = command
        self.folder = folder

    def write(self, name: str, content: bytes | str) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def names(self) -> list[str]:
        """The names of the folder's entries, sorted."""
        return sorted(path.name for path in self.folder.iterdir())

    def run(self, *args: str, stdin: bytes = b"", **options) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*self.command, *args],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            timeout=120,
            check=False,
            **options,
        )

    def ok(self, *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
        done = self.run(*args, stdin=stdin)
        assert done.returncode == 0, done.stderr.decode()
        return done

    def fails(self, *args: str, stdin: bytes = b"", code: int = 1, **options) -> str:
        """Runs a command that must fail and returns its message."""
        done = self.run(*args, stdin=stdin, **options)
        assert done.returncode == code, (done.stdout, done.stderr)
        return done.stderr.decode()

    def start(self, *args: str, **streams) -> subprocess.Popen:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | streams
        return subprocess.Popen([*self.command, *args], cwd=self.folder, **pipes)


def installed():
    lexpool = pytest.importorskip("lexpool", reason="lexpool is not installed")
    if lexpool.__file__ is None:
        pytest.skip("lexpool is not built: only its source folder is in reach")
    return lexpool


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    installed()
    return Shell([sys.executable, "-m", "lexpool"], tmp_path)


@pytest.fixture
def script(tmp_path: Path) -> Shell:
    """The command as it lies on the path."""
    installed()
    command = shutil.which("lexpool", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("the console script is not installed beside the interpreter")
    return Shell([command], tmp_path)


@pytest.fixture
def tagged(shell: Shell) -> dict[str, list[str]]:
    """Writes train.spacy, each pair of some sentences; returns the sentences with their tags."""
    from lexpool.tokens import DocBin

    sentences = {
        "The cats sleep .": ["DT", "NNS", "VBP", "."],
        "A dog barks .": ["DT", "NN", "VBZ", "."],
        "The girls work here .": ["DT", "NNS", "VBP", "RB", "."],
        "She works .": ["PRP", "VBZ", "."],
    }
    nlp = installed().blank("en")
    docs = []
    for first in sentences:
        for second in sentences:
            doc = nlp.make_doc(f"{first} {second}")
            for token, tag in zip(doc, sentences[first] + sentences[second], strict=True):
                token.tag_ = tag
                token.is_sent_start = token.i in (0, len(sentences[first]))
            docs.append(doc)
    DocBin(docs=docs).to_disk(shell.folder / "train.spacy")
    return sentences


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Texts with something in them for each of the output's forms to get wrong."""
    return [
        "I don't know, and they won't say.",
        "",
        "  Two  spaces,\ta tab \u2014 and \u201cquotes\u201d.",
        "caf\u00e9 \U0001f600 na\u00efve U.K. $3.50 e-mail: a.b@example.com",
        "It's",
    ]


@pytest.fixture(scope="session")
def docs(texts: list[str]):
    """The documents that lexpool makes of the texts."""
    nlp = installed().blank("en")
    return [nlp(text) for text in texts]


@pytest.fixture
def lines(texts: list[str]) -> bytes:
    """The texts as a file with a text on each line."""
    return "\n".join(texts).encode()
