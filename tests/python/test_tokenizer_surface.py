"""A tokenizer's rules and settings: read, assigned, called, written, collected."""

import gc
import pickle
import re
import sys
import threading
import weakref

import pytest

from lexpool import Doc, Tokenizer, Vocab

RULES = ["prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match"]
METHODS = dict(zip(RULES, ["search", "search", "finditer", "match", "match"]))


def cut(tokenizer, text: str) -> list[str]:
    return [token.text for token in tokenizer(text)]


@pytest.fixture
def given():
    """Callables for all rules."""
    sources = [r"^[(\"]", r"[)\",.]$", r"[-/]", r"\d+-\d+$", r"https?://\S+$"]
    return {name: getattr(re.compile(s), METHODS[name]) for name, s in zip(RULES, sources)}


@pytest.fixture
def ruled(given):
    return Tokenizer(Vocab({"LOWER": str.lower}), {"don't": [{65: "do"}, {65: "n't"}]}, **given)


TEXT = "(\"a-b/c\", 1-2 http://x/y-z. don't, (don't)"


def test_the_rules_read_back_as_they_were_given(ruled, given):
    for name in RULES:
        assert getattr(ruled, name) is given[name]
    assert all(getattr(Tokenizer(Vocab()), name) is None for name in RULES)
    assert ruled.faster_heuristics is True
    assert ruled.max_cache_size == 10000
    assert ruled.rules == {"don't": [{65: "do"}, {65: "n't"}]}


def test_arguments_may_be_given_by_position(given):
    tokenizer = Tokenizer(Vocab(), {}, *given.values(), False, 5)
    assert tokenizer.url_match is given["url_match"]
    assert (tokenizer.faster_heuristics, tokenizer.max_cache_size) == (False, 5)


@pytest.mark.parametrize("name", RULES)
def test_an_expression_or_its_source_becomes_a_method(name):
    for form in ("x", re.compile("x")):
        rule = getattr(Tokenizer(Vocab(), **{name: form}), name)
        assert rule.__name__ == METHODS[name]
        assert rule.__self__ == re.compile("x")


@pytest.mark.parametrize("name", RULES)
def test_rules_of_lexpools_own_read_back_as_callables(english, name):
    rule = getattr(english, name)
    if rule is not None:
        assert rule.__name__ == METHODS[name]
        rule("text")


@pytest.mark.parametrize("name", RULES)
def test_an_assigned_rule_counts_at_once(ruled, given, name):
    cut(ruled, TEXT)
    setattr(ruled, name, None)
    fresh = Tokenizer(Vocab(), ruled.rules, **{**given, name: None})
    assert getattr(ruled, name) is None
    assert cut(ruled, TEXT) == cut(fresh, TEXT)
    setattr(ruled, name, given[name])
    assert getattr(ruled, name) is given[name]
    assert cut(ruled, TEXT) == cut(Tokenizer(Vocab(), ruled.rules, **given), TEXT)


def test_assigned_special_cases_replace_all(ruled):
    ruled.add_special_case("can't", [{"ORTH": "ca"}, {"ORTH": "n't"}])
    ruled.rules = {"won't": [{"orth": "wo"}, {"orth": "n't"}]}
    assert cut(ruled, "can't won't don't") == ["can't", "wo", "n't", "don't"]
    ruled.rules = None
    assert ruled.rules == {}
    assert cut(ruled, "won't") == ["won't"]


def test_a_refused_assignment_changes_nothing(ruled, given):
    before = cut(ruled, TEXT)
    for name, value, error in [
        ("suffix_search", "a(", ValueError),
        ("suffix_search", 3, TypeError),
        ("rules", {"x": [{"ORTH": "y"}]}, ValueError),
        ("rules", ["x"], TypeError),
        ("max_cache_size", "x", TypeError),
        ("vocab", Vocab(), AttributeError),
    ]:
        with pytest.raises(error):
            setattr(ruled, name, value)
    assert cut(ruled, TEXT) == before
    assert ruled.suffix_search is given["suffix_search"]


def test_settings_can_be_assigned():
    tokenizer = Tokenizer(Vocab(), {"don't": [{65: "do"}, {65: "n't"}]}, infix_finditer="--")
    assert cut(tokenizer, "no--don't") == ["no", "--", "don't"]
    tokenizer.faster_heuristics = False
    assert cut(tokenizer, "no--don't") == ["no", "--", "do", "n't"]
    tokenizer.max_cache_size = 0
    assert tokenizer.max_cache_size == 0
    assert cut(tokenizer, "no--don't no--don't") == ["no", "--", "do", "n't"] * 2


def test_a_stream_under_way_keeps_the_rules_it_began_with(ruled):
    pipe = ruled.pipe(["a-b"] * 50, batch_size=10)
    assert len(next(pipe)) == 3
    ruled.infix_finditer = None
    assert {len(doc) for doc in pipe} == {3}
    assert len(ruled("a-b")) == 1


def test_found_infixes_are_matches(ruled):
    matches = ruled.find_infix("a-b/c")
    assert [(match.start(), match.group()) for match in matches] == [(1, "-"), (3, "/")]
    assert Tokenizer(Vocab()).find_infix("a-b") == []
    assert (ruled.find_prefix("(a"), ruled.find_suffix("a."), ruled.find_prefix("a")) == (1, 1, 0)


class Match:
    """A match object as a user's function may return it."""

    def __init__(self, start: int, end: int) -> None:
        self.span = start, end

    def start(self) -> int:
        return self.span[0]

    def end(self) -> int:
        return self.span[1]


@pytest.mark.parametrize("name", RULES)
def test_functions_cut_as_expressions_do(given, name):
    method = given[name]
    for function in (lambda text: method(text), CountingPattern(method).run):
        tokenizer = Tokenizer(Vocab(), **{**given, name: function})
        assert "function" in tokenizer.report()[name]
        assert getattr(tokenizer, name) == function
        for text in [TEXT, "\u00e9\u20ac-\U0001f600/x.", "(\u00e9).", "1-2", "x" * 60 + "-y."]:
            assert cut(tokenizer, text) == cut(Tokenizer(Vocab(), **given), text)
            assert tokenizer.explain(text) == Tokenizer(Vocab(), **given).explain(text)


class CountingPattern:
    def __init__(self, method) -> None:
        self.method, self.count = method, 0

    def run(self, text: str):
        self.count += 1
        return self.method(text)


def test_methods_that_ask_something_else_are_called():
    prefix = Tokenizer(Vocab(), prefix_search=re.compile(r"\(").match)
    assert "match" in prefix.report()["prefix_search"]
    assert cut(prefix, "(a(") == ["(", "a("]
    whole = Tokenizer(Vocab(), infix_finditer="-", token_match=re.compile("x").search)
    assert cut(whole, "a-b a-x") == ["a", "-", "b", "a-x"]
    full = Tokenizer(Vocab(), infix_finditer="-", token_match=re.compile("a-").fullmatch)
    assert cut(full, "a- a-b") == ["a-", "a", "-", "b"]


def test_functions_are_called_from_streams_too():
    tokenizer = Tokenizer(Vocab(), infix_finditer=lambda text: re.finditer("-", text))
    texts = [f"a{i}-b" for i in range(300)]
    assert [len(doc) for doc in tokenizer.pipe(texts, batch_size=40, n_threads=2)] == [3] * 300


def test_what_a_function_raises_comes_through():
    def broken(text: str):
        if text == "bad":
            raise LookupError("as you wish")

    tokenizer = Tokenizer(Vocab(), token_match=broken)
    for text in ("bad", "good " * 20 + "bad"):
        with pytest.raises(LookupError, match="as you wish"):
            tokenizer(text)
    assert cut(tokenizer, "good") == ["good"]
    with pytest.raises(LookupError, match="as you wish"):
        list(tokenizer.pipe(["good", "bad"]))


@pytest.mark.parametrize("span", [(0, 9), (-1, 1), (2, 1), (1, -1)])
@pytest.mark.parametrize("name", RULES[:3])
def test_a_match_outside_of_the_text_is_refused(name, span):
    found = Match(*span)
    give = (lambda text: [found]) if name == "infix_finditer" else (lambda text: found)
    tokenizer = Tokenizer(Vocab(), **{name: give})
    with pytest.raises(ValueError, match=name):
        tokenizer("abcd")


def test_matches_out_of_order_are_refused():
    tokenizer = Tokenizer(Vocab(), infix_finditer=lambda text: [Match(2, 3), Match(1, 2)])
    with pytest.raises(ValueError, match="infix_finditer"):
        tokenizer("abcd")


@pytest.mark.parametrize("answer", [3, "x", [3], object()])
@pytest.mark.parametrize("name", RULES[:3])
def test_an_answer_that_is_no_match_is_an_error(name, answer):
    tokenizer = Tokenizer(Vocab(), **{name: lambda text: answer})
    with pytest.raises((TypeError, AttributeError)):
        tokenizer("abcd")


def test_a_function_may_use_the_tokenizer_it_belongs_to():
    tokenizer = Tokenizer(Vocab())

    def again(text: str):
        return len(text) > 1 and len(tokenizer(text[1:])) > 3

    tokenizer.token_match = again
    assert cut(tokenizer, "abc de") == ["abc", "de"]


def test_threads_may_change_rules_while_others_tokenize(given):
    tokenizer = Tokenizer(Vocab(), **given)
    results: set[int] = set()

    def read() -> None:
        for _ in range(300):
            results.add(len(tokenizer("a-b a-b. " * 10)))

    def write() -> None:
        for i in range(60):
            tokenizer.infix_finditer = given["infix_finditer"] if i % 2 else None

    threads = [threading.Thread(target=f) for f in (read, write, read, write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results <= {70, 30}
    assert results


def test_concurrent_additions_are_all_kept():
    tokenizer = Tokenizer(Vocab())

    def add(start: int) -> None:
        for i in range(start, start + 40):
            tokenizer.add_special_case(f"x{i}", [{"ORTH": "x"}, {"ORTH": str(i)}])

    threads = [threading.Thread(target=add, args=(start,)) for start in (100, 200, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokenizer.rules) == 120
    assert cut(tokenizer, "x139 x215 x300") == ["x", "139", "x", "215", "x", "300"]


def test_subclasses_may_have_arguments_of_their_own():
    class LoweringTokenizer(Tokenizer):
        def __init__(self, vocab: Vocab, mark: str) -> None:
            super().__init__(vocab, infix_finditer=re.escape(mark))
            self.mark = mark

        def __call__(self, string: str) -> Doc:
            return super().__call__(string.lower())

    own = LoweringTokenizer(Vocab(), "+")
    assert (own.mark, cut(own, "A+B")) == ("+", ["a", "+", "b"])


def test_a_tokenizer_that_was_not_initialised_says_so():
    bare = Tokenizer.__new__(Tokenizer)
    for use in (lambda: bare("x"), lambda: bare.vocab, lambda: bare.rules, bare.report):
        with pytest.raises(RuntimeError, match="__init__"):
            use()
    bare.__init__(Vocab())
    assert cut(bare, "x y") == ["x", "y"]


def leak(make) -> bool:
    """Returns whether the result of `make` survives its last reference."""
    kept = weakref.ref(make())
    for _ in range(3):
        gc.collect()
    return kept() is not None


def test_a_circle_through_a_rule_is_collected():
    def make():
        tokenizer = Tokenizer(Vocab())
        tokenizer.token_match = lambda text: tokenizer is None
        tokenizer("a text that is long enough to be tokenized without the lock")
        return tokenizer

    assert not leak(make)


def test_a_circle_through_a_getter_is_collected():
    def make():
        held = []
        vocab = Vocab({"LOWER": lambda word: word if held else ""})
        tokenizer = Tokenizer(vocab)
        held.append(tokenizer)
        tokenizer("a b")
        return tokenizer

    assert not leak(make)


def test_functions_are_let_go_with_their_tokenizer():
    function = lambda text: None
    before = sys.getrefcount(function)
    tokenizer = Tokenizer(Vocab(), token_match=function)
    tokenizer("x")
    tokenizer.token_match = None
    assert sys.getrefcount(function) == before


def test_a_function_in_use_by_a_stream_is_not_taken_from_it():
    def stream():
        marks = {"-"}
        tokenizer = Tokenizer(Vocab())
        tokenizer.infix_finditer = lambda text: (
            re.finditer("-", text) if tokenizer and marks else []
        )
        return tokenizer.pipe((f"a{i}-b" for i in range(100)), batch_size=10)

    pipe = stream()
    for _ in range(3):
        gc.collect()
    assert [len(doc) for doc in pipe] == [3] * 100


def test_what_makes_a_tokenizer_anew_is_all_there(ruled, given):
    ruled.faster_heuristics, ruled.max_cache_size = False, 7
    kind, args = ruled.__reduce__()
    again = kind(*args)
    assert again.vocab is ruled.vocab
    assert again.rules == ruled.rules
    assert all(getattr(again, name) is given[name] for name in RULES)
    assert (again.faster_heuristics, again.max_cache_size) == (False, 7)
    assert cut(again, TEXT) == cut(ruled, TEXT)
    # The vocab has its own way; what is left can be pickled.
    rules, *methods, faster, most = pickle.loads(pickle.dumps(args[1:]))
    assert (rules, faster, most) == (ruled.rules, False, 7)
    assert [method.__self__ for method in methods] == [given[name].__self__ for name in RULES]
