"""The table of costs: tokenizers, matchers, texts and values of settings."""

from cost_documents import alive, path, saved
from cost_rows import annotated, words
from cost_table import FIXED, ONE_VALUE, Table

import lexpool
from lexpool import attrs, util
from lexpool.matcher import DependencyMatcher, Matcher, PhraseMatcher, levenshtein
from lexpool.msgpack import packb
from lexpool.strings import StringStore, hash_string
from lexpool.tokenizer import Tokenizer
from lexpool.tokens import Doc

TABLE = Table()


# Tokenizers.


def tokenizer(n):
    rules = lexpool.blank("en").tokenizer
    rules.rules = {word: [{"ORTH": word[:2]}, {"ORTH": word[2:]}] for word in words(n)}
    return rules


def same_tokenizer(tokenizer):
    return Tokenizer(tokenizer.vocab)


TABLE.subject(
    "Tokenizer",
    tokenizer,
    linear="""__reduce__ faster_heuristics from_bytes from_disk infix_finditer prefix_search rules
        suffix_search to_bytes to_disk token_match url_match""",
    __call__=lambda rules: rules("a text of few words"),
    add_special_case=lambda rules: rules.add_special_case("a.b", [{"ORTH": "a."}, {"ORTH": "b"}]),
    blank=lambda rules: Tokenizer.blank("en"),
    explain=lambda rules: rules.explain("(word5), (word6)!"),
    find_infix=lambda rules: rules.find_infix("a-b"),
    find_prefix=lambda rules: rules.find_prefix("(a"),
    find_suffix=lambda rules: rules.find_suffix("a)"),
    from_bytes=lambda rules: same_tokenizer(rules).from_bytes(rules.to_bytes()),
    from_disk=lambda rules: same_tokenizer(rules).from_disk(
        saved(rules.to_disk, path("tokenizer"))
    ),
    pipe=lambda rules: rules.pipe(["a text of few words"], n_threads=1),
    score=lambda rules: rules.score([]),
    to_disk=lambda rules: rules.to_disk(path("tokenizer")),
    changing="add_special_case",
)
TABLE.without_row(
    "as Tokenizer", "compat.spacy.Tokenizer Tokenizer.from_spacy Tokenizer.with_segmenter"
)
TABLE.without_row("as Tokenizer.pipe", "Stream")

# Matchers.


def matcher(n):
    search = Matcher(lexpool.blank("en").vocab)
    for word in words(n):
        search.add(word, [[{"LOWER": word}, {}]])
    return search


def phrase_matcher(n):
    vocab = lexpool.blank("en").vocab
    search = PhraseMatcher(vocab)
    for word in words(n):
        search.add(word, [Doc(vocab, words=[word, "end"])])
    return search


def dependency_matcher(n):
    search = DependencyMatcher(lexpool.blank("en").vocab)
    for word in words(n // 8):
        search.add(word, [[{"RIGHT_ID": "a", "RIGHT_ATTRS": {"ORTH": word}}]])
    return search


def doc_of(search):
    return Doc(search.vocab, words=["word5", "end"], heads=[0, 0], deps=["ROOT", "nsubj"])


TABLE.subject(
    "Matcher",
    matcher,
    linear="__reduce__",
    __call__=lambda search: search(doc_of(search)),
    __contains__=lambda search: "word5" in search,
    add=lambda search: search.add("new", [[{"LOWER": "new"}]]),
    add_rules=lambda search: search.add_rules([("newer", [{"LOWER": "new"}])]),
    get=lambda search: search.get("word5"),
    has_key=lambda search: search.has_key("word5"),
    match_all=lambda search: search.match_all([doc_of(search)], n_threads=1),
    pipe=lambda search: search.pipe([doc_of(search)], n_threads=1),
    remove=lambda search: search.remove("word5"),
    changing="add add_rules remove",
)
TABLE.subject(
    "PhraseMatcher",
    phrase_matcher,
    linear="__reduce__ open save",
    __call__=lambda search: search(doc_of(search)),
    __contains__=lambda search: "word5" in search,
    add=lambda search: search.add("new", [doc_of(search)]),
    add_texts=lambda search: search.add_texts(
        "newer", ["word5 end"], tokenizer=Tokenizer(search.vocab)
    ),
    match_all=lambda search: search.match_all([doc_of(search)], n_threads=1),
    match_texts=lambda search: search.match_texts(["word5 end"], tokenizer=Tokenizer(search.vocab)),
    open=lambda search: PhraseMatcher.open(saved(search.save, path("phrases")), search.vocab),
    pipe=lambda search: search.pipe([doc_of(search)], n_threads=1),
    remove=lambda search: search.remove("word5"),
    save=lambda search: search.save(path("phrases")),
    changing="add add_texts remove",
)
TABLE.subject(
    "DependencyMatcher",
    dependency_matcher,
    linear="__call__ __reduce__",
    __call__=lambda search: search(doc_of(search)),
    __contains__=lambda search: "word5" in search,
    add=lambda search: search.add("new", [[{"RIGHT_ID": "a", "RIGHT_ATTRS": {"ORTH": "x"}}]]),
    get=lambda search: search.get("word5"),
    has_key=lambda search: search.has_key("word5"),
    remove=lambda search: search.remove("word1"),
    changing="add remove",
)


def matches(n):
    docs = [annotated(n)]
    search = Matcher(docs[0].vocab)
    search.add("A", [[{"POS": "NOUN"}]])
    rows = search.match_all(docs, n_threads=1)
    return alive(rows)


TABLE.subject(
    "Matches",
    matches,
    spans=lambda rows: rows.spans([annotated(2 * len(rows))]),
    linear="__iter__ spans",
)
TABLE.without_row("as Matches.starts", "Matches.end_chars Matches.start_chars")


# Texts, and values of settings.


@TABLE.function("levenshtein")
def _near_words(n):
    # Within a distance the matrix is a band.
    return lambda: levenshtein("a" * n, "a" * n, 3)


TABLE.without_row("as levenshtein", "levenshtein_compare make_levenshtein_compare")


@TABLE.function("packb")
def _packed(n):
    value = {"list": list(range(n)), "map": dict.fromkeys(words(n), 1.5)}
    return lambda: packb(value)


TABLE.without_row("row message", "unpackb")


@TABLE.function("hash_string")
def _long_string(n):
    return lambda: hash_string("a" * n)


TABLE.without_row("as hash_string", "get_string_id")


@TABLE.function("get_words_and_spaces")
def _words_of_a_text(n):
    return lambda: util.get_words_and_spaces(words(n), " ".join(words(n)))


@TABLE.function("minibatch")
def _minibatch(n):
    return lambda: [*util.minibatch(range(n), 3)]


@TABLE.function("dict_to_dot")
def _flat(n):
    value = {word: {"a": 1} for word in words(n)}
    return lambda: util.dict_to_dot(value)


@TABLE.function("dot_to_dict")
def _nested(n):
    value = {f"{word}.a": 1 for word in words(n)}
    return lambda: util.dot_to_dict(value)


def affixes(name):
    @TABLE.function(name)
    def _affixes(n):
        return lambda: getattr(util, name)(words(n))


for name in ("compile_prefix_regex", "compile_suffix_regex", "compile_infix_regex"):
    affixes(name)


@TABLE.function("update_exc")
def _exceptions(n):
    tables = [{word: [{attrs.ORTH: word}]} for word in words(n)]
    return lambda: util.update_exc({}, *tables)


@TABLE.function("expand_exc")
def _expanded_exceptions(n):
    exceptions = {f"{word}'": [{attrs.ORTH: f"{word}'"}] for word in words(n)}
    return lambda: util.expand_exc(exceptions, "'", "’")


@TABLE.function("intify_attrs")
def _attributes(n):
    values = {1000 + i: word for i, word in enumerate(words(n))}
    return lambda: attrs.intify_attrs(values, StringStore())


TABLE.without_row(ONE_VALUE, "ensure_path fix_random_seed intify_attr modernize normalize_slice")
TABLE.without_row(FIXED, "languages base_norms codes get_include")
