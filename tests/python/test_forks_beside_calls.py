"""A child finds no lock of lexpool's held, whatever call its parent was in when it forked."""

import os
import textwrap

import pytest
from processes import python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

FORKS = 200

# Three threads make the call without end while the main thread forks. Each child enters new
# strings, words and rows, for which it needs the locks that the call may hold, and ends; or an
# alarm ends it. A fork that gives up waiting warns, which is an error here.
PARENT = """
    import io, itertools, os, signal, sys, tempfile, threading, time, warnings
    from pathlib import Path
    import numpy as np
    import lexpool
    from lexpool.corpus import Corpus
    from lexpool.matcher import Matcher, PhraseMatcher
    from lexpool.tokens import Doc, DocBin
    from lexpool.vectors import Vectors

    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    folder = Path(tempfile.mkdtemp())
    nlp = lexpool.blank("en")
    vocab, tokenizer = nlp.vocab, nlp.tokenizer
    numbers = itertools.count()
    vectors = None

    def new_text(words=20):
        number = next(numbers)
        return " ".join(f"w{number}x{i}" for i in range(words))

    def check_child(number):
        vocab.strings.add(f"child{number}")
        assert vocab[f"word{number}"].text == f"word{number}"
        assert len(tokenizer(f"some child{number} of lexpool's " * 8)) == 40
        if vectors is not None:
            vectors.add(1, vector=np.zeros(vectors.shape[1], "f"))
"""

FORKING = """
    stop, failed = threading.Event(), []
    # So short calls are not always done when the main thread has its turn.
    sys.setswitchinterval(1e-5)
    # Beginnings and ends of calls: more of the one than of the other while a call is under way.
    begun, ended, beside = itertools.count(), itertools.count(), []

    def so_far(count):
        return count.__reduce__()[1][0]

    def work():
        try:
            while not stop.is_set():
                next(begun)
                call()
                next(ended)
                # New words stay: not so many that the process grows and forks take long.
                time.sleep(0.001)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    hung = []
    try:
        n_forks = int(sys.argv[1])
        # Short calls of threads that wait for a processor may need more forks to be met.
        for number in range(20 * n_forks):
            if number >= n_forks and any(beside):
                break
            ends = so_far(ended)
            beside.append(so_far(begun) - ends)
            pid = os.fork()
            if pid == 0:
                signal.alarm(20)
                try:
                    check_child(number)
                except BaseException as error:
                    print(repr(error), file=sys.stderr, flush=True)
                    os._exit(1)
                os._exit(0)
            _, status = os.waitpid(pid, 0)
            if status:
                hung.append((number, status))
                break
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not hung, hung
    assert not failed, failed
    assert so_far(ended) > 0, "no call has run"
    assert any(beside), "no call was under way at a fork"
"""

CALLS = {
    "tokenizer": "call = lambda: tokenizer(new_text())",
    "a stream": "call = lambda: list(nlp.pipe([new_text() for _ in range(8)], batch_size=4, n_threads=2))",
    "a hook that tokenizes": """
        inner = lexpool.Tokenizer(vocab)
        tokenizer.token_match = lambda text: inner("a b c d e f g " * 40) and None
        call = lambda: list(nlp.pipe([new_text(20) for _ in range(8)], batch_size=4, n_threads=2))
    """,
    "a hook that streams": """
        inner = lexpool.Tokenizer(vocab)
        outer = lexpool.Tokenizer(vocab)
        def match(text):
            list(inner.pipe([new_text(9) * 2] * 4, n_threads=2, batch_size=2))
        outer.token_match = match
        call = lambda: list(outer.pipe([new_text(2) * 3] * 2, n_threads=2, batch_size=1))
    """,
    "DocBin.get_docs": """
        def packed():
            return DocBin(docs=[Doc(lexpool.Vocab(), words=new_text(50).split())]).to_bytes()
        call = lambda: list(DocBin().from_bytes(packed()).get_docs(vocab))
    """,
    "Doc.from_bytes": """
        call = lambda: Doc(vocab).from_bytes(Doc(lexpool.Vocab(), words=new_text().split()).to_bytes())
    """,
    "Vectors.most_similar": """
        vectors = Vectors(data=np.random.rand(3000, 32).astype("f"), keys=range(1, 3001))
        queries = np.random.rand(64, 32).astype("f")
        call = lambda: vectors.most_similar(queries, n=3)
    """,
    "floret vectors": """
        vectors = Vectors(
            strings=vocab.strings, data=np.random.rand(500, 32).astype("f"), mode="floret",
            minn=2, maxn=4, hash_count=2)
        call = lambda: vectors.get_batch(new_text().split())
        check_child_before = check_child
        def check_child(number):
            global vectors
            vectors.data = np.zeros((10, 32), "f")
            vectors = None
            check_child_before(number)
    """,
    "Vectors.to_disk and from_disk": """
        vectors = Vectors(data=np.random.rand(3000, 32).astype("f"), keys=range(1, 3001))
        def call():
            path = folder / str(threading.get_ident())
            vectors.to_disk(path)
            Vectors().from_disk(path)
    """,
    "Vectors.to_bytes": """
        vectors = Vectors(data=np.random.rand(3000, 32).astype("f"), keys=range(1, 3001))
        call = lambda: Vectors().from_bytes(vectors.to_bytes())
    """,
    "strings of a column": """
        pa = __import__("pytest").importorskip("pyarrow")
        from lexpool.arrow import add_strings
        call = lambda: add_strings(vocab.strings, pa.table({"strings": new_text().split()}))
    """,
    "texts of a table": """
        pa = __import__("pytest").importorskip("pyarrow")
        from lexpool.arrow import Annotator
        annotator = Annotator(tokenizer, "text")
        call = lambda: pa.table(annotator(pa.table({"text": [new_text() for _ in range(8)]})))
    """,
    "CoNLL-U": """
        from lexpool.training import read_conllu
        def call():
            path = folder / f"{threading.get_ident()}.conllu"
            words = new_text(50).split()
            row = "{}\\t{}\\t_\\t_\\t_\\t_\\t{}\\tdep\\t_\\t_\\n"
            path.write_text("".join(row.format(i + 1, w, 0 if i == 0 else 1) for i, w in enumerate(words)) + "\\n")
            list(read_conllu(path, vocab))
    """,
    "Matcher over documents": """
        matcher = Matcher(vocab)
        matcher.add("x", [[{"LOWER": {"REGEX": "x1.$"}}, {"IS_ALPHA": False}]])
        call = lambda: matcher.match_all([tokenizer(new_text()) for _ in range(4)], n_threads=2)
    """,
    "PhraseMatcher over texts": """
        phrases = PhraseMatcher(vocab, attr="LOWER")
        phrases.add("x", [tokenizer("w1x1 w1x2")])
        call = lambda: phrases.match_texts([new_text() for _ in range(4)], tokenizer=tokenizer, n_threads=2)
    """,
    "a corpus": """
        def call():
            path = folder / f"{threading.get_ident()}.corpus"
            Corpus.write(path, [tokenizer(new_text()) for _ in range(3)])
            corpus = Corpus.open(path)
            corpus.count_by("LOWER")
            Corpus.merge([Corpus.open(path)] * 2, folder / f"{threading.get_ident()}.merged")
            [doc.text for doc in corpus]
    """,
    "a vocab's image": """
        def call():
            path = folder / f"{threading.get_ident()}.vocab"
            other = lexpool.blank("en")
            other(new_text())
            other.vocab.save(path)
            lexpool.Vocab.open(path)["new"]
            vocab.strings.add(new_text(1))
    """,
    "first use of a vocab's parts": """
        newest = vocab
        def call():
            global newest
            for _ in range(50):
                newest = lexpool.Vocab()
                newest.strings, newest.morphology
        check_child_before = check_child
        def check_child(number):
            newest.strings.add("new"), newest.morphology.add("Case=Nom")
            check_child_before(number)
    """,
    "an op over documents": """
        docs = [tokenizer(new_text()) for _ in range(16)]
        call = lambda: lexpool.ops.map("doc.words", docs, n_threads=2)
    """,
    "lookups of words": "call = lambda: [vocab[word] for word in new_text(50).split()]",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_child_works_whatever_its_parents_threads_call(name):
    parts = (PARENT, CALLS[name], FORKING)
    python("\n".join(map(textwrap.dedent, parts)), str(FORKS), timeout=300)


def test_a_function_of_a_stream_may_fork():
    """The thread that forks is at work itself, and does not wait for that."""
    forked = """
        children = []
        def match(text):
            if text.startswith("fork") and not children:
                pid = os.fork()
                if pid == 0:
                    signal.alarm(20)
                    check_child(1)
                    os._exit(0)
                children.append(os.waitpid(pid, 0)[1])
        tokenizer.token_match = match
        tokenizer("fork here please, " * 9)
        assert children == [0], children
    """
    python(textwrap.dedent(PARENT) + textwrap.dedent(forked))


def test_hooks_that_stream_in_many_threads_do_not_wait_for_each_other():
    """Each worker of the pool runs such a hook, so none is left for the streams inside."""
    streams = """
        inner, outer = lexpool.Tokenizer(vocab), lexpool.Tokenizer(vocab)
        outer.token_match = lambda text: list(inner.pipe(["so many words"] * 4, n_threads=2)) and None
        def work():
            for _ in range(20):
                list(outer.pipe([new_text(2) for _ in range(20)], n_threads=2, batch_size=1))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    """
    python(textwrap.dedent(PARENT) + textwrap.dedent(streams))
