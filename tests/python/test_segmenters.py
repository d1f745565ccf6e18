"""Tokenizers with segmenters beside the packages whose algorithms they have: jieba and PyThaiNLP.

The packages are in `tests/segmenters.txt`; without them, tests of a small dictionary remain.
"""

import json
import pickle
import random
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.util import get_words_and_spaces

import lexpool
from lexpool import Tokenizer
from lexpool.errors import ConfigError
from lexpool.msgpack import packb

PKUSEG = {"nlp": {"tokenizer": {"segmenter": "pkuseg"}}}
JIEBA = {"nlp": {"tokenizer": {"segmenter": "jieba"}}}
IN_FULL = {"nlp": {"tokenizer": {"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "jieba"}}}
CHINESE = [
    "我们在北京大学学习。",
    "他来到了网易杭研大厦",
    " 小明  硕士\n毕业于 AK-47, 3.5% C++\u3000好 ",
]
THAI = ["ภาษาไทยง่ายนิดเดียว", "เวลา 12:30น.  ราคา 1,234.5 บาท\r\nOK", "ศาสตราจารย์"]


def shown(doc):
    return [(token.text, bool(token.whitespace_)) for token in doc]


@pytest.fixture(scope="session")
def small_jieba(tmp_path_factory):
    """A folder with the files of jieba that are read, of two words."""
    folder = tmp_path_factory.mktemp("jieba")
    (folder / "finalseg").mkdir()
    (folder / "dict.txt").write_text("北京 300 ns\n北京大学 20 nt\n", encoding="utf-8")
    for name in ("start", "trans", "emit"):
        text = "P={'B': {}, 'M': {}, 'E': {}, 'S': {}}"
        (folder / f"finalseg/prob_{name}.py").write_text(text)
    return folder


@pytest.fixture(scope="session")
def small_pkuseg(tmp_path_factory):
    """A folder with the tokenizer of a pipeline, whose model makes 北京 one word."""
    folder = tmp_path_factory.mktemp("pkuseg")
    (folder / "pkuseg_model").mkdir()
    features = {
        "unigram": ["北京"],
        "bigram": [],
        "feature_to_idx": {"$$": 0, "c.京": 1},
        "tag_to_idx": {"B": 0, "I": 1},
    }
    (folder / "pkuseg_model/features.msgpack").write_bytes(packb(features))
    # The weights of both features by tag, then those of pairs of tags.
    weights = np.array([1.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0])
    np.savez(folder / "pkuseg_model/weights.npz", sizes=np.array([2, 2]), w=weights)
    (folder / "pkuseg_processors").write_bytes(packb([[], False, [], []]))
    (folder / "cfg").write_text('{"segmenter": "pkuseg"}')
    return folder


def test_thai_needs_no_package():
    nlp = lexpool.blank("th")
    assert nlp.tokenizer.segmenter == "newmm"
    assert [t.text for t in nlp("ภาษาไทย  ง่าย")] == ["ภาษาไทย", "  ", "ง่าย"]
    assert nlp("สอง")[0].like_num and nlp("และ")[0].is_stop
    assert "pythainlp" not in sys.modules or find_spec("pythainlp") is not None


def test_a_tokenizer_with_a_segmenter_is_saved_and_pickled(tmp_path, small_jieba):
    thai = lexpool.blank("th")
    thai.to_disk(tmp_path / "th")
    assert not (tmp_path / "th/tokenizer").exists()
    again = lexpool.load(tmp_path / "th")
    assert shown(again(THAI[0])) == shown(thai(THAI[0]))
    assert shown(lexpool.blank("th").from_bytes(thai.to_bytes())(THAI[0])) == shown(thai(THAI[0]))

    own = Tokenizer.with_segmenter(lexpool.blank("zh").vocab, "jieba", small_jieba)
    assert [t.text for t in own("在北京大学 。")] == ["在", "北京大学", "。"]
    copy = pickle.loads(pickle.dumps(own))
    assert (copy.segmenter, shown(copy("在北京"))) == ("jieba", shown(own("在北京")))
    own.to_disk(tmp_path / "tokenizer")
    own.from_disk(tmp_path / "tokenizer")
    (tmp_path / "tokenizer/cfg").write_text('{"segmenter": "char"}')
    with pytest.raises(ValueError, match="expected the settings of the segmenter 'jieba'"):
        own.from_disk(tmp_path / "tokenizer")


def test_a_pkuseg_model_is_kept_by_every_way_of_saving(tmp_path, small_pkuseg):
    def words(nlp):
        return [token.text for token in nlp("在北京京")]

    nlp = lexpool.blank("zh", config=PKUSEG)
    with pytest.raises(ValueError, match="segmenter-data"):
        nlp("北")
    nlp.tokenizer.from_disk(small_pkuseg)
    assert words(nlp) == ["在", "北京京"] and nlp.tokenizer.segmenter == "pkuseg"
    nlp.to_disk(tmp_path / "saved")
    assert_same_files(small_pkuseg, tmp_path / "saved/tokenizer")
    given = lexpool.blank("zh", config={"nlp.tokenizer.dictionary": str(small_pkuseg), **PKUSEG})
    copies = [
        lexpool.load(tmp_path / "saved"),
        lexpool.blank("zh", config=PKUSEG).from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp)),
        given,
    ]
    shutil.rmtree(tmp_path / "saved")
    for copy in copies:
        assert words(copy) == words(nlp)
        assert copy.tokenizer.segmenter_data == nlp.tokenizer.segmenter_data
    left_out = lexpool.blank("zh", config=PKUSEG)
    left_out.from_bytes(nlp.to_bytes(), exclude=["tokenizer"])
    assert left_out.tokenizer.segmenter_data is None
    left_out.tokenizer.from_bytes(left_out.tokenizer.to_bytes())
    assert left_out.tokenizer.segmenter_data is None


def test_a_cache_size_outlives_pickles_and_a_new_model(small_pkuseg):
    thai = lexpool.blank("th").tokenizer
    thai.max_cache_size = 7
    assert pickle.loads(pickle.dumps(thai)).max_cache_size == 7
    tokenizer = Tokenizer.with_segmenter(thai.vocab, "pkuseg", max_cache_size=7)
    tokenizer.from_disk(small_pkuseg)
    assert tokenizer.max_cache_size == 7
    tokenizer.from_bytes(tokenizer.to_bytes())
    assert tokenizer.max_cache_size == 7


def assert_same_files(folder, other):
    def files(folder):
        found = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder): path.read_bytes() for path in found}

    assert files(other) == files(folder)


def test_a_damaged_model_leaves_the_present_one(tmp_path, small_pkuseg):
    tokenizer = Tokenizer.with_segmenter(lexpool.blank("zh").vocab, "pkuseg", small_pkuseg)
    shutil.copytree(small_pkuseg, tmp_path / "damaged")
    (tmp_path / "damaged/pkuseg_model/weights.npz").write_bytes(b"PK")
    with pytest.raises(ValueError, match="segment-dictionary"):
        tokenizer.from_disk(tmp_path / "damaged")
    with pytest.raises(ValueError, match="saved-form"):
        tokenizer.from_bytes(packb([1]))
    with pytest.raises(ValueError, match=r"lack 'pkuseg_model|lack \"pkuseg_model"):
        Tokenizer.with_segmenter(tokenizer.vocab, "pkuseg", {})
    with pytest.raises(ValueError, match="has no model"):
        Tokenizer.with_segmenter(tokenizer.vocab, "newmm", tokenizer.segmenter_data)
    assert [t.text for t in tokenizer("在北京")] == ["在", "北京"]


def test_pipelines_with_segmenters_run_without_python(tmp_path, small_pkuseg, small_jieba):
    text = tmp_path / "text.txt"
    text.write_text("在北京", encoding="utf-8")
    nlp = lexpool.blank("zh", config=PKUSEG)
    nlp.tokenizer.from_disk(small_pkuseg)
    nlp.to_disk(tmp_path / "pkuseg")
    jieba = {"nlp.tokenizer.dictionary": str(small_jieba), **JIEBA}
    lexpool.blank("zh", config=jieba).to_disk(tmp_path / "jieba")
    lexpool.blank("th").to_disk(tmp_path / "thai")
    command("model", "pack", tmp_path / "pkuseg", "-o", tmp_path / "packed")
    assert [t.text for t in lexpool.load(tmp_path / "packed")("在北京")] == ["在", "北京"]
    for name in ("pkuseg", "packed", "jieba"):
        out = command("annotate", "-p", tmp_path / name, text)
        assert [token["text"] for token in json.loads(out)["tokens"]] == ["在", "北京"], name
    text.write_text(THAI[0], encoding="utf-8")
    out = json.loads(command("annotate", "-p", tmp_path / "thai", text))
    assert [token["text"] for token in out["tokens"]] == [
        t.text for t in lexpool.blank("th")(THAI[0])
    ]


def command(*args):
    """Runs the command, and returns its output."""
    call = [sys.executable, "-m", "lexpool", *map(str, args)]
    return subprocess.run(call, check=True, capture_output=True).stdout.decode()


def test_a_configuration_chooses_rules_for_thai():
    rules = {"nlp.tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}
    nlp = lexpool.blank("th", config=rules)
    assert nlp.tokenizer.segmenter is None and nlp.lang == nlp.vocab.lang == "th"
    assert shown(nlp(THAI[1])) == shown(lexpool.blank("xx")(THAI[1]))
    assert nlp("สอง")[0].like_num


def test_settings_that_segmenters_lack_are_refused():
    for settings in ({"segmenter": "other"}, {"segmenter": "jieba", "mode": "x"}):
        with pytest.raises(ConfigError, match='segmenter = "other"|"mode" is "x"'):
            lexpool.blank("zh", config={"nlp": {"tokenizer": settings}})
    with pytest.raises(ConfigError, match="dictionary"):
        lexpool.blank("th", config={"nlp.tokenizer.dictionary": 3})


def test_chinese_without_a_segmenter_is_cut_into_characters(tmp_path):
    config = {"nlp": {"tokenizer": {"@tokenizers": "spacy.zh.ChineseTokenizer"}}}
    nlp = lexpool.blank("zh", config=config)
    assert [t.text for t in nlp("北京")] == ["北", "京"]
    spacy.blank("zh").to_disk(tmp_path)
    path = tmp_path / "config.cfg"
    path.write_text(path.read_text().replace('segmenter = "char"\n', ""))
    assert [t.text for t in lexpool.load(tmp_path)("北京")] == ["北", "京"]
    text = tmp_path / "text.txt"
    text.write_text("北京", encoding="utf-8")
    out = json.loads(command("annotate", "-p", tmp_path, text))
    assert [token["text"] for token in out["tokens"]] == ["北", "京"]


def test_a_tokenizer_that_is_no_section_is_refused():
    for value in ("x", ["x"], None):
        with pytest.raises(ConfigError, match='"tokenizer" is .*; expected a section'):
            lexpool.blank("en", config={"nlp": {"tokenizer": value}})


def test_an_op_opens_segmenters_without_a_tokenizer(small_jieba):
    assert {"jieba", "newmm", "pkuseg"} <= set(lexpool.ops.segment.names())
    thai = lexpool.ops.segment.open("newmm")
    assert (thai.name, thai.cut("ภาษาไทย  ง่าย")) == ("newmm", ["ภาษาไทย", "  ", "ง่าย"])
    jieba = lexpool.ops.segment.open("jieba", str(small_jieba))
    assert jieba.cut("在北京 。") == ["在", "北京", "。"]
    with pytest.raises(ValueError, match="segmenter-data"):
        lexpool.ops.segment.open("jieba")


def test_a_tokenizer_with_a_segmenter_has_no_rules(small_jieba):
    tokenizer = Tokenizer.with_segmenter(lexpool.blank("zh").vocab, "jieba", small_jieba)
    assert tokenizer.explain("在 北京") == [("SEGMENT", "在"), ("SEGMENT", "北京")]
    assert tokenizer.report() == {} and tokenizer.prefix_search is None
    with pytest.raises(ValueError, match="segmenter-rules"):
        tokenizer.prefix_search = "x"
    with pytest.raises(ValueError, match="segmenter-rules"):
        tokenizer.add_special_case("北", [{"ORTH": "北"}])


def test_missing_and_damaged_data_are_named(tmp_path, small_jieba, monkeypatch):
    vocab = lexpool.blank("zh").vocab
    with pytest.raises(ValueError, match="segmenter-data.*no segmenter 'x'|no segmenter \"x\""):
        Tokenizer.with_segmenter(vocab, "x")
    with pytest.raises(OSError, match="dict.txt|prob_start"):
        Tokenizer.with_segmenter(vocab, "jieba", tmp_path)
    (tmp_path / "words.txt").write_text("\n")
    with pytest.raises(ValueError, match="segment-dictionary"):
        Tokenizer.with_segmenter(vocab, "newmm", tmp_path / "words.txt")
    monkeypatch.setattr("lexpool._python_side.segmenters.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="segmenter-data.*pip install jieba"):
        lexpool.blank("zh", config=JIEBA)


@pytest.mark.parametrize("config", [JIEBA, IN_FULL])
def test_a_configuration_chooses_jieba(config, tmp_path, monkeypatch, small_jieba):
    monkeypatch.setattr("lexpool._python_side.segmenters.data", lambda name: small_jieba)
    nlp = lexpool.blank("zh", config=config)
    assert [t.text for t in nlp("在北京大学")] == ["在", "北京大学"]
    assert nlp.config["nlp"]["tokenizer"] == IN_FULL["nlp"]["tokenizer"]
    nlp.to_disk(tmp_path / "saved")
    assert [t.text for t in lexpool.load(tmp_path / "saved")("在北京")] == ["在", "北京"]
    again = lexpool.blank("zh", config=config).from_bytes(nlp.to_bytes())
    assert again.tokenizer.segmenter == "jieba"
    chars = lexpool.blank("zh", config={"nlp.tokenizer.segmenter": "char"})
    assert chars.tokenizer.segmenter is None and len(chars("北京")) == 2


def generated(alphabet, words, count):
    """Returns texts of words, parts of words and single characters."""
    draw = random.Random(count)
    kinds = [
        lambda: draw.choice(words),
        lambda: draw.choice(words)[: draw.randint(1, 4)],
        lambda: draw.choice(alphabet),
        lambda: draw.choice(" \t.,:-%ab12\u0663é中ก\u3000\r"),
    ]
    return ["".join(draw.choice(kinds)() for _ in range(draw.randint(1, 30))) for _ in range(count)]


def test_tokens_of_thai_are_those_of_newmm(full):
    tokenize = pytest.importorskip("pythainlp.tokenize", reason="pythainlp is not installed")
    folder = Path(find_spec("pythainlp").submodule_search_locations[0])
    same = Tokenizer.with_segmenter(lexpool.blank("th").vocab, "newmm", folder)
    words = (folder / "corpus/words_th.txt").read_text(encoding="utf-8-sig").split("\n")
    alphabet = [chr(c) for c in range(0xE01, 0xE5C) if chr(c).isprintable()]
    built_in = lexpool.blank("th").tokenizer
    total = shared = 0
    for text in THAI + generated(alphabet, words, 5000 if full else 500):
        theirs = tokenize.word_tokenize(text)
        assert [t.text for t in same(text)] == theirs, text
    for text in THAI + ["".join(random.Random(i).choices(words, k=20)) for i in range(100)]:
        theirs = spaced(tokenize.word_tokenize(text))
        total += len(theirs)
        shared += len(theirs & spaced([t.text for t in built_in(text)]))
    # The built-in list is an older one.
    assert shared > 0.995 * total


def spaced(words):
    """Returns the extents of words."""
    ends, end = set(), 0
    for word in words:
        ends.add((end, end + len(word)))
        end += len(word)
    return ends


def test_tokens_of_chinese_are_those_of_jieba(full, tmp_path):
    jieba = pytest.importorskip("jieba", reason="jieba is not installed")
    jieba.setLogLevel(60)
    nlp = lexpool.blank("zh", config=JIEBA)
    lines = (Path(jieba.__file__).parent / "dict.txt").read_text(encoding="utf-8").splitlines()
    words = [line.split(" ")[0] for line in lines]
    alphabet = [chr(c) for c in range(0x4E00, 0x9FD6)]
    for text in CHINESE + generated(alphabet, words, 5000 if full else 500):
        theirs = [word for word in jieba.cut(text) if word]
        assert shown(nlp(text)) == list(zip(*get_words_and_spaces(theirs, text), strict=True)), text
    spacy.blank("zh", config=JIEBA).to_disk(tmp_path / "theirs")
    loaded = lexpool.load(tmp_path / "theirs")
    assert shown(loaded(CHINESE[0])) == shown(nlp(CHINESE[0]))
    nlp.to_disk(tmp_path / "ours")
    assert shown(spacy.load(tmp_path / "ours")(CHINESE[0])) == shown(nlp(CHINESE[0]))


def test_tokens_of_a_pkuseg_model_are_those_of_a_saved_pipeline(tmp_path):
    pkuseg = pytest.importorskip("spacy_pkuseg", reason="spacy-pkuseg is not installed")
    draw = random.Random(0)
    words = ["北京", "大学", "我们", "在", "学习", "Ａ１", "北京大学", "3.5%", "的"]
    for name in ("train", "test"):
        lines = [" ".join(draw.choices(words, k=12)) for _ in range(60)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    pkuseg.train(str(tmp_path / "train"), str(tmp_path / "test"), str(tmp_path / "m"), train_iter=1)
    theirs = spacy.blank("zh", config={"nlp": {"tokenizer": {"segmenter": "pkuseg"}}})
    theirs.tokenizer.initialize(pkuseg_model=str(tmp_path / "m"), pkuseg_user_dict="default")
    theirs.tokenizer.pkuseg_update_user_dict(["学习的", "学习的我们在"])
    theirs.to_disk(tmp_path / "saved")
    ours = lexpool.load(tmp_path / "saved")
    assert ours.tokenizer.segmenter == "pkuseg"
    alphabet = list({c for word in words for c in word})
    for text in CHINESE + generated(alphabet, words, 300):
        assert shown(ours(text)) == shown(theirs(text)), text
    ours.to_disk(tmp_path / "again")
    for again in (lexpool.load(tmp_path / "again"), spacy.load(tmp_path / "again")):
        assert shown(again(CHINESE[0])) == shown(ours(CHINESE[0]))
