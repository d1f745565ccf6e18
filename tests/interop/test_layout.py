"""The records as C, C++, Cython and spaCy's own declarations see them."""

import ctypes
import itertools
import re

import numpy
import pytest

TOKEN = numpy.dtype([("lex", "u4"), ("idx", "u4"), ("byte", "u4"), ("facts", "u4")])
LEXEME = ["flags", "lang", "id", "length", "orth", "lower", "norm", "shape", "prefix", "suffix"]
SPAN = {
    "id": "u8",
    "start": "i4",
    "end": "i4",
    "start_char": "i4",
    "end_char": "i4",
    "label": "u8",
    "kb_id": "u8",
}
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
TEXT = "Apple isn't looking at buying U.K. startups, for $1 billion."


def handmade_tokens() -> numpy.ndarray:
    """An array of the tokens' layout that lexpool had no part in."""
    tokens = numpy.zeros(1000, TOKEN)
    tokens["idx"] = numpy.arange(1000) * 7
    tokens["facts"] = numpy.arange(1000) % 3 == 0
    return tokens


@pytest.mark.parametrize(("language", "standard"), [("c", "c11"), ("c++", "c++17")])
def test_the_header_compiles_without_a_warning(toolchain, language, standard):
    flags = [*STRICT, f"-std={standard}", "-c"]
    built = toolchain.compile("layout.c", f"layout-{standard}.o", *flags, language=language)
    assert built.exists()


def test_the_kernel_in_c_compiles_without_a_warning(toolchain):
    assert toolchain.compile("walk.c", "walk.o", *STRICT, "-std=c11", "-c").exists()


def test_a_wrong_offset_does_not_compile(toolchain, header, tmp_path):
    wrong = tmp_path / "wrong.c"
    wrong.write_text(header.replace("uint32_t byte;", "uint64_t byte;"))
    with pytest.raises(AssertionError, match=r"offset of TokenC\.facts"):
        toolchain.compile(wrong, "wrong.o", "-std=c11", "-c")


def test_c_walks_tokens_made_by_hand(walk_c):
    tokens = handmade_tokens()
    assert walk_c.sum_idx(tokens.ctypes.data, len(tokens)) == tokens["idx"].sum()
    assert walk_c.count_spaces(tokens.ctypes.data, len(tokens)) == 334


def test_cython_walks_tokens_made_by_hand(walk_cython):
    tokens = handmade_tokens()
    expected = (tokens["idx"].sum(), 334)
    assert walk_cython.walk_address(tokens.ctypes.data, len(tokens)) == expected
    assert walk_cython.walk_buffer(tokens) == expected


def test_c_and_cython_know_the_same_version(walk_cython, header):
    defined = re.search(r"#define LEXPOOL_ABI_VERSION (\d+)", header)
    assert walk_cython.abi_version() == int(defined[1])


def test_every_mixture_of_facts_written_in_c_is_read_back_in_c(walk_c):
    facts = (ctypes.c_int64 * 6)()
    for spacy, start, iob in itertools.product((0, 1), (-1, 0, 1), range(4)):
        token = numpy.array([(0x80000005, 1, 2, 0xABCDEF00)], TOKEN)
        walk_c.write_facts(token.ctypes.data, spacy, start, iob)
        code = {-1: 2, 0: 0, 1: 1}[start]
        assert token["facts"][0] == 0xABCDEF00 | iob << 3 | code << 1 | spacy
        walk_c.read_facts(token.ctypes.data, facts)
        assert list(facts) == [5, 1, spacy, start, iob, 0xABCDEF]


def test_c_reads_every_flag_of_a_lexeme(walk_c):
    lexeme = numpy.zeros(10, "u8")
    for attr in range(64):
        lexeme[0] = 1 << attr
        assert [walk_c.lexeme_flag(lexeme.ctypes.data, other) for other in range(70)] == [
            int(other == attr) for other in range(70)
        ]


def test_spacy_reads_a_lexeme_and_a_span_made_by_hand(spacy_records):
    lexeme = numpy.arange(1, 11, dtype="u8") * 0x0101010101010101
    assert spacy_records.lexeme(lexeme.ctypes.data) == dict(zip(LEXEME, lexeme, strict=True))
    span = numpy.array([(2**63, -1, 2, 3, 4, 5, 6)], list(SPAN.items()))
    assert spacy_records.span(span.ctypes.data) == {name: span[name][0] for name in SPAN}
    assert spacy_records.sizes() == {"LexemeC": lexeme.nbytes, "SpanC": span.nbytes}


def test_the_attributes_of_the_header_have_the_numbers_of_spacy(header):
    attrs = pytest.importorskip("spacy.attrs", reason="spaCy is not installed")
    ours = enumeration(header, "lexpool_attr", "LEXPOOL_")
    assert ours.pop("SENT_END") == 456
    ours[""] = ours.pop("NULL_ATTR")
    assert ours == attrs.IDS


def test_the_parts_of_speech_of_the_header_have_the_numbers_of_spacy(header):
    theirs = pytest.importorskip("spacy.parts_of_speech", reason="spaCy is not installed")
    ours = enumeration(header, "lexpool_pos", "LEXPOOL_POS_")
    ours[""] = ours.pop("NO_TAG")
    assert ours == theirs.IDS


def enumeration(header, name, prefix):
    """The names of an enumeration, less the prefix, and their numbers."""
    body = re.search(rf"^enum {name} {{\n(.*?)^}};$", header, re.MULTILINE | re.DOTALL).group(1)
    pairs = re.findall(rf"^    {prefix}(\w+) = (\d+),?$", body, re.MULTILINE)
    assert len(pairs) == len(body.splitlines())
    return {pair: int(number) for pair, number in pairs}


def test_c_walks_the_tokens_of_a_doc(walk_c, nlp):
    doc = nlp(TEXT)
    assert doc.c.itemsize == TOKEN.itemsize
    assert len(doc.c) == len(doc)
    assert walk_c.sum_idx(doc.c.address, len(doc.c)) == sum(token.idx for token in doc)
    assert walk_c.count_spaces(doc.c.address, len(doc.c)) == sum(
        token.whitespace_ == " " for token in doc
    )


def test_cython_walks_the_tokens_of_a_doc(walk_cython, nlp):
    doc = nlp(TEXT)
    expected = (sum(token.idx for token in doc), sum(bool(token.whitespace_) for token in doc))
    assert walk_cython.walk_address(doc.c.address, len(doc.c)) == expected
    assert walk_cython.walk_buffer(doc.c) == expected


def test_numpy_reads_the_tokens_of_a_doc_by_field(nlp):
    doc = nlp(TEXT)
    tokens = numpy.asarray(memoryview(doc.c))
    assert tokens.dtype == TOKEN
    assert tokens["idx"].tolist() == [token.idx for token in doc]


def test_spacy_reads_a_lexeme_of_lexpool(spacy_records, nlp):
    for word in ("apple", "U.K.", "$", "na\u00efve", "\U0001f60a"):
        lexeme = nlp.vocab[word]
        read = spacy_records.lexeme(lexeme.c.address)
        named = {name: getattr(lexeme, name) for name in LEXEME[4:]}
        flags = sum(1 << attr for attr in range(64) if lexeme.check_flag(attr))
        named |= {
            "flags": flags,
            "lang": lexeme.lang,
            "id": lexeme.rank,
            "length": len(word),
        }
        assert read == named


def test_c_reads_the_flags_of_a_lexeme_of_lexpool(walk_c, nlp):
    lexeme = nlp.vocab["apple"]
    read = [walk_c.lexeme_flag(lexeme.c.address, attr) for attr in range(64)]
    assert read == [int(lexeme.check_flag(attr)) for attr in range(64)]
