"""Documents and vocabs opened by native code, through the C API in C and in Cython."""

import shutil
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest

STRICT = ["-Wall", "-Wextra", "-Werror"]
TEXT = (
    "Dr. Smith isn't here?! \"No,\" she said; it's naive (so they say...). na\u00efve \U0001f60a words "
    "cost $5.40 -- or nothing at all!!! the end. Don't you see?"
)
PROSE = Path(__file__).parents[2] / "ARCHITECTURE.md"
LEXEME = ["rank", "orth", "lower", "norm", "shape", "prefix", "suffix", None, "lang", "is_punct"]


@pytest.fixture(scope="session")
def lexpool(nlp):
    import lexpool
    import lexpool.attrs

    return lexpool


@pytest.fixture(scope="session")
def in_c(toolchain, lexpool):
    return toolchain.extension("api_kernel", "api_kernel.c", "-std=c11", *STRICT)


@pytest.fixture(scope="session")
def in_cython(toolchain, lexpool):
    return toolchain.module("api_cython")


@pytest.fixture(params=["c", "cython"])
def kernel(request):
    return request.getfixturevalue({"c": "in_c", "cython": "in_cython"}[request.param])


@pytest.fixture
def hello(lexpool, nlp):
    return lexpool.Doc(nlp.vocab, words=["hello", "world"])


@pytest.fixture
def real(nlp):
    """A long text with sentences, tags, lemmas and entity types."""
    doc = nlp(TEXT + PROSE.read_text() + TEXT)
    for token in doc:
        token.is_sent_start = token.i == 0 or doc[token.i - 1].text in (".", "?", "!!!")
    for token in doc:
        token.tag_, token.pos_, token.lemma_ = "TAG", "NOUN", token.text.upper()
        token.ent_type_ = "PERSON" if token.is_title else ""
    doc[3].norm_ = "own norm"
    return doc


def capitals_and_runs(doc):
    run, longest = 0, 0
    for token in doc:
        run = run + 1 if token.is_punct else 0
        longest = max(run, longest)
    return sum(bool(token.is_sent_start) and token.is_title for token in doc), longest


def test_tokens_are_found_by_character_as_spacys_page_shows(kernel, hello):
    by_start, by_end = zip(*(kernel.find(hello, at) for at in range(12)), strict=True)
    assert (by_start[6], by_start[4], by_start[0]) == (1, -1, 0)
    assert (by_end[5], by_end[1], by_end[11]) == (0, -1, 1)
    assert sum(found >= 0 for found in by_start + by_end) == 4


def test_tokens_of_a_real_text_are_found_by_their_ends(kernel, real):
    starts = {token.idx: token.i for token in real}
    ends = {token.idx + len(token): token.i for token in real}
    for at in [-(2**31), *range(-2, len(real.text) + 3), 2**31 - 1]:
        assert kernel.find(real, at) == (starts.get(at, -1), ends.get(at, -1))


def test_attributes_are_those_of_to_array(kernel, real):
    from lexpool import attrs

    numbers = sorted({number for number in attrs.IDS.values() if number not in (0, 456)})
    expected = real.to_array(numbers)
    for token in real:
        row = [kernel.attr(real, token.i, number) for number in numbers]
        assert row == expected[token.i].tolist()


def test_a_lexeme_is_read_without_a_call(in_c, real):
    for token in real:
        norm, start, end, *attrs = in_c.inline_facts(real, token.i)
        assert (norm, start, end) == (token.norm, token.idx, token.idx + len(token))
        lexeme = real.vocab[token.orth]
        expected = [len(token) if name is None else getattr(lexeme, name) for name in LEXEME]
        assert attrs == expected


def test_a_lexeme_of_a_zone_and_one_far_down_the_segments_are_read(in_c, nlp):
    many = nlp(" ".join(f"word{i}" for i in range(5000)))
    with nlp.vocab.memory_zone():
        fleeting = nlp(" ".join(f"fleeting{i}" for i in range(300)))
    for doc in (many, fleeting):
        for token in doc:
            assert in_c.inline_facts(doc, token.i)[4] == token.orth


def test_the_example_kernels_count_as_python_does(kernel, real, hello):
    expected = capitals_and_runs(real)
    assert min(expected) > 1
    assert kernel.examples(real) == expected
    assert kernel.examples(hello) == (0, 0)


def test_an_empty_document_has_nothing_to_find(kernel, lexpool, nlp):
    empty = lexpool.Doc(nlp.vocab)
    assert kernel.find(empty, 0) == (-1, -1)
    assert kernel.examples(empty) == (0, 0)


def test_children_follow_from_heads(in_cython, lexpool, nlp):
    heads = [1, 0, 1, -2, 0, -1]
    doc = lexpool.Doc(
        nlp.vocab,
        words=["w"] * 6,
        heads=[i + head for i, head in enumerate(heads)],
        deps=["dep"] * 6,
    )
    expected = [
        (t.n_lefts, t.n_rights, t.left_edge.i, t.right_edge.i, 1 if t.is_sent_start else -1)
        for t in doc
    ]
    assert in_cython.tree(heads, doc[0].dep) == expected
    assert in_cython.tree([1, 1, 2], 7) is None
    assert in_cython.tree([-1, 0], 7) is None
    assert in_cython.tree([], 7) == []


def test_a_word_is_entered_and_its_flags_are_read(in_cython, in_c, nlp):
    apple = nlp.vocab["Apple"]
    assert in_cython.flags_and_lower(nlp.vocab, b"Apple") == (1, 0, apple.lower)
    assert in_c.word(nlp.vocab, b"Apple") == (5, 1, apple.orth)
    new = "Nev\u00e9rs\u00e9en"
    assert new not in nlp.vocab
    length, title, orth = in_c.word(nlp.vocab, new.encode())
    assert (length, title, orth) == (9, 1, nlp.vocab.strings[new])
    assert new in nlp.vocab
    assert in_c.word(nlp.vocab, b"\xff") is None


def test_a_word_entered_within_a_zone_outlives_it(in_c, nlp):
    with nlp.vocab.memory_zone():
        assert in_c.word(nlp.vocab, b"Stayedhere")[0] == 10
    assert "Stayedhere" in nlp.vocab


def test_a_getter_in_python_is_asked_without_the_gil_and_may_fail(in_c, lexpool):
    def getter(text):
        if text == "bad":
            raise ValueError("no such word")
        return text.upper()

    vocab = lexpool.Vocab(lex_attr_getters={"NORM": getter})
    assert in_c.word(vocab, b"good")[0] == 4
    assert vocab["good"].norm_ == "GOOD"
    assert in_c.word(vocab, b"bad") is None


def test_wrong_arguments_are_refused_by_every_function(in_c, real):
    assert in_c.wrong(real) == ""


@pytest.mark.parametrize("given", [None, 3, "text", [1]])
def test_another_object_is_a_type_error(kernel, real, given):
    with pytest.raises(TypeError, match="takes a Doc, not"):
        kernel.find(given, 0)
    with pytest.raises(TypeError, match="takes a Doc, not Vocab"):
        kernel.find(real.vocab, 0)


def test_another_object_is_no_vocab(in_c, in_cython, real):
    with pytest.raises(TypeError, match="takes a Vocab, not Doc"):
        in_c.word(real, b"a")
    with pytest.raises(TypeError, match="takes a Vocab, not Handle"):
        in_cython.flags_and_lower(real.c, b"a")


def test_a_document_that_is_being_changed_is_busy(kernel, nlp, lexpool):
    from lexpool.errors import BusyError

    doc = nlp("so it goes, " * 50_000)
    tags = numpy.ones((len(doc), 1), "u8")
    met, done = [], threading.Event()

    def change():
        while not done.is_set():
            try:
                doc.from_array([lexpool.attrs.TAG], tags)
            except BusyError:
                pass

    changing = threading.Thread(target=change)
    changing.start()
    end = time.monotonic() + 20
    while not met and time.monotonic() < end:
        try:
            kernel.find(doc, 3)
        except BusyError as error:
            met.append(str(error))
    done.set()
    changing.join()
    assert met and "being changed" in met[0]


def test_a_null_object_is_a_type_error(in_c):
    with pytest.raises(TypeError, match="not NULL"):
        in_c.open_null()


def test_a_struct_of_a_later_header_is_filled_as_far_as_is_known(in_c, real):
    size, more = in_c.open_sized(real, 80)
    assert (size, more) == (80, 1)
    assert in_c.open_sized(real, 88) == (80, 0)
    for size in (0, 79):
        with pytest.raises(ValueError, match=f"fills 80 bytes; .*{size} bytes"):
            in_c.open_sized(real, size)


@pytest.mark.parametrize(
    ("flag", "says"),
    [
        ("-DPRETEND_ABI=2", r"built for version 2 .* installed lexpool has version 1 .*newer"),
        ("-DPRETEND_ABI=0", r"built for version 0 .* has version 1 .*build the module anew"),
        ("-DPRETEND_MORE=8", r"needs 136 bytes .* version 1 and 128 bytes"),
    ],
)
def test_a_module_built_for_another_version_does_not_load(toolchain, lexpool, flag, says):
    with pytest.raises(ImportError, match=says):
        toolchain.extension("api_kernel", "api_kernel.c", flag)


@pytest.mark.parametrize(("language", "standard"), [("c", "c11"), ("c++", "c++17")])
def test_the_header_compiles_without_a_warning(toolchain, language, standard, tmp_path):
    source = tmp_path / "only.c"
    source.write_text('#include "lexpool_spacy.h"\nint main(void) { return 0; }\n')
    flags = [*STRICT, f"-std={standard}", "-c", f"-isystem{sysconfig.get_path('include')}"]
    toolchain.compile(source, f"only-{standard}.o", *flags, language=language)


def test_cython_that_declares_a_function_otherwise_does_not_load(toolchain, lexpool, tmp_path):
    package = tmp_path / "lexpool"
    package.mkdir()
    for declared in Path(lexpool.get_include()).parent.glob("*.pxd"):
        shutil.copy(declared, package)
    capi = package / "capi.pxd"
    capi.write_text(capi.read_text().replace("int32_t start_char)", "int64_t start_char)"))
    (tmp_path / "misled.pyx").write_text(
        "from lexpool.capi cimport token_by_start\ndef find(): return token_by_start(NULL, 0)\n"
    )
    with pytest.raises(TypeError, match="token_by_start has wrong signature"):
        toolchain.module("misled", folder=tmp_path, declarations=tmp_path)


def test_the_headers_are_in_the_folder_that_is_named(lexpool):
    folder = Path(lexpool.get_include())
    assert {"lexpool.h", "lexpool_api.h", "lexpool_spacy.h"} <= {
        path.name for path in folder.iterdir()
    }


def test_what_was_opened_stays_readable_when_the_document_is_edited(in_c, real, nlp):
    before = [token.orth for token in real]

    def edit():
        with real.retokenize() as retokenizer:
            retokenizer.merge(real[0:4])
        for token in real:
            token.lemma_ = "another"
        real.from_array(["SPACY"], [[0]] * len(real))
        for i in range(50):
            nlp(f"something new {i} " * 20)

    assert in_c.around(real, edit) == before * 2
    assert len(real) == len(before) - 3


def test_a_document_is_opened_with_its_arrays_as_they_then_are(kernel, hello):
    assert kernel.attr(hello, 1, 75) == 0
    hello[1].tag_ = "NN"
    assert kernel.attr(hello, 1, 75) == hello[1].tag != 0


def test_threads_read_one_document_and_enter_words_at_once(in_c, in_cython, real, nlp):
    expected = capitals_and_runs(real)
    together = threading.Barrier(4)

    def work(part):
        together.wait()
        for i in range(300):
            assert in_c.examples(real) == in_cython.examples(real) == expected
            word = f"Word{i}x{part % 2}"
            assert in_c.word(nlp.vocab, word.encode()) == (len(word), 0, nlp.vocab[word].orth)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
