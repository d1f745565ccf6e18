"""Corpora: documents in memory-mapped files.

>>> import lexpool, os, tempfile
>>> from lexpool.corpus import Corpus
>>> nlp = lexpool.blank("en")
>>> path = os.path.join(tempfile.mkdtemp(), "two.corpus")
>>> Corpus.write(path, nlp.pipe(["So it goes.", "And so on."]), columns={"year": [1969, None]})
2
>>> corpus = Corpus.open(path)
>>> corpus[1], corpus[1][0].lower_
(And so on., 'and')
>>> so = corpus.vocab.strings["so"]
>>> corpus.count_by("LOWER")[so]
2

A corpus is also an Arrow file: `polars.read_ipc(path)`, and
`polars.DataFrame(corpus.tokens(["LOWER_"]))` for its tokens.
"""

from ._core import Corpus, CorpusStream

__all__ = ["Corpus", "CorpusStream"]
