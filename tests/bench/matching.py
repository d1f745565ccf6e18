"""Measures matchers beside spaCy's: token patterns, by how many there are, phrases, and two
threads.

`make bench-matching` builds what is needed and calls this (TEXT="a.txt b.txt", JSON=out.json). Both
sides search the same documents with the same patterns, drawn from the texts: terms of one to four
words, of which one has seven letters or more, some with a list, an operator or a flag in the place
of a word. Each figure is the best of a few turns, without Python's collector, in CPU time, but two
threads on the clock; spaCy searches a sample where it would take minutes, and what it finds there
is compared.
"""

import argparse
import gc
import random
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import figures
import spacy
import spacy.matcher
from bench import paragraphs
from figures import Row, Table
from rounding import short

import lexpool
from lexpool.matcher import Matcher, PhraseMatcher

COUNTS = (10, 100, 1_000, 5_000, 10_000)
PHRASES = (1_000, 10_000, 100_000)
TURNS = 5
MEGABYTES = 4
SAMPLE = 60


def best(
    task: Callable[[], object], turns: int = TURNS, clock: Callable[[], float] = process_time
) -> float:
    """The least seconds that a task takes, of the processor's or of a clock."""
    times = []
    for _ in range(turns):
        start = clock()
        task()
        times.append(clock() - start)
    return min(times)


class Terms:
    """Patterns and phrases drawn from documents."""

    def __init__(self, docs, seed: int = 5) -> None:
        self.rng = random.Random(seed)
        self.docs = self.rng.sample([doc for doc in docs if len(doc)], min(len(docs) // 2, 4_000))
        self.words = [[token.text for token in doc] for doc in self.docs]
        self.content = sorted(
            {w.lower() for ws in self.words for w in ws if len(w) > 4 and w.isalpha()}
        )

    def pattern(self):
        while True:
            words = self.rng.choice(self.words)
            at, count = self.rng.randrange(len(words)), self.rng.choice((1, 2, 2, 3, 3, 4))
            chosen = words[at : at + count]
            if any(len(word) >= 7 and word.isalpha() for word in chosen):
                return [self._element(word, i) for i, word in enumerate(chosen)]

    def _element(self, word, place):
        kind = self.rng.random()
        if len(word) >= 7 or kind < 0.7:
            return {"LOWER": word.lower()} if kind < 0.8 else {"ORTH": word}
        if kind < 0.85:
            return {"LOWER": {"IN": [word.lower(), *self.rng.sample(self.content, 2)]}}
        if kind < 0.9 and place:
            return {"IS_ALPHA": True}
        return {"LOWER": word.lower(), "OP": self.rng.choice("?+")} if place else {"ORTH": word}

    def phrases(self, count):
        phrases = {}
        while len(phrases) < count:
            doc = self.rng.choice(self.docs)
            at, n = self.rng.randrange(len(doc)), self.rng.choice((1, 2, 2, 3, 3, 4))
            text = doc[at : at + n].text
            if any(len(word) >= 7 for word in text.split()):
                # A small text has not so many; numbers make more of them, which are not met.
                phrases[text if text not in phrases else f"{text} {len(phrases)}"] = None
        return list(phrases)


class Figures:
    """The tables of a run; each row is printed when it is there."""

    def __init__(self) -> None:
        sides = {"spacy": "spaCy", "lexpool": "lexpool"}
        compared = {
            "patterns": Table("Token patterns, a token", "ns", "less", sides),
            "phrases": Table("Phrases in documents, a token", "ns", "less", sides),
            "texts": Table("Phrases in texts, without documents", "MB/s", "more", sides),
            "building": Table("Making a matcher of phrases", "ms", "less", sides),
        }
        for table in compared.values():
            table.baseline = "spacy"
        alone = {
            "cold": Table(
                "Token patterns the first time, a token", "ns", "less", {"lexpool": "lexpool"}
            ),
            "growth": Table(
                "A token's cost, beside that of ten patterns", "x", "less", {"lexpool": "lexpool"}
            ),
            "threads": Table("Two threads beside one", "x", "more", {"lexpool": "lexpool"}),
        }
        self.tables = compared | alone

    def add(self, name: str, key: str, title: str, own: float, theirs: float | None = None) -> None:
        """A row with lexpool's figure, and spaCy's if it was measured."""
        table, row = self.tables[name], Row(title, {"lexpool": own})
        shown = f"{short(own)} {table.unit}"
        if theirs is not None:
            row.values = {"spacy": theirs, "lexpool": own}
            row.ratios = {
                "spacy": 1,
                "lexpool": own / theirs if table.better == "more" else theirs / own,
            }
            shown += f" | {short(row.ratios['lexpool'])}x"
        table.rows[key] = row
        print(f"| {table.title} | {title} | {shown} |", flush=True)


def token_patterns(found, theirs, ours, docs, their_docs, terms):
    tokens, first = sum(map(len, docs)), None
    for count in COUNTS:
        patterns = [terms.pattern() for _ in range(count)]
        their, our = spacy.matcher.Matcher(theirs.vocab), Matcher(ours.vocab)
        for i, pattern in enumerate(patterns):
            for matcher in (their, our):
                matcher.add(f"key{i}", [pattern])
        cold = best(lambda our=our: [our(doc) for doc in docs], turns=1)
        warm = best(lambda our=our: [our(doc) for doc in docs])
        sample = their_docs if count <= 100 else their_docs[: SAMPLE * 100 // count + 5]
        slow = best(lambda their=their, sample=sample: [their(doc) for doc in sample], turns=1)
        assert all(their(doc) == our(own) for doc, own in zip(sample, docs))
        first = first or warm
        row = (str(count), f"{count:,} token patterns")
        found.add("patterns", *row, warm / tokens * 1e9, slow / sum(map(len, sample)) * 1e9)
        found.add("cold", *row, cold / tokens * 1e9)
        found.add("growth", *row, warm / first)


def phrases(found, theirs, ours, docs, their_docs, terms, texts):
    tokens, size = sum(map(len, docs)), sum(len(text.encode()) for text in texts)
    for count in PHRASES:
        wanted = terms.phrases(count)
        their, our = spacy.matcher.PhraseMatcher(theirs.vocab), PhraseMatcher(ours.vocab)
        build = best(lambda their=their: their.add("key", [theirs(text) for text in wanted]), 1)
        own = best(lambda: PhraseMatcher(ours.vocab).add_texts("key", wanted), 3)
        our.add_texts("key", wanted)
        slow, quick = (
            best(lambda matcher=matcher, own=own: [matcher(doc) for doc in own], 3)
            for matcher, own in ((their, their_docs), (our, docs))
        )
        slow_text = best(lambda their=their: [their(theirs(text)) for text in texts], 1)
        text = best(lambda our=our: our.match_texts(texts, tokenizer=ours.tokenizer), 3)
        row = (str(count), f"{count:,} phrases")
        found.add("phrases", *row, quick / tokens * 1e9, slow / tokens * 1e9)
        found.add("texts", *row, size / 1e6 / text, size / 1e6 / slow_text)
        found.add("building", *row, own * 1e3, build * 1e3)


def threads(found, ours, docs, terms):
    matcher, phrases = Matcher(ours.vocab), PhraseMatcher(ours.vocab)
    for i in range(1_000):
        matcher.add(f"key{i}", [terms.pattern()])
    phrases.add_texts("key", terms.phrases(10_000))
    for key, name, search in (
        ("patterns", "1,000 token patterns", matcher),
        ("phrases", "10,000 phrases", phrases),
    ):
        one, two = (
            best(lambda s=search, n=n: s.match_all(docs, n), 9, perf_counter) for n in (1, 2)
        )
        found.add("threads", key, name, one / two)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", nargs="*", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--mb", type=float, default=MEGABYTES, help="how much text to take")
    args = parser.parse_args()
    texts = paragraphs(args.texts, args.mb)
    theirs, ours = spacy.blank("en"), lexpool.blank("en")
    ours.tokenizer = lexpool.Tokenizer.from_spacy(theirs.tokenizer)
    docs, their_docs = [ours(text) for text in texts], [theirs(text) for text in texts]
    gc.collect()
    gc.disable()
    tokens = sum(map(len, docs))
    print(f"{len(texts):,} paragraphs, {tokens:,} tokens; spaCy {spacy.__version__}\n")
    print("| | | lexpool | beside spaCy |\n| --- | --- | --- | --- |")
    found = Figures()
    token_patterns(found, theirs, ours, docs, their_docs, Terms(docs))
    phrases(found, theirs, ours, docs, their_docs, Terms(docs), texts)
    threads(found, ours, docs, Terms(docs))
    if args.json:
        taken = {
            "paragraphs": len(texts),
            "bytes": sum(len(text.encode()) for text in texts),
            "tokens": tokens,
        }
        figures.write(args.json, found.tables, args.texts, taken=taken)


if __name__ == "__main__":
    main()
