"""`lexpool.training.train_many`: many trainings on this machine, in one table."""

import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from test_training_loops import CONFIG

import lexpool
from lexpool.tokens import DocBin
from lexpool.training import RunResult, RunTable, train_many

WORDS = {"D": ["the", "a"], "N": ["cat", "dog", "bird"], "V": ["sees", "eats"], "P": ["she"]}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    nlp = lexpool.blank("en")
    docs = DocBin(attrs=["TAG"])
    for number in range(9):
        tags = ["P", "V", "D", "N"] if number % 3 else ["D", "N", "V", "D", "N"]
        words = [WORDS[tag][(number + at) % len(WORDS[tag])] for at, tag in enumerate(tags)]
        docs.add(lexpool.Doc(nlp.vocab, words=words, tags=tags))
    docs.to_disk(tmp_path / "all.spacy")
    path = tmp_path / "config.cfg"
    named = CONFIG.replace("= null", f'= "{tmp_path / "all.spacy"}"', 2)
    path.write_text(named.replace("max_steps = 30", "max_steps = 4").replace("= 10\n", "= 2\n"))
    return path


def test_runs_of_settings_and_seeds_are_one_table(config: Path, tmp_path: Path) -> None:
    settings: dict[str, dict[str, Any]] = {"plain": {}, "still": {"training.dropout": 0.0}}
    told: list[RunResult] = []
    table = train_many(
        config, tmp_path / "out", settings=settings, seeds=[1, 2, 3], report=told.append
    )
    assert [(run.setting, run.seed) for run in table.runs] == [
        (name, seed) for name in settings for seed in (1, 2, 3)
    ]
    assert told == table.runs
    for run in table.runs:
        assert run.error is None
        assert run.scores["tag_acc"] == run.score
        alone = lexpool.load(Path(run.folder) / "model-best")
        assert alone.meta["performance"]["tag_acc"] == run.score
    # The same as each training by itself.
    overrides = {"training.seed": 2, "training.dropout": 0.0}
    evaluations: list[Any] = []
    lexpool.train(config, tmp_path / "alone", overrides=overrides, report=evaluations.append)
    best = max(evaluation.score for evaluation in evaluations)
    assert table.runs[4].score == best
    plain, _ = table.summary()
    scores = [float(run.score or 0) for run in table.runs[:3]]
    assert plain["setting"] == "plain"
    assert (plain["runs"], plain["failed"]) == (3, 0)
    assert plain["score"] == {"mean": statistics.fmean(scores), "sd": statistics.stdev(scores)}
    saved = json.loads((tmp_path / "out/results.json").read_text())
    assert saved == table.to_dict()
    assert str(table).splitlines()[0] == "plain: 3 runs"


def test_runs_that_are_done_are_not_made_again(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import lexpool.training._runs as runs

    output, made = tmp_path / "out", []
    train = runs.train_pipeline

    def counting(*args: Any) -> Any:
        made.append(args[1])
        return train(*args)

    monkeypatch.setattr(runs, "train_pipeline", counting)
    first = train_many(config, output, seeds=[1, 2])
    assert len(made) == 2
    again = train_many(config, output, seeds=[1, 2, 3])
    assert made[2:] == [again.runs[2].folder]
    assert again.runs[:2] == first.runs
    # A run that was stopped goes on from its state, here from its last step.
    (Path(first.runs[0].folder) / "result.json").unlink()
    third = train_many(config, output, seeds=[1, 2, 3])
    assert (len(made), third.runs) == (4, again.runs)
    # With another corpus it is another run, and the folder has the state of the first.
    docs = DocBin().from_disk(tmp_path / "all.spacy")
    nlp = lexpool.blank("en")
    docs.add(lexpool.Doc(nlp.vocab, words=["she"], tags=["P"]))
    docs.to_disk(tmp_path / "all.spacy")
    refused = train_many(config, output, seeds=[2])
    assert "[state-different]" in str(refused.runs[0].error)


def test_folds_evaluate_each_document_once(config: Path, tmp_path: Path) -> None:
    table = train_many(config, tmp_path / "out", folds=4)
    assert [run.fold for run in table.runs] == [0, 1, 2, 3]
    assert all(run.error is None for run in table.runs)
    vocab = lexpool.Vocab()

    def texts(path: Path) -> list[str]:
        return [doc.text for doc in DocBin().from_disk(path).get_docs(vocab)]

    whole = texts(tmp_path / "all.spacy")
    folds = tmp_path / "out/run/folds"
    held_out = [texts(folds / f"dev-{fold}-of-4.spacy") for fold in range(4)]
    assert sorted(text for own in held_out for text in own) == sorted(whole)
    for fold, own in enumerate(held_out):
        rest = texts(folds / f"train-{fold}-of-4.spacy")
        assert sorted(rest + own) == sorted(whole)
        assert own == whole[fold::4]
    first = next(DocBin().from_disk(folds / "dev-0-of-4.spacy").get_docs(vocab))
    assert [token.tag_ for token in first] == ["D", "N", "V", "D", "N"]


def test_a_run_that_fails_is_a_row_and_the_others_go_on(config: Path, tmp_path: Path) -> None:
    settings: dict[str, dict[str, Any]] = {"wrong": {"training.dropout": 7}, "right": {}}
    table = train_many(config, tmp_path / "out", settings=settings)
    wrong, right = table.runs
    assert "[training-config]" in str(wrong.error)
    assert (wrong.score, wrong.scores) == (None, {})
    assert right.error is None
    assert table.summary()[0] == {
        "setting": "wrong",
        "runs": 0,
        "failed": 1,
        "score": {"mean": None, "sd": None},
    }
    assert "wrong: 0 runs, 1 failed" in str(table)


def test_processes_give_the_table_of_one(config: Path, tmp_path: Path) -> None:
    configs = {"one": config, "two": lexpool.config.Config.from_disk(config, interpolate=False)}
    tables = [train_many(configs, tmp_path / f"out-{n}", seeds=[5], processes=n) for n in (1, 2)]
    rows = [[(run.setting, run.seed, run.scores) for run in table.runs] for table in tables]
    assert rows[0] == rows[1]
    assert [setting for setting, _, _ in rows[0]] == ["one", "two"]


def test_wrong_arguments_are_refused(config: Path, tmp_path: Path) -> None:
    for folds in (1, -2, 10):
        with pytest.raises(ValueError, match="folds"):
            train_many(config, tmp_path / "out", folds=folds)
    with pytest.raises(ValueError, match="same setting, seed and fold"):
        train_many(config, tmp_path / "out", seeds=[1, 1])
    for name in ["..", "a/b", str(tmp_path / "elsewhere")]:
        with pytest.raises(ValueError, match="cannot be the name of a folder"):
            train_many(config, tmp_path / "runs", settings={name: {}})
    with pytest.raises(ValueError, match="no configurations"):
        train_many({}, tmp_path / "out")
    with pytest.raises(OSError, match="missing.cfg"):
        train_many("missing.cfg", tmp_path / "out")


def test_a_table_leaves_out_scores_that_are_no_numbers() -> None:
    runs = [
        RunResult("a", seed, None, "", seed / 2, 0, {"x": seed, "per_type": {"N": 1}}, None)
        for seed in (1, 2)
    ]
    (row,) = RunTable(runs).summary()
    assert row["x"] == {"mean": 1.5, "sd": pytest.approx(0.5**0.5)}
    assert "per_type" not in row
