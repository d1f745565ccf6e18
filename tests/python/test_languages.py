"""Each language's rules: tokens, number words and script beside spaCy's, and folders that it saved.

The tokens of treebanks are compared by `make bench-languages`.
"""

import importlib
import sys
import zlib
from importlib.util import find_spec
from pathlib import Path

import pytest
import spacy

import lexpool
from lexpool.errors import ConfigError, UnknownLanguageError

ROOT = Path(__file__).parents[2]
RULES = ROOT / "core/src/tokenizer/lang/rules"
sys.path.insert(0, str(ROOT / "tests/bench"))

from languages import SETTINGS, Comparison, extents, number_words, probes

# Japanese and Thai, whose tokenizers in spaCy need packages, are compared in test_dictionaries.py
# and test_segmenters.py.
BESIDE_SPACY = [code for code in lexpool.languages() if code not in ("ja", "th")]
# Languages with trained pipelines of spaCy's: their rules give spaCy's tokens.
TRAINED = "ca da de el en es fi fr hr it ko lt mk nb nl pl pt ro ru sl sv uk xx zh".split()


WITH_SENTENCES = [
    code for code in BESIDE_SPACY if find_spec(f"spacy.lang.{code}.examples") is not None
]


@pytest.fixture(scope="module")
def tokenizers():
    made = {}

    def of(code):
        if code not in made:
            made[code] = (
                spacy.blank(code, config=SETTINGS.get(code, {})).tokenizer,
                lexpool.blank(code).tokenizer,
            )
        return made[code]

    return of


def test_every_language_of_spacy_is_known():
    import pkgutil

    import spacy.lang

    codes = {module.name for module in pkgutil.iter_modules(spacy.lang.__path__) if module.ispkg}
    assert set(lexpool.languages()) == codes


@pytest.mark.parametrize("code", WITH_SENTENCES)
def test_sentences_have_the_tokens_of_spacy(code, tokenizers):
    sentences = importlib.import_module(f"spacy.lang.{code}.examples").sentences
    theirs, ours = tokenizers(code)
    found = Comparison()
    for text in sentences:
        found.add(text, extents(theirs(text)), extents(ours(text)))
    least = 99.9 if code in TRAINED else OTHER_SENTENCES.get(code, 97)
    assert found.share > least, found.differences.most_common(5)


# Languages whose marks spaCy leaves on words, which treebanks split off; see COMPARE.md.
OTHER_SENTENCES = {"bo": 30, "fa": 85, "gu": 95, "hy": 75}


@pytest.mark.parametrize("code", BESIDE_SPACY)
def test_special_cases_have_the_tokens_of_spacy(code, tokenizers):
    theirs, ours = tokenizers(code)
    shared = set(spacy.blank("xx").tokenizer.rules)
    words = ["mund", "kost", "Haus"]
    found = Comparison()
    for text in probes(set(getattr(theirs, "rules", None) or ()) - shared, words):
        found.add(text, extents(theirs(text)), extents(ours(text)))
    assert found.share > PROBES.get(code, 99 if code in TRAINED else 95), (
        found.differences.most_common(5)
    )


PROBES = {
    # A full stop behind the Latin words of the probes is split off.
    "am": 84,
    "ar": 86,
    "ti": 84,
    # "Id" and "Wed" are words.
    "en": 98,
    # Hyphenated words that are in no list, doubled words behind a hyphen.
    "gd": 84,
    "id": 92,
    "ms": 93,
}


@pytest.mark.parametrize("code", BESIDE_SPACY)
def test_number_words_and_script_are_those_of_spacy(code, tokenizers):
    theirs, ours = tokenizers(code)
    for word in [*number_words(code), "10", "-3,5", "1/2", "x", "3%", "XIV"]:
        expected = theirs.vocab[word].like_num
        # A token has no white space.
        if word.split() == [word] and word not in OTHER_NUMBERS.get(code, ()):
            assert ours.vocab[word].like_num == expected, (code, word)
    assert ours.vocab.writing_system == theirs.vocab.writing_system


# Misprints in spaCy's lists, other words in them, and numbers that it leaves out.
OTHER_NUMBERS = {
    "am": ["ሰላሳኛአርባኛ"],
    "da": ["femgogfyrre"],
    "grc": ["10"],
    "hi": ["उन्यासीअस्सी"],
    # The forms of the word for "numeral".
    "lt": [
        f"skaitvard{ending}"
        for ending in ("is yje į žiai žiais žiams žio žiu žiui žiuose žius žių i".split())
    ],
    "ne": ["-3,5"],
    "sl": "devega deveth četrthih nešteth sedtim sedtimi šestro".split(),
    "yo": ["ọgbọ̀n,"],
}


@pytest.mark.parametrize("code", ["de", "hi", "vi", "zh"])
def test_a_folder_that_spacy_saved_loads_with_the_data_of_its_language(code, tmp_path):
    theirs = spacy.blank(code, config=SETTINGS.get(code, {}))
    theirs.to_disk(tmp_path / "saved")
    nlp = lexpool.load(tmp_path / "saved")
    text = importlib.import_module(f"spacy.lang.{code}.examples").sentences[0]
    told = [(t.text, t.norm_, t.lang_, t.like_num) for t in nlp(text)]
    assert told == [(t.text, t.norm_, t.lang_, t.like_num) for t in theirs(text)]
    nlp.to_disk(tmp_path / "again")
    again = lexpool.load(tmp_path / "again")
    assert [t.text for t in again(text)] == [t[0] for t in told]


def test_segmenters_of_other_packages_are_refused_by_name(tmp_path):
    folder = tmp_path / "other"
    spacy.blank("zh").to_disk(folder)
    file = folder / "config.cfg"
    file.write_text(file.read_text().replace('segmenter = "char"', 'segmenter = "other"'))
    with pytest.raises(ConfigError, match='segmenter = "other"'):
        lexpool.load(folder)


def test_aliases_give_the_same_language_and_unknown_codes_the_nearest():
    assert lexpool.blank("deu").lang == lexpool.blank("ger").lang == "de"
    assert lexpool.blank("ger").vocab.lang == "de"
    calls = {
        "blank": lambda: lexpool.blank("dex"),
        "blank with settings": lambda: lexpool.blank("dex", config={"nlp.batch_size": 3}),
        "load": lambda: lexpool.load("blank:dex"),
        "Tokenizer.blank": lambda: lexpool.Tokenizer.blank("dex"),
    }
    for name, call in calls.items():
        with pytest.raises(UnknownLanguageError, match="nearest codes are .*de") as raised:
            call()
        # spaCy's, whose languages are modules, and that of wrong arguments.
        assert isinstance(raised.value, ImportError), name
        assert isinstance(raised.value, ValueError), name


def test_a_file_of_rules_is_a_language_of_its_own(tmp_path):
    file = tmp_path / "tlh.toml"
    file.write_text('[affixes.infixes]\nhyphen = false\n[numbers]\ncardinals = "wa"\n')
    nlp = lexpool.blank("tlh", rules=file)
    doc = nlp("wa tlhIngan-Hol.")
    assert [t.text for t in doc] == ["wa", "tlhIngan-Hol", "."]
    assert (doc.lang_, doc[0].like_num, nlp.lang) == ("tlh", True, "tlh")
    file.write_text("[affixes.infixes]\nhyphn = false\n")
    with pytest.raises(ValueError, match=r"tlh.toml:2: no pattern \"hyphn\" to take away"):
        lexpool.blank("tlh", rules=file)
    with pytest.raises(ValueError, match="rules of a file and a config"):
        lexpool.blank("tlh", rules=RULES / "xx.toml", config={"nlp.batch_size": 10})


def test_getters_of_a_language_can_be_pickled_and_used_again():
    import pickle

    vocab = lexpool.blank("hi").vocab
    again = pickle.loads(pickle.dumps(vocab))
    for word in ["लड़कों", "दस", "x"]:
        assert (again[word].norm_, again[word].like_num) == (
            vocab[word].norm_,
            vocab[word].like_num,
        )


def test_the_rules_of_all_languages_are_small():
    files = sorted(RULES.glob("*.toml"))
    assert sum(len(zlib.compress(path.read_bytes())) for path in files) < 250_000
    assert all(path.stat().st_size < 40_000 for path in files)
