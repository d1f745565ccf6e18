"""Japanese and Korean, whose words come from dictionaries, beside spaCy's tokenizers.

The packages are in `tests/segmenters.txt`; without them, tests of damaged and missing files remain.
"""

import copy
import pickle
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import lexpool
from lexpool import Tokenizer
from lexpool.errors import ConfigError
from lexpool.msgpack import packb, unpackb
from lexpool.tokens import Doc, DocBin

JAPANESE = [
    "今日は良い天気です。",
    "私は 東京に  行きました。\n",
    " 行頭と行末 ",
    "  ",
    "",
    "　全角　空白",
    "徳島(とくしま)へ、１,２３４円で行った。",
    "選挙管理委員会委員長と国家公務員 です",
    "ゲゲゲの鬼太郎がｶﾞﾀｶﾞﾀ㍿",
    "勉強する。その大きな犬は静かそうだ",
    "Apple社の iPhone15 が🍎",
    "…と…=|",
]
KOREAN = ["서울 타워 근처에 간다.", "아버지가방에들어가신다.", "Hello, 세계 123", "ㅋㅋㅋㅋ", ""]
MECAB = {"nlp": {"tokenizer": {"@tokenizers": "spacy.ko.KoreanTokenizer"}}}

needs_sudachi = pytest.mark.skipif(
    find_spec("sudachidict_core") is None,
    reason="Sudachi's dictionary is not installed: pip install sudachidict_core",
)
needs_mecab = pytest.mark.skipif(
    find_spec("mecab_ko_dic") is None,
    reason="a Korean dictionary is not installed: pip install python-mecab-ko-dic",
)


def in_mode(mode):
    return {"nlp": {"tokenizer": {"split_mode": mode}}}


@pytest.fixture(scope="module")
def treebank(texts_folder):
    """Returns the sentences of a language's treebank."""

    def sentences(code):
        rows = (texts_folder / f"ud/{code}.conllu").read_text(encoding="utf-8").split("\n")
        return [row.removeprefix("# text = ") for row in rows if row.startswith("# text = ")]

    return sentences


@pytest.fixture(scope="module")
def spacy_japanese():
    """Makes spaCy's pipelines of Japanese."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    pytest.importorskip("sudachipy", reason="sudachipy is not installed")

    def make(mode):
        nlp = spacy.blank("ja", config=in_mode(mode))
        nlp.tokenizer.tokenizer = WithSingleUnits(nlp.tokenizer.tokenizer)
        return nlp

    return make


class WithSingleUnits:
    """Sudachi's tokenizer as spaCy expects it: a word without shorter units is its only unit, as it
    was before SudachiPy 0.7. The same for its words.
    """

    def __init__(self, own):
        self.own = own

    def __getattr__(self, name):
        return getattr(self.own, name)

    def tokenize(self, text):
        return [WithSingleUnits(word) for word in self.own.tokenize(text)]

    def split(self, mode):
        return self.own.split(mode) or [self]


def altered(texts, count):
    """Returns texts of parts of others and of their characters."""
    draw = random.Random(count)
    chars = sorted(set("".join(texts)) | set(" 　\n１ーヴ々〇㌔()（）"))
    made = []
    for _ in range(count):
        one, other = draw.choice(texts), draw.choice(texts)
        start, end = draw.randint(0, len(one)), draw.randint(0, len(other))
        made.append(one[start:] + draw.choice(["", " ", "  ", "\n"]) + other[:end])
        made.append("".join(draw.choices(chars, k=draw.randint(1, 20))))
    return made


def shown(doc):
    return [(token.text, bool(token.whitespace_)) for token in doc]


def test_a_missing_dictionary_is_named_with_the_package_to_install(tmp_path):
    # A program with no packages beside it.
    python = tmp_path / "bin/python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    code = "import sys, lexpool; lexpool.blank(sys.argv[1], config=eval(sys.argv[2]))"
    places = {"PYTHONPATH": str(Path(lexpool.__file__).parents[1])}
    for lang, config, package in (
        ("ja", {}, "sudachidict_core"),
        ("ko", MECAB, "python-mecab-ko-dic"),
    ):
        call = [str(python), "-S", "-c", code, lang, repr(config)]
        said = subprocess.run(call, env=places, capture_output=True, text=True).stderr
        assert "[segmenter-data]" in said and f"pip install {package}" in said
    assert lexpool.blank("ko").tokenizer.segmenter is None


def test_a_wrong_dictionary_is_refused(tmp_path):
    path = tmp_path / "system.dic"
    path.write_bytes(b"not a dictionary")
    with pytest.raises(ValueError, match=r"\[segment-dictionary\].*system\.dic"):
        lexpool.blank("ja", config={"nlp.tokenizer.dictionary": str(path)})
    vocab = lexpool.blank("ko").vocab
    with pytest.raises(OSError, match=r"sys\.dic|char\.bin|matrix\.bin|unk\.dic"):
        Tokenizer.with_segmenter(vocab, "mecab", tmp_path)
    with pytest.raises(OSError, match="none"):
        Tokenizer.with_segmenter(vocab, "sudachi", tmp_path / "none")


@needs_sudachi
def test_a_damaged_dictionary_gives_wrong_words_or_an_error(tmp_path, full):
    import sudachidict_core

    whole = (Path(sudachidict_core.__file__).parent / "resources/system.dic").read_bytes()
    vocab, draw = lexpool.blank("ko").vocab, random.Random(7)
    path = tmp_path / "system.dic"
    for turn in range(30 if full else 3):
        damaged = bytearray(whole)
        if turn % 2:
            del damaged[draw.randrange(len(damaged)) :]
        # The header and the tables before the words are small, so they are hit on purpose.
        for end in (len(damaged), min(len(damaged), 1 << 16)):
            for _ in range(200):
                damaged[draw.randrange(end)] ^= 1 << draw.randrange(8)
        path.unlink(missing_ok=True)
        path.write_bytes(damaged)
        try:
            tokenizer = Tokenizer.with_segmenter(vocab, "sudachi", path, "C")
        except ValueError as error:
            assert "[segment-dictionary]" in str(error)
            continue
        for text in JAPANESE:
            try:
                doc = tokenizer(text)
                assert doc.text == text
                assert len(doc.user_data["sub_tokens"]) == len(doc)
            except ValueError as error:
                assert "[segment-dictionary]" in str(error)


def test_settings_of_other_languages_are_refused():
    vocab = lexpool.blank("th").vocab
    with pytest.raises(ValueError, match='setting of the segmenter "sudachi", not of "newmm"'):
        Tokenizer.with_segmenter(vocab, "newmm", split_mode="A")
    thai = lexpool.blank("th").tokenizer
    with pytest.raises(ValueError, match='setting of the segmenter "sudachi"'):
        thai.split_mode = "A"
    assert thai.split_mode is None
    with pytest.raises(ValueError, match=r"\[config-value\] split_mode is \"D\""):
        lexpool.blank("ja", config=in_mode("D"))
    with pytest.raises(ConfigError, match='"mode" is .*one of .*: dictionary, split_mode'):
        lexpool.blank("ja", config={"nlp.tokenizer.mode": "A"})
    with pytest.raises(ConfigError, match='"split_mode" is 1; expected a text or null'):
        lexpool.blank("ja", config={"nlp.tokenizer.split_mode": 1})
    japanese = {"nlp": {"tokenizer": {"@tokenizers": "spacy.ja.JapaneseTokenizer"}}}
    with pytest.raises(ConfigError, match="JapaneseTokenizer"):
        lexpool.blank("en", config=japanese)


ATTRS = {
    "tags": lambda token: (token.tag_, token.pos_),
    "lemmas": lambda token: token.lemma_,
    "norms": lambda token: token.norm_,
    "readings": lambda token: (token.morph.get("Reading"), token.morph.get("Inflection")),
}


@needs_sudachi
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("attr", ATTRS)
def test_japanese_treebanks_have_the_annotation_of_spacy(attr, spacy_japanese, treebank, full):
    theirs, ours = spacy_japanese(None), lexpool.blank("ja")
    texts = treebank("ja")
    total = same = 0
    for text in texts if full else texts[::4]:
        expected = [(shown([token]), ATTRS[attr](token)) for token in theirs(text)]
        found = [(shown([token]), ATTRS[attr](token)) for token in ours(text)]
        total += len(expected)
        same += len(expected) if found == expected else 0
    assert same == total > 1000


def row(token):
    return (*shown([token]), *(of(token) for of in ATTRS.values()), str(token.morph))


@needs_sudachi
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("mode", [None, "A", "B", "C"])
def test_japanese_documents_are_those_of_spacy(mode, spacy_japanese, full):
    theirs, ours = spacy_japanese(mode), lexpool.blank("ja", config=in_mode(mode))
    for text in JAPANESE + altered(JAPANESE, 1000 if full else 100):
        expected, found = theirs(text), ours(text)
        assert [row(token) for token in found] == [row(token) for token in expected], text
        assert found.user_data == expected.user_data, text
        assert ("sub_tokens" in found.user_data) == (mode in ("B", "C"))
        assert found.text == text
    assert [row(token) for token in next(ours.pipe([JAPANESE[7]]))] == [
        row(token) for token in theirs(JAPANESE[7])
    ]


@needs_sudachi
def test_details_of_tokens_are_copied_and_saved_with_the_document():
    nlp = lexpool.blank("ja", config=in_mode("C"))
    text = JAPANESE[7]
    expected = nlp(text).user_data["sub_tokens"]
    assert expected[0][0][0][:2] == ("選挙", "名詞-普通名詞-サ変可能")
    assert expected[0][0][0].surface == "選挙" and expected[-1] is None
    assert next(nlp.pipe([text])).user_data["sub_tokens"] == expected
    assert copy.copy(nlp(text)).user_data["sub_tokens"] == expected
    assert pickle.loads(pickle.dumps(nlp(text))).user_data["sub_tokens"] is not None

    def plain(saved):
        return [
            lengths and [[tuple(unit) for unit in units] for units in lengths] for lengths in saved
        ]

    units = plain(expected)
    again = Doc(nlp.vocab).from_bytes(nlp(text).to_bytes())
    assert plain(again.user_data["sub_tokens"]) == units
    stored = DocBin(docs=[nlp(text)], store_user_data=True)
    assert plain(next(stored.get_docs(nlp.vocab)).user_data["sub_tokens"]) == units
    without = nlp(text).to_bytes(exclude=["user_data"])
    assert Doc(nlp.vocab).from_bytes(without).user_data == {}
    doc = nlp(text)
    doc.user_data = {"own": 1}
    assert doc.user_data == {"own": 1}
    doc = nlp(text)
    doc.user_data["own"] = 1
    assert set(doc.user_data) == {"own", "sub_tokens"}
    assert lexpool.blank("ja")(text).user_data == {}


@needs_sudachi
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_japanese_pipeline_is_saved_as_spacy_saves_it(tmp_path, spacy_japanese):
    import spacy

    nlp = lexpool.blank("ja", config=in_mode("C"))
    nlp.to_disk(tmp_path / "ours")
    spacy_japanese("C").to_disk(tmp_path / "theirs")
    text = "国家公務員です"
    for saved in ("ours", "theirs"):
        assert (tmp_path / saved / "tokenizer/cfg").read_text() == '{"split_mode": "C"}' or (
            '"split_mode":"C"' in (tmp_path / saved / "tokenizer/cfg").read_text()
        )
        for again in (lexpool.load(tmp_path / saved), spacy.load(tmp_path / saved)):
            assert shown(again(text)) == shown(nlp(text))
            assert again.tokenizer.split_mode == "C"
    assert len(lexpool.blank("ja")(text)) > len(nlp(text))
    again = lexpool.blank("ja").from_bytes(nlp.to_bytes())
    assert shown(again(text)) == shown(nlp(text)) and again.tokenizer.split_mode == "C"
    assert nlp.config["nlp"]["tokenizer"] == {
        "@tokenizers": "spacy.ja.JapaneseTokenizer",
        "split_mode": "C",
    }


@needs_sudachi
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_japanese_tokenizer_is_pickled_and_saved(tmp_path, spacy_japanese):
    own = lexpool.blank("ja", config=in_mode("B")).tokenizer
    assert (own.segmenter, own.split_mode) == ("sudachi", "B")
    text = "国家公務員です"
    assert shown(pickle.loads(pickle.dumps(own))(text)) == shown(own(text))
    theirs = spacy_japanese("B").tokenizer
    assert unpackb(own.to_bytes()).keys() == unpackb(theirs.to_bytes()).keys()
    for saved in (own.to_bytes(), theirs.to_bytes()):
        other = lexpool.blank("ja").tokenizer
        assert other.split_mode is None and other.from_bytes(saved) is other
        assert other.split_mode == "B" and shown(other(text)) == shown(own(text))
        assert other(text).user_data.keys() == {"sub_tokens"}
    for tokenizer in (own, theirs):
        tokenizer.to_disk(tmp_path / "tokenizer")
        other = lexpool.blank("ja").tokenizer.from_disk(tmp_path / "tokenizer")
        assert other.split_mode == "B" and shown(other(text)) == shown(own(text))
    other.max_cache_size = 7
    other.split_mode = None
    assert shown(other(text)) == shown(lexpool.blank("ja")(text)) and other.max_cache_size == 7
    with pytest.raises(ValueError, match=r"\[config-value\]"):
        other.split_mode = "D"
    assert other.split_mode is None
    with pytest.raises(ValueError, match="split_mode is 1"):
        other.from_bytes(packb({"cfg": b'{"split_mode": 1}'}))
    with pytest.raises(ValueError, match="expected the settings of the segmenter 'sudachi'"):
        other.from_bytes(packb({"cfg": b'{"segmenter": "jieba"}'}))


@needs_sudachi
def test_a_dictionary_is_given_by_its_path(tmp_path):
    import sudachidict_core

    path = Path(sudachidict_core.__file__).parent / "resources/system.dic"
    nlp = lexpool.blank("ja", config={"nlp.tokenizer.dictionary": str(path)})
    assert nlp.tokenizer.segmenter_data == path
    assert shown(nlp(JAPANESE[0])) == shown(lexpool.blank("jpn")(JAPANESE[0]))
    nlp.to_disk(tmp_path)
    assert lexpool.load(tmp_path).tokenizer.segmenter_data == path
    assert pickle.loads(pickle.dumps(nlp.tokenizer)).segmenter_data == path


@needs_sudachi
def test_a_text_that_sudachi_refuses_is_cut_in_parts():
    nlp = lexpool.blank("ja", config=in_mode("C"))
    line = "今日は良い天気です。 選挙管理委員会\n"
    doc = nlp(line * 3000)
    assert doc.text == line * 3000
    assert len(doc) == 3000 * len(nlp(line))
    assert len(doc.user_data["sub_tokens"]) == len(doc)


@pytest.fixture
def natto(monkeypatch):
    """The package natto that spaCy imports, on python-mecab-ko."""
    mecab = pytest.importorskip("mecab", reason="python-mecab-ko is not installed")

    class MeCab:
        def __init__(self, options):
            assert options == "-F%f[0],%f[7]"
            self.tagger = mecab.MeCab()

        def parse(self, text, as_nodes):
            for found in self.tagger.parse(text) if text else []:
                feature = f"{found.feature.pos},{found.feature.expression or '*'}"
                yield SimpleNamespace(surface=found.surface, feature=feature, is_eos=lambda: False)
            yield SimpleNamespace(is_eos=lambda: True)

    module = ModuleType("natto")
    module.MeCab = MeCab
    monkeypatch.setitem(sys.modules, "natto", module)


@needs_mecab
def test_korean_documents_are_those_of_spacy(natto, spacy, treebank, full):
    theirs, ours = spacy.blank("ko", config=MECAB), lexpool.blank("ko", config=MECAB)
    assert ours.tokenizer.segmenter == "mecab"
    texts = treebank("ko")
    texts = KOREAN + (texts if full else texts[::5])
    # spaCy drops all whitespace but single spaces.
    texts += [" ".join(text.split()) for text in altered(texts, 1000 if full else 100)]
    for text in texts:
        expected, found = theirs(text), ours(text)
        for name in ("text", "whitespace_", "tag_", "pos_", "lemma_"):
            rows = [[getattr(token, name) for token in doc] for doc in (found, expected)]
            assert rows[0] == rows[1], text
        assert found.user_data == expected.user_data, text


@needs_mecab
def test_korean_words_come_from_the_dictionary_if_the_config_says_so(tmp_path):
    nlp = lexpool.blank("ko", config=MECAB)
    doc = nlp("서울 타워  근처에 간다.")
    assert [(token.text, token.tag_, token.pos_, token.lemma_) for token in doc] == [
        ("서울", "NNP", "PROPN", "서울"),
        ("타워", "NNG", "NOUN", "타워"),
        (" ", "", "", ""),
        ("근처", "NNG", "NOUN", "근처"),
        ("에", "JKB", "ADP", "에"),
        ("간다", "VV", "VERB", "가"),
        (".", "SF", "PUNCT", "."),
    ]
    assert doc.user_data["full_tags"] == ["NNP", "NNG", "", "NNG", "JKB", "VV+EF", "SF"]
    assert [token.text for token in lexpool.blank("ko")("근처에 간다.")] == ["근처에", "간다", "."]
    nlp.to_disk(tmp_path)
    assert not (tmp_path / "tokenizer").exists()
    again = lexpool.load(tmp_path)
    assert shown(again(KOREAN[0])) == shown(nlp(KOREAN[0]))
    assert nlp.tokenizer.to_bytes() == b"" and nlp.tokenizer.from_bytes(b"") is nlp.tokenizer
    assert shown(lexpool.blank("ko", config=MECAB).from_bytes(nlp.to_bytes())(KOREAN[1])) == shown(
        nlp(KOREAN[1])
    )
    assert shown(pickle.loads(pickle.dumps(nlp.tokenizer))(KOREAN[1])) == shown(nlp(KOREAN[1]))
    import mecab_ko_dic

    settings = {**MECAB["nlp"]["tokenizer"], "dictionary": str(mecab_ko_dic.dictionary_path)}
    given = lexpool.blank("ko", config={"nlp": {"tokenizer": settings}})
    assert shown(given(KOREAN[1])) == shown(nlp(KOREAN[1]))
