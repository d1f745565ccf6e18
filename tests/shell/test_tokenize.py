"""`lexpool tokenize`: what it reads, and what it writes."""

import json

import pytest


def tokens_of(line: bytes) -> list[str]:
    return [token["text"] for token in json.loads(line)["tokens"]]


def test_stdin_becomes_json_lines_on_stdout(shell, texts, docs, lines):
    done = shell.ok("tokenize", "-", stdin=lines)
    written = done.stdout.splitlines()
    assert [json.loads(line)["text"] for line in written] == texts
    assert [tokens_of(line) for line in written] == [[t.text for t in doc] for doc in docs]


def test_the_console_script_is_the_same_command(script):
    done = script.ok("tokenize", "-", stdin=b"Let's go.")
    assert tokens_of(done.stdout) == ["Let", "'s", "go", "."]


def test_spacy_reads_the_json_lines(shell, docs, lines):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    done = shell.ok("tokenize", "-", stdin=lines)
    vocab = spacy.blank("en").vocab
    for line, ours in zip(done.stdout.splitlines(), docs, strict=True):
        data = json.loads(line)
        theirs = spacy.tokens.Doc(vocab).from_json(data, validate=True)
        assert theirs.text == ours.text
        assert [t.text_with_ws for t in theirs] == [t.text_with_ws for t in ours]
        again = theirs.to_json()
        assert again["text"] == data["text"]
        assert again["tokens"] == [
            {key: token[key] for key in ("id", "start", "end")} for token in data["tokens"]
        ]


@pytest.mark.parametrize("reader", ["en", "xx"])
def test_spacy_reads_the_docbin(shell, texts, docs, lines, reader):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    shell.write("in.txt", lines)
    shell.ok("tokenize", "in.txt", "-o", "out.spacy")
    docbin = spacy.tokens.DocBin().from_disk(shell.folder / "out.spacy")
    theirs = list(docbin.get_docs(spacy.blank(reader).vocab))
    assert [doc.text for doc in theirs] == texts
    for their, our in zip(theirs, docs, strict=True):
        assert [t.text_with_ws for t in their] == [t.text_with_ws for t in our]
        assert [t.orth for t in their] == [t.orth for t in our]
        assert [t.norm_ for t in their] == [t.norm_ for t in our]
    norms = [token.norm_ for token in theirs[0]]
    assert "not" in norms


def test_spacy_merges_the_docbin_with_one_of_its_own(shell, texts, lines):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    shell.write("in.txt", lines)
    shell.ok("tokenize", "in.txt", "-o", "out.spacy")
    own = spacy.tokens.DocBin(attrs=["NORM"], docs=[spacy.blank("en")("One more.")])
    own.merge(spacy.tokens.DocBin(attrs=["NORM"]).from_disk(shell.folder / "out.spacy"))
    again = spacy.tokens.DocBin().from_bytes(own.to_bytes())
    read = [doc.text for doc in again.get_docs(spacy.blank("en").vocab)]
    assert read == ["One more.", *texts]


def test_a_docbin_of_nothing_is_read(shell):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    shell.ok("tokenize", "-", "-o", "out.spacy")
    docbin = spacy.tokens.DocBin().from_disk(shell.folder / "out.spacy")
    assert list(docbin.get_docs(spacy.blank("en").vocab)) == []


def test_pyarrow_reads_the_arrow_file(shell, texts, docs, lines):
    ipc = pytest.importorskip("pyarrow.ipc", reason="pyarrow is not installed")
    shell.write("in.txt", lines)
    shell.ok("tokenize", "in.txt", "-o", "out.arrow", "--lang", "en")
    with ipc.open_file(shell.folder / "out.arrow") as file:
        table = file.read_all()
    table.validate(full=True)
    assert table.schema.metadata[b"lexpool.lang"] == b"en"
    assert table.column("text").to_pylist() == texts
    for row, doc in zip(table.column("tokens").to_pylist(), docs, strict=True):
        assert row == [
            {
                "start": token.idx,
                "end": token.idx + len(token),
                "orth": token.orth,
                "word": token.text,
                "space": token.whitespace_ == " ",
            }
            for token in doc
        ]


def test_polars_unnests_the_arrow_file(shell, docs, lines):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    shell.write("in.txt", lines)
    shell.ok("tokenize", "in.txt", "-o", "out.arrow")
    frame = polars.read_ipc(shell.folder / "out.arrow")
    # An empty document explodes into a row without a word.
    flat = frame.explode("tokens").unnest("tokens").filter(polars.col("word").is_not_null())
    assert flat["word"].to_list() == [token.text for doc in docs for token in doc]


def test_binary_forms_go_through_a_pipe_too(shell, texts, lines):
    ipc = pytest.importorskip("pyarrow.ipc", reason="pyarrow is not installed")
    done = shell.ok("tokenize", "-", "--format", "arrow", stdin=lines)
    assert ipc.open_file(done.stdout).read_all().num_rows == len(texts)


def test_the_format_may_be_said(shell):
    shell.ok("tokenize", "-", "-o", "out.txt", "--format", "jsonl", stdin=b"one")
    assert tokens_of((shell.folder / "out.txt").read_bytes()) == ["one"]


def test_document_n_is_line_n_unless_blank_lines_are_skipped(shell):
    text = b"one\n\n \t\r\nfour\r\n"
    kept = shell.ok("tokenize", "-", stdin=text).stdout.splitlines()
    assert [json.loads(line)["text"] for line in kept] == ["one", "", " \t", "four"]
    skipped = shell.ok("tokenize", "-", "--skip-blank", stdin=text).stdout.splitlines()
    assert [json.loads(line)["text"] for line in skipped] == ["one", "four"]


def test_a_file_may_be_a_document(shell):
    shell.write("a.txt", "one\ntwo\n")
    shell.write("b.txt", "")
    done = shell.ok("tokenize", "a.txt", "b.txt", "-", "--per", "file", stdin=b"three")
    texts = [json.loads(line)["text"] for line in done.stdout.splitlines()]
    assert texts == ["one\ntwo\n", "", "three"]


def test_files_come_in_the_order_of_the_arguments_whatever_the_threads(shell):
    names = [f"{i}.txt" for i in range(40)]
    for i, name in enumerate(names):
        shell.write(name, f"file {i}\n" * (40 - i))
    one, all_cores = (
        shell.ok("tokenize", *names, "--threads", threads).stdout for threads in ("1", "0")
    )
    assert one == all_cores
    assert json.loads(one.splitlines()[0])["text"] == "file 0"
    assert json.loads(one.splitlines()[-1])["text"] == "file 39"


def test_bytes_that_are_not_utf8_are_replaced_on_request(shell):
    done = shell.ok("tokenize", "-", "--errors", "replace", stdin=b"caf\xe9 ol\xc3\xa9")
    assert json.loads(done.stdout)["text"] == "caf\ufffd ol\u00e9"


def test_a_line_is_answered_before_the_next_one_comes(shell):
    with shell.start("tokenize", "-") as running:
        for word in (b"one", b"two"):
            running.stdin.write(word + b"\n")
            running.stdin.flush()
            assert tokens_of(running.stdout.readline()) == [word.decode()]
        running.stdin.close()
        assert running.wait(60) == 0


def test_the_summary_is_a_line_for_people_or_json(shell):
    shell.write("in.txt", "One two.\nThree\n")
    done = shell.ok("tokenize", "in.txt", "-o", "out.jsonl")
    assert done.stdout == b""
    assert done.stderr.startswith(b"out.jsonl: 2 documents, 4 tokens from 0.0 MB in ")
    assert len(done.stderr.splitlines()) == 1
    done = shell.ok("tokenize", "in.txt", "-o", "out.jsonl", "--quiet")
    assert (done.stdout, done.stderr) == (b"", b"")
    summary = json.loads(shell.ok("tokenize", "in.txt", "-o", "out.jsonl", "--json").stdout)
    assert summary.pop("seconds") > 0
    assert summary == {
        "output": "out.jsonl",
        "format": "jsonl",
        "documents": 2,
        "tokens": 4,
        "characters": 13,
        "bytes": 15,
        "output_bytes": (shell.folder / "out.jsonl").stat().st_size,
    }
    done = shell.ok("tokenize", "in.txt", "--json", "-o", "-")
    assert json.loads(done.stderr)["documents"] == len(done.stdout.splitlines()) == 2


def test_the_language_is_that_of_the_option(shell):
    english = shell.ok("tokenize", "-", stdin=b"don't").stdout
    any_other = shell.ok("tokenize", "-", "--lang", "xx", stdin=b"don't").stdout
    assert tokens_of(english) == ["do", "n't"]
    assert tokens_of(any_other) == ["don't"]
