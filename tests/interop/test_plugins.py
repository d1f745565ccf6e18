"""Plugins, built from the templates in `py/examples` and from those with one thing changed."""

import ctypes
import importlib.machinery
import importlib.metadata
import os
import shutil
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from lexpool import _plugins, ops
from lexpool._core import load_library

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "py" / "lexpool" / "include"
IN_C = ROOT / "py" / "examples" / "plugin-c"
IN_RUST = ROOT / "py" / "examples" / "plugin-rust"
TEXT = "Hello there, how are you?"

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the template's Makefile is for Unix"),
    pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed"),
]


class Builder:
    """Builds plugins into a folder, each file under a name of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def place(self, name: str) -> Path:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        return folder / name

    def in_c(self, changes: dict[str, str] | None = None, headers: Path = INCLUDE) -> Path:
        """The template in C, with texts replaced by others."""
        source = self.place("source")
        shutil.copytree(IN_C, source)
        change(source / "tally.c", changes or {})
        # A change may leave something unused.
        flags = "-w" if changes else "-Werror"
        run("make", "-C", source, f"LEXPOOL={headers}", f"OUT={source.parent}", f"CFLAGS={flags}")
        return source.parent / "libtally.so"

    def headers(self, name: str, changes: dict[str, str]) -> Path:
        """lexpool's headers, one of them changed: those of another version of lexpool."""
        folder = self.place("include")
        shutil.copytree(INCLUDE, folder)
        change(folder / name, changes)
        return folder

    def in_rust(self, lib: str | None = None) -> Path:
        """The template in Rust, or the same crate with another `lib.rs`."""
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
        return Path(shutil.copy(built, self.place(built.name)))


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


@pytest.fixture(scope="module")
def builder(tmp_path_factory, toolchain) -> Builder:
    toolchain.compiler("c")
    return Builder(tmp_path_factory.mktemp("plugins"))


@pytest.fixture(scope="module")
def call(toolchain):
    """Calls an op by its name from C, with values made of Python's."""
    strict = ("-Wall", "-Wextra", "-Werror")
    return toolchain.extension("ops_kernel", "ops_kernel.c", *strict).call


@pytest.fixture(scope="module")
def tally(builder) -> Path:
    library = builder.in_c()
    assert load_library(library) == ["tally.spaces", "tally.sum_of", "tally.Counter"]
    return library


@pytest.fixture(scope="module")
def gauge(builder) -> Path:
    library = builder.in_rust()
    assert load_library(library) == ["gauge.spaces", "gauge.each", "gauge.Meter"]
    return library


def refusal(library) -> str:
    with pytest.raises(ImportError) as raised:
        load_library(library)
    assert raised.value.path == os.fspath(library)
    return str(raised.value)


def failure(call, *args) -> tuple[str, str]:
    with pytest.raises(RuntimeError) as raised:
        call(*args)
    _, code, text = raised.value.args
    return code, text


@pytest.mark.parametrize("op", ["tally.spaces", "gauge.spaces"])
def test_an_op_of_a_plugin_reads_tokens_where_they_lie(op, call, tally, gauge, nlp):
    doc = nlp(TEXT)
    assert call(op, doc) == sum(bool(token.whitespace_) for token in doc) == 4
    assert call(op, nlp("")) == 0
    assert failure(call, op, 1) == (
        "op-argument",
        f"{op}(): argument 'tokens' (position 1): expected records[TokenC], got int",
    )
    assert failure(call, op)[0] == "op-arity"


def test_an_op_of_a_plugin_calls_back(call, tally, gauge):
    assert call("tally.sum_of", ["a", "bcd"], len) == 4
    assert call("gauge.each", [1, 2, 3], lambda n: n * n) == [1, 4, 9]
    for args in (("tally.sum_of", ["a"]), ("gauge.each", [1])):
        assert failure(call, *args, lambda _: 1 / 0)[0] == "test-raised"
    assert failure(call, "tally.sum_of", ["a"], lambda _: "x")[0] == "tally-weight"
    assert failure(call, "gauge.each", [1], lambda _: "x")[0] == "op-result"


@pytest.mark.parametrize("namespace", ["tally", "gauge"])
def test_python_has_what_plugins_bring_like_any_op(namespace, tally, gauge, nlp):
    found = getattr(ops, namespace)
    doc = nlp(TEXT)
    assert found.spaces(doc.c) == found.spaces(tokens=doc.c) == 4
    make = {"tally": lambda: ops.tally.Counter, "gauge": lambda: ops.gauge.Meter}[namespace]()
    counter = make(5)
    assert (counter.add(2), counter.add(k=3), counter.value) == (7, 10, 10)
    counter.value = 1
    assert counter.add() == 2
    with pytest.raises(TypeError, match=r"argument 'start' \(position 1\): expected int, got str"):
        make("5")


def test_an_exception_of_a_callback_goes_through_a_plugin_as_it_was(tally, gauge):
    raised = ZeroDivisionError("mine")

    def fail(_):
        raise raised

    for call_back in (ops.tally.sum_of, ops.gauge.each):
        with pytest.raises(ZeroDivisionError) as caught:
            call_back([1], fail)
        assert caught.value is raised


@pytest.mark.parametrize("key", ["tally.Counter", "gauge.Meter"])
def test_an_object_of_a_plugin_is_made_changed_by_threads_and_dropped(key, call, tally, gauge):
    counter = call(f"{key}.new", 5)
    assert call(f"{key}.add", counter) == 6

    def add() -> None:
        for _ in range(1000):
            call(f"{key}.add", counter, 2)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert call(f"{key}.add", counter, 0) == 8006


def test_an_object_of_one_plugin_is_none_of_another(call, tally, gauge):
    meter = call("gauge.Meter.new")
    code, text = failure(call, "tally.Counter.add", meter)
    assert code == "op-argument"
    assert text.endswith("expected tally.Counter, got gauge.Meter")


def test_an_object_of_c_is_dropped_with_its_last_reference(builder, call):
    library = builder.in_c(
        {
            "tally": "drops",
            "#define COUNT(": "static int64_t dropped;\n"
            "static void drop(void *data) { (void)data; dropped++; }\n"
            "#define COUNT(",
            ".size = sizeof(counter),": ".size = sizeof(counter), .drop = drop,",
            "int64_t found = 0;": "int64_t found = dropped;",
            "records[TokenC]": "Any",
        }
    )
    load_library(Path(library))
    counter = call("drops.Counter.new")
    assert call("drops.spaces", 0) == 0
    del counter
    assert call("drops.spaces", 0) == 1


@pytest.mark.parametrize("kind", [str, Path, os.fspath])
def test_a_plugin_that_is_loaded_again_is_the_same(kind, tally, gauge):
    for library in (tally, gauge):
        names = load_library(kind(library))
        assert names == load_library(library)
        assert len(names) == 3
    assert load_library(Path(os.path.relpath(tally)))[0] == "tally.spaces"


def test_a_plugin_is_loaded_by_many_threads_at_once(builder, call):
    library = builder.in_c({"tally": "threads"})
    found: list[list[str]] = []
    start = threading.Barrier(8)

    def load() -> None:
        start.wait()
        found.append(load_library(library))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["threads.spaces", "threads.sum_of", "threads.Counter"]] * 8
    assert call("threads.sum_of", [1], lambda n: n) == 1


def test_a_file_that_has_changed_since_it_was_loaded_is_refused(builder):
    library = builder.in_c({"tally": "changed"})
    load_library(library)
    # Another file in its place: the first one is mapped, and must not change.
    library.unlink()
    shutil.copy(builder.in_c({"tally": "changed", '"1.0"': '"1.1"'}), library)
    os.utime(library, (0, 0))
    assert "[plugin-changed]" in refusal(library)


def test_a_name_that_is_there_already_installs_nothing(builder, call, tally):
    library = builder.in_c({'LEXPOOL_STR("tally.spaces")': 'LEXPOOL_STR("tally.other")'})
    text = refusal(library)
    assert text.startswith(f"[plugin-refused] {library}: ")
    assert "tally.sum_of" in text or "tally.Counter" in text
    assert str(tally) in text
    with pytest.raises(KeyError):
        call("tally.other", 1)


@pytest.mark.parametrize(
    ("header", "changes", "said"),
    [
        (
            "lexpool_ops.h",
            {"LEXPOOL_PLUGIN_MAJOR 1": "LEXPOOL_PLUGIN_MAJOR 9"},
            "built for version 9.0 of the plugin interface and version 1 of the records; this "
            "lexpool has 1.0 and 1: install a newer lexpool",
        ),
        (
            "lexpool_ops.h",
            {"LEXPOOL_PLUGIN_MINOR 0": "LEXPOOL_PLUGIN_MINOR 3"},
            "built for version 1.3 of the plugin interface",
        ),
        (
            "lexpool.h",
            {"LEXPOOL_ABI_VERSION 1": "LEXPOOL_ABI_VERSION 0"},
            "version 0 of the records; this lexpool has 1.0 and 1: build it anew",
        ),
        (
            "lexpool_plugin.h",
            {"sizeof(lexpool_op_def) == 112": "1", "    size_t gil_size;\n    l": "    l"},
            "its lexpool_op_def has 104 bytes, that of this lexpool 112",
        ),
        (
            "lexpool_ops.h",
            {
                "sizeof(lexpool_host) == 88": "1",
                "    int (*progress)": "    void *more;\n    int (*progress)",
            },
            "it needs 96 bytes of lexpool's table of functions, which has 88",
        ),
    ],
)
def test_a_plugin_of_another_version_is_refused_with_both(header, changes, said, builder, tmp_path):
    drop = {"     .gil = LEXPOOL_GIL_BY_SIZE, .gil_size = 4096, .call": "     .call"}
    library = builder.in_c(drop, builder.headers(header, changes))
    text = refusal(library)
    assert text.startswith(f"[plugin-version] {library}: ")
    assert said in text


class Host(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("size", "magic", "major", "minor", "records")]
    _fields_ += [("rest", ctypes.c_uint32 * 17)]


@pytest.mark.parametrize("field", ["size", "magic", "major", "records"])
@pytest.mark.parametrize("plugin", ["tally", "gauge"])
def test_a_plugin_refuses_a_lexpool_of_another_version(plugin, field, request):
    library = ctypes.CDLL(str(request.getfixturevalue(plugin)))
    host = Host(size=88, magic=0x706F786C, major=1, minor=0, records=1)
    setattr(host, field, {"size": 80, "magic": 1, "major": 2, "records": 2}[field])
    # Room for a table, and beyond it what must not be written.
    table = (ctypes.c_uint32 * 64)(128, *[0] * 31, *[0xAAAAAAAA] * 32)
    assert library.lexpool_plugin_v1(ctypes.byref(host), table) == 1
    assert list(table[2:5]) == ([1, 0, 1] if field != "magic" else [0, 0, 0])
    assert list(table[12:32]) == [0] * 20
    assert list(table[32:]) == [0xAAAAAAAA] * 32
    for given in ((None, table), (ctypes.byref(host), None)):
        assert library.lexpool_plugin_v1(*given) == 1


def test_a_plugin_writes_no_more_than_there_is_room_for(tally, gauge):
    for path in (tally, gauge):
        library = ctypes.CDLL(str(path))
        host = Host(size=88, magic=0x706F786C, major=1, minor=0, records=1)
        for room in (0, 40, 48, 120):
            table = (ctypes.c_uint32 * 64)(room, *[0xAAAAAAAA] * 63)
            assert library.lexpool_plugin_v1(ctypes.byref(host), table) == 1
            assert list(table[12:]) == [0xAAAAAAAA] * 52


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.5, 0.9])
def test_a_library_that_is_cut_short_is_refused(share, tally, gauge, tmp_path):
    for library in (tally, gauge):
        whole = library.read_bytes()
        short = tmp_path / library.name
        short.write_bytes(whole[: int(len(whole) * share)])
        # What the loader maps comes first; an end without symbols of a debugger may be missed by none.
        text = refusal(short) if share < 0.8 else last_word(short)
        assert text.startswith("[plugin-")
        assert str(short) in text


def last_word(library: Path) -> str:
    try:
        load_library(library)
    except ImportError as error:
        return str(error)
    return f"[plugin-loaded] {library}"


def test_what_is_no_library_is_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a library")
    for wrong in (text, tmp_path, tmp_path / "nowhere.so", Path("nowhere\0.so")):
        assert "[plugin-open]" in refusal(wrong)
    for wrong in (None, 1, b"tally.so"):
        with pytest.raises(TypeError):
            load_library(wrong)


def test_a_library_that_is_no_plugin_is_refused(toolchain, call):
    built = toolchain.compile("walk.c", "no_plugin.so", "-shared", "-fPIC", "-std=c11")
    assert "no plugin: it has no lexpool_plugin_v1" in refusal(built)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({'LEXPOOL_STR("tally.sum_of")': 'LEXPOOL_STR("text.sum_of")'}, "op 1: \"text.sum_of\""),
        ({'LEXPOOL_STR("tally.sum_of")': 'LEXPOOL_STR("tally.class")'}, "tally.class"),
        ({'LEXPOOL_PLUGIN("tally"': 'LEXPOOL_PLUGIN("tal-ly"'}, "no namespace"),
        ({'LEXPOOL_PLUGIN("tally"': 'LEXPOOL_PLUGIN("tal\\xff"'}, "no UTF-8"),
        ({"list[Any]": "list[Any"}, "tally.sum_of: argument \"items\": \"list[Any\" is no type"),
        ({'"Callable"': '"Callables"'}, "argument \"weigh\""),
        ({"SUM_OF, .n_params = COUNT(SUM_OF)": "SUM_OF, .n_params = 13"}, "at most 12"),
        ({"SUM_OF, .n_params = COUNT(SUM_OF)": "NULL, .n_params = 2"}, "the arguments are no table"),
        ({"OPS, COUNT(OPS)": "OPS, (size_t)-1"}, "its ops are no table"),
        ({".call = sum_of": ".call = NULL"}, "no function to call"),
        ({".call = sum_of": ".call = sum_of, .gil = 7"}, "no way 7"),
        ({".call = sum_of": ".call = sum_of, .key = 99"}, "no key 99"),
        ({"{LEXPOOL_TAG_INT, 0, 1}": "{LEXPOOL_TAG_STR, 3, 0}"}, "a string without an address"),
        ({"{LEXPOOL_TAG_INT, 0, 1}": "{LEXPOOL_TAG_NONE, 0, 0}"}, "k = None is no int"),
        ({'"self"), .type = LEXPOOL_STR("tally.Counter")': '"self"), .type = LEXPOOL_STR("int")'},
         "the first argument of a method is a tally.Counter"),
        ({'.name = LEXPOOL_STR("value")': '.name = LEXPOOL_STR("add")'}, "are named add"),
        ({".get = counter_get": ".get = NULL"}, "no function to call"),
        ({"OPS, COUNT(OPS), CLASSES, COUNT(CLASSES)": "NULL, 0, NULL, 0"}, "neither ops nor types"),
    ],
)  # fmt: skip
def test_tables_that_do_not_hold_are_refused(changes, said, builder, call, tmp_path):
    unique = f"refused{builder.count}"
    library = builder.in_c(changes | {"tally": unique})
    text = refusal(library)
    assert text.startswith(f"[plugin-refused] {library}: ")
    assert said.replace("tally", unique) in text
    with pytest.raises(KeyError):
        call(f"{unique}.spaces", 1)


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ('lexpool_text("a\\xff", 2)', "op-result", "no UTF-8, from byte 1"),
        ("lexpool_text(NULL, 3)", "op-result", "a string without an address"),
        ("lexpool_make(77, 0, 0)", "op-result", "no kind 77"),
        ("lexpool_make(LEXPOOL_OWNED | 4, 0, 0)", "op-result", "without an address"),
        ("lexpool_float(1.5)", "op-result", "is to give int, and gave float"),
        ("args[0]", "op-result", "stays with who lends it"),
        ("lexpool_int(1); return 3", "op-failed", "gave int for a reason"),
    ],
)
def test_a_result_that_is_not_what_it_says_is_a_failure(given, code, said, builder, call, nlp):
    unique = f"wrong{builder.count}"
    library = builder.in_c({"lexpool_int(found)": given, "tally": unique})
    load_library(library)
    found, text = failure(call, f"{unique}.spaces", nlp(TEXT))
    assert found == code
    assert text.startswith(f"{unique}.spaces(): ")
    assert said in text


@pytest.fixture(scope="module")
def panics(builder) -> None:
    """A plugin with an op that panics, and one that asks lexpool for another."""
    library = builder.in_rust(
        """
        use lexpool_plugin::{Registrar, host, op, plugin, Value};

        fn register(ops: &mut impl Registrar) {
            op!(*ops, "panics.never"() = || -> i64 { panic!("oh no") }, "Panics.");
            op!(*ops, "panics.works"(n) = |n: i64| n + 1, "Goes on.");
            op!(*ops, "panics.asks"(n) = |n: i64| -> Result<i64, lexpool_plugin::Failure> {
                let op = host().and_then(|host| host.find("panics.works")).expect("registered");
                host().expect("loaded").log(30, "asked for 100 %");
                host().expect("loaded").progress(1, 2)?;
                Ok(op.call(&[Value::int(n)])?.get().as_int().unwrap_or_default())
            }, "Calls another op by lexpool.");
        }

        plugin!(name = "panics", version = "2.0", register);
        """
    )
    load_library(library)


def test_a_plugin_whose_op_panics_raises_and_goes_on(panics, call):
    code, text = failure(call, "panics.never")
    assert code == "op-panic"
    assert text.startswith("panics.never(): ")
    assert text.endswith("oh no")
    assert call("panics.works", 1) == 2


def test_a_plugin_calls_other_ops_and_logs(panics, call, caplog):
    with caplog.at_level("INFO", logger="lexpool.plugins"):
        assert call("panics.asks", 41) == 42
    assert caplog.record_tuples == [("lexpool.plugins", 30, "asked for 100 %")]


def test_a_plugin_that_panics_while_it_registers_is_refused(builder, call):
    library = builder.in_rust(
        """
        use lexpool_plugin::{Registrar, op, plugin};

        fn register(ops: &mut impl Registrar) {
            op!(*ops, "early.works"(n) = |n: i64| n + 1, "Never there.");
            panic!("too early");
        }

        plugin!(name = "early", version = "2.0", register);
        """
    )
    for _ in range(2):
        text = refusal(library)
        assert "[plugin-refused]" in text
        assert text.endswith("too early")
    with pytest.raises(KeyError):
        call("early.works", 1)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Installs a package with entry points, and modules with texts."""

    def install(points: str, **modules: str) -> None:
        info = tmp_path / "some_ops-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-ops\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[lexpool.plugins]\n{points}\n")
        for name, text in modules.items():
            (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)

    return install


def test_an_installed_plugin_is_found_and_loaded_when_it_is_asked_for(builder, installed, call):
    library = builder.in_c({"tally": "later"})
    installed(
        "later = later_ops\nbroken = later_ops:missing\nnumber = later_ops:number",
        later_ops=f"library = {str(library)!r}\nnumber = 3\n",
    )
    assert _plugins.find_plugins().keys() >= {"later", "broken", "number"}
    assert "later_ops" not in sys.modules
    assert _plugins.load_plugin("nobody") is None
    assert _plugins.load_plugin("later") == ["later.spaces", "later.sum_of", "later.Counter"]
    assert call("later.sum_of", [1], lambda n: n) == 1
    with pytest.raises(AttributeError, match="missing"):
        _plugins.load_plugin("broken")
    with pytest.raises(ImportError, match=r"plugin-path.*gives a int"):
        _plugins.load_plugin("number")


def test_an_entry_point_of_another_namespace_is_refused(installed, tally):
    installed(
        "other = wrong_ops:path\nempty = wrong_ops",
        wrong_ops=f"import pathlib\n\ndef path():\n    return pathlib.Path({str(tally)!r})\n",
    )
    with pytest.raises(ImportError, match=r"plugin-namespace.*has tally\.spaces and nothing in other"):
        _plugins.load_plugin("other")
    with pytest.raises(ImportError, match="a module without `library`"):
        _plugins.load_plugin("empty")
