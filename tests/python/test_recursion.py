"""A function of the user's that leads back to itself ends in RecursionError, on every thread and
any stack.
"""

import textwrap

import pytest
from processes import python

# `turn` calls the function once more. Functions in C are taken where there are any: no frame of
# Python's is then between two calls, which CPython itself bounds by its C stack alone from 3.12 on.
TURNS = {
    "a tokenizer as its own token_match": """
        nlp.tokenizer.token_match = nlp.tokenizer
        turn = lambda: nlp.tokenizer("one two")
    """,
    "a tokenizer as its own url_match": """
        nlp.tokenizer.url_match = nlp.tokenizer
        turn = lambda: nlp.tokenizer("one two")
    """,
    "a prefix search": """
        nlp.tokenizer.prefix_search = lambda text: nlp.tokenizer(text + "x") and None
        turn = lambda: nlp.tokenizer("one two")
    """,
    "an infix search": """
        nlp.tokenizer.infix_finditer = lambda text: nlp.tokenizer.find_infix(text)
        turn = lambda: nlp.tokenizer.find_infix("one two")
    """,
    "a tokenizer in a stream": """
        nlp.tokenizer.token_match = nlp.tokenizer
        turn = lambda: list(nlp.pipe(["one two", "three four"] * 20, n_threads=2))
    """,
    "a lexical attribute": """
        vocab = lexpool.Vocab({"LOWER": lambda word: vocab[word + "x"].lower_})
        turn = lambda: vocab["a"]
    """,
    "a hook of a document": """
        doc.user_hooks["vector"] = operator.attrgetter("vector")
        turn = lambda: doc.vector
    """,
    "a hook that says whether there is a vector": """
        doc.user_hooks["has_vector"] = operator.attrgetter("has_vector")
        turn = lambda: doc.has_vector
    """,
    "a hook of sentences": """
        doc.user_hooks["sents"] = operator.attrgetter("sents")
        turn = lambda: list(doc.sents)
    """,
    "a hook of a token": """
        doc.user_token_hooks["vector_norm"] = operator.attrgetter("vector_norm")
        turn = lambda: doc[0].vector_norm
    """,
    "a hook of conjuncts": """
        doc.user_token_hooks["conjuncts"] = operator.attrgetter("conjuncts")
        turn = lambda: doc[0].conjuncts
    """,
    "a hook of a span": """
        doc.user_span_hooks["root"] = operator.attrgetter("root")
        turn = lambda: doc[0:2].root
    """,
    "a hook of similarity": """
        doc.user_hooks["similarity"] = Doc.similarity
        turn = lambda: doc.similarity(doc)
    """,
    "noun chunks": """
        doc.vocab.get_noun_chunks = lambda doc: doc.noun_chunks
        turn = lambda: list(doc.noun_chunks)
    """,
    "what a count leaves out": """
        turn = lambda: doc.count_by(65, exclude=lambda token: turn())
    """,
    "a match": """
        matcher = Matcher(nlp.vocab)
        matcher.add("any", [[{}]], on_match=lambda matcher, doc, i, matches: matcher(doc))
        turn = lambda: matcher(doc)
    """,
    "a match of phrases": """
        matcher = PhraseMatcher(nlp.vocab)
        matcher.add("any", [doc[0:1].as_doc()], on_match=lambda matcher, doc, i, matches: matcher(doc))
        turn = lambda: matcher(doc)
    """,
    "an extension attribute of a pattern": """
        matcher = Matcher(nlp.vocab)
        Token.set_extension("again", getter=lambda token: bool(matcher(token.doc)))
        matcher.add("any", [[{"_": {"again": True}}]])
        turn = lambda: matcher(doc)
    """,
    "a component": """
        @Language.component("again")
        def again(doc):
            return nlp(doc.text)
        nlp.add_pipe("again")
        turn = lambda: nlp("one two")
    """,
    "a component in a stream": """
        @Language.component("again")
        def again(doc):
            return next(iter(nlp.pipe([doc.text])))
        nlp.add_pipe("again")
        turn = lambda: list(nlp.pipe(["one two", "three four"]))
    """,
    "the texts of a stream": """
        def texts():
            yield from (doc.text for doc in nlp.pipe(texts()))
        turn = lambda: list(nlp.pipe(texts()))
    """,
    "the documents of a corpus": """
        Corpus.write("again.corpus", [doc])
        corpus = Corpus.open("again.corpus")
        turn = lambda: corpus.filter(lambda doc: turn())
    """,
}

RUN = """
    import operator, sys, threading
    import lexpool
    from lexpool import Language
    from lexpool.corpus import Corpus
    from lexpool.matcher import Matcher, PhraseMatcher
    from lexpool.tokens import Doc, Token

    nlp = lexpool.blank("en")
    doc = nlp("one two three")
"""

ENDS = """
    def ends():
        try:
            turn()
        except RecursionError:
            ended.append(True)
        else:
            print("it came to an end by itself")

    ended = []
    ends()
    # In KiB: the smallest stack of the test, a common one, and more than any recursion takes.
    for size in (int(sys.argv[1]), 4096, 65536):
        threading.stack_size(size << 10)
        thread = threading.Thread(target=ends)
        thread.start()
        thread.join()
    assert len(ended) == 4, len(ended)
"""


# CPython itself needs more than the smallest stack for objects of Python classes that call each
# other, with or without lexpool.
CALLED_BY_PYTHON = {
    "a component",
    "a component in a stream",
    "the texts of a stream",
    "a prefix search",
}


@pytest.mark.parametrize("name", TURNS)
def test_a_function_that_leads_back_to_itself_ends_in_a_recursion_error(
    name, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    smallest = 1024 if name in CALLED_BY_PYTHON else 256
    python("\n".join(map(textwrap.dedent, (RUN, TURNS[name], ENDS))), str(smallest))


def test_a_recursion_limit_beyond_the_stack_does_not_lead_beyond_it():
    python(
        """
        import sys, lexpool
        nlp = lexpool.blank("en")
        nlp.tokenizer.token_match = nlp.tokenizer
        sys.setrecursionlimit(1_000_000)
        try:
            nlp.tokenizer("one two")
        except RecursionError as error:
            assert "maximum recursion depth exceeded" in str(error), error
        else:
            raise AssertionError
        """
    )


def test_calls_that_end_are_not_counted_for_later_ones():
    python(
        """
        import lexpool
        nlp = lexpool.blank("en")
        nlp.tokenizer.token_match = lambda text: None
        for i in range(5000):
            nlp.tokenizer(f"word{i}")
        """
    )
