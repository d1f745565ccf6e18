"""Ops, objects and callbacks of plugins, called from Python and from C."""

import os
import re
import sys
import threading
from pathlib import Path

import pytest
from plugin_builder import INCLUDE

from lexpool import ops
from lexpool._core import load_library
from lexpool._ops import plugins as plugin_loader

TEXT = "Hello there, how are you?"


def failure(call_op, *args) -> tuple[str, str]:
    with pytest.raises(RuntimeError) as raised:
        call_op(*args)
    _, code, text = raised.value.args
    return code, text


@pytest.mark.parametrize("op", ["counts.spaces", "gauge.spaces"])
def test_an_op_of_a_plugin_reads_tokens_where_they_lie(op, call_op, counts, gauge, nlp):
    doc = nlp(TEXT)
    assert call_op(op, doc) == sum(bool(token.whitespace_) for token in doc) == 4
    assert call_op(op, nlp("")) == 0
    assert failure(call_op, op, 1) == (
        "op-argument",
        f"{op}(): argument 'tokens' (position 1): expected records[TokenC], got int",
    )
    assert failure(call_op, op)[0] == "op-arity"


def test_an_op_of_a_plugin_calls_back(call_op, counts, gauge):
    assert call_op("counts.sum_of", ["a", "bcd"], len) == 4
    assert call_op("gauge.each", [1, 2, 3], lambda n: n * n) == [1, 4, 9]
    for args in (("counts.sum_of", ["a"]), ("gauge.each", [1])):
        assert failure(call_op, *args, lambda _: 1 / 0)[0] == "test-raised"
    assert failure(call_op, "counts.sum_of", ["a"], lambda _: "x")[0] == "counts-weight"
    assert failure(call_op, "gauge.each", [1], lambda _: "x")[0] == "op-result"


@pytest.mark.parametrize("namespace", ["counts", "gauge"])
def test_python_has_what_plugins_bring_like_any_op(namespace, counts, gauge, nlp):
    found = getattr(ops, namespace)
    doc = nlp(TEXT)
    assert found.spaces(doc.c) == found.spaces(tokens=doc.c) == 4
    make = {"counts": lambda: ops.counts.Counter, "gauge": lambda: ops.gauge.Meter}[namespace]()
    counter = make(5)
    assert (counter.add(2), counter.add(k=3), counter.value) == (7, 10, 10)
    counter.value = 1
    assert counter.add() == 2
    with pytest.raises(TypeError, match=r"argument 'start' \(position 1\): expected int, got str"):
        make("5")


def test_an_exception_of_a_callback_goes_through_a_plugin_as_it_was(counts, gauge):
    raised = ZeroDivisionError("mine")

    def fail(_):
        raise raised

    for call_back in (ops.counts.sum_of, ops.gauge.each):
        with pytest.raises(ZeroDivisionError) as caught:
            call_back([1], fail)
        assert caught.value is raised


@pytest.mark.parametrize("key", ["counts.Counter", "gauge.Meter"])
def test_an_object_of_a_plugin_is_made_changed_by_threads_and_dropped(key, call_op, counts, gauge):
    counter = call_op(f"{key}.new", 5)
    assert call_op(f"{key}.add", counter) == 6

    def add() -> None:
        for _ in range(1000):
            call_op(f"{key}.add", counter, 2)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert call_op(f"{key}.add", counter, 0) == 8006


def test_an_object_of_one_plugin_is_none_of_another(call_op, counts, gauge):
    meter = call_op("gauge.Meter.new")
    code, text = failure(call_op, "counts.Counter.add", meter)
    assert code == "op-argument"
    assert text.endswith("expected counts.Counter, got gauge.Meter")


def test_an_object_of_c_is_dropped_with_its_last_reference(plugins, call_op):
    library = plugins.in_c(
        {
            "counts": "drops",
            "#define COUNT(": "static int64_t dropped;\n"
            "static void drop(void *data) { (void)data; dropped++; }\n"
            "#define COUNT(",
            ".size = sizeof(counter),": ".size = sizeof(counter), .drop = drop,",
            "int64_t found = 0;": "int64_t found = dropped;",
            "records[TokenC]": "Any",
        }
    )
    load_library(Path(library))
    counter = call_op("drops.Counter.new")
    assert call_op("drops.spaces", 0) == 0
    del counter
    assert call_op("drops.spaces", 0) == 1


@pytest.mark.parametrize("kind", [str, Path, os.fspath])
def test_a_plugin_that_is_loaded_again_is_the_same(kind, counts, gauge):
    for library in (counts, gauge):
        names = load_library(kind(library))
        assert names == load_library(library)
        assert len(names) == 3
    assert load_library(Path(os.path.relpath(counts)))[0] == "counts.spaces"


def test_a_plugin_is_loaded_by_many_threads_at_once(plugins, call_op):
    library = plugins.in_c({"counts": "threads"})
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
    assert call_op("threads.sum_of", [1], lambda n: n) == 1


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ('lexpool_text("a\\xff", 2)', "op-result", "not UTF-8, from byte 1"),
        ("lexpool_text(NULL, 3)", "op-result", "a string without an address"),
        ("lexpool_make(77, 0, 0)", "op-result", "77 is not a kind of values"),
        ("lexpool_make(LEXPOOL_OWNED | 4, 0, 0)", "op-result", "without an address"),
        ("lexpool_float(1.5)", "op-result", "is to give int, and gave float"),
        ("args[0]", "op-result", "stays with who lends it"),
        ("lexpool_int(1); return 3", "op-failed", "gave int for a reason"),
    ],
)
def test_a_result_that_is_not_what_it_says_is_a_failure(given, code, said, plugins, call_op, nlp):
    unique = f"wrong{plugins.count}"
    library = plugins.in_c({"lexpool_int(found)": given, "counts": unique})
    load_library(library)
    found, text = failure(call_op, f"{unique}.spaces", nlp(TEXT))
    assert found == code
    assert text.startswith(f"{unique}.spaces(): ")
    assert said in text


@pytest.fixture(scope="module")
def panics(plugins) -> None:
    """A plugin with an op that panics, and one that asks lexpool for another."""
    library = plugins.in_rust(
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


def test_a_plugin_whose_op_panics_raises_and_goes_on(panics, call_op):
    code, text = failure(call_op, "panics.never")
    assert code == "op-panic"
    assert text.startswith("panics.never(): ")
    assert text.endswith("oh no")
    assert call_op("panics.works", 1) == 2


def test_a_plugin_calls_other_ops_and_logs(panics, call_op, caplog):
    with caplog.at_level("INFO", logger="lexpool.plugins"):
        assert call_op("panics.asks", 41) == 42
    assert caplog.record_tuples == [("lexpool.plugins", 30, "asked for 100 %")]


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


def test_an_installed_plugin_is_found_and_loaded_when_it_is_asked_for(plugins, installed, call_op):
    library = plugins.in_c({"counts": "later"})
    installed(
        "later = later_ops\nbroken = later_ops:missing\nnumber = later_ops:number",
        later_ops=f"library = {str(library)!r}\nnumber = 3\n",
    )
    assert plugin_loader.find_plugins().keys() >= {"later", "broken", "number"}
    assert "later_ops" not in sys.modules
    assert plugin_loader.load_plugin("nobody") is None
    assert ops.later.sum_of(["a"], len) == 1
    assert "later_ops" in sys.modules
    assert plugin_loader.load_plugin("later") == ["later.spaces", "later.sum_of", "later.Counter"]
    assert call_op("later.sum_of", [1], lambda n: n) == 1
    with pytest.raises(AttributeError, match="missing"):
        plugin_loader.load_plugin("broken")
    with pytest.raises(ImportError, match=r"plugin-path.*gives a int"):
        plugin_loader.load_plugin("number")


def test_an_entry_point_of_another_namespace_is_refused(installed, counts):
    installed(
        "other = wrong_ops:path\nempty = wrong_ops",
        wrong_ops=f"import pathlib\n\ndef path():\n    return pathlib.Path({str(counts)!r})\n",
    )
    missing = r"plugin-namespace.*counts\.spaces and nothing in the namespace other"
    with pytest.raises(ImportError, match=missing):
        plugin_loader.load_plugin("other")
    with pytest.raises(ImportError, match="without the attribute `library`"):
        plugin_loader.load_plugin("empty")


def test_the_plugin_in_the_header_works(plugins, nlp):
    header = (INCLUDE / "lexpool_plugin.h").read_text()
    code = re.findall(r"^ \*     (.*)$", header, re.MULTILINE)
    source = "\n".join(['#include "lexpool.h"', *code]).replace("counts", "header")
    assert load_library(plugins.from_source(source)) == ["header.count"]
    assert ops.header.count(nlp(TEXT).c) == 7
