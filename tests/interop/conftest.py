"""Compiles the kernels of this folder, each once a session."""

import ctypes
import importlib.metadata
import importlib.util
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest
from plugin_builder import Builder
from rust_crate import built

KERNELS = Path(__file__).parent / "kernels"
PACKAGE_ROOT = Path(__file__).parents[2] / "py"
INCLUDE = PACKAGE_ROOT / "lexpool" / "include"


# Packages whose versions are printed, since results of these tests depend on them.
OTHERS = ("numpy", "pyarrow", "polars", "duckdb", "pandas", "numba", "cffi", "cython", "spacy")


def pytest_report_header() -> str:
    """The versions of the libraries that records are handed to."""
    return f"interop: {', '.join(f'{name} {version(name)}' for name in OTHERS)}"


def version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "is not installed"


class Toolchain:
    """A C and a C++ compiler, and a folder for what they make."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def compiler(self, language: str) -> list[str]:
        """Returns the compiler command for `c` or `c++`; skips the test without one."""
        variable, fallback = {"c": ("CC", "cc"), "c++": ("CXX", "c++")}[language]
        for command in (sysconfig.get_config_var(variable), fallback):
            words = shlex.split(command or "")
            if words and shutil.which(words[0]):
                return words
        pytest.skip(f"no {language} compiler: neither Python's own nor `{fallback}` is installed")

    def compile(self, source: str | Path, output: str, *flags: str, language: str = "c") -> Path:
        """Compiles a kernel, or a file by its full path, with `lexpool.h` in reach.

        What the compiler refuses fails the test.
        """
        target = self.folder / output
        words = [*self.compiler(language), "-x", language, *flags, f"-I{INCLUDE}"]
        run([*words, str(KERNELS / source), "-o", str(target)])
        return target

    def module(
        self,
        name: str,
        *,
        language: str = "c",
        include: tuple[str, ...] = (),
        flags: tuple[str, ...] = (),
        folder: Path = KERNELS,
        declarations: Path = PACKAGE_ROOT,
    ):
        """Builds and imports the Cython module `<name>.pyx` of a folder.

        What it cimports of lexpool is declared in the package `lexpool` under `declarations`.
        """
        pytest.importorskip("Cython", reason="Cython is not installed")
        suffix = {"c": "c", "c++": "cpp"}[language]
        source = self.folder / f"{name}.{suffix}"
        cython = [sys.executable, "-m", "cython", "-3", f"-I{declarations}"]
        cython += ["--cplus"] if language == "c++" else []
        run([*cython, str(folder / f"{name}.pyx"), "-o", str(source)])
        headers = [f"-I{path}" for path in include]
        return self.extension(name, source, *headers, *flags, language=language)

    def extension(self, name: str, source: str | Path, *flags: str, language: str = "c"):
        """Builds and imports the extension module `name` from C, in a folder of its own."""
        link = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        output = str(folder / (name + sysconfig.get_config_var("EXT_SUFFIX")))
        python = f"-I{sysconfig.get_path('include')}"
        shared = ["-shared", "-fPIC", "-O1", *link]
        library = self.compile(source, output, *shared, python, *flags, language=language)
        spec = importlib.util.spec_from_file_location(name, library)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    return Toolchain(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="session")
def header() -> str:
    """The text of `lexpool.h`."""
    return (INCLUDE / "lexpool.h").read_text()


@pytest.fixture(scope="session")
def walk_c(toolchain: Toolchain) -> ctypes.CDLL:
    """The C kernel, loaded with ctypes."""
    built = toolchain.compile("walk.c", "walk.so", "-shared", "-fPIC", "-std=c11")
    library = ctypes.CDLL(str(built))
    array = [ctypes.c_void_p, ctypes.c_size_t]
    library.sum_idx.argtypes, library.sum_idx.restype = array, ctypes.c_uint64
    library.count_spaces.argtypes, library.count_spaces.restype = array, ctypes.c_size_t
    library.read_facts.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64)]
    library.read_facts.restype = None
    library.write_facts.argtypes = [ctypes.c_void_p, *[ctypes.c_int] * 3]
    library.write_facts.restype = None
    library.lexeme_flag.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    library.lexeme_flag.restype = ctypes.c_int
    library.example.argtypes = [
        *array,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.POINTER(ctypes.c_size_t),
        ctypes.c_size_t,
        ctypes.POINTER(ctypes.c_size_t),
    ]
    library.example.restype = None
    return library


@pytest.fixture(scope="session")
def walk_cython(toolchain: Toolchain):
    """The Cython kernel over `lexpool.structs`."""
    return toolchain.module("walk_tokens")


@pytest.fixture(scope="session")
def spacy_records(toolchain: Toolchain):
    """The Cython reader over `spacy.structs`."""
    pytest.importorskip("spacy", reason="spaCy is not installed")
    return toolchain.module("spacy_records", language="c++")


@pytest.fixture(scope="session")
def nlp():
    """A blank English pipeline of the installed lexpool."""
    lexpool = pytest.importorskip("lexpool", reason="lexpool is not installed")
    if lexpool.__file__ is None:
        pytest.skip("lexpool is not built: only its source folder is in reach")
    return lexpool.blank("en")


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Builder:
    """Builds plugins."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    toolchain.compiler("c")
    return Builder(tmp_path_factory.mktemp("plugins"))


@pytest.fixture(scope="session")
def call_op(toolchain: Toolchain):
    """Calls an op by its name from C, with values made of Python's."""
    strict = ("-Wall", "-Wextra", "-Werror")
    return toolchain.extension("ops_kernel", "ops_kernel.c", *strict).call


def loader():
    return pytest.importorskip("lexpool._core", reason="lexpool is not built").load_library


# Once a session: a second build of a plugin has names that are there already.
@pytest.fixture(scope="session")
def counts(plugins: Builder) -> Path:
    """The template in C, loaded."""
    library = plugins.in_c()
    assert loader()(library) == ["counts.spaces", "counts.sum_of", "counts.Counter"]
    return library


@pytest.fixture(scope="session")
def gauge(plugins: Builder) -> Path:
    """The template in Rust, loaded."""
    library = plugins.in_rust()
    assert loader()(library) == ["gauge.spaces", "gauge.each", "gauge.Meter"]
    return library


@pytest.fixture(scope="session")
def library() -> str:
    """The plugin of the tests, built."""
    return built("lexpool_test_ops", "dev", "-p", "lexpool-test-ops")


@pytest.fixture(scope="session")
def bench(library):
    """The ops of the plugin of the tests."""
    from lexpool import ops

    ops.load_library(library)
    return ops.bench
