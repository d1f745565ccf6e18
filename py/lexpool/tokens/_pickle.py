"""Documents as pickles.

The pickle of a document contains its tokens and strings; of its vocab only a key and the getters of
new words' attributes. If a vocab with that key exists, as in the pickling process or a fork of it,
the document is loaded into it; otherwise a vocab is made, once per key. So documents that share a
vocab share one after unpickling. To include vectors and lookups, pickle the vocab itself.
"""

import pickle
import sys
import weakref
from typing import Any
from uuid import uuid4

from .._core import Doc, DocBin, Vocab

_HOOKS = ("user_hooks", "user_span_hooks", "user_token_hooks")

_vocabs: weakref.WeakValueDictionary[str, Vocab] = weakref.WeakValueDictionary()
_keys: weakref.WeakKeyDictionary[Vocab, "VocabKey"] = weakref.WeakKeyDictionary()


class VocabKey:
    """The placeholder of a vocab in a pickle. Each vocab has one, so a pickle contains it once."""

    def __init__(self, vocab: Vocab, key: str) -> None:
        self.vocab = weakref.ref(vocab)
        self.key = key
        # The last pickled state and its form.
        self._getters: tuple[list[Any], bytes] = ([], b"")

    def __reduce__(self) -> tuple[Any, ...]:
        vocab: Any = self.vocab()
        now = [dict(vocab.lex_attr_getters), vocab.get_noun_chunks]
        before, getters = self._getters
        if now != before:
            getters = _dumps(now, by_value=True)
            self._getters = now, getters
        return vocab_of, (self.key, getters, vocab.writing_system, vocab.cfg)


def _key_of(vocab: Vocab) -> VocabKey:
    vocab_key = _keys.get(vocab)
    if vocab_key is None:
        vocab_key = _keys.setdefault(vocab, VocabKey(vocab, uuid4().hex))
        _vocabs.setdefault(vocab_key.key, vocab)
    return vocab_key


def vocab_of(key: str, getters: bytes, writing_system: Any, cfg: Any) -> Vocab:
    """Returns the vocab with a key, which is made if it does not exist in this process."""
    vocab = _vocabs.get(key)
    if vocab is None:
        lex_attr_getters, noun_chunks = pickle.loads(getters)
        copy = Vocab(lex_attr_getters, writing_system=writing_system, get_noun_chunks=noun_chunks)
        copy.cfg = cfg
        vocab = _vocabs.setdefault(key, copy)
        _keys.setdefault(vocab, VocabKey(vocab, key))
    return vocab


def reduced(doc: Any, data: bytes) -> tuple[Any, ...]:
    """Returns the reduced form of a document: its vocab, its bytes and its Python-level data."""
    user_data, hooks = doc.user_data, [getattr(doc, name) for name in _HOOKS]
    carried = None
    if user_data or any(hooks):
        carried = _dumps([user_data, *hooks], by_value=any(hooks))
    return unpickle_doc, (_key_of(doc.vocab), data, carried)


def unpickle_doc(vocab: Any, data: bytes, carried: bytes | None) -> Doc:
    # A shallow copy passes the placeholder of the vocab.
    full_vocab: Any = vocab.vocab() if isinstance(vocab, VocabKey) else vocab
    doc: Any = Doc(full_vocab)
    doc._unpickle(data)
    if carried is not None:
        user_data, *hooks = pickle.loads(carried)
        doc.user_data = user_data
        for name, functions in zip(_HOOKS, hooks, strict=True):
            setattr(doc, name, functions)
    result: Doc = doc
    return result


def unpickle_bin(data: bytes, store_user_data: bool) -> DocBin:
    # A pickle can run any code, so a limit on its size would not protect anything.
    return DocBin(store_user_data=store_user_data).from_bytes(data, max_bytes=sys.maxsize)


def _dumps(carried: Any, *, by_value: bool) -> bytes:
    """Returns a pickle; with functions by value, including those of the user's script, if srsly is
    installed.
    """
    if not by_value:
        try:
            return pickle.dumps(carried, -1)
        except (AttributeError, TypeError, pickle.PicklingError):
            # A lambda, or another object without a name.
            pass
    try:
        from srsly import pickle_dumps  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return pickle.dumps(carried, -1)
    data: bytes = pickle_dumps(carried)
    return data
