"""Kinds of files: words, strings, vectors, tables, phrases, and rules of tokenizers."""

import gzip
import re
from pathlib import Path
from typing import Any

import checksums
import numpy as np
from file_kinds import (
    FILES,
    TEXTS,
    Sample,
    command,
    documents,
    files,
    hash_of,
    kind,
    nlp,
    only,
    read,
    written,
)

import lexpool
from lexpool import Tokenizer, _core
from lexpool.kb import InMemoryLookupKB
from lexpool.lookups import Lookups
from lexpool.matcher import PhraseMatcher
from lexpool.vectors import Vectors


@kind("vocab-image", files("words.vocab", "vectors.vocab"), checksums.container)
def _vocab_image(place: Path) -> None:
    path = only(place)
    vocab = lexpool.Vocab.open(path, verify=["header", "full"][hash_of(path, 2)])
    use_vocab(vocab)
    vocab.save(place / "again.vocab")


def use_vocab(vocab: Any) -> None:
    """Read words, strings and vectors, and tokenize with the vocab."""
    for lexeme in list(vocab)[:300]:
        _ = (lexeme.text, lexeme.norm_, lexeme.prob, lexeme.has_vector, lexeme.shape_)
        if vocab.vectors_length:
            _ = lexeme.vector_norm
    _ = [vocab.strings[text] for text in list(vocab.strings)[:300]]
    _ = ("whale" in vocab, vocab["whale"].lower_, vocab.vectors.shape, vocab.lang)
    if vocab.vectors_length:
        _ = (vocab.get_vector("whale"), vocab.get_vector("nothing"))
        use_vectors(vocab.vectors)
    read(Tokenizer(vocab, prefix_search=re.compile("^[(]").search)(TEXTS[0]))


def phrases() -> list[Sample]:
    def save(path: Path) -> None:
        matcher = PhraseMatcher(nlp().vocab, attr="LOWER")
        matcher.add(
            "A", [nlp().make_doc(text) for text in ("the whale", "the white whale", "they")]
        )
        matcher.add("B", [nlp().make_doc("the whale")])
        matcher.save(path)

    return [*files("cities.phrases")(), written(save, "some.phrases")]


@kind("phrases", phrases, checksums.container)
def _phrases(place: Path) -> None:
    matcher = PhraseMatcher.open(only(place), nlp().vocab)
    for doc in documents():
        matcher(doc)
    matcher.match_texts(TEXTS)
    _ = (len(matcher), "A" in matcher)
    matcher.save(place / "again.phrases")
    matcher.add("C", documents()[:1])
    matcher.remove("C")


@kind("lookups-mapped", files("xx.lookups"), checksums.container)
def _lookups_mapped(place: Path) -> None:
    path = only(place)
    opened = _core.MappedLookups(path, verify=hash_of(path, 2) == 0)
    for table in opened.tables:
        number = lexpool.strings.get_string_id("went")
        _ = (table.get(number), table.contains(number), table.is_scalar, len(table))
        dict(table.items())


def lookups() -> list[Sample]:
    tables = Lookups()
    tables.add_table("lemma_lookup", {"went": "go", "mice": "mouse"})
    tables.add_table("lemma_rules", {"noun": [["s", ""], ["ies", "y"]]})
    tables.add_table("lexeme_prob", {"the": -3.25, "of": -4})
    return [written(tables.to_disk, "lookups")]


@kind("lookups-bin", lookups)
def _lookups_bin(place: Path) -> None:
    tables = Lookups().from_disk(place / "lookups")
    for name in tables.tables:
        table = tables.get_table(name)
        _ = (len(table), list(table.items()), table.get("went"), "went" in table)
    Lookups().from_bytes(tables.to_bytes())


def json_tables() -> list[Sample]:
    content = b'{"went": "go", "mice": ["mouse", 1], "x": {"a": -3.5}}'
    return [{"xx_t.json": content}, {"xx_t.json.gz": gzip.compress(content, mtime=0)}]


@kind("lookups-json", json_tables)
def _lookups_json(place: Path) -> None:
    table = lexpool.lookups._in_folder(place, "xx")("t")
    _ = (list(table.items()), table.get("went"))
    command("lookups", "build", place, "-o", place / "built")
    lexpool.lookups._in_folder(place / "built", "xx")("t")


def knowledge_bases() -> list[Sample]:
    base = InMemoryLookupKB(lexpool.Vocab(), 3)
    base.set_entities(["Q1", "Q2"], [3, 4], [[1, 2, 3], [4, 5, 6]])
    base.add_alias("Apple", ["Q1", "Q2"], [0.6, 0.3])
    return [written(base.to_disk, "kb")]


@kind("knowledge-base", knowledge_bases)
def _knowledge_base(place: Path) -> None:
    base = InMemoryLookupKB(lexpool.Vocab(), 3)
    base.from_disk(place / "kb")
    use_base(base)
    InMemoryLookupKB(lexpool.Vocab(), 3).from_bytes(base.to_bytes())
    base.to_disk(place / "again")


def use_base(base: InMemoryLookupKB) -> None:
    """Read a knowledge base."""
    for entity in base.get_entity_strings():
        _ = base.get_vector(entity)
    for alias in base.get_alias_strings():
        for candidate in base.get_alias_candidates(alias):
            _ = (candidate.entity_, candidate.prior_prob, candidate.entity_vector, candidate.alias_)
    _ = (len(base), base.get_prior_prob("Q1", "Apple"))


@kind(
    "strings", lambda: [{"strings.json": lexpool.StringStore(["a", "whale", "\u00e9"]).to_bytes()}]
)
def _strings(place: Path) -> None:
    store = lexpool.StringStore().from_disk(only(place))
    _ = ([store[text] for text in store], len(store))
    lexpool.StringStore().from_bytes(store.to_bytes())


def vectors() -> list[Sample]:
    rows = np.arange(12, dtype="f").reshape(4, 3)
    plain = Vectors(data=rows, keys=range(1, 5))
    floret = Vectors(data=rows, mode="floret", hash_count=2, minn=2, maxn=3)
    return [written(plain.to_disk, "vectors"), written(floret.to_disk, "vectors")]


@kind("vectors", vectors)
def _vectors(place: Path) -> None:
    use_vectors(Vectors().from_disk(place / "vectors"))


def use_vectors(table: Vectors) -> None:
    """Read and save vectors."""
    _ = (table.shape, table.mode)
    if table.mode == "default":
        _ = (table.n_keys, list(table.keys())[:9], 1 in table)
        _ = table[1] if 1 in table else None  # noqa: SIM401 - it has no `get`
        if table.shape[0] and table.shape[1]:
            table.most_similar(np.ones((1, table.shape[1]), "f"))
    Vectors().from_bytes(table.to_bytes())


def vocabs() -> list[Sample]:
    vocab = lexpool.blank("en").vocab
    vocab.strings.add("whale")
    vocab.set_vector("whale", np.ones(3, "f"))
    return [written(vocab.to_disk, "vocab")]


@kind("vocab", vocabs)
def _vocab(place: Path) -> None:
    vocab = lexpool.Vocab().from_disk(place / "vocab")
    use_vocab(vocab)
    lexpool.Vocab().from_bytes(vocab.to_bytes())


def tokenizers() -> list[Sample]:
    return [{"tokenizer": (FILES / "pipelines/rules/tokenizer").read_bytes()}]


@kind("tokenizer", tokenizers)
def _tokenizer(place: Path) -> None:
    tokenizer = Tokenizer.blank("en").from_disk(only(place))
    for text in TEXTS:
        read(tokenizer(text))
        tokenizer.explain(text)
    tokenizer.from_bytes(tokenizer.to_bytes())
