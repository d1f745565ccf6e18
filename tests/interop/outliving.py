"""Records that outlive their documents, leases that end in every way, zones: run under Valgrind.

With the argument `fault` it ends by reading memory that lexpool has given back, in a forked child
and in its own process. Both reads have to be seen.
"""

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading

import lexpool

# Imported here: what the interpreter does in an import has no frame of lexpool then.
import lexpool._python_side.foreign
import lexpool.tokens._pickle
import lexpool.tokens._retokenize
from lexpool import Doc, Pool
from lexpool.errors import BusyError, StaleError


def numbers(handle) -> list[int]:
    """All bytes of the records, looked at one by one."""
    return sorted(memoryview(handle).cast("B").tolist())


def document(vocab: lexpool.Vocab) -> Doc:
    return Doc(
        vocab,
        words=["We", "saw", "New", "York", "."],
        tags=["PRP", "VBD", "NNP", "NNP", "."],
        heads=[1, 1, 3, 1, 1],
        deps=["nsubj", "ROOT", "compound", "dobj", "punct"],
        ents=["O", "O", "B-GPE", "I-GPE", "O"],
    )


def handles_after_their_document(vocab: lexpool.Vocab) -> None:
    doc = document(vocab)
    views = [doc.c, doc.c[1:4], doc.c[::-2], doc.c.tags, doc.c.syntax, doc.c.entities]
    views += [doc[1:3].c, doc[0].lex.c, doc[2].c, doc.c.as_spacy()]
    contiguous = [view for view in views if view.stride == view.itemsize]
    before = [numbers(view) for view in contiguous]
    again = pickle.loads(pickle.dumps(doc))
    capsule, array = doc.c.capsule("TokenC", 1), doc.c.ctypes()
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    stale = doc.c
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[1], ["s", "aw"], heads=[(doc[1], 1), doc[0]])
    try:
        raise AssertionError(stale.tags)
    except StaleError:
        pass
    del doc, again, stale
    gc.collect()
    assert [numbers(view) for view in contiguous] == before
    assert [views[2][i].idx for i in range(3)] == [16, 7, 0]
    assert array[4].idx == 16 and capsule


def leases(vocab: lexpool.Vocab) -> None:
    doc = document(vocab)
    with doc.c.writable() as tokens:
        tags = memoryview(tokens.tags).cast("B").cast("Q")
        tags[0] = vocab.strings.add("NN")
        numbers(tokens.syntax), numbers(tokens.entities)
        tokens.set_children_from_heads()
        try:
            raise AssertionError(doc.text)
        except BusyError:
            pass
    assert doc[0].tag_ == "NN"
    with doc.c.as_spacy(writable=True) as records:
        numbers(records)
    for part in (slice(None), slice(1, 3)):
        # Let go of while open: the handle keeps what it shows, and then the document is free again.
        handle = doc.c[part].writable().__enter__()
        gc.collect()
        numbers(handle)
        del handle
        gc.collect()
        assert doc[0].tag_ == "NN"
    try:
        with doc.c.writable() as tokens:
            memoryview(tokens.syntax).cast("B").cast("i")[2] = 1000
    except ValueError:
        pass
    late = memoryview(tokens).cast("B").cast("I")
    del doc, tokens, records
    gc.collect()
    late[0] = tags[0] = 7
    thread = threading.Thread(target=lambda: numbers(document(vocab).c))
    thread.start()
    thread.join()


def zones(vocab: lexpool.Vocab) -> None:
    with vocab.memory_zone():
        doc = lexpool.Tokenizer(vocab)("zzyzx quuxly " * 50)
        kept = [doc.c, doc[0].lex.c, doc.c.as_spacy(), vocab.c.segments[0]]
        before = [numbers(view) for view in kept]
    del doc
    gc.collect()
    assert [numbers(view) for view in kept] == before
    lexeme = ctypes.cast(kept[2][0].lex, ctypes.POINTER(ctypes.c_uint64))
    assert lexeme[3] == kept[1][0].length == 5


def pools(at_fault: bool) -> None:
    pool = Pool()
    rows = pool.alloc_records("TokenC", 5)
    address = pool.realloc(pool.alloc(100_000), 200_000)
    assert ctypes.string_at(address, 200_000) == bytes(200_000)
    del pool
    gc.collect()
    assert numbers(rows) == [0] * 80
    del rows
    gc.collect()
    if at_fault:
        child = os.fork()
        ctypes.string_at(address + 50, 1)
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)


def main() -> None:
    nlp = lexpool.blank("en")
    for part in (handles_after_their_document, leases, zones):
        part(nlp.vocab)
    del nlp
    # The file of a child that becomes another program has no end.
    subprocess.run([sys.executable, "-c", ""], check=True)
    pools(sys.argv[1:] == ["fault"])


main()
