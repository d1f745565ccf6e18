"""The table of costs: documents, their views, groups, graphs and records, files of documents."""

import math

import numpy
import pyarrow
from cost_rows import FOLDER, annotated, short_docs, words
from cost_table import FIXED, Table, refused

import lexpool
from lexpool import ops, render
from lexpool.attrs import LEMMA, LOWER, ORTH
from lexpool.corpus import Corpus
from lexpool.structs import TokenC
from lexpool.tokens import Doc, DocBin, Retokenizer, Span, SpanGroup, Token
from lexpool.tokens.graph import Graph
from lexpool.training import write_conllu
from lexpool.util import filter_chain_spans, filter_spans
from lexpool.vocab import Vocab

TABLE = Table()

# Documents of several shapes, with word vectors, groups, user data and an extension.


def furnished(doc):
    """A document with all that it can hold besides annotation."""
    Token.set_extension("note", default=None, force=True)
    Span.set_extension("note", default=None, force=True)
    Doc.set_extension("note", default=None, force=True)
    n = len(doc)
    doc.tensor = numpy.ones((n, 4), dtype="f")
    doc.spans["a"] = [doc[i : i + 2] for i in range(n - 1)]
    doc.cats = dict.fromkeys(words(n), 1.0)
    for token in doc:
        token._.note = token.i
    doc._.note = n
    return doc


def sentences(n):
    return furnished(annotated(n))


def with_heads(heads, text="word{}"):
    """A document of one sentence."""
    n = len(heads)
    doc = Doc(
        lexpool.blank("en").vocab,
        words=[text.format(i) for i in range(n)],
        tags=["NN"] * n,
        pos=["NOUN"] * n,
        heads=heads,
        deps=["ROOT" if head == i else "conj" for i, head in enumerate(heads)],
        ents=["B-PER" if i == 0 else "I-PER" for i in range(n)],
    )
    return furnished(doc)


def chain(n):
    return with_heads([max(i - 1, 0) for i in range(n)])


def chain_to_the_left(n):
    return with_heads([min(i + 1, n - 1) for i in range(n)])


def star(n):
    return with_heads([n // 2] * n, "same")


SHAPES = [sentences, chain, chain_to_the_left, star]


ALIVE = []


def alive(doc):
    """A document that is kept, as groups and graphs of it do not keep it."""
    ALIVE.append(doc)
    return doc


def path(name):
    return FOLDER / f"{name}.file"


def middle(doc):
    return doc[len(doc) // 2]


def saved(save, place):
    """The place that something was saved to."""
    save(place)
    return place


def extension_set_and_removed(owner):
    owner.set_extension("removed", default=None)
    owner.remove_extension("removed")


def enter(manager):
    with manager as value:
        return value


TABLE.subject(
    "Doc",
    *SHAPES,
    linear="""__bytes__ __iter__ __reduce__ __repr__ __str__ copy count_by ents extend_tensor
        from_array from_bytes from_dict from_disk from_docs from_json get_lca_matrix
        noun_chunks retokenize sents set_ents similarity tensor text text_with_ws
        to_array to_bytes to_dict to_disk to_json to_utf8_array""",
    char_span=lambda doc: doc.char_span(0, 5),
    count_by=lambda doc: doc.count_by(ORTH),
    extend_tensor=lambda doc: doc.extend_tensor(numpy.ones((len(doc), 2), dtype="f")),
    from_array=lambda doc: doc.from_array([LEMMA], doc.to_array([LEMMA])),
    from_bytes=lambda doc: Doc(doc.vocab).from_bytes(doc.to_bytes()),
    from_disk=lambda doc: Doc(doc.vocab).from_disk(saved(doc.to_disk, path("doc"))),
    from_dict=lambda doc: Doc(doc.vocab).from_dict(doc.to_dict()),
    from_docs=lambda doc: Doc.from_docs([doc, doc]),
    from_json=lambda doc: Doc(doc.vocab).from_json(doc.to_json()),
    get_lca_matrix=lambda doc: doc[: math.isqrt(9 * len(doc))].as_doc().get_lca_matrix(),
    get_extension=lambda doc: Doc.get_extension("note"),
    has_annotation=lambda doc: doc.has_annotation("LEMMA", require_complete=True),
    has_extension=lambda doc: Doc.has_extension("note"),
    remove_extension=lambda doc: extension_set_and_removed(Doc),
    retokenize=lambda doc: enter(doc.retokenize()),
    set_ents=lambda doc: doc.set_ents([doc[i : i + 1] for i in range(0, len(doc), 2)]),
    set_extension=lambda doc: Doc.set_extension("other", default=None, force=True),
    similarity=lambda doc: doc.similarity(doc[: len(doc) // 2]),
    to_array=lambda doc: doc.to_array([ORTH, LEMMA]),
    to_disk=lambda doc: doc.to_disk(path("doc")),
    changing="extend_tensor from_array set_ents retokenize",
)
TABLE.subject(
    "Span",
    *[lambda n, shape=shape: shape(n)[1:] for shape in SHAPES],
    linear="""__iter__ __repr__ __str__ as_doc conjuncts ents get_lca_matrix lemma_ noun_chunks
        orth_ sentiment sents similarity subtree text text_with_ws to_array""",
    __reduce__=lambda span: refused(span.__reduce__),
    char_span=lambda span: span.char_span(0, 5),
    get_lca_matrix=lambda span: span[: math.isqrt(9 * len(span))].get_lca_matrix(),
    get_extension=lambda span: Span.get_extension("note"),
    has_extension=lambda span: Span.has_extension("note"),
    remove_extension=lambda span: extension_set_and_removed(Span),
    set_extension=lambda span: Span.set_extension("other", default=None, force=True),
    similarity=lambda span: span.similarity(span.doc),
    to_array=lambda span: span.to_array([ORTH, LEMMA]),
)
TABLE.subject(
    "Token",
    *[lambda n, shape=shape: middle(shape(n)) for shape in SHAPES],
    linear="ancestors children conjuncts lefts rights similarity subtree",
    __reduce__=lambda token: refused(token.__reduce__),
    check_flag=lambda token: token.check_flag(10),
    get_extension=lambda token: Token.get_extension("note"),
    has_extension=lambda token: Token.has_extension("note"),
    is_ancestor=lambda token: token.is_ancestor(token.doc[0]),
    remove_extension=lambda token: extension_set_and_removed(Token),
    set_extension=lambda token: Token.set_extension("other", default=None, force=True),
    set_morph=lambda token: token.set_morph("Case=Nom"),
    similarity=lambda token: token.similarity(token.doc),
    changing="set_morph",
)
TABLE.subject(
    "Underscore",
    lambda n: middle(sentences(n))._,
    lambda n: sentences(n)[1:]._,
    lambda n: sentences(n)._,
    get=lambda values: values.get("note"),
    has=lambda values: values.has("note"),
    set=lambda values: values.set("note", 5),
    load_state=lambda values: values.load_state(values.get_state()),
)
TABLE.subject(
    "SpanGroup",
    lambda n: alive(sentences(n)).spans["a"],
    linear="__delitem__ __iter__ __repr__ append copy extend from_bytes has_overlap to_bytes",
    __delitem__=lambda group: group.__delitem__(0),
    __setitem__=lambda group: group.__setitem__(0, group.doc[0:1]),
    append=lambda group: group.append(group.doc[0:1]),
    extend=lambda group: group.extend(group),
    from_bytes=lambda group: SpanGroup(group.doc).from_bytes(group.to_bytes()),
    changing="__delitem__ append extend",
)


def groups(n):
    doc = alive(annotated(n))
    for word in words(n):
        doc.spans[word] = [doc[0:1]]
    return doc.spans


TABLE.subject(
    "SpanGroups",
    groups,
    linear="copy from_bytes to_bytes",
    __setitem__=lambda all_groups: all_groups.__setitem__("new", []),
    from_bytes=lambda all_groups: all_groups.from_bytes(all_groups.to_bytes()),
    setdefault=lambda all_groups: all_groups.setdefault("newer"),
    changing="__setitem__ setdefault from_bytes",
)


def split(retokenizer):
    token = retokenizer._doc[1]
    retokenizer.split(token, [token.text[:1], token.text[1:]], [token, token])


TABLE.subject(
    "Retokenizer",
    lambda n: Retokenizer(sentences(n)),
    merge=lambda retokenizer: retokenizer.merge(retokenizer._doc[0:2]),
    split=split,
    changing="merge split",
)

# Graphs: a chain of nodes, and one node with edges to all.


def chained(n):
    return graph(n, [(i, i + 1) for i in range(n - 1)])


def starred(n):
    return graph(n, [(0, i) for i in range(1, n)])


def graph(n, edges):
    doc = alive(annotated(n))
    return Graph(doc, nodes=[(i,) for i in range(n)], edges=edges, labels=["a"] * len(edges))


TABLE.subject(
    "Graph",
    chained,
    starred,
    linear="edges nodes",
    add_edge=lambda relations: relations.add_edge((1,), (4,)),
    add_node=lambda relations: relations.add_node((1, 2)),
    get_edge=lambda relations: relations.get_edge((0,), (1,), label="a"),
    get_node=lambda relations: relations.get_node((1,)),
    has_edge=lambda relations: relations.has_edge((0,), (1,), "a"),
    has_node=lambda relations: relations.has_node((1,)),
    changing="add_edge add_node",
)
TABLE.subject(
    "tokens.graph.Node",
    lambda n: [*chained(n).nodes][n // 2],
    lambda n: starred(n).get_node((0,)),
    linear="tail tailed taileds tails walk_heads walk_tails",
)
TABLE.subject("Edge", lambda n: [*chained(n).edges][n // 2], lambda n: [*starred(n).edges][-1])
TABLE.without_row(FIXED, "NoneNode NoneEdge")

# Records as memory.

TABLE.subject(
    "Handle",
    lambda n: sentences(n).c,
    linear="as_spacy set_children_from_heads writable",
    capsule=lambda handle: handle.capsule("TokenC"),
    as_spacy=lambda handle: handle.as_spacy(),
    writable=lambda handle: enter(handle.writable()),
    set_children_from_heads=lambda handle: with_lease(handle),
    changing="writable set_children_from_heads",
)


def with_lease(handle):
    with handle.writable() as records:
        records.set_children_from_heads()


TABLE.without_row("as Handle.set_children_from_heads", "Lease")
TABLE.without_row("as Handle.as_spacy", "SpacyLease")
TABLE.without_row("as Handle.writable", "Handle.cffi")
TABLE.subject("RecordValue", lambda n: sentences(n).c[0], __getitem__=lambda record: record["lex"])
TABLE.subject("Lexemes", lambda n: sentences(n).vocab.c)
TABLE.without_row(FIXED, "Record Field cdef kernels")


def pool_of(n):
    pool = lexpool.Pool()
    for _ in range(n):
        pool.alloc(1, 8)
    pool.alloc_records("TokenC", n)
    return pool


TABLE.subject(
    "Pool",
    pool_of,
    linear="addresses c",
    alloc=lambda pool: pool.alloc(1, 8),
    alloc_records=lambda pool: pool.alloc_records(TokenC, 3),
    free=lambda pool: pool.free(pool.alloc(1, 8)),
    own=lambda pool: pool.own("value"),
    realloc=lambda pool: pool.realloc(pool.alloc(1, 8), 16),
    changing="alloc alloc_records free own realloc",
)
TABLE.subject("Memory", lambda n: sentences(n).vocab.mem)

# Files of documents.


def docbin(n):
    return DocBin(docs=short_docs(n // 10), store_user_data=True)


TABLE.subject(
    "DocBin",
    docbin,
    lambda n: DocBin(docs=[sentences(n)], store_user_data=True),
    linear="""__reduce__ add cats flags from_bytes from_disk get_docs merge spaces span_groups
        strings to_bytes to_disk tokens user_data""",
    add=lambda documents: documents.add(alive(short_docs(1)[0])),
    from_bytes=lambda documents: DocBin().from_bytes(documents.to_bytes()),
    from_disk=lambda documents: DocBin().from_disk(saved(documents.to_disk, path("docbin"))),
    get_docs=lambda documents: documents.get_docs(Vocab()),
    merge=lambda documents: documents.merge(docbin(40)),
    to_disk=lambda documents: documents.to_disk(path("docbin")),
    changing="add merge",
)


def corpus(n):
    place = path(f"corpus{n}")
    Corpus.write(place, short_docs(n // 10))
    return Corpus.open(place, mmap=False)


TABLE.subject(
    "Corpus",
    corpus,
    linear="__iter__ filter map save select write",
    count_by=lambda documents: documents.count_by(LOWER, n_threads=1),
    filter=lambda documents: documents.filter(lambda doc: True),
    map=lambda documents: documents.map("doc.sentences"),
    save=lambda documents: documents.save(path("saved")),
    select=lambda documents: documents.select(range(len(documents))),
    write=lambda documents: Corpus.write(path("written"), documents),
)
TABLE.without_row("row corpus", "Corpus.open")
TABLE.without_row("row corpus_append", "Corpus.append")
TABLE.without_row("row corpus_merge", "Corpus.merge merge")
TABLE.without_row("as Corpus.columns", "CorpusStream")
TABLE.without_row("row conllu", "read_conllu ConlluDocs")


@TABLE.function("write_conllu")
def _conllu(n):
    doc = annotated(n)
    return lambda: write_conllu(path("conllu"), [doc])


# Arrow.

TABLE.subject("Rows", lambda n: lexpool.arrow.docs(short_docs(n // 10)))
TABLE.without_row("as Rows", "docs tokens")


def table_of_texts(n):
    return pyarrow.table({"text": words(n)})


@TABLE.function("arrow.annotate")
def _annotated_table(n):
    table, nlp = table_of_texts(n), lexpool.blank("en")
    return lambda: pyarrow.table(lexpool.arrow.annotate(table, nlp, threads=1))


TABLE.without_row("as arrow.annotate", "arrow.Annotator Annotated AnnotatedBatch engines.Annotator")


@TABLE.function("add_strings")
def _strings_of_a_table(n):
    table = pyarrow.table(lexpool.arrow.annotate(table_of_texts(n), lexpool.blank("en"), threads=1))
    return lambda: lexpool.arrow.add_strings(Vocab().strings, table)


# Drawings.


def drawing(name, **options):
    @TABLE.function(name)
    def _drawing(n):
        doc = sentences(n)
        return lambda: getattr(render, name)(doc, **options)


for name in ("parse_deps", "parse_ents"):
    drawing(name)
drawing("parse_spans", options={"spans_key": "a"})
drawing("render", style="ent")
drawing("repr_html")


@TABLE.function("to_file")
def _drawn_file(n):
    doc = sentences(n)
    return lambda: render.to_file(doc, path("page.html"), style="span", options={"spans_key": "a"})


@TABLE.function("map")
def _op(n):
    docs = short_docs(n // 10)
    return lambda: ops.map("doc.sentences", docs, n_threads=1)


# Lists of spans.


@TABLE.function("filter_spans")
def _overlapping(n):
    doc = sentences(n)
    spans = [doc[i : min(i + 9, n)] for i in range(n)] + [doc[0:i] for i in range(1, n)]
    return lambda: filter_spans(spans)


@TABLE.function("filter_chain_spans")
def _chained_spans(n):
    spans = [*alive(sentences(n)).spans["a"]]
    return lambda: filter_chain_spans(spans, spans)
