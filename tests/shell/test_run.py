"""`lexpool run`: shards into shards, over runs that are broken off."""

import fcntl
import json
import os
import random
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest

KILLS = 50 if os.environ.get("LEXPOOL_FULL") else 8
WORDS = [
    "Don't",
    "caf\u00e9",
    "U.K.",
    "over-ripe",
    "\U0001f600",
    "mg",
    "3.50",
    "aspirin",
    "the",
    "(so)",
]
PATTERNS = (
    '{"label": "DRUG", "pattern": "aspirin", "id": "a"}\n'
    '{"label": "DOSE", "pattern": [{"LIKE_NUM": true}, {"LOWER": "mg"}]}\n'
)


def lines(count: int, seed: int) -> list[str]:
    """Texts, some of them empty."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randrange(12))) for _ in range(count)]


def shards(shell, *, count: int = 4, size: int = 2000) -> list[list[str]]:
    """A folder `in` with shards of each form; gives their texts."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    folder = shell.folder / "in" / "inner"
    folder.mkdir(parents=True)
    texts = [lines(size, seed) for seed in range(count)]
    for i, own in enumerate(texts):
        path = (folder if i % 2 else folder.parent) / f"shard-{i}"
        match i % 3:
            case 0:
                table = pa.table({"id": range(len(own)), "text": own})
                parquet.write_table(
                    table, f"{path}.parquet", row_group_size=700, compression="zstd"
                )
            case 1:
                rows = (json.dumps({"id": n, "text": text}) for n, text in enumerate(own))
                Path(f"{path}.jsonl").write_text("\n".join(rows))
            case 2:
                Path(f"{path}.txt").write_text("\n".join(own))
    return texts


def tree(folder: Path) -> dict[str, bytes]:
    """All files with what is in them."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def texts_of(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def run(shell, *args: str) -> dict:
    return json.loads(shell.ok("run", "in", "-o", "out", "--to", "jsonl", "--json", *args).stdout)


def test_each_input_becomes_one_output_with_a_document_for_each_text(shell):
    texts = shards(shell)
    done = run(shell)
    assert (done["made"], done["kept"], done["failed"]) == (4, 0, 0)
    assert done["documents"] == sum(map(len, texts))
    for i, own in enumerate(texts):
        path = shell.folder / "out" / ("inner" if i % 2 else "") / f"shard-{i}.jsonl"
        expected = own[:-1] if i % 3 == 2 and not own[-1] else own
        assert texts_of(path) == expected


@pytest.mark.parametrize("form", ["corpus", "arrow", "jsonl", "spacy-docbin"])
def test_threads_do_not_change_a_byte(shell, form):
    shards(shell)
    for out, threads in (("one", "1"), ("many", "7")):
        shell.ok("run", "in", "-o", out, "--to", form, "--threads", threads)
    assert tree(shell.folder / "one") == tree(shell.folder / "many")


def test_a_second_run_does_only_what_is_new_changed_or_damaged(shell):
    shards(shell)
    run(shell)
    before = tree(shell.folder / "out")
    stamps = {path: path.stat().st_mtime_ns for path in (shell.folder / "out").rglob("*.jsonl")}
    done = run(shell)
    assert (done["made"], done["kept"]) == (0, 4)
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps
    damaged = shell.folder / "out" / "shard-0.jsonl"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    (shell.folder / "out" / "inner" / "shard-1.jsonl").unlink()
    (shell.folder / "in" / "new.txt").write_text("new")
    changed = shell.folder / "in" / "shard-2.txt"
    changed.write_text("X" + changed.read_text()[1:])
    told = shell.ok("run", "in", "-o", "out", "--to", "jsonl", "--dry-run").stdout.decode()
    assert told.splitlines() == [
        "redo out/inner/shard-1.jsonl from in/inner/shard-1.jsonl: output missing",
        "keep out/inner/shard-3.jsonl from in/inner/shard-3.parquet: complete",
        "make out/new.jsonl from in/new.txt: new",
        "redo out/shard-0.jsonl from in/shard-0.parquet: output damaged",
        "redo out/shard-2.jsonl from in/shard-2.txt: input changed",
    ]
    done = run(shell)
    assert (done["made"], done["kept"]) == (4, 1)
    after = tree(shell.folder / "out")
    assert after["shard-0.jsonl"] == before["shard-0.jsonl"]
    assert after["inner/shard-1.jsonl"] == before["inner/shard-1.jsonl"]
    # The same with other rules is not the same.
    assert run(shell, "--lang", "xx")["made"] == 5
    assert run(shell, "--lang", "xx")["made"] == 0


def test_an_input_that_is_read_in_another_way_under_a_new_name_is_read_again(shell):
    (shell.folder / "in").mkdir()
    old = shell.write("in/a.txt", '{"text": "a line of JSON"}\n')
    run(shell)
    assert texts_of(shell.folder / "out" / "a.jsonl") == ['{"text": "a line of JSON"}']
    old.rename(shell.folder / "in" / "a.jsonl")
    told = shell.ok("run", "in", "-o", "out", "--to", "jsonl", "--dry-run").stdout.decode()
    assert told == "redo out/a.jsonl from in/a.jsonl: made by another pipeline or version\n"
    assert run(shell)["made"] == 1
    assert texts_of(shell.folder / "out" / "a.jsonl") == ["a line of JSON"]
    (shell.folder / "in" / "a.jsonl").rename(shell.folder / "in" / "a.ndjson")
    assert run(shell)["kept"] == 1


def test_a_run_that_was_killed_at_any_moment_is_finished_by_the_next_one(shell):
    shards(shell, count=9, size=6000)
    start = time.monotonic()
    shell.ok("run", "in", "-o", "whole", "--to", "jsonl")
    took = time.monotonic() - start
    expected = tree(shell.folder / "whole")
    rng = random.Random(7)
    out, unfinished = shell.folder / "out", 0
    for _ in range(KILLS):
        with shell.start("run", "in", "-o", "out", "--to", "jsonl") as running:
            time.sleep(rng.uniform(0, took))
            running.send_signal(signal.SIGKILL)
        unfinished += tree(out) != expected if out.exists() else 1
        if rng.random() < 0.3:
            shutil.rmtree(out, ignore_errors=True)
        # A name is never given to what is not whole.
        for name, content in tree(out).items():
            if not name.startswith("."):
                assert content == expected[name]
    shell.ok("run", "in", "-o", "out", "--to", "jsonl")
    assert tree(out) == expected
    assert unfinished


def test_a_record_that_was_cut_off_or_changed_costs_work_and_nothing_else(shell):
    shards(shell)
    run(shell)
    expected = tree(shell.folder / "out")
    book = shell.folder / "out" / ".lexpool-run" / "done.jsonl"
    content = book.read_bytes()
    for changed in (
        content[:-20],
        b"",
        content[:100] + b"\xff" + content[101:],
        b"[1]\n{}\n" + content,
    ):
        book.write_bytes(changed)
        run(shell)
        assert tree(shell.folder / "out") == expected


def test_what_is_wrong_with_one_shard_is_named_and_the_others_are_done(shell):
    shards(shell)
    (shell.folder / "in" / "a.parquet").write_bytes(b"PAR1 and no more PAR1")
    (shell.folder / "in" / "b.txt").write_bytes(b"fine\n" * 100_000 + b"caf\xe9\n")
    (shell.folder / "in" / "c.jsonl").write_text('{"text": "fine"}\n{"body": "not"}\n')
    said = shell.fails("run", "in", "-o", "out", "--to", "jsonl").splitlines()
    assert said[0].startswith("lexpool: [parquet-invalid] in/a.parquet: not a valid Parquet file: ")
    assert said[1] == "lexpool: [not-utf8] in/b.txt, line 100001: byte 500003 (0xe9) is not UTF-8"
    assert said[2].startswith(
        'lexpool: [no-field] in/c.jsonl, line 2: no field is named "text"; the only field is "body"'
    )
    assert said[-1].endswith("3 of 7 inputs failed; see the errors above. The others are complete")
    assert not {"a.jsonl", "b.jsonl", "c.jsonl"} & tree(shell.folder / "out").keys()
    assert len(tree(shell.folder / "out")) == 4 + 2
    # Failed documents are in no sum; the sums equal those of a run without them.
    shutil.rmtree(shell.folder / "out")
    args = ("run", "in", "-o", "out", "--to", "jsonl", "--json")
    first, second = (json.loads(shell.run(*args).stdout) for _ in range(2))
    held = sum(
        len(texts_of(path))
        for path in (shell.folder / "out").rglob("*.jsonl")
        if path.parent.name != ".lexpool-run"
    )
    assert first["made"] == second["kept"] == 4
    assert first["documents"] == second["documents"] == held
    assert first["tokens"] == second["tokens"]
    assert second["bytes"] == 0
    (shell.folder / "in" / "a.parquet").unlink()
    (shell.folder / "in" / "b.txt").write_text("fine")
    (shell.folder / "in" / "c.jsonl").write_text('{"text": "fine"}')
    assert run(shell)["made"] == 2


def test_a_link_that_leads_nowhere_is_named_and_the_others_are_done(shell):
    (shell.folder / "in").mkdir()
    shell.write("in/a.txt", "fine")
    (shell.folder / "in" / "b.txt").symlink_to("gone.txt")
    (shell.folder / "in" / "notes.md").symlink_to("gone.md")
    said = shell.fails("run", "in", "-o", "out", "--to", "jsonl").splitlines()
    assert said[0].startswith("lexpool: [file-not-found] cannot read in/b.txt: ")
    assert said[-1].endswith("1 of 2 inputs failed; see the errors above. The others are complete")
    assert texts_of(shell.folder / "out" / "a.jsonl") == ["fine"]


def test_outputs_of_runs_become_inputs_only_when_their_folder_is_named(shell):
    (shell.folder / "in").mkdir()
    shell.write("in/a.txt", "fine")
    run_in = ("run", "in", "--to", "jsonl", "--json")
    assert json.loads(shell.ok(*run_in, "-o", "in/one").stdout)["files"] == 1
    assert json.loads(shell.ok(*run_in, "-o", "in/two").stdout)["files"] == 1
    named = shell.ok("run", "in/one", "-o", "three", "--to", "jsonl", "--json")
    assert json.loads(named.stdout)["files"] == 1
    said = shell.fails("run", "in", "-o", "in", "--to", "jsonl", code=2)
    assert "in is the output folder too; use another one with -o" in said


def test_two_runs_into_one_folder_do_not_meet(shell):
    shards(shell, count=2)
    run(shell)
    with (shell.folder / "out" / ".lexpool-run" / "lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = shell.fails("run", "in", "-o", "out", "--to", "jsonl")
        assert "[run-locked] another run is writing to out" in said
    assert run(shell)["kept"] == 2


def test_ctrl_c_ends_a_run_that_the_next_one_goes_on_with(shell):
    shards(shell, count=9, size=20_000)
    with shell.start("run", "in", "-o", "out", "--to", "jsonl") as running:
        while not list(shell.folder.glob("out/**/*.jsonl")):
            assert running.poll() is None
        start = time.monotonic()
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
        assert time.monotonic() - start < 2
        assert running.stderr.read() == b"lexpool: interrupted\n"
    assert not list(shell.folder.glob("out/.lexpool-run/*.part"))
    done = run(shell)
    assert done["kept"] > 0
    assert done["kept"] + done["made"] == 9


def test_a_disk_that_is_full_ends_the_run_and_keeps_what_is_whole(shell):
    shards(shell)
    (shell.folder / "in" / "inner" / "0.txt").write_text("small")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    said = shell.fails("run", "in", "-o", "out", "--to", "jsonl", preexec_fn=limit)
    assert "[file-too-large] cannot write to out/inner/shard-1.jsonl: File too large" in said
    assert tree(shell.folder / "out").keys() == {
        "inner/0.jsonl",
        ".lexpool-run/lock",
        ".lexpool-run/done.jsonl",
    }
    assert run(shell)["kept"] == 1


def test_no_input_is_overwritten_with_what_becomes_of_another(shell):
    for name in ("docs/b", "a/b"):
        (shell.folder / name).mkdir(parents=True)
    precious = shell.write("docs/b/x.jsonl", '{"text": "precious"}\n')
    shell.write("a/b/x.txt", "other")
    before = precious.read_bytes()
    said = shell.fails("run", "a", "docs/b/x.jsonl", "-o", "docs", "--to", "jsonl", code=2)
    assert "docs/b/x.jsonl would be overwritten by the output of a/b/x.txt" in said
    assert precious.read_bytes() == before


def test_matches_become_entities(shell):
    shell.write("drugs.jsonl", PATTERNS)
    shell.write("p.toml", 'match = ["drugs.jsonl"]\nby = "lower"\ncolumn = "note"\n')
    shell.write("notes.jsonl", '{"note": "Take 3.50 mg Aspirin."}\n{"note": "No more."}\n')
    shell.ok("run", "notes.jsonl", "-o", "out", "--to", "jsonl", "--pipeline", "p.toml")
    first, second = map(json.loads, (shell.folder / "out" / "notes.jsonl").read_text().splitlines())
    assert first["ents"] == [
        {"start": 5, "end": 12, "label": "DOSE"},
        {"start": 13, "end": 20, "label": "DRUG"},
    ]
    assert second["ents"] == []
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    vocab = spacy.blank("en").vocab
    assert [ent.label_ for ent in spacy.tokens.Doc(vocab).from_json(first, validate=True).ents] == [
        "DOSE",
        "DRUG",
    ]
    shell.ok("run", "notes.jsonl", "-o", "bin", "--to", "spacy-docbin", "--pipeline", "p.toml")
    docbin = spacy.tokens.DocBin().from_disk(shell.folder / "bin" / "notes.spacy")
    doc, _ = docbin.get_docs(vocab)
    assert [(ent.text, ent.label_, ent.ent_id_) for ent in doc.ents] == [
        ("3.50 mg", "DOSE", ""),
        ("Aspirin", "DRUG", "a"),
    ]
    # Other patterns, other outputs.
    shell.write("drugs.jsonl", PATTERNS.replace("DRUG", "MED"))
    done = shell.ok("run", "notes.jsonl", "-o", "out", "--to", "jsonl", "-p", "p.toml", "--json")
    assert json.loads(done.stdout)["made"] == 1


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["run", "in.txt"], "--output <OUT>"),
        (["run", "in.csv", "-o", "out"], "expected .parquet, .jsonl or .txt"),
        (["run", "in.txt", "a/in.txt", "-o", "out"], "would both become out/in.corpus"),
        (["run", "empty", "-o", "out"], "no .parquet, .jsonl or .txt file in empty"),
        (["run", "a/b.jsonl", "-o", "a", "--to", "jsonl"], "would be overwritten"),
        (
            ["run", "in.txt", "-o", "out", "-p", "p.toml", "--to", "arrow"],
            "use --to corpus",
        ),
    ],
)
def test_wrong_usage_is_2_and_says_what_is_right(shell, args, hint):
    for name in ("a", "empty"):
        (shell.folder / name).mkdir()
    for name in ("in.txt", "in.csv", "a/in.txt", "a/b.jsonl"):
        shell.write(name, "one")
    shell.write("p.toml", 'match = ["m.jsonl"]')
    shell.write("m.jsonl", PATTERNS)
    assert hint in shell.fails(*args, code=2)
    assert "out" not in shell.names()


def test_a_fault_of_a_pipeline_is_named_with_its_line(shell):
    shell.write("in.txt", "one")
    shell.write("p.toml", 'lang = "en"\nmodel = "big"\n')
    said = shell.fails("run", "in.txt", "-o", "out", "-p", "p.toml")
    assert said.startswith(
        'lexpool: [pipeline-syntax] p.toml, line 2: unknown key "model"; the keys are '
    )
    shell.write("p.toml", 'match = ["absent.jsonl"]')
    assert "[file-not-found] cannot read absent.jsonl" in shell.fails(
        "run", "in.txt", "-o", "o", "-p", "p.toml"
    )


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "lz4", "zstd"])
def test_a_column_is_read_as_others_wrote_it(shell, codec):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    rows = [None, *lines(5000, 3)]
    for version, dictionary, encoding in (
        ("1.0", True, None),
        ("2.0", True, None),
        ("2.0", False, "DELTA_BYTE_ARRAY"),
        ("1.0", False, "DELTA_LENGTH_BYTE_ARRAY"),
    ):
        table = pa.table({"t": pa.array(rows, pa.large_string()), "n": range(len(rows))})
        parquet.write_table(
            table,
            shell.folder / "in.parquet",
            compression=codec,
            data_page_version=version,
            use_dictionary=dictionary,
            column_encoding={"t": encoding, "n": "PLAIN"} if encoding else None,
            row_group_size=1800,
            data_page_size=4096,
        )
        shell.ok("tokenize", "in.parquet", "-o", "out.jsonl")
        assert texts_of(shell.folder / "out.jsonl") == ["", *rows[1:]]


def test_polars_and_duckdb_write_what_is_read(shell):
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    rows = lines(3000, 5)
    frame = polars.DataFrame({"body": rows, "other": ["x"] * len(rows)})
    frame.write_parquet(shell.folder / "polars.parquet")
    frame = frame.to_arrow()
    duckdb.from_arrow(frame).write_parquet(str(shell.folder / "duckdb.parquet"))
    said = shell.fails("tokenize", "polars.parquet", "-o", "out.jsonl")
    assert 'name the column of the texts: the columns of strings are "body", "other"' in said
    for name in ("polars", "duckdb"):
        shell.ok("tokenize", f"{name}.parquet", "--column", "body", "-o", "out.jsonl")
        assert texts_of(shell.folder / "out.jsonl") == rows
