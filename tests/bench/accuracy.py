"""Compares the accuracy of pipelines that `lexpool train` and `spacy train` made, over many seeds.

`make bench-accuracy STUDY=ewt TRAIN=train.spacy DEV=dev.spacy PIPELINE=tagger,parser
JSON=docs/measured/accuracy.json` trains each side once a seed (SEEDS=12) for the same number of
steps (STEPS=1500) of about 900 words, with the configuration of spaCy's quickstart for processors,
and evaluates every tenth of the way. Each run is kept in the file, so the command goes on where it
was stopped, and more seeds or other studies are added to those that are there. With WHOLE=1 the
batches grow and a run ends as the quickstart has it: after 1,600 steps without a better score.

Seeds give both sides the same first weights and order of documents, but other dropout. The scores
after the last step, and the best ones of the runs, are compared by two one-sided Welch tests
(Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15): the column `bound` is the
largest difference of the means that the runs do not exclude at a level of 5 %. Both sides are
equivalent where it lies below the margin that was chosen beforehand: 0.3 points for trees and
entities, 0.15 for tags, lemmas and morphology, 0.5 for sentences, categories and spans.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

import figures
from figures import Row, Table
from rounding import short
from scipy.stats import t as student
from training_sides import Trainer, config_of, with_constant_batches

SIDES = {"openblas": "spaCy", "lexpool": "lexpool"}
# The scores that are compared, and the margins of equivalence in points.
MARGINS = {
    "tag_acc": 0.15,
    "pos_acc": 0.15,
    "morph_acc": 0.15,
    "lemma_acc": 0.15,
    "dep_uas": 0.3,
    "dep_las": 0.3,
    "sents_f": 0.5,
    "ents_f": 0.3,
    "cats_score": 0.5,
    "spans_sc_f": 0.5,
}
COLUMNS = {
    "spacy": "spaCy",
    "spacy_sd": "spaCy, standard deviation",
    "lexpool": "lexpool",
    "lexpool_sd": "lexpool, standard deviation",
    "difference": "lexpool - spaCy",
    "bound": "largest difference not excluded",
}
LEVEL = 0.05
EVALUATIONS = 10
# The end of the names of studies whose runs end by themselves.
WHOLE = "-whole"
# A run: study, side, seed, steps, seconds of the processor, and the scores after each evaluation.
RawRun = dict[str, Any]


def bound(one: list[float], other: list[float]) -> float:
    """Returns the smallest margin within which both means are equivalent at the level: the larger
    end of Welch's confidence interval of the difference.
    """
    difference = statistics.mean(other) - statistics.mean(one)
    parts = [statistics.variance(some) / len(some) for some in (one, other)]
    error = sum(parts) ** 0.5
    if error == 0:
        return abs(difference)
    # Welch-Satterthwaite.
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(some) - 1) for part, some in zip(parts, (one, other), strict=True)
    )
    return abs(difference) + float(student.ppf(1 - LEVEL, freedom)) * error


def train(trainer: Trainer, config: Path, side: str, seed: int, steps: int | None) -> RawRun:
    """Trains for a number of steps, or else until the configuration ends it."""
    log = trainer.folder / f"{side}-{seed}.jsonl"
    options = [
        f"--system.seed={seed}",
        "--training.logger.@loggers=spacy.ConsoleLogger.v2",
        f"--training.logger.output_file={log}",
    ]
    if steps is not None:
        options += [
            f"--training.max_steps={steps}",
            f"--training.eval_frequency={steps // EVALUATIONS}",
            "--training.patience=0",
            "--training.max_epochs=0",
        ]
    run = trainer.run(side, config, options)
    curve = [json.loads(line) for line in log.read_text().splitlines()]
    last = curve[-1]["step"]
    assert steps in (None, last), f"{side}, seed {seed}: ended after {last} of {steps} steps"
    return {
        "side": side,
        "seed": seed,
        "steps": last,
        "seconds": round(run.processor, 1),
        "curve": [
            {"step": line["step"]}
            | {name: round(line["scores"][name], 3) for name in MARGINS if name in line["scores"]}
            for line in curve
        ],
    }


def seeds_of(runs: list[RawRun]) -> int:
    """Returns how many seeds both sides have."""
    return min(sum(run["side"] == side for run in runs) for side in SIDES)


def by_side(runs: list[RawRun], step: int, score: str) -> tuple[list[float], list[float]]:
    """Returns a score of spaCy's runs and of lexpool's after a step."""
    spacy, lexpool = (
        [
            point[score]
            for run in runs
            if run["side"] == side
            for point in run["curve"]
            if point["step"] == step
        ]
        for side in SIDES
    )
    return spacy, lexpool


def best_by_side(runs: list[RawRun], score: str) -> tuple[list[float], list[float]]:
    """Returns the best score of each of spaCy's runs and of lexpool's."""
    spacy, lexpool = (
        [max(point[score] for point in run["curve"]) for run in runs if run["side"] == side]
        for side in SIDES
    )
    return spacy, lexpool


def scores_of(runs: list[RawRun]) -> list[str]:
    """Returns the names of the scores that the components of a study have."""
    last = [run["curve"][-1] for run in runs]
    return [name for name in MARGINS if any(point.get(name, 0.0) for point in last)]


def compared(title: str, scores: dict[str, tuple[list[float], list[float]]]) -> Table:
    """Returns the means of both sides' scores, and how far they may lie apart."""
    table = Table(title, "points", "more", COLUMNS)
    for score, (spacy, lexpool) in scores.items():
        values = {
            "spacy": statistics.mean(spacy),
            "spacy_sd": statistics.stdev(spacy),
            "lexpool": statistics.mean(lexpool),
            "lexpool_sd": statistics.stdev(lexpool),
            "difference": statistics.mean(lexpool) - statistics.mean(spacy),
            "bound": bound(spacy, lexpool),
        }
        table.rows[score] = Row(
            score,
            {name: round(value, 3) for name, value in values.items()},
            most=MARGINS[score],
            bounded="bound",
        )
    return table


def last_scores(study: str, runs: list[RawRun]) -> Table:
    """Compares the scores after the last step."""
    steps = runs[0]["steps"]
    return compared(
        f"{study}: scores after {steps:,} steps, {seeds_of(runs)} seeds a side",
        {score: by_side(runs, steps, score) for score in scores_of(runs)},
    )


def best_scores(study: str, runs: list[RawRun]) -> Table:
    """Compares the best score of each run: what the checkpoint would have that is kept for it."""
    return compared(
        f"{study}: best of {EVALUATIONS} evaluations, {seeds_of(runs)} seeds a side",
        {score: best_by_side(runs, score) for score in scores_of(runs)},
    )


def whole_runs(study: str, runs: list[RawRun]) -> Table:
    """Returns the best scores of runs that ended by themselves, and how long they took."""
    table = Table(f"{study}: whole runs, {seeds_of(runs)} a side", "points", "more", dict(SIDES))
    for score in scores_of(runs):
        means = map(statistics.mean, best_by_side(runs, score))
        values = {side: round(mean, 2) for side, mean in zip(SIDES, means, strict=True)}
        table.rows[score] = Row(score, values)
    for key, title, unit in [
        ("steps", "steps", "steps"),
        ("seconds", "seconds of a processor", "s"),
    ]:
        values = {
            side: round(statistics.mean(run[key] for run in runs if run["side"] == side), 1)
            for side in SIDES
        }
        table.rows[key] = Row(title, values, unit=unit)
    return table


def curves(study: str, runs: list[RawRun]) -> Table:
    """Returns the difference of the means at each evaluation, in their standard errors."""
    names = scores_of(runs)
    table = Table(
        f"{study}: difference of the means on the way, in standard errors",
        "errors",
        "less",
        {name: name for name in names},
    )
    for step in [point["step"] for point in runs[0]["curve"] if point["step"]]:
        values = {}
        for score in names:
            spacy, lexpool = by_side(runs, step, score)
            error = sum(statistics.variance(some) / len(some) for some in (spacy, lexpool)) ** 0.5
            difference = statistics.mean(lexpool) - statistics.mean(spacy)
            values[score] = round(difference / error, 2) if error else 0.0
        table.rows[f"step-{step}"] = Row(f"step {step}", values)
    return table


def tell(table: Table) -> None:
    print(f"\n{table.title}\n\n| | {' | '.join(table.columns.values())} |")
    print("|" + " --- |" * (len(table.columns) + 1))
    for row in table.rows.values():
        print(f"| {row.title} | {' | '.join(short(value) for value in row.values.values())} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("study", help="a name for the corpora")
    parser.add_argument("train", type=Path, help="the corpus to train on (.spacy)")
    parser.add_argument("dev", type=Path, help="the corpus to evaluate on")
    parser.add_argument("--pipeline", default="tagger,parser", help="the components")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument(
        "--whole", action="store_true", help="train as the quickstart has it, until it ends"
    )
    parser.add_argument("--json", type=Path, required=True, help="the file of all runs")
    args = parser.parse_args()
    if args.whole:
        args.study += WHOLE
    studies: dict[str, list[RawRun]] = {}
    if args.json.exists():
        studies = json.loads(args.json.read_text(encoding="utf-8"))["raw"]
    runs = studies.setdefault(args.study, [])
    done = {(run["side"], run["seed"]) for run in runs}
    texts = [args.train, args.dev]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        paths = {"train": args.train, "dev": args.dev}
        pipeline = args.pipeline.split(",")
        config = config_of(folder, args.study, pipeline, "efficiency", lang=args.lang, **paths)
        if not args.whole:
            config = with_constant_batches(config)
        trainer = Trainer(folder)
        for seed in range(args.seeds):
            for side in SIDES:
                if (side, seed) in done:
                    continue
                run = train(trainer, config, side, seed, None if args.whole else args.steps)
                runs.append(run)
                scores = " ".join(f"{name} {value}" for name, value in run["curve"][-1].items())
                print(f"{side} seed {seed}: {run['seconds']} s, {scores}", flush=True)
                save(args.json, studies, texts)
    for table in save(args.json, studies, texts).values():
        tell(table)


def save(path: Path, studies: dict[str, list[RawRun]], texts: list[Path]) -> dict[str, Table]:
    """Writes all runs, and the tables of the studies that have two seeds a side, or whole runs."""
    tables = {}
    for study, runs in studies.items():
        if study.endswith(WHOLE):
            if seeds_of(runs):
                tables[study] = whole_runs(study.removesuffix(WHOLE), runs)
        elif seeds_of(runs) > 1:
            tables[f"{study}-last"] = last_scores(study, runs)
            tables[f"{study}-best"] = best_scores(study, runs)
            tables[f"{study}-curves"] = curves(study, runs)
    figures.write(path, tables, texts, raw=studies)
    return tables


if __name__ == "__main__":
    main()
