"""Measures pipelines beside spaCy's: tokenizer, sentencizer, entity ruler and lookup lemmatizer, as
streams.

`make bench-pipelines` builds what is needed and calls this (TEXT="a.txt b.txt", JSON=out.json).
Both sides take the same paragraphs through `nlp.pipe` with the same rules, patterns and table,
drawn from the texts; what they make of them is compared. Each figure is the median of a few turns,
without Python's collector, by the clock; spaCy, which takes long, has one turn over a sample.
Memory is that of a long stream of ever new words in zones, at its end beside its middle.
"""

import argparse
import gc
import os
import random
import statistics
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import figures
import spacy
from bench import paragraphs
from figures import Row, Table
from rounding import short

import lexpool

PATTERNS = 10_000
TURNS = 5
MEGABYTES = 4
# Paragraphs for spaCy; fewer, because its matchers are slow.
SAMPLE, RULED_SAMPLE = 1_500, 60
TARGET = 25
# The measured pipelines: each has one component more than the one before.
STAGES = ("tokenizer", "sentencizer", "entity_ruler", "lemmatizer")
TITLES = {
    "tokenizer": "the tokenizer alone",
    "sentencizer": "and a sentencizer",
    "entity_ruler": f"and an entity ruler of {PATTERNS:,} patterns",
    "lemmatizer": "and a lookup lemmatizer",
    "phrases": "the whole pipeline, all its patterns phrases",
}
# Documents between two looks at the memory, and how many looks there are.
STEP, STEPS = 20_000, 12


def drawn(nlp, texts: list[str], seed: int = 5):
    """Patterns for a ruler, half of them phrases, the same as phrases alone, and a table of lemmas,
    of words in the texts."""
    rng = random.Random(seed)
    docs = [
        [token.text for token in nlp(text)] for text in rng.sample(texts, min(len(texts), 4_000))
    ]
    docs = [words for words in docs if len(words) > 4]
    patterns, phrases, seen = [], [], set()
    while len(patterns) < PATTERNS:
        words = rng.choice(docs)
        at = rng.randrange(len(words))
        chosen = words[at : at + rng.choice((1, 2, 2, 3))]
        if not any(len(word) >= 7 and word.isalpha() for word in chosen):
            continue
        if " ".join(chosen).lower() in seen:
            # A small text has not so many; numbers make more of them, which are not met. No two are
            # for the same words: which label wins then is chance in spaCy.
            chosen = [*chosen, str(len(patterns))]
        phrase = " ".join(chosen)
        seen.add(phrase.lower())
        given = phrase if len(patterns) % 2 else [{"LOWER": word.lower()} for word in chosen]
        label = f"L{len(patterns) % 20}"
        patterns.append({"label": label, "pattern": given})
        phrases.append({"label": label, "pattern": phrase})
    words = sorted({word for words in docs for word in words if word.isalpha()})
    endings = ("ing", "ed", "es", "s")
    lemmas = {
        word: word[: -len(ending)] for word in words for ending in endings if word.endswith(ending)
    }
    return patterns, phrases, lemmas


def pipeline(nlp, lookups, patterns, lemmas, stage: str):
    """A pipeline of spaCy's or lexpool's up to a stage."""
    for name in STAGES[1 : STAGES.index(stage) + 1]:
        if name == "lemmatizer":
            tables = lookups()
            tables.add_table("lemma_lookup", lemmas)
            nlp.add_pipe(name, config={"mode": "lookup"}).initialize(lookups=tables)
        else:
            component = nlp.add_pipe(name)
            if name == "entity_ruler":
                component.add_patterns(patterns)
    return nlp


def took(task: Callable[[], object], turns: int = TURNS) -> float:
    """The median of the seconds that a task takes on the clock."""
    times = []
    for _ in range(turns):
        start = perf_counter()
        task()
        times.append(perf_counter() - start)
    return statistics.median(times)


def run(nlp, texts: list[str], **arguments) -> None:
    for _ in nlp.pipe(texts, **arguments):
        pass


def annotation(doc):
    ents = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
    return [(token.text, token.lemma_, token.is_sent_start) for token in doc], ents


def speeds(table: Table, threads: Table, texts: list[str], patterns, phrases, lemmas) -> None:
    from spacy.lookups import Lookups as SpacyLookups

    from lexpool.lookups import Lookups

    size = sum(len(text.encode()) for text in texts) / 1e6
    for key in TITLES:
        stage = key if key in STAGES else STAGES[-1]
        rules = patterns if key == stage else phrases
        # Each token pattern costs spaCy time at each token; phrases and the rest do not.
        sample = texts[: SAMPLE if key in STAGES[:2] or rules is phrases else RULED_SAMPLE]
        sample_size = sum(len(text.encode()) for text in sample) / 1e6
        theirs = pipeline(spacy.blank("en"), SpacyLookups, rules, lemmas, stage)
        tokenizer = lexpool.Tokenizer.from_spacy(theirs.tokenizer)
        ours = pipeline(lexpool.Language("en", tokenizer), Lookups, rules, lemmas, stage)
        for own, their in zip(ours.pipe(sample), theirs.pipe(sample)):
            assert stage == "tokenizer" or annotation(own) == annotation(their), own.text
        # Words and chunks are met before anything is timed, on both sides.
        run(ours, texts)
        slow = sample_size / took(lambda nlp=theirs, some=sample: run(nlp, some), 1)
        one = size / took(lambda nlp=ours: run(nlp, texts, n_threads=1))
        every = size / took(lambda nlp=ours: run(nlp, texts))
        row = Row(TITLES[key], {"spacy": slow, "one": one, "lexpool": every})
        row.ratios = {"spacy": 1, "one": one / slow, "lexpool": every / slow}
        if stage == STAGES[-1]:
            row.least = TARGET * slow
        table.rows[key] = row
        threads.rows[key] = Row(TITLES[key], {"lexpool": every / one})
        print(
            f"| {TITLES[key]} | {short(slow)} | {short(one)} | {short(every)} | "
            f"{short(row.ratios['lexpool'])}x |",
            flush=True,
        )


def resident() -> float:
    """The memory of this process in MB."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def memory(table: Table, texts: list[str], patterns, lemmas) -> None:
    """The memory of a stream of ever new words, a zone for each batch."""
    from lexpool.lookups import Lookups

    nlp = pipeline(lexpool.blank("en"), Lookups, patterns, lemmas, STAGES[-1])
    looks = []
    for step in range(STEPS):
        for first in range(0, STEP, 1_000):
            numbers = range(step * STEP + first, step * STEP + first + 1_000)
            with nlp.memory_zone():
                run(nlp, [f"{texts[i % len(texts)][:200]} new{i}word" for i in numbers])
        looks.append(resident())
    middle, end = looks[STEPS // 2], looks[-1]
    row = Row(
        f"after {STEP * STEPS:,} documents, beside half of them", {"middle": middle, "end": end}
    )
    row.most = middle * 1.05
    table.rows["zones"] = row
    print(f"memory: {short(middle)} MB in the middle, {short(end)} MB at the end", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", nargs="*", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--mb", type=float, default=MEGABYTES, help="how much text to take")
    args = parser.parse_args()
    texts = paragraphs(args.texts, args.mb)
    patterns, phrases, lemmas = drawn(lexpool.blank("en"), texts)
    gc.collect()
    gc.disable()
    columns = {"spacy": "spaCy", "one": "lexpool, one thread", "lexpool": "lexpool"}
    tables = {
        "speed": Table("Pipelines", "MB/s", "more", columns, baseline="spacy"),
        "threads": Table("All threads beside one", "x", "more", {"lexpool": "lexpool"}),
        "memory": Table(
            "Memory of a stream in zones", "MB", "less", {"middle": "middle", "end": "end"}
        ),
    }
    print(f"{len(texts):,} paragraphs; spaCy {spacy.__version__}\n")
    print("| MB/s | spaCy | one thread | lexpool | beside spaCy |\n| --- | --- | --- | --- | --- |")
    speeds(tables["speed"], tables["threads"], texts, patterns, phrases, lemmas)
    gc.enable()
    if os.path.exists("/proc/self/statm"):
        memory(tables["memory"], texts, patterns, lemmas)
    else:
        del tables["memory"]
    if args.json:
        taken = {"paragraphs": len(texts), "bytes": sum(len(text.encode()) for text in texts)}
        figures.write(args.json, tables, args.texts, taken=taken)


if __name__ == "__main__":
    main()
