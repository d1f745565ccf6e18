"""A file that is open may be replaced or removed; one that is cut ends the process if it is mapped,
and changes nothing if a copy of it was read.
"""

import os
import signal

import pytest
from processes import python
from savers import NAME, saved, words

import lexpool
from lexpool.corpus import Corpus
from lexpool.matcher import PhraseMatcher
from lexpool.tokens import Doc

# Functions that open the file of a saver, and that read from it on each call.
OPENERS = {
    "Vocab.save": (lexpool.Vocab.open, lambda vocab: [word.text for word in vocab]),
    "Corpus.write": (Corpus.open, lambda corpus: [doc.text for doc in corpus]),
    "PhraseMatcher.save": (
        lambda path: PhraseMatcher.open(path, lexpool.Vocab()),
        lambda matcher: matcher(Doc(matcher.vocab, words=words(0))),
    ),
}
COPIES = ["Vocab.save", "Corpus.write"]


@pytest.mark.parametrize("name", OPENERS)
def test_a_file_that_is_replaced_or_removed_stays_as_it_was_to_those_who_have_it_open(
    name, tmp_path
):
    open_file, read = OPENERS[name]
    saved(name, tmp_path, 0)
    expected = read(open_file(tmp_path / NAME))
    assert len(expected) > 2
    opened = open_file(tmp_path / NAME)
    saved(name, tmp_path, 1)
    assert read(opened) == expected
    (tmp_path / NAME).unlink()
    assert read(opened) == expected


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("length", [0, 100])
def test_a_file_that_is_cut_stays_as_it_was_to_those_who_have_read_a_copy(name, length, tmp_path):
    open_file, read = OPENERS[name]
    saved(name, tmp_path, 0)
    expected = read(open_file(tmp_path / NAME))
    opened = open_file(tmp_path / NAME, mmap=False)
    os.truncate(tmp_path / NAME, length)
    assert read(opened) == expected
    with pytest.raises(ValueError, match="truncated"):
        open_file(tmp_path / NAME)


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="this system has no SIGBUS")
@pytest.mark.parametrize("name", OPENERS)
def test_a_file_that_is_cut_while_it_is_mapped_ends_the_process_as_documented(name, tmp_path):
    saved(name, tmp_path, 0)
    with pytest.raises(AssertionError, match=f"exit -{signal.SIGBUS.value}\n"):
        python(
            """
            import os, sys
            from pathlib import Path
            from test_open_files_that_change import NAME, OPENERS

            name, path = sys.argv[1], Path(sys.argv[2], NAME)
            open_file, read = OPENERS[name]
            opened = open_file(path)
            os.truncate(path, 0)
            read(opened)
            """,
            name,
            str(tmp_path),
        )
