"""The tables of tests/data: their form, and their cases through Python and through spaCy."""

import configparser
import json
import re

import pytest
from data_tables import FOLDER, NAMES, PATHS, cases, content, paths, table

import lexpool
from lexpool import Tokenizer
from lexpool.config import Config
from lexpool.corpus import Corpus
from lexpool.errors import ConfigError, MatchPatternError
from lexpool.matcher import Matcher, PhraseMatcher
from lexpool.msgpack import unpackb
from lexpool.tokens import Doc, DocBin

TABLES = {name: table(name) for name in NAMES}
RULES = {
    "prefix_search": "search",
    "suffix_search": "search",
    "infix_finditer": "finditer",
    "token_match": "match",
    "url_match": "match",
}
FIELDS = {
    "tokenizer": {"text", "words", "spaces", "lang", "rules", "norms", "explain", "differs"},
    "matcher": {"text", "patterns", "matches", "invalid", "by", "greedy"},
    "files": {"file", "changes", "verify", "error", "byte"},
    "config": {"text", "overrides", "json", "error", "differs"},
}
LEAST_CASES = {"tokenizer": 80, "matcher": 40, "files": 30, "config": 30}
# Tables without a case for a path, and why.
EMPTY = {
    ("files", "wasm"): "a page opens no files",
    ("config", "command"): "the command reads configurations within pipelines only",
    ("config", "wasm"): "a page opens no pipelines",
}


def each(name: str):
    """Runs a test on each case of a table that Python runs."""
    found = cases(TABLES[name], "python")
    return pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in found])


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_well_formed(name):
    names = [case["name"] for case in TABLES[name]["case"]]
    assert len(set(names)) == len(names) >= LEAST_CASES[name]
    for case in TABLES[name]["case"]:
        assert set(case) <= FIELDS[name] | {"name", "paths", "reason"}, case["name"]
        assert case["name"].strip(" .") == case["name"]


@pytest.mark.parametrize("name", NAMES)
def test_each_case_runs_through_two_paths_at_least_and_says_why_not_all(name):
    for case in TABLES[name]["case"]:
        own = paths(TABLES[name], case)
        assert len(set(own) & set(PATHS)) == len(own) >= 2, case["name"]
        reason = case.get("reason", TABLES[name].get("reason"))
        assert (len(own) < len(PATHS)) == bool(reason), case["name"]


def test_no_path_is_without_cases_unless_it_is_known():
    counts = {
        (name, path): sum(path in paths(TABLES[name], case) for case in TABLES[name]["case"])
        for name in NAMES
        for path in PATHS
    }
    assert {key for key, count in counts.items() if count == 0} == set(EMPTY)
    assert all(count >= 20 for key, count in counts.items() if key not in EMPTY)


def test_each_table_of_the_folder_is_run():
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(NAMES)


def test_each_file_opens_unchanged_and_fails_changed():
    found = TABLES["files"]["case"]
    by_form: dict[str, list[bool]] = {}
    for file in TABLES["files"]["file"]:
        of_file = [case for case in found if case["file"] == file["name"]]
        assert of_file, file["name"]
        by_form.setdefault(file["form"], []).extend("error" in case for case in of_file)
    assert all(False in fails and fails.count(True) >= 3 for fails in by_form.values())


@pytest.fixture(scope="module")
def tokenizer_of():
    """Finds, for a case, lexpool's tokenizer."""
    kept = {}

    def find(case):
        key = case.get("lang", "en"), case.get("rules")
        if key not in kept:
            kept[key] = with_rules(*key)
        return kept[key]

    return find


def with_rules(lang, rules):
    if rules is None:
        return Tokenizer.blank(lang)
    given = dict(TABLES["tokenizer"]["rules"][rules])
    special_cases = given.pop("special_cases")
    return Tokenizer(lexpool.blank("xx").vocab, special_cases, **given)


@pytest.fixture(scope="module")
def spacys_tokenizer_of(spacy):
    """Finds, for a case, spaCy's tokenizer."""
    kept = {}

    def find(case):
        key = case.get("lang", "en"), case.get("rules")
        if key not in kept:
            kept[key] = spacys_with_rules(spacy, *key)
        return kept[key]

    return find


def spacys_with_rules(spacy, lang, rules):
    if rules is None:
        return spacy.blank(lang).tokenizer
    given = dict(TABLES["tokenizer"]["rules"][rules])
    special_cases = given.pop("special_cases")
    methods = {name: getattr(re.compile(given[name]), RULES[name]) for name in given}
    return spacy.tokenizer.Tokenizer(spacy.blank("xx").vocab, special_cases, **methods)


def tokens(tokenizer, case):
    """The fields of a case that tokens answer."""
    doc = tokenizer(case["text"])
    found = {
        "words": [token.text for token in doc],
        "spaces": [token.whitespace_ == " " for token in doc],
        "norms": [token.norm_ for token in doc],
    }
    return {field: value for field, value in found.items() if field in case}


def expected(case, *fields):
    return {field: case[field] for field in fields if field in case}


@each("tokenizer")
def test_a_text_has_the_tokens_of_the_table(tokenizer_of, case):
    tokenizer = tokenizer_of(case)
    assert tokens(tokenizer, case) == expected(case, "words", "spaces", "norms")
    assert tokenizer(case["text"]).text == case["text"]
    if "explain" in case:
        explained = tokenizer.explain(case["text"])
        words = [word for word in case["words"] if not word.isspace()]
        assert explained == list(zip(case["explain"], words, strict=True))


@each("tokenizer")
def test_spacy_makes_the_same_tokens_unless_the_table_says_why_not(spacys_tokenizer_of, case):
    tokenizer = spacys_tokenizer_of(case)
    same = tokens(tokenizer, case) == expected(case, "words", "spaces", "norms")
    assert same == ("differs" not in case)
    # The rules of English are not those of spaCy, so other rules may make the same tokens.
    if "rules" in case and "explain" in case:
        assert [rule for rule, _ in tokenizer.explain(case["text"])] == case["explain"]


def matches(nlp, matcher, phrase_matcher, case):
    """All matches of a case in the order of the table."""
    by_tokens = matcher(nlp.vocab)
    by_phrases = phrase_matcher(nlp.vocab, attr=case.get("by", "orth").upper())
    labels: dict[str, list] = {}
    for rule in case["patterns"]:
        labels.setdefault(rule["label"], [])
        if isinstance(rule["pattern"], str):
            by_phrases.add(rule["label"], [nlp.make_doc(rule["pattern"])])
        else:
            labels[rule["label"]].append(rule["pattern"])
    greedy = case["greedy"].upper() if "greedy" in case else None
    for label, patterns in labels.items():
        if patterns:
            by_tokens.add(label, patterns, greedy=greedy)
    doc = nlp.make_doc(case["text"])
    found = [match for one in (by_tokens, by_phrases) if len(one) for match in one(doc)]
    named = {(nlp.vocab.strings[key], start, end) for key, start, end in found}
    order = list(labels)
    return sorted(named, key=lambda match: (match[1], match[2], order.index(match[0])))


@pytest.fixture(scope="module")
def nlp():
    return lexpool.blank("en")


@each("matcher")
def test_patterns_have_the_matches_of_the_table(nlp, case):
    if "matches" in case:
        found = matches(nlp, Matcher, PhraseMatcher, case)
        assert [list(match) for match in found] == case["matches"]
        return
    with pytest.raises(MatchPatternError) as raised:
        matches(nlp, Matcher, PhraseMatcher, case)
    found = re.findall(r"element (\[\d+\])", str(raised.value))
    assert sorted(found) == sorted(place.split()[0] for place in case["invalid"])


@pytest.fixture(scope="module")
def spacys_nlp(spacy):
    return spacy.blank("en")


@each("matcher")
def test_spacy_finds_the_same_matches(spacy, spacys_nlp, case):
    def find():
        return matches(spacys_nlp, spacy.matcher.Matcher, spacy.matcher.PhraseMatcher, case)

    if "matches" in case:
        assert [list(match) for match in find()] == case["matches"]
    else:
        with pytest.raises(spacy.errors.MatchPatternError):
            find()


@each("files")
def test_a_file_opens_or_fails_as_the_table_has_it(nlp, tmp_path, case):
    form, data = content(TABLES["files"], case)
    path = tmp_path / "given-name"
    path.write_bytes(data)
    for mmap in (True, False):
        if "error" not in case:
            read(form, path, verify=case.get("verify", "header"), mmap=mmap)
            continue
        with pytest.raises(ValueError, match=rf"^\[{case['error']}\] ") as raised:
            read(form, path, verify=case.get("verify", "header"), mmap=mmap)
        if "byte" in case:
            assert re.search(rf"at byte {case['byte']}\b", str(raised.value))
        # A corpus is open, and its file no longer known by name, when a batch of it is read.
        if form in ("vocab", "phrases", "corpus") and case["error"] != "corpus-batch":
            assert path.name in str(raised.value)


def read(form, path, **options):
    """Reads all of a file."""
    nlp = lexpool.blank("xx")
    match form:
        case "vocab":
            lexpool.Vocab.open(path, **options)
        case "corpus":
            list(Corpus.open(path, **options))
        case "phrases":
            PhraseMatcher.open(path, nlp.vocab)
        case "docbin":
            list(DocBin().from_bytes(path.read_bytes()).get_docs(nlp.vocab))
        case "doc":
            Doc(nlp.vocab).from_bytes(path.read_bytes())
        case "msgpack":
            unpackb(path.read_bytes())
        case _:
            raise ValueError(f"unknown form: {form}")


@each("config")
def test_a_configuration_has_the_values_of_the_table(case):
    overrides = case.get("overrides")
    if "json" in case:
        config = Config.from_str(case["text"], overrides=overrides, origin="some.cfg")
        # Compared as text, since the order of names counts.
        assert json.dumps(config) == json.dumps(json.loads(case["json"]))
        return
    with pytest.raises(ConfigError, match=re.escape(case["error"])) as raised:
        Config.from_str(case["text"], overrides=overrides, origin="some.cfg")
    assert "] some.cfg" in str(raised.value)


@each("config")
def test_confection_reads_the_same_configuration(case):
    confection = pytest.importorskip("confection")

    try:
        text, overrides = case["text"], case.get("overrides", {})
        found = confection.Config().from_str(text, overrides=overrides)
    except (confection.ConfigValidationError, configparser.Error, KeyError):
        found = None
    expected = json.loads(case["json"]) if "json" in case else None
    assert (found == expected) is ("differs" not in case)
