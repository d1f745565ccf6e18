"""Measures matchers beside spaCy's: token patterns, by how many there are, phrases, and two threads.

`make bench-matching` builds what is needed and calls this (TEXT="a.txt b.txt"). Both sides search the
same documents with the same patterns, drawn from the texts: terms of one to four words, of which one
has seven letters or more, some with a list, an operator or a flag in the place of a word. Each figure
is the best of a few turns, without Python's collector; spaCy searches a sample where it would take
minutes, and what it finds there is compared.
"""

import argparse
import gc
import random
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import lexpool
import spacy
import spacy.matcher
from bench import paragraphs
from lexpool.matcher import Matcher, PhraseMatcher

COUNTS = (10, 100, 1_000, 5_000, 10_000)
PHRASES = (1_000, 10_000, 100_000)
TURNS = 5
MEGABYTES = 4
SAMPLE = 60


def best(task: Callable[[], object], turns: int = TURNS) -> float:
    """The least seconds that a task takes."""
    times = []
    for _ in range(turns):
        start = perf_counter()
        task()
        times.append(perf_counter() - start)
    return min(times)


class Terms:
    """Patterns and phrases drawn from documents."""

    def __init__(self, docs, seed: int = 5) -> None:
        self.rng = random.Random(seed)
        self.docs = self.rng.sample([doc for doc in docs if len(doc)], min(len(docs) // 2, 4_000))
        self.words = [[token.text for token in doc] for doc in self.docs]
        self.content = sorted({w.lower() for ws in self.words for w in ws if len(w) > 4 and w.isalpha()})

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


def token_patterns(theirs, ours, docs, their_docs, terms):
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
        ratio = slow / sum(map(len, sample)) / (warm / tokens)
        yield (
            f"{count:,} token patterns",
            f"{warm / tokens * 1e9:.1f} ns a token (first time {cold / tokens * 1e9:.0f})",
            f"{ratio:,.0f}x",
            f"{warm / first:.1f} times that of {COUNTS[0]}",
        )


def phrases(theirs, ours, docs, their_docs, terms, texts):
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
        yield (
            f"{count:,} phrases",
            f"{quick / sum(map(len, docs)) * 1e9:.1f} ns a token",
            f"{slow / quick:.1f}x",
            f"from text {slow_text / text:.1f}x, built {build / own:.0f}x",
        )


def threads(ours, docs, terms):
    matcher, phrases = Matcher(ours.vocab), PhraseMatcher(ours.vocab)
    for i in range(1_000):
        matcher.add(f"key{i}", [terms.pattern()])
    phrases.add_texts("key", terms.phrases(10_000))
    for name, search in (("token patterns", matcher), ("phrases", phrases)):
        one, two = (best(lambda s=search, n=n: s.match_all(docs, n), 9) for n in (1, 2))
        yield (f"two threads, {name}", f"{one / two:.2f} times one", "", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("texts", nargs="*", type=Path)
    texts = paragraphs(parser.parse_args().texts, MEGABYTES)
    theirs, ours = spacy.blank("en"), lexpool.blank("en")
    ours.tokenizer = lexpool.Tokenizer.from_spacy(theirs.tokenizer)
    docs, their_docs = [ours(text) for text in texts], [theirs(text) for text in texts]
    gc.collect()
    gc.disable()
    print(f"{len(texts):,} paragraphs, {sum(map(len, docs)):,} tokens; spaCy {spacy.__version__}\n")
    print("| | lexpool | beside spaCy | |\n| --- | --- | --- | --- |")
    for rows in (
        token_patterns(theirs, ours, docs, their_docs, Terms(docs)),
        phrases(theirs, ours, docs, their_docs, Terms(docs), texts),
        threads(ours, docs, Terms(docs)),
    ):
        for row in rows:
            print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
