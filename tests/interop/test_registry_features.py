"""Features of four frameworks for calling native code from Python, one test per row of the table
in COMPARE.md.

A test is named after its row. The ops are those of the plugin in `ops/`.
"""

import ast
import gc
import inspect
import json
import os
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import numpy as np
import pytest

import lexpool
from lexpool import ops
from lexpool.attrs import ORTH
from lexpool.errors import BusyError
from lexpool.matcher.levenshtein import levenshtein

ROOT = Path(__file__).parents[2]
ADD = "bench.add(): argument 'a' (position 1): expected int, got str"


def test_registration_form(bench):
    # One line each, in Rust: their types, names and defaults are seen here.
    assert ops.get("bench.add").schema == "add(a: int, b: int) -> int"
    assert "tests/interop/ops/src/lib.rs:" in ops.get("bench.add").source


def test_argument_names(bench):
    assert [name for name, *_ in ops.get("bench.options").params] == ["a", "b", "c", "d", "e"]


def test_schema_inferred_from_the_type(bench):
    assert ops.get("bench.invert").schema == "invert(map: dict[str, list[int]]) -> dict[int, str]"
    assert ops.get("bench.total").params == [("array", "array[float32]", None, False)]
    assert ops.get("bench.nested").result == "list[list[float | None]]"


def test_duplicate_name(bench, library, tmp_path):
    copy = tmp_path / Path(library).name
    copy.write_bytes(Path(library).read_bytes())
    before = ops.names()
    with pytest.raises(ImportError, match="bench.* is there already"):
        ops.load_library(copy)
    assert ops.names() == before
    # The same file is the same plugin.
    assert "bench.add" in ops.load_library(library)


def test_boxed_and_unboxed(bench, nlp):
    # Python calls the boxed entry; the document's own method calls the typed one of the same op.
    doc = nlp("a b a")
    rows = ops.doc.count_by(doc, ORTH).tolist()
    assert dict(rows) == doc.count_by(ORTH)


def test_functor_with_constructor_arguments(bench):
    assert bench.scale(2.0) == 5.0
    meter = bench.Meter(start=40)
    assert meter.add(2) == 42


def test_closures(bench):
    add = bench.adder(10)
    assert (add(5), bench.apply(add, 5)) == (15, 15)
    step = 3
    assert bench.apply(lambda x: x + step, 1) == 4


def test_dispatch_keys(bench):
    keys = [kernel["key"] for kernel in ops.get("bench.speed").kernels]
    assert keys == ["scalar", "sse42", "neon", "avx2"]
    (current,) = (kernel for kernel in ops.get("bench.speed").kernels if kernel["current"])
    assert bench.speed() == current["key"]


def test_cpu_variants(bench):
    best = [k["key"] for k in ops.get("bench.speed").kernels if k["available"]][-1]
    assert bench.speed() == best
    with ops.cpu("scalar"):
        assert bench.speed() == "scalar"
    assert bench.speed() == best
    run = [sys.executable, "-c", "import lexpool.ops as o; print(o.get('vectors.dot').kernels)"]
    environment = {**os.environ, "LEXPOOL_CPU": "scalar"}
    said = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    kernels = ast.literal_eval(said.stdout)
    assert [kernel["key"] for kernel in kernels if kernel["current"]] == ["scalar"]


def test_fallback_kernels(bench):
    absent = {"neon", "avx2"} - set(ops.kernels())
    for key in absent:
        with pytest.raises(ValueError, match=f"this machine has no {key}"), ops.cpu(key):
            pass
    # An op without a kernel of the key falls back to the one that it has.
    with ops.cpu(ops.kernels()[-2]):
        assert bench.add(1, 2) == 3


def test_listing_and_reflection_of_ops(bench):
    assert {"bench.add", "bench.noop"} <= set(ops.names("bench"))
    op = ops.get("bench.options")
    assert op.name == "bench.options"
    assert op.params[1] == ("b", "int | None", "None", True)
    assert (op.gil, ops.get("bench.sized").gil) == ("hold", 100)
    assert bench.options.__self__.schema == op.schema


def test_publication_into_python(bench):
    assert "add" in dir(bench)
    assert type(bench.add).__name__ == "builtin_function_or_method"
    assert bench.add is bench.add
    assert vars(bench)["add"] is bench.add
    from lexpool.ops.bench import add

    assert add is bench.add
    with pytest.raises(AttributeError, match="bench has .*add"):
        _ = bench.ad


def test_object_types_and_reflection(bench):
    meter = bench.Meter(5)
    assert (meter.value, meter.add(), meter.add(k=2, twice=True)) == (5, 6, 10)
    meter.value = 1
    assert (meter.value, meter.merge(bench.Meter(2))) == (1, 3)
    with pytest.raises(TypeError, match="argument 'value'"):
        meter.value = "x"
    with pytest.raises(AttributeError):
        bench.Counter(1).value = 2

    class Twice(bench.Meter):
        def both(self):
            return 2 * self.value

    twice = Twice(start=4)
    twice.note = "its own"
    assert (twice.both(), twice.note, bench.Meter(1).merge(twice)) == (8, "its own", 5)
    assert "value" in dir(bench.Meter)


def test_type_keys(bench):
    assert bench.Meter.__op_class__.__objclass__ is bench.Meter
    assert bench.Meter().__op_class__ == "bench.Meter"
    with pytest.raises(TypeError, match=r"expected bench\.Meter, got bench\.Counter"):
        bench.Meter().merge(bench.Counter(1))


def test_containers(bench):
    assert bench.invert({"a": [1, 2], "b": []}) == {1: "a", 2: "a"}
    assert bench.nested(3) == [[], [None], [None, 0.5]]
    deep = [1, {"a": (2.5, None, True)}, "x", b"y"]
    assert bench.describe(deep) == '[1, {"a": [2.5, None, true]}, "x", b"y"]'
    with pytest.raises(TypeError, match="got str for item 1"):
        bench.sum([1, "x"])
    nested: list = []
    nested.append(nested)
    with pytest.raises(TypeError, match="deep"):
        bench.describe(nested)


def test_python_callable_into_native(bench):
    assert bench.apply(abs, -3) == 3
    assert bench.apply(bench.adder(1), 1) == 2
    kept = bench.keep(inspect.cleandoc)
    assert kept is inspect.cleandoc


def test_native_returns_a_function(bench):
    both = bench.compose(bench.adder(1), lambda x: 10 * x)
    assert both(4) == 41
    assert both.signature == "(int) -> int"
    with pytest.raises(TypeError):
        both("x")


def test_zero_copy_arrays(bench):
    array = np.arange(4.0)
    assert bench.address(array) == array.ctypes.data
    assert bench.address(memoryview(array)) == array.ctypes.data
    assert bench.total(np.ones((3, 4), dtype=np.float32)) == 12
    grid = bench.grid(2, 3)
    assert grid.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert grid.base is not None
    for wrong in (np.arange(4), np.ones((2, 2)), np.arange(8.0)[::2], [[1.0]]):
        with pytest.raises(TypeError, match="argument 'array'"):
            bench.address(wrong)


class Tensor:
    """Lends an array by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()


def test_zero_copy_arrays_by_dlpack(bench):
    array = np.arange(4.0)
    assert bench.address(Tensor(array)) == array.ctypes.data
    gc.collect()
    with pytest.raises(TypeError, match="int64"):
        bench.address(Tensor(np.arange(4)))


def test_errors(bench):
    with pytest.raises(KeyError, match=r"\[no-such\] bench\.fails\(\): nothing there"):
        bench.fails("no-such")
    with pytest.raises(RuntimeError, match=r"bench\.panics\(\).*it panicked: oh no"):
        bench.panics()

    def fails(x):
        raise LookupError(x)

    with pytest.raises(LookupError) as raised:
        bench.apply(fails, 7)
    assert raised.value.args == (7,)
    assert raised.value.__notes__ == ["raised in a call of bench.apply()"]
    frames = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert frames[-1] == "fails"


def test_argument_position_in_the_error(bench):
    with pytest.raises(TypeError) as raised:
        bench.add("x", 2)
    assert str(raised.value) == ADD
    with pytest.raises(TypeError, match=r"argument 'b' \(position 2\): expected int, got float"):
        bench.add(1, 2.5)
    with pytest.raises(TypeError, match="does not fit in 64 bits"):
        bench.add(2**63, 0)


def test_gil(bench):
    def together(call, *args):
        threads = [threading.Thread(target=call, args=args) for _ in range(4)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - start

    # Four sleeps of 200 ms side by side, or one after the other.
    assert together(bench.busy, 200) < 0.6
    assert [ops.get(f"bench.{name}").gil for name in ("add", "busy", "sized")] == [
        "hold",
        "release",
        100,
    ]
    assert bench.sized("x" * 1000) == 1000


def test_profiler_events(bench, tmp_path):
    from io import StringIO

    said, trace = StringIO(), tmp_path / "trace.json"
    with lexpool.profile(trace, file=said) as profile:
        for _ in range(3):
            bench.add(1, 2)
        bench.busy(5)
    rows = {row.name: row for row in profile.rows}
    assert (rows["bench.add"].calls, rows["bench.add"].seconds_without_gil) == (3, 0)
    assert rows["bench.busy"].seconds_without_gil >= 0.005
    assert "bench.busy" in said.getvalue()
    events = json.loads(trace.read_text())["traceEvents"]
    assert [event["name"] for event in events].count("bench.add") == 3
    bench.add(1, 2)
    assert len(profile.rows) == 2


def test_code_generation_from_a_description(bench, tmp_path):
    stub = lexpool._core.op_stubs()
    assert "class bench:" in stub
    assert "def options(a: int, *, b: int | None = None" in stub
    compile(stub, "ops.pyi", "exec")


def test_load_a_library_at_run_time(bench, library):
    assert "bench.noop" in ops.load_library(library)
    assert bench.noop() is None


def test_version_check_at_load(tmp_path):
    # Versions are tested in tests/interop/test_plugins.py, files that are not plugins here.
    path = tmp_path / "plugin.so"
    path.write_text("not a library")
    with pytest.raises(ImportError, match="plugin"):
        ops.load_library(path)


def test_keyword_arguments(bench):
    assert bench.add(b=2, a=1) == 3
    assert bench.options(1, d=2, c="y") == "1 None y 2 true"
    for args, kwargs, said in [
        ((1, 2), {}, "takes 1 positional argument, got 2"),
        ((1,), {"a": 1}, "multiple values for argument 'a'"),
        ((1,), {"z": 1}, "unexpected keyword argument 'z'"),
        ((), {"b": 1}, r"missing argument 'a' \(position 1\)"),
    ]:
        with pytest.raises(TypeError, match=said):
            bench.options(*args, **kwargs)


def test_defaults(bench):
    assert bench.options(1) == "1 None x 1.5 true"
    parameters = inspect.signature(bench.options).parameters
    assert [parameters[name].default for name in "bcde"] == [None, "x", 1.5, True]


def test_docs(bench):
    assert bench.add.__doc__.endswith("A sum.")
    assert ops.get("bench.add").doc == "A sum."
    assert "Makes an object from a number." in bench.Meter.__doc__


def test_deregistration(bench):
    assert bench.strlen("abc") == 3
    with ops.remove("bench.strlen"):
        with pytest.raises(RuntimeError, match=r"\[op-removed\] bench\.strlen\(\)"):
            bench.strlen("abc")
        assert "bench.strlen" not in ops.names()
    assert bench.strlen("abc") == 3
    held = ops.override("bench.strlen", lambda s: -len(s))
    assert bench.strlen("abc") == -3
    held.restore()
    held.restore()
    assert bench.strlen("abc") == 3


def test_an_override_changes_what_the_library_itself_does(nlp):
    doc = nlp("one two")
    with ops.override("text.edit_distance", lambda a, b, bound: 99):
        assert levenshtein("a", "b") == 99
    assert levenshtein("a", "b") == 1

    def counts(doc, attr):
        return np.array([[attr, len(doc)]], dtype=np.uint64)

    with ops.override("doc.count_by", counts):
        assert doc.count_by(65) == {65: 2}
    with ops.override("doc.count_by", lambda doc, attr: "nonsense"), pytest.raises(TypeError):
        doc.count_by(65)
    assert sum(doc.count_by(65).values()) == 2


def test_thread_safety(bench):
    wrong, stop = [], threading.Event()

    def calls():
        while not stop.is_set():
            if bench.add(1, 2) not in (3, 7):
                wrong.append("add")

    threads = [threading.Thread(target=calls) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        with ops.override("bench.add", lambda a, b: 7):
            pass
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_python_signature_and_stubs(bench):
    assert str(inspect.signature(bench.options)) == "(a, *, b=None, c='x', d=1.5, e=True)"
    assert str(inspect.signature(bench.Meter)) == "(start=0)"
    assert str(inspect.signature(bench.Meter.add)) == "(self, /, k=1, *, twice=False)"
    assert str(inspect.signature(bench.Meter().add)) == "(k=1, *, twice=False)"


def test_records_are_lent_and_written_under_a_lease_only(bench, nlp):
    doc = nlp("Hello there, you two.")
    assert bench.spaces(doc) == bench.spaces(doc.c) == 3
    with pytest.raises(TypeError, match="under a lease, got a handle on read-only TokenC"):
        bench.start_all(doc.c)
    with pytest.raises(TypeError, match="stepped"):
        bench.spaces(doc.c[::2])
    with doc.c.writable() as tokens:
        bench.start_all(tokens)
        with pytest.raises(ValueError, match="of the same memory"):
            bench.both(tokens, tokens[1:])
        with pytest.raises(BusyError):
            bench.alphas(doc)
    assert all(token.is_sent_start for token in doc)
    assert bench.alphas(doc) == 4


def test_ops_are_made_when_they_are_first_used():
    code = (
        "import lexpool.ops as ops; spaces = {name.split('.')[0] for name in ops.names()};"
        "made = lambda module, names: sorted(vars(module).keys() & set(names));"
        "print(made(ops, spaces), made(ops.doc, dir(ops.doc)));"
        "ops.doc.count_by; print(made(ops, spaces), made(ops.doc, dir(ops.doc)))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    before, after = done.stdout.splitlines()
    assert before.startswith("[] ") and "count_by" not in before
    assert after.startswith("['doc'] ") and "count_by" in after


def test_map_gives_an_op_over_token_records_those_of_each_document(bench, nlp):
    docs = [nlp("a b " * n) for n in range(50)]
    for threads in (1, 2):
        found = ops.map("bench.spaces", docs, n_threads=threads)
        assert found == [bench.spaces(doc) for doc in docs] == [2 * n for n in range(50)]
    with pytest.raises(TypeError, match="does not take a Doc or records.TokenC. first"):
        ops.map("bench.buf", docs)


def test_map_gives_results_in_order_and_says_which_document_failed(bench, nlp):
    docs = [nlp("a b " * n) for n in range(50)]
    assert ops.map("bench.alphas", docs) == [2 * n for n in range(50)]
    assert ops.map("bench.alphas", iter(docs), n_threads=2) == [2 * n for n in range(50)]
    told: list[int] = []
    ops.map("doc.count_by", docs, ORTH, progress=told.append)
    assert told[-1] == 50
    with pytest.raises(Exception, match="document 0"):
        ops.map("doc.count_by", docs, -1)
    with pytest.raises(TypeError, match="does not take a Doc or records.TokenC. first"):
        ops.map("bench.add", docs, 1)
    with pytest.raises(TypeError, match="missing argument 'attr'"):
        ops.map("doc.count_by", docs)
