"""The backend of thinc: thinc's own tests on it, products beside NumPy's, and spaCy's pipelines."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy
import pytest
import spacy
from hypothesis import given, settings, strategies as st
from processes import python
from spacy.training import Example
from thinc.api import NumpyOps, get_current_ops, set_current_ops
from trained_pipelines import DEPS, ENTS, HEADS, TAGS, WORDS

import lexpool.thinc
from lexpool import _core
from lexpool.thinc import LexpoolOps

ROOT = Path(__file__).parents[2]
OPS = LexpoolOps()

# Puts the backend in the place of thinc's: in the lists over which its tests run, and by its name.
PLUGIN = """
import thinc.api
from lexpool.thinc import LexpoolOps

class Renamed(LexpoolOps):
    name = "numpy"

thinc.api.NumpyOps = Renamed
thinc.api.registry.ops.register("NumpyOps", func=Renamed)
"""


@pytest.fixture
def restored():
    """Restores thinc's current backend."""
    before = get_current_ops()
    yield
    set_current_ops(before)


def test_thincs_own_tests_of_backends_pass(tmp_path):
    (tmp_path / "lexpool_backend.py").write_text(PLUGIN)
    (tmp_path / "counted.py").write_text(
        "from thinc.tests.backends.test_ops import ALL_OPS, CPU_OPS, XP_OPS\n"
        "print(*[type(ops).__name__ for ops in (*ALL_OPS, *CPU_OPS, *XP_OPS)])\n"
    )
    arguments = ["-p", "lexpool_backend", "-p", "no:cacheprovider", "-p", "no:randomly"]
    arguments += ["-q", "-n", "0", "--pyargs", "thinc.tests.backends.test_ops"]
    package = Path(lexpool.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{tmp_path}:{package}", "PATH": ""},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert "failed" not in done.stdout
    names = python(PLUGIN + (tmp_path / "counted.py").read_text()).split()
    assert names.count("Renamed") == 3, "in each of the lists"


def test_the_entry_point_is_the_backend():
    project = tomllib.loads((ROOT / "py/pyproject.toml").read_text())["project"]
    (value,) = project["entry-points"]["thinc_ops"].values()
    module, _, name = value.partition(":")
    assert getattr(importlib.import_module(module), name) is LexpoolOps
    assert LexpoolOps.name == "lexpool"


def matrix(random, rows, columns, transposed):
    numbers = random.standard_normal((columns, rows) if transposed else (rows, columns))
    return numbers.astype("float32")


sizes = st.integers(0, 70)


@given(
    rows=sizes, inner=sizes, columns=sizes, trans1=st.booleans(), trans2=st.booleans(), seed=sizes
)
def test_products_are_those_of_numpy_in_float64(rows, inner, columns, trans1, trans2, seed):
    random = numpy.random.default_rng(seed)
    x, y = matrix(random, rows, inner, trans1), matrix(random, inner, columns, trans2)
    product = OPS.gemm(x, y, trans1=trans1, trans2=trans2)
    a, b = (x.T if trans1 else x).astype("float64"), (y.T if trans2 else y).astype("float64")
    assert product.dtype == numpy.float32
    assert product.flags.c_contiguous
    numpy.testing.assert_allclose(product, a @ b, atol=1e-5, rtol=1e-5)
    out = numpy.full((rows, columns), numpy.nan, dtype="float32")
    assert OPS.gemm(x, y, out=out, trans1=trans1, trans2=trans2) is out
    assert numpy.array_equal(out, product)


@given(rows=st.integers(1, 300), inner=st.integers(1, 900), columns=st.integers(1, 60))
@settings(max_examples=40)
def test_a_row_of_a_product_does_not_depend_on_the_number_of_rows(rows, inner, columns):
    random = numpy.random.default_rng(rows)
    x, w = matrix(random, rows, inner, False), matrix(random, columns, inner, False)
    whole = OPS.gemm(x, w, trans2=True)
    for some in (slice(0, 1), slice(rows // 2, rows), slice(0, rows, 7)):
        assert numpy.array_equal(OPS.gemm(x[some], w, trans2=True), whole[some])
    for transposed in (OPS.gemm(x, w.T.copy()), OPS.gemm(w, x, trans2=True).T):
        assert numpy.array_equal(transposed, whole)


def test_products_take_arrays_of_any_layout():
    random = numpy.random.default_rng(0)
    x, y = matrix(random, 30, 40, False), matrix(random, 40, 20, False)
    expected = OPS.gemm(x, y)
    wide = numpy.zeros((30, 81), dtype="float32")
    wide[:, 1::2] = x
    packed = numpy.zeros(x.nbytes + 1, dtype="uint8")[1:].view("float32").reshape(x.shape)
    packed[...] = x
    read_only = x.copy()
    read_only.flags.writeable = False
    for other in (wide[:, 1::2], numpy.asfortranarray(x), packed, read_only, x[::-1][::-1]):
        assert numpy.array_equal(OPS.gemm(other, y), expected)


def test_a_product_is_written_to_outputs_of_any_layout():
    random = numpy.random.default_rng(0)
    x, y = matrix(random, 30, 30, False), matrix(random, 30, 30, False)
    expected = OPS.gemm(x, y)
    columns = numpy.zeros((30, 60), dtype="float32")
    for out in (columns[:, ::2], numpy.zeros((30, 30), order="F"), numpy.zeros((30, 30), "f")):
        assert OPS.gemm(x, y, out=out) is out
        assert numpy.array_equal(out, expected)
    shared = x.copy()
    assert OPS.gemm(shared, y, out=shared) is shared
    assert numpy.array_equal(shared, expected)
    overlapping = numpy.zeros(910, dtype="float32")
    overlapping[:900] = x.ravel()
    OPS.gemm(overlapping[:900].reshape(30, 30), y, out=overlapping[10:].reshape(30, 30))
    assert numpy.array_equal(overlapping[10:].reshape(30, 30), expected)


def test_what_has_no_product_raises_the_errors_of_thinc():
    x = numpy.ones((3, 4), dtype="float32")
    theirs = NumpyOps()
    for arguments in (
        (x, x),
        (x[0], x),
        (x, x.astype("float64")),
        (x, numpy.ones((4, 3), dtype=">f4")),
        (x, [[1.0]]),
    ):
        with pytest.raises((ValueError, TypeError)) as expected:
            theirs.gemm(*arguments)
        with pytest.raises(expected.type) as raised:
            OPS.gemm(*arguments)
        assert str(raised.value) == str(expected.value)
    read_only = numpy.ones((3, 3), dtype="float32")
    read_only.flags.writeable = False
    for out in (read_only, numpy.ones((3, 2), dtype="float32"), numpy.ones(9, dtype="float32")):
        with pytest.raises(ValueError, match="read-only|shape"):
            OPS.gemm(x, x, out=out, trans2=True)


@given(rows=st.integers(1, 20), outputs=st.integers(1, 20), pieces=st.integers(1, 5), seed=sizes)
def test_the_largest_pieces_are_those_of_thinc(rows, outputs, pieces, seed):
    random = numpy.random.default_rng(seed)
    # Few values, so that many are equal; some are NaN.
    x = random.integers(-2, 3, (rows, outputs, pieces)).astype("float32")
    x[random.random(x.shape) < 0.05] = numpy.nan
    for given_x in (x, x.astype("float64"), x[:, ::-1].copy()):
        theirs, ours = NumpyOps().maxout(given_x), OPS.maxout(given_x)
        for mine, expected in zip(ours, theirs, strict=True):
            assert (mine.dtype, mine.shape) == (expected.dtype, expected.shape)
            assert numpy.array_equal(mine, expected, equal_nan=mine.dtype.kind == "f")
    for shape in ((0, outputs, pieces), (rows, 0, pieces)):
        best, which = OPS.maxout(numpy.zeros(shape, dtype="float32"))
        assert best.shape == which.shape == shape[:2]


@given(rows=st.integers(1, 20), width=st.integers(1, 40), per_row=st.integers(1, 5), seed=sizes)
def test_gathered_sums_are_those_of_thinc(rows, width, per_row, seed):
    random = numpy.random.default_rng(seed)
    table = matrix(random, 11, width, False)
    for dtype in ("uint32", "int32"):
        indices = random.integers(0, 11, (rows, per_row)).astype(dtype)
        expected = NumpyOps().gather_add(table, indices)
        assert numpy.array_equal(OPS.gather_add(table, indices), expected)
        double = OPS.gather_add(table.astype("float64"), indices)
        assert numpy.allclose(double, expected, atol=1e-5)
    assert OPS.gather_add(table, numpy.zeros((0, 4), dtype="uint32")).shape == (0, width)


@pytest.mark.parametrize("index", [11, -1, 2**31 - 1])
def test_an_index_beyond_the_table_raises_an_error(index):
    table, indices = numpy.ones((11, 4), dtype="float32"), numpy.array([[0, index]], dtype="int32")
    with pytest.raises(IndexError, match="Embedding index out-of-bounds: indices from .* 11 rows"):
        OPS.gather_add(table, indices)


def test_kernels_check_their_arrays_themselves():
    x = numpy.ones((4, 4), dtype="float32")
    read_only = x.copy()
    read_only.flags.writeable = False
    for y, out in (
        (x[:3].copy(), x.copy()),
        (x.copy(), numpy.ones((4, 5), dtype="float32")),
        (x.copy(), read_only),
        (x.copy(), x),
        (x[:, ::-1], x.copy()),
    ):
        with pytest.raises(ValueError, match="thinc-array"):
            _core.thinc_gemm(x, y, out, False, False)
    with pytest.raises((TypeError, BufferError)):
        _core.thinc_gemm(x, x.astype("float64"), x.copy(), False, False)
    pieces, which = numpy.ones((2, 2, 3), dtype="float32"), numpy.ones((2, 2), dtype="int32")
    with pytest.raises(ValueError, match="thinc-array"):
        _core.thinc_maxout(pieces, which.view("float32"), which)
    with pytest.raises(ValueError, match="thinc-array"):
        _core.thinc_maxout(pieces[:, :, :0].copy(), numpy.ones((2, 2), dtype="float32"), which)
    assert not _core.thinc_set_blas(OPS)


TRAINED = {
    "tagger": {"tags": TAGS},
    "parser": {"heads": HEADS, "deps": DEPS},
    "ner": {"entities": ENTS},
}


def trained(steps):
    """Trains a small pipeline; returns it with the losses of each step."""
    spacy.util.fix_random_seed(1)
    nlp = spacy.blank("en")
    for name in TRAINED:
        nlp.add_pipe(name, config={"min_action_freq": 1} if name == "parser" else {})
    gold = {name: value for some in TRAINED.values() for name, value in some.items()}
    docs = [spacy.tokens.Doc(nlp.vocab, words=WORDS) for _ in range(4)]
    examples = [Example.from_dict(doc, gold) for doc in docs]
    optimizer = nlp.initialize(lambda: examples)
    losses = []
    for _ in range(steps):
        losses.append(nlp.update(examples, sgd=optimizer, losses={}, drop=0.1))
    return nlp, losses


def annotation(docs):
    return [
        [(token.tag_, token.head.i, token.dep_, token.ent_iob_, token.ent_type_) for token in doc]
        for doc in docs
    ]


def test_spacy_trains_and_predicts_as_on_its_own_backend(restored):
    set_current_ops(NumpyOps())
    theirs, their_losses = trained(12)
    lexpool.thinc.activate()
    ours, our_losses = trained(12)
    nodes = [node for _, pipe in ours.components for node in pipe.model.walk()]
    assert sum(type(node.ops) is LexpoolOps for node in nodes) > len(nodes) * 0.9
    assert [list(step) for step in our_losses] == [list(step) for step in their_losses]
    for mine, expected in zip(our_losses, their_losses, strict=True):
        for name, loss in expected.items():
            assert mine[name] == pytest.approx(loss, rel=1e-2, abs=1e-2)
    assert our_losses[-1]["tagger"] < our_losses[0]["tagger"] / 2
    texts = [" ".join(WORDS), "Ada wrote", "It , in London", ""] * 5
    assert annotation(ours.pipe(texts)) == annotation(theirs.pipe(texts))
    assert [token.tag_ for token in ours(texts[0])] == TAGS


def test_a_loaded_pipeline_is_changed_with_the_same_annotation(restored):
    set_current_ops(NumpyOps())
    nlp, _ = trained(8)
    texts = [" ".join(WORDS), "Ada wrote programs .", "liked it in London"]
    before = annotation(nlp.pipe(texts))
    ops = lexpool.thinc.activate(nlp)
    assert get_current_ops() is ops
    assert all(node.ops is ops for _, pipe in nlp.components for node in pipe.model.walk())
    assert annotation(nlp.pipe(texts)) == before
    model = nlp.get_pipe("tagger").model
    set_current_ops(NumpyOps())
    ops = lexpool.thinc.activate(model)
    assert all(node.ops is ops for node in model.walk())


def test_tensors_do_not_depend_on_the_batch(restored):
    lexpool.thinc.activate()
    nlp, _ = trained(2)
    texts = ["Ada wrote programs in London .", "She", "liked it", "in London , Ada"] * 10
    tok2vec = nlp.get_pipe("tagger").model.get_ref("tok2vec")
    together = tok2vec.predict([nlp.make_doc(text) for text in texts])
    for text, rows in zip(texts, together, strict=True):
        (alone,) = tok2vec.predict([nlp.make_doc(text)])
        assert numpy.array_equal(alone, rows)


def test_without_thinc_the_backend_names_the_extra():
    python(
        """
import sys
sys.modules["thinc"] = sys.modules["thinc.api"] = None
import lexpool.thinc
try:
    lexpool.thinc.activate()
except ImportError as error:
    assert "lexpool[thinc]" in str(error), error
else:
    raise AssertionError
"""
    )
