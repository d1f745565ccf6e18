"""Rows of the table of costs whose work is that of several methods, and the input of all rows.

Each row makes an input of a size, and gives a function whose cost is counted.
"""

import atexit
import tempfile
from pathlib import Path

import numpy

import lexpool
from lexpool._core import BloomFilter, EditTrees
from lexpool.attrs import LEMMA, LOWER, ORTH
from lexpool.config import Config
from lexpool.corpus import Corpus
from lexpool.lookups import Lookups, Table
from lexpool.matcher import DependencyMatcher, Matcher, PhraseMatcher
from lexpool.msgpack import packb, unpackb
from lexpool.parser import ArcEager
from lexpool.parser.nonproj import deprojectivize, projectivize
from lexpool.render import render
from lexpool.strings import StringStore
from lexpool.tokenizer import Tokenizer
from lexpool.tokens import Doc, DocBin, Span, SpanGroup
from lexpool.training import Example, read_conllu
from lexpool.util import filter_spans
from lexpool.vectors import Vectors
from lexpool.vocab import Vocab

ROWS = {}
_FOLDER = tempfile.TemporaryDirectory()
FOLDER = Path(_FOLDER.name)
atexit.register(_FOLDER.cleanup)


def row(function):
    ROWS[function.__name__] = function
    return function


def words(n):
    return [f"word{i}" for i in range(n)]


def annotated(n, vocab=None):
    """A document of sentences of ten words, with all that there is to annotate."""
    heads = [i if i % 10 == 0 else i - 1 for i in range(n)]
    nth = range(n)
    return Doc(
        lexpool.blank("en").vocab if vocab is None else vocab,
        words=words(n),
        tags=["NN"] * n,
        pos=["NOUN" if i % 2 else "VERB" for i in nth],
        lemmas=[f"lemma{i}" for i in nth],
        heads=heads,
        deps=["ROOT" if head == i else "nsubj" for i, head in enumerate(heads)],
        ents=["B-PER" if i % 3 == 0 else "O" for i in nth],
    )


def short_docs(count):
    """Documents of ten words or fewer, each of a vocab without rules, which take longer to make."""
    return [annotated(8 + i % 3, Vocab()) for i in range(count)]


# Readers.


@row
def docbin(n):
    data = DocBin(docs=[annotated(n)], store_user_data=True).to_bytes()
    vocab = Vocab()
    return lambda: list(DocBin().from_bytes(data).get_docs(vocab))


@row
def docbin_of_many_documents(n):
    data = DocBin(docs=short_docs(n // 10)).to_bytes()
    vocab = Vocab()
    return lambda: list(DocBin().from_bytes(data).get_docs(vocab))


@row
def doc_bytes(n):
    data, vocab = annotated(n).to_bytes(), Vocab()
    return lambda: Doc(vocab).from_bytes(data)


@row
def doc_json(n):
    data, vocab = annotated(n).to_json(), Vocab()
    return lambda: Doc(vocab).from_json(data)


@row
def vocab_bytes(n):
    data = annotated(n).vocab.to_bytes()
    return lambda: Vocab().from_bytes(data)


@row
def vocab_image(n):
    path = FOLDER / f"{n}.vocab"
    annotated(n).vocab.save(path)
    return lambda: Vocab.open(path, mmap=False, verify="full")


@row
def vocab_image_written(n):
    vocab, path = annotated(n).vocab, FOLDER / f"{n}.written"
    return lambda: vocab.save(path)


@row
def corpus(n):
    path = FOLDER / f"{n}.corpus"
    Corpus.write(path, short_docs(n // 10))
    return lambda: [doc.text for doc in Corpus.open(path, mmap=False)]


@row
def corpus_of_one_document(n):
    path = FOLDER / f"{n}.one"
    Corpus.write(path, [annotated(n)])
    return lambda: [doc.text for doc in Corpus.open(path, mmap=False)]


@row
def span_below_a_chain(n):
    half = n // 2
    # The heads of the first half are those of the second, each of which is below the one before.
    heads = [*range(half, 2 * half), *(max(i - 1, half) for i in range(half, n))]
    doc = Doc(Vocab(), words=words(n), heads=heads, deps=["dep"] * n)
    return doc[:half].as_doc


@row
def phrases_file(n):
    vocab, path = Vocab(), FOLDER / f"{n}.phrases"
    matcher = PhraseMatcher(vocab)
    matcher.add("A", [Doc(vocab, words=[word, "end"]) for word in words(n)])
    matcher.save(path)
    return lambda: PhraseMatcher.open(path, vocab)


@row
def conllu(n):
    line = "{0}\tword{1}\tlemma{1}\tNOUN\tNN\tCase=Nom\t{2}\tnsubj\t_\tMisc={1}\n"
    lines = [line.format(i % 10 + 1, i, i % 10) + "\n" * (i % 10 == 9) for i in range(n)]
    path = FOLDER / f"{n}.conllu"
    path.write_text("".join(lines) + "\n")
    vocab = Vocab()
    return lambda: list(read_conllu(path, vocab))


@row
def message(n):
    data = packb({"list": list(range(n)), "map": {word: [1.5, "text", None] for word in words(n)}})
    return lambda: unpackb(data)


@row
def strings(n):
    data = StringStore(words(n)).to_bytes()
    return lambda: StringStore().from_bytes(data)


@row
def lookups(n):
    lookups = Lookups()
    lookups.add_table("lemmas", {word: word.upper() for word in words(n)})
    data = lookups.to_bytes()
    return lambda: Lookups().from_bytes(data)


@row
def vectors(n):
    strings = StringStore()
    table = Vectors(strings=strings, data=numpy.ones((n, 4), dtype="f"), keys=words(n))
    data = table.to_bytes()
    return lambda: Vectors(strings=strings).from_bytes(data)


@row
def table_bytes(n):
    data = Table(data={word: word.upper() for word in words(n)}).to_bytes()
    return lambda: Table().from_bytes(data)


@row
def bloom_bytes(n):
    table = BloomFilter.from_error_rate(n)
    table.update(range(n))
    data = table.to_bytes()
    return lambda: BloomFilter().from_bytes(data)


@row
def tokenizer_bytes(n):
    rules = {word: [{"ORTH": word[:2]}, {"ORTH": word[2:]}] for word in words(n)}
    data = Tokenizer(Vocab(), rules=rules).to_bytes()
    return lambda: Tokenizer(Vocab()).from_bytes(data)


@row
def pipeline_bytes(n):
    nlp = with_patterns(n, "entity_ruler")
    data = nlp.to_bytes()
    return lambda: with_patterns(0, "entity_ruler").from_bytes(data)


def with_patterns(n, name):
    nlp = lexpool.blank("en")
    nlp.add_pipe(name).add_patterns([{"label": "A", "pattern": f"{word} end"} for word in words(n)])
    return nlp


@row
def entity_ruler_bytes(n):
    data = with_patterns(n, "entity_ruler").get_pipe("entity_ruler").to_bytes()
    return lambda: lexpool.blank("en").add_pipe("entity_ruler").from_bytes(data)


@row
def span_ruler_bytes(n):
    data = with_patterns(n, "span_ruler").get_pipe("span_ruler").to_bytes()
    return lambda: lexpool.blank("en").add_pipe("span_ruler").from_bytes(data)


@row
def attribute_ruler_bytes(n):
    ruler = lexpool.blank("en").add_pipe("attribute_ruler")
    for word in words(n // 8):
        ruler.add([[{"ORTH": word}]], {"TAG": "NN"})
    data = ruler.to_bytes()
    return lambda: lexpool.blank("en").add_pipe("attribute_ruler").from_bytes(data)


@row
def moves_bytes(n):
    made = ArcEager(
        StringStore(), ArcEager.get_actions(left_labels=words(n // 8), right_labels=["a"])
    )
    data = made.to_bytes()
    return lambda: ArcEager(StringStore()).from_bytes(data)


@row
def span_groups_bytes(n):
    doc = annotated(n)
    doc.spans["a"] = [doc[i : i + 2] for i in range(n - 1)]
    data, group = doc.spans.to_bytes(), doc.spans["a"].to_bytes()
    other = annotated(n)
    return lambda: (other.spans.from_bytes(data), SpanGroup(other).from_bytes(group))


@row
def config_text(n):
    text = "[numbers]\n" + "".join(f"{word} = {i}\n" for i, word in enumerate(words(n)))
    return lambda: Config().from_str(text)


# Corpora.


def corpus_row(function):
    """A row of a function of a corpus's path, of a size."""

    def made(n):
        path = FOLDER / f"{function.__name__}{n}.corpus"
        Corpus.write(path, short_docs(n // 10))
        return lambda: function(path)

    made.__name__ = function.__name__
    return row(made)


@corpus_row
def corpus_append(path):
    Corpus.append(path, short_docs(20))


@corpus_row
def corpus_merge(path):
    Corpus.merge([path, path], path.with_suffix(".merged"))


@corpus_row
def corpus_select(path):
    made = Corpus.open(path, mmap=False)
    [doc.text for doc in made.select(range(0, len(made), 2))]


@corpus_row
def corpus_count_by(path):
    Corpus.open(path, mmap=False).count_by(LOWER, n_threads=1)


# Texts.


@row
def texts(n):
    nlp, text = lexpool.blank("en"), " ".join(f"(word{i})," for i in range(n))
    return lambda: nlp(text)


@row
def one_chunk(n):
    nlp, text = lexpool.blank("en"), "(" * n + "word" + ")" * n
    return lambda: nlp(text)


@row
def explain(n):
    tokenizer, text = lexpool.blank("en").tokenizer, " ".join(f"(word{i})," for i in range(n))
    return lambda: tokenizer.explain(text)


@row
def add_special_case(n):
    tokenizer = lexpool.blank("en").tokenizer
    tokenizer.rules = {}

    def add():
        for word in words(n // 8):
            tokenizer.add_special_case(word, [{"ORTH": word[:2]}, {"ORTH": word[2:]}])

    return add


# Methods of documents.


def method(function):
    """A row of a function of a document that is annotated."""

    def made(n):
        doc = annotated(n)
        return lambda: function(doc)

    made.__name__ = function.__name__
    return row(made)


@method
def doc_from_words(doc):
    Doc(doc.vocab, words=[token.text for token in doc])


@method
def to_array(doc):
    doc.to_array([ORTH, LOWER, LEMMA])


@method
def from_array(doc):
    Doc(doc.vocab, words=words(len(doc))).from_array([LEMMA], doc.to_array([LEMMA]))


@method
def count_by(doc):
    doc.count_by(ORTH)


@method
def set_ents(doc):
    doc.set_ents([Span(doc, i, i + 1, label="ORG") for i in range(0, len(doc), 2)])


@method
def ents(doc):
    [ent.text for ent in doc.ents]


@method
def sents(doc):
    [sent.text for sent in doc.sents]


@method
def noun_chunks(doc):
    [chunk.text for chunk in doc.noun_chunks]


@method
def char_span(doc):
    [doc.char_span(token.idx, token.idx + len(token)) for token in doc]


@method
def tree(doc):
    [([*token.children], token.left_edge, token.right_edge, [*token.ancestors]) for token in doc]


@method
def subtrees_of_sentences(doc):
    [([*sent.subtree], [*sent.root.subtree], sent.root.conjuncts) for sent in doc.sents]


@row
def subtree_of_a_chain(n):
    doc = Doc(Vocab(), words=words(n), heads=[max(i - 1, 0) for i in range(n)], deps=["conj"] * n)
    return lambda: ([*doc[0].subtree], doc[0].conjuncts, [*doc[0:1].subtree])


@row
def made_projective(n):
    heads = [i if i % 10 == 0 else i - 1 for i in range(n)]
    heads[8::10], labels = heads[3::10], ["a"] * n
    return lambda: projectivize(heads, labels)


@method
def example(doc):
    made = Example(Doc(doc.vocab, words=words(len(doc))), doc)
    made.get_aligned("TAG")
    made.get_aligned_parse(projectivize=True)
    made.get_aligned_ner()
    made.get_aligned_spans_y2x(doc.ents)
    made.to_dict()


@row
def example_from_dict(n):
    values = Example(annotated(n), annotated(n)).to_dict()
    doc = Doc(Vocab(), words=words(n))
    return lambda: Example.from_dict(doc, values)


@method
def lca_of_sentences(doc):
    [sent.get_lca_matrix() for sent in doc.sents]


@method
def similarity(doc):
    doc.tensor = numpy.ones((len(doc), 4), dtype="f")
    doc.similarity(doc[: len(doc) // 2])


@method
def retokenize(doc):
    with doc.retokenize() as retokenizer:
        for i in range(0, len(doc) - 1, 2):
            retokenizer.merge(doc[i : i + 2])


@method
def retokenize_from_the_end(doc):
    with doc.retokenize() as retokenizer:
        for i in reversed(range(0, len(doc) - 1, 2)):
            retokenizer.merge(doc[i : i + 2])


@method
def split(doc):
    with doc.retokenize() as retokenizer:
        for token in doc:
            retokenizer.split(
                token, [token.text[:2], token.text[2:]], heads=[(token, 1), token.head]
            )


@method
def spans(doc):
    doc.spans["a"] = [doc[i : i + 2] for i in range(len(doc) - 1)]
    filter_spans(doc.spans["a"])


@method
def as_doc(doc):
    doc[1:].as_doc()


@method
def copy(doc):
    Doc.from_docs([doc, doc.copy()])


# Searches.


@method
def matcher(doc):
    search = Matcher(doc.vocab)
    search.add("A", [[{"POS": "NOUN", "OP": "+"}, {"POS": "VERB"}]])
    search(doc)


@method
def matcher_of_many_patterns(doc):
    search = Matcher(doc.vocab)
    search.add("A", [[{"LOWER": token.lower_}, {}] for token in doc])
    search(doc)


@row
def phrase_matcher(n):
    doc = annotated(n)
    phrases = [Doc(doc.vocab, words=[token.text, token.nbor().text]) for token in doc[:-1]]

    def search():
        search = PhraseMatcher(doc.vocab)
        search.add("A", phrases)
        search(doc)

    return search


@method
def dependency_matcher(doc):
    search = DependencyMatcher(doc.vocab)
    child = {"LEFT_ID": "a", "REL_OP": ">", "RIGHT_ID": "b", "RIGHT_ATTRS": {"POS": "NOUN"}}
    search.add("A", [[{"RIGHT_ID": "a", "RIGHT_ATTRS": {"DEP": "ROOT"}}, child]])
    search(doc)


# Work that grew with the square of its input, or faster.


@row
def made_nonprojective(n):
    """Half of the tokens are a chain; the arcs of the others were lifted from a label of none."""
    half = n // 2
    doc = Doc(
        Vocab(),
        words=words(n),
        heads=[max(i - 1, 0) if i < half else 0 for i in range(n)],
        deps=["ROOT", *["conj"] * (half - 1), *["a||b"] * (n - half)],
    )
    return lambda: deprojectivize(doc)


@row
def config_with_beginnings_of_references(n):
    text = "[text]\nx = " + "${" * n
    return lambda: Config().from_str(text)


@row
def leaves_of_a_chain_made_projective(n):
    half = n // 2
    heads = [i + half if i < half else max(half, i - 1) for i in range(n)]
    return lambda: projectivize(heads, ["a"] * n)


@row
def components(n):
    def add():
        nlp = lexpool.blank("en")
        for word in words(n // 20):
            nlp.add_pipe("sentencizer", name=word)

    return add


@row
def patterns_removed_by_id(n):
    ruler = lexpool.blank("en").add_pipe("span_ruler")
    ids = words(n // 4)
    ruler.add_patterns([{"label": "A", "pattern": "a b", "id": word} for word in ids])
    return lambda: [ruler.remove_by_id(word) for word in ids]


@row
def rules_removed(n):
    search, keys = Matcher(Vocab()), words(n)
    for key in keys:
        search.add(key, [[{"LOWER": {"REGEX": key}}]])
    return lambda: [search.remove(key) for key in keys]


@row
def keys_of_one_phrase_removed(n):
    vocab = Vocab()
    # The trie is built anew once 4,096 words more were removed than are left. The phrase is so long
    # that this happens for all sizes.
    search, keys, phrase = PhraseMatcher(vocab), words(4 * n), Doc(vocab, words=["a"] * 20)
    for key in keys:
        search.add(key, [phrase])
    return lambda: [search.remove(key) for key in keys]


@row
def trees_removed(n):
    search, keys = DependencyMatcher(Vocab()), words(n)
    for key in keys:
        search.add(key, [[{"RIGHT_ID": "a", "RIGHT_ATTRS": {"LOWER": key}}]])
    return lambda: [search.remove(key) for key in keys]


@row
def drawing_of_a_star(n):
    doc = Doc(Vocab(), words=words(n), heads=[0] * n, deps=["ROOT"] + ["dep"] * (n - 1))
    return lambda: render(doc, style="dep")


@row
def edit_tree_of_long_words(n):
    strings = StringStore()
    return lambda: EditTrees(strings).add("ab" * n, "ba" * n)
