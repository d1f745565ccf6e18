"""The engines of patterns: automata, or a backtracker that is reported and bounded in time."""

import re

import pytest

from lexpool import Tokenizer, Vocab
from lexpool.errors import RuleError

LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "sv", "pl", "hu", "fi", "tr", "ru", "el", "xx"]
PATTERNS = ["prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_patterns_of_a_language_run_on_automata(pair, lang):
    theirs, ours = pair(lang)
    given = [name for name in PATTERNS if getattr(theirs, name)]
    assert len(given) >= 4
    assert ours.report() == dict.fromkeys(given, ours.report()["prefix_search"])
    assert all("automata" in how for how in ours.report().values())


@pytest.mark.parametrize("lang", ["en", "xx"])
def test_own_patterns_run_on_automata(lang):
    report = Tokenizer.blank(lang).report()
    assert len(report) >= 4
    assert all("automata" in how for how in report.values())


@pytest.mark.parametrize("name", PATTERNS)
def test_a_back_reference_falls_back_and_says_so(name):
    tokenizer = Tokenizer(Vocab(), **{name: r"(a+)b\1"})
    assert "backtracking" in tokenizer.report()[name]
    assert "back-reference to group 1" in tokenizer.report()[name]


def test_a_pattern_on_the_fallback_cuts_as_python_would():
    infixes = re.compile(r"(?<=x)(-|\+)\1(?=y)")
    tokenizer = Tokenizer(Vocab(), infix_finditer=infixes.finditer)
    assert [token.text for token in tokenizer("x--y x++y x-+y")] == [
        *["x", "--", "y", "x", "++", "y", "x-+y"]
    ]


@pytest.mark.parametrize("name", ["prefix_search", "infix_finditer", "token_match"])
def test_a_fallback_is_stopped_by_the_step_limit_on_hostile_text(name):
    tokenizer = Tokenizer(Vocab(), **{name: r"(a*)*\1c"})
    assert [token.text for token in tokenizer("harmless aac")]
    with pytest.raises(RuleError, match="step") as caught:
        tokenizer("a" * 5000 + "b")
    assert name in str(caught.value)
    assert tokenizer("harmless").text == "harmless"


def test_all_searches_for_the_affixes_of_one_chunk_share_a_limit():
    # Behind parentheses the pattern tries all ways to cut what follows, and finds none.
    tokenizer = Tokenizer(Vocab(), prefix_search=r"^\((?:\(*(?:(a|aa)*)*\1c)?")

    def is_cut(text):
        try:
            return tokenizer(text).text == text
        except RuleError:
            return False

    longest = next(n for n in range(1, 100) if not is_cut("(" + "a" * (n + 1)))
    # Each search alone keeps well to the limit of one.
    word = "a" * (longest - 1)
    assert is_cut("(" + word)
    assert is_cut(" ".join(f"({'(' * (i % 2)}{word}" for i in range(20)))
    with pytest.raises(RuleError, match=r"prefix_search.* limit of 4\d{6} backtracking steps"):
        tokenizer("(" * 20 + word)
    # Cheap searches may be as many as there are affixes.
    cheap = Tokenizer(Vocab(), prefix_search=r"^(\()(?:\1x)?")
    assert "backtracking" in cheap.report()["prefix_search"]
    assert len(cheap("(" * 5000 + "b")) == 5001


def test_a_stopped_text_in_a_pipe_leaves_its_neighbours_as_they_are():
    tokenizer = Tokenizer(Vocab(), token_match=r"(a*)*\1c")
    texts = ["x", "a" * 5000 + "b", "y"]
    pipe = tokenizer.pipe(texts, n_threads=2)
    assert next(pipe).text == "x"
    with pytest.raises(RuleError, match="step"):
        next(pipe)
    assert [doc.text for doc in pipe] == ["y"]


@pytest.mark.parametrize("form", [str, re.compile, lambda s: re.compile(s).search])
def test_a_pattern_may_be_a_string_an_expression_or_its_method(form):
    tokenizer = Tokenizer(Vocab(), prefix_search=form(r"^[(<]"))
    assert [token.text for token in tokenizer("(<x>)")] == ["(", "<", "x>)"]


def test_the_flags_of_an_expression_count():
    tokenizer = Tokenizer(Vocab(), suffix_search=re.compile("KM$", re.IGNORECASE))
    assert [token.text for token in tokenizer("5km 7KM 9 Km.")] == [
        "5",
        "km",
        "7",
        "KM",
        "9",
        "Km.",
    ]


def test_without_rules_a_text_is_cut_at_whitespace():
    tokenizer = Tokenizer(Vocab())
    assert tokenizer.report() == {}
    assert [token.text for token in tokenizer("a,b  (c)\n d ")] == ["a,b", " ", "(c)", "\n ", "d"]


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        ("(a", 0),
        ("a)", 1),
        ("ab[c", 2),
        ("x*y**", 4),
        (r"\q", 0),
        ("a{3,2}", 1),
        (r"a(?P<n>b)\2", 9),
    ],
)
def test_a_pattern_that_does_not_compile_is_named_with_its_position(pattern, position):
    with pytest.raises(re.error):
        re.compile(pattern)
    with pytest.raises(RuleError, match="suffix_search") as caught:
        Tokenizer(Vocab(), suffix_search=pattern)
    given = re.search(r"at character (\d+)", str(caught.value))
    assert given, str(caught.value)
    assert abs(int(given.group(1)) - position) <= 2
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("given", [3, object(), b"x", ["x"]])
def test_what_is_no_rule_is_refused_by_name(given):
    with pytest.raises(TypeError, match="infix_finditer"):
        Tokenizer(Vocab(), infix_finditer=given)
    tokenizer = Tokenizer(Vocab(), infix_finditer="-")
    with pytest.raises(TypeError, match="infix_finditer"):
        tokenizer.infix_finditer = given
    assert [token.text for token in tokenizer("a-b")] == ["a", "-", "b"]
