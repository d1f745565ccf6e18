"""The table of costs: vocabs, strings, word types, vectors, look-up tables, knowledge bases."""

import copy

import numpy
from cost_documents import enter, path, saved
from cost_rows import FOLDER, words
from cost_table import Table, refused

import lexpool
from lexpool import attrs, lex_attrs
from lexpool._core import BloomFilter
from lexpool.kb import InMemoryLookupKB
from lexpool.lookups import Lookups, Table as LookupTable
from lexpool.morphology import Morphology
from lexpool.strings import StringStore
from lexpool.tokens import Doc, MorphAnalysis
from lexpool.vectors import Vectors
from lexpool.vocab import Vocab

TABLE = Table()


def vocab(n):
    vocab = lexpool.blank("en").vocab
    for word in words(n):
        vocab[word]
    vocab.vectors = vectors(n, vocab.strings)
    return vocab


def vectors(n, strings=None, **settings):
    rows = numpy.arange(4 * n, dtype="f").reshape(n, 4) + 1
    return Vectors(strings=strings or StringStore(), data=rows, keys=words(n), **settings)


TABLE.subject(
    "Vocab",
    vocab,
    linear="""__iter__ add_flag deduplicate_vectors from_bytes from_disk open prune_vectors
        reset_vectors save to_bytes to_disk vectors""",
    __contains__=lambda vocab: "word5" in vocab,
    __getitem__=lambda vocab: vocab["word5"],
    add_flag=lambda vocab: vocab.add_flag(str.isalpha),
    from_bytes=lambda vocab: Vocab().from_bytes(vocab.to_bytes()),
    from_disk=lambda vocab: Vocab().from_disk(saved(vocab.to_disk, FOLDER / "vocab")),
    get_vector=lambda vocab: vocab.get_vector("word5"),
    has_vector=lambda vocab: vocab.has_vector("word5"),
    memory_zone=lambda vocab: enter(vocab.memory_zone()),
    open=lambda vocab: Vocab.open(saved(vocab.save, path("image")), mmap=False, verify="full"),
    prune_vectors=lambda vocab: vocab.prune_vectors(10),
    reset_vectors=lambda vocab: vocab.reset_vectors(width=4),
    save=lambda vocab: vocab.save(path("image")),
    set_vector=lambda vocab: vocab.set_vector("word5", numpy.ones(4, dtype="f")),
    to_disk=lambda vocab: vocab.to_disk(FOLDER / "vocab"),
    changing="add_flag freeze prune_vectors reset_vectors set_vector deduplicate_vectors",
)
TABLE.subject(
    "StringStore",
    lambda n: StringStore(words(n)),
    linear="__iter__ __reduce__ from_bytes from_disk items keys to_bytes to_disk values",
    __contains__=lambda store: "word5" in store,
    __getitem__=lambda store: store["word5"],
    add=lambda store: store.add("word5"),
    as_int=lambda store: store.as_int("word5"),
    as_string=lambda store: store.as_string("word5"),
    from_bytes=lambda store: StringStore().from_bytes(store.to_bytes()),
    from_disk=lambda store: StringStore().from_disk(saved(store.to_disk, path("strings"))),
    memory_zone=lambda store: enter(store.memory_zone()),
    set_strict=lambda store: store.set_strict(False),
    to_disk=lambda store: store.to_disk(path("strings")),
)
TABLE.subject("MemoryZone", lambda n: vocab(n).memory_zone())
TABLE.subject(
    "Lexeme",
    lambda n: vocab(n)["word5"],
    __reduce__=lambda lexeme: refused(lexeme.__reduce__),
    check_flag=lambda lexeme: lexeme.check_flag(attrs.IS_ALPHA),
    set_attrs=lambda lexeme: lexeme.set_attrs(lower="x"),
    set_flag=lambda lexeme: lexeme.set_flag(attrs.IS_ALPHA, True),
    similarity=lambda lexeme: lexeme.similarity(lexeme.vocab["word6"]),
)


def morphology(n):
    analyses = Morphology(StringStore())
    for word in words(n):
        analyses.add(f"Case={word}")
    return analyses


def analysis(n):
    """An analysis of many features."""
    return MorphAnalysis(lexpool.blank("en").vocab, "|".join(f"F{i}=V{i}" for i in range(n)))


FEATURES = {"Case": "Nom", "Number": "Sing"}
TABLE.subject(
    "Morphology",
    morphology,
    linear="__iter__ __reduce__",
    add=lambda analyses: analyses.add("Case=Nom"),
    dict_to_feats=lambda analyses: analyses.dict_to_feats(FEATURES),
    feats_to_dict=lambda analyses: analyses.feats_to_dict("Case=Nom|Number=Sing"),
    get=lambda analyses: analyses.get(analyses.add("Case=word5")),
    normalize_attrs=lambda analyses: analyses.normalize_attrs({}),
    normalize_features=lambda analyses: analyses.normalize_features(FEATURES),
)
TABLE.subject(
    "MorphAnalysis",
    analysis,
    linear="__iter__ __repr__ __str__ to_dict to_json",
    __contains__=lambda features: "F5=V5" in features,
    from_id=lambda features: MorphAnalysis.from_id(features.vocab, features.key),
    get=lambda features: features.get("F5"),
)

# Vectors.

TABLE.subject(
    "Vectors",
    vectors,
    linear="""__eq__ __iter__ __reduce__ data from_bytes from_disk get_batch items key2row
        most_similar resize to_bytes to_disk values""",
    __contains__=lambda table: "word5" in table,
    __getitem__=lambda table: table["word5"],
    __setitem__=lambda table: table.__setitem__("word5", numpy.ones(4, dtype="f")),
    __eq__=lambda table: table == copy.copy(table),
    add=lambda table: table.add("word5", row=3),
    find=lambda table: table.find(key="word5"),
    from_bytes=lambda table: Vectors(strings=StringStore()).from_bytes(table.to_bytes()),
    from_disk=lambda table: Vectors(strings=StringStore()).from_disk(
        saved(table.to_disk, FOLDER / "vectors")
    ),
    get_batch=lambda table: table.get_batch(words(len(table))),
    most_similar=lambda table: table.most_similar(numpy.ones((3, 4), dtype="f"), n=2, threads=1),
    resize=lambda table: table.resize((len(table) + 1, 4)),
    to_disk=lambda table: table.to_disk(FOLDER / "vectors"),
    to_ops=lambda table: table.to_ops(None),
    changing="add resize clear __setitem__",
)
TABLE.without_row("as Vectors", "VectorTable BaseVectors create_mode_vectors Mode")
TABLE.without_row("as Vectors.from_bytes", "unpickle_vectors vector_table")

# Look-up tables.


def lookups(n):
    tables = Lookups()
    for word in words(n // 8):
        tables.add_table(word, {"a": "b"})
    tables.add_table("lemmas", {word: word.upper() for word in words(n)})
    return tables


def table(n):
    return LookupTable(data={word: word.upper() for word in words(n)})


TABLE.subject(
    "Lookups",
    lookups,
    linear="from_bytes from_disk tables to_bytes to_disk",
    __contains__=lambda tables: "lemmas" in tables,
    add_table=lambda tables: tables.add_table("new", {"a": "b"}),
    from_bytes=lambda tables: Lookups().from_bytes(tables.to_bytes()),
    from_disk=lambda tables: Lookups().from_disk(saved(tables.to_disk, FOLDER / "lookups")),
    get_table=lambda tables: tables.get_table("lemmas"),
    has_table=lambda tables: tables.has_table("lemmas"),
    remove_table=lambda tables: tables.remove_table("lemmas"),
    set_table=lambda tables: tables.set_table("lemmas", tables.get_table("lemmas")),
    to_disk=lambda tables: tables.to_disk(FOLDER / "lookups"),
    changing="add_table remove_table",
)
TABLE.subject(
    "Table",
    table,
    linear="__delitem__ clear from_bytes from_dict pop popitem to_bytes",
    __contains__=lambda table: "word5" in table,
    __delitem__=lambda table: table.__delitem__("word5"),
    __getitem__=lambda table: table["word5"],
    __setitem__=lambda table: table.__setitem__("word5", "x"),
    from_bytes=lambda table: LookupTable().from_bytes(table.to_bytes()),
    from_dict=lambda table: LookupTable.from_dict(dict(table)),
    get=lambda table: table.get("word5"),
    pop=lambda table: table.pop("word5"),
    set=lambda table: table.set("word5", "y"),
    changing="__delitem__ pop popitem clear",
)


def bloom(n):
    members = BloomFilter.from_error_rate(n)
    members.update(range(n))
    return members


TABLE.subject(
    "BloomFilter",
    bloom,
    linear="__reduce__ from_bytes to_bytes",
    __contains__=lambda members: 5 in members,
    add=lambda members: members.add(5),
    from_bytes=lambda members: BloomFilter().from_bytes(members.to_bytes()),
    from_error_rate=lambda members: BloomFilter.from_error_rate(1000),
    update=lambda members: members.update(range(1000)),
)
TABLE.without_row("as Lookups.from_bytes", "load_lookups")
# It maps the file, and reads its header and the names of its tables.
TABLE.without_row("as Lookups.tables", "Lookups.open")

# Knowledge bases.


def knowledge(n):
    base = InMemoryLookupKB(Vocab(), entity_vector_length=4)
    names = words(n)
    base.set_entities(names, [1.0] * n, [[1.0] * 4] * n)
    for name in names:
        base.add_alias(f"alias of {name}", [name], [0.5])
    base.add_alias("all", names, [1 / (n + 1)] * n)
    return base


def mention(base):
    return Doc(base.vocab, words=["alias of word5"])[0:1]


TABLE.subject(
    "InMemoryLookupKB",
    knowledge,
    linear="""__getstate__ __setstate__ from_bytes from_disk get_alias_candidates get_alias_strings
        get_entity_strings read_contents to_bytes to_disk write_contents""",
    __setstate__=lambda base: base.__setstate__(base.__getstate__()),
    add_alias=lambda base: base.add_alias("new", ["word5"], [0.5]),
    add_entity=lambda base: base.add_entity("new", 1.0, [1.0] * 4),
    append_alias=lambda base: base.append_alias("alias of word5", "word6", 0.1),
    contains_alias=lambda base: base.contains_alias("all"),
    contains_entity=lambda base: base.contains_entity("word5"),
    from_bytes=lambda base: InMemoryLookupKB(Vocab(), 4).from_bytes(base.to_bytes()),
    from_disk=lambda base: InMemoryLookupKB(Vocab(), 4).from_disk(
        saved(base.to_disk, FOLDER / "kb")
    ),
    get_alias_candidates=lambda base: base.get_alias_candidates("all"),
    get_candidates=lambda base: base.get_candidates(mention(base)),
    get_prior_prob=lambda base: base.get_prior_prob("word5", "all"),
    get_vector=lambda base: base.get_vector("word5"),
    read_contents=lambda base: InMemoryLookupKB(Vocab(), 4).read_contents(
        saved(base.write_contents, path("contents"))
    ),
    set_entities=lambda base: base.set_entities(["a"], [1.0], [[1.0] * 4]),
    to_disk=lambda base: base.to_disk(FOLDER / "kb"),
    write_contents=lambda base: base.write_contents(path("contents")),
    changing="add_alias add_entity append_alias set_entities",
)
TABLE.without_row(
    "as InMemoryLookupKB",
    "KnowledgeBase KnowledgeTable get_candidates_batch empty_kb_for_config empty_kb load_kb",
)
TABLE.without_row("as InMemoryLookupKB.get_candidates", "get_candidates")
TABLE.subject("Candidate", lambda n: knowledge(n).get_alias_candidates("all")[0])

# Attributes of word types.


TABLE.subject(
    "WordLists",
    lambda n: lex_attrs.WordLists("en", stop_words=words(n), norms=dict(zip(words(n), words(n)))),
    linear="__reduce__ norms stop_words",
)
TABLE.subject(
    "LexAttrGetter",
    lambda n: lex_attrs.LexAttrGetter(
        attrs.IS_STOP, lex_attrs.WordLists("en", stop_words=words(n))
    ),
    __call__=lambda getter: getter("word5"),
)
TABLE.subject(
    "LexAttrGetters",
    lambda n: vocab(n).lex_attr_getters,
    __copy__=lambda getters: refused(lambda: copy.copy(getters)),
    __delitem__=lambda getters: getters.__delitem__(next(iter(getters))),
    __setitem__=lambda getters: getters.__setitem__(attrs.LOWER, str.lower),
    pop=lambda getters: getters.pop(next(iter(getters))),
    replace=lambda getters: getters.replace({attrs.LOWER: str.lower}),
    setdefault=lambda getters: getters.setdefault(attrs.LOWER, str.lower),
    update=lambda getters: getters.update({attrs.LOWER: str.lower}),
    changing="__delitem__ __setitem__ pop popitem clear replace setdefault update",
)
