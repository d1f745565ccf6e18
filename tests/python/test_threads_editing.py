"""Python threads that edit and read the same documents: no crash, and only the documented error.

LEXPOOL_FULL=1 makes it a minute.
"""

import random
import threading
import time

import numpy as np
import pytest

import lexpool
from lexpool import Doc, Span
from lexpool.errors import BusyError, StaleError

# A document shrinks under a thread that has just asked for its length, so positions may be gone, as
# they may in a list; and spans that are set may meet entities or tokens that are no longer there.
DOCUMENTED = (BusyError, StaleError, IndexError, ValueError)

WORDS = "The whale is n't white . It was seen in New York by Mr. Ishmael Smith , twice".split()


def edit(doc: Doc, rng: random.Random) -> None:
    """One change by chance."""
    way, n = rng.randrange(10), len(doc)
    i = rng.randrange(n)
    if way == 0 and n > 12:
        with doc.retokenize() as retokenizer:
            retokenizer.merge(doc[i : i + 2])
    elif way == 1 and n < 24 and len(doc[i]) > 1:
        token = doc[i]
        with doc.retokenize() as retokenizer:
            retokenizer.split(token, [token.text[:1], token.text[1:]], heads=[token, token])
    elif way == 2:
        doc.ents = [Span(doc, i, min(i + 2, n), "ORG")]
    elif way == 3:
        doc[i].head = doc[rng.randrange(i + 1)]
    elif way == 4:
        doc[i].tag_ = rng.choice(["NN", "VBZ", ""])
    elif way == 5:
        doc.from_array(["DEP", "LEMMA"], np.full((n, 2), 429, dtype="uint64"))
    elif way == 6:
        doc[i]._.note = rng.random()
    elif way == 7:
        doc.spans["sc"] = [doc[i : i + 1]]
    elif way == 8:
        doc.user_data["key"] = rng.random()
    else:
        doc.set_ents([], missing=[doc[i : i + 1]], default="unmodified")


def read(doc: Doc, rng: random.Random) -> None:
    """One look by chance, at what has to be right whenever it is given."""
    way = rng.randrange(9)
    if way == 0:
        assert doc.to_array(["ORTH", "HEAD", "TAG"]).shape[1] == 3
    elif way == 1:
        assert "".join(token.text_with_ws for token in doc) in (doc.text, doc.text)
    elif way == 2:
        assert doc.text.startswith("The whale")
    elif way == 3:
        assert Doc(doc.vocab).from_bytes(doc.to_bytes()).text == doc.text
    elif way == 4:
        assert all(ent.label_ == "ORG" for ent in doc.ents)
    elif way == 5:
        assert all(span.text in doc.text for span in doc.spans.get("sc", ()))
    elif way == 6:
        assert doc[0] in doc[0].subtree
    elif way == 7:
        assert doc[0]._.note is None or doc[0]._.note < 1
    else:
        assert doc.copy().text == doc.text


@pytest.fixture
def noted():
    lexpool.Token.set_extension("note", default=None, force=True)
    yield
    lexpool.Token.remove_extension("note")


@pytest.mark.parametrize("works", [(edit, read), (edit, edit)], ids=["edit-read", "edit-edit"])
def test_two_threads_edit_and_read_the_same_documents(vocab, noted, full, works):
    docs = [Doc(vocab, WORDS, deps=["dep"] * len(WORDS)) for _ in range(3)]
    text = docs[0].text
    end = time.monotonic() + (60 if full else 2)
    unexpected, done = [], [0, 0]

    def work(which: int) -> None:
        rng = random.Random(which)
        while time.monotonic() < end and not unexpected:
            try:
                works[which](rng.choice(docs), rng)
            except DOCUMENTED:
                continue
            except BaseException as error:
                unexpected.append(error)
                raise
            done[which] += 1

    threads = [threading.Thread(target=work, args=(which,)) for which in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert unexpected == []
    assert min(done) > 20
    for doc in docs:
        assert doc.text == "".join(token.text_with_ws for token in doc) == text
        heads = doc.to_array("HEAD").astype("int64") + np.arange(len(doc))
        assert ((heads >= 0) & (heads < len(doc))).all()
        assert all(0 <= token.left_edge.i <= token.i <= token.right_edge.i for token in doc)


def test_a_change_while_a_callback_reads_is_refused_or_done_but_never_half(vocab):
    doc = Doc(vocab, WORDS)
    with pytest.raises(StaleError, match="iterated"):
        for token in doc:
            if token.i == 3:
                with doc.retokenize() as retokenizer:
                    retokenizer.merge(doc[5:8])
    assert len(doc) == len(WORDS) - 2
    assert doc.text == " ".join(WORDS) + " "
