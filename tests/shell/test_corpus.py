"""`lexpool corpus`: documents from one form to another, and what is said of them."""

import json

import pytest

TREEBANK = (
    "# newdoc\n# text = Ada sleeps.\n"
    "1\tAda\tAda\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\t_\n"
    "2\tsleeps\tsleep\tVERB\tVBZ\tTense=Pres\t0\troot\t_\tSpaceAfter=No\n"
    "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
)


@pytest.fixture
def train(shell):
    """A DocBin with all that it may hold."""
    lexpool = pytest.importorskip("lexpool")
    from lexpool.tokens import Doc, DocBin, Span

    vocab = lexpool.blank("en").vocab
    docs = []
    for words in (["Ada", "sleeps", "."], ["Go", "!"]):
        doc = Doc(
            vocab,
            words=words,
            tags=[f"T{i}" for i in range(len(words))],
            lemmas=words,
            morphs=["A=B"] * len(words),
            pos=["X"] * len(words),
            deps=["dep"] * len(words),
            heads=[0] * len(words),
            ents=["B-PER"] + ["O"] * (len(words) - 1),
        )
        doc.cats = {"good": 0.5}
        doc.user_data["key"] = "value"
        doc.spans["some"] = [Span(doc, 0, 1, label="S")]
        docs.append(doc)
    (shell.folder / "train.spacy").write_bytes(DocBin(store_user_data=True, docs=docs).to_bytes())
    return docs


def told(shell, name: str) -> list[dict]:
    """The documents of a file, as JSON."""
    return [json.loads(line) for line in shell.ok("corpus", "head", name).stdout.splitlines()]


def read(shell, name: str) -> list:
    import lexpool
    from lexpool.tokens import DocBin

    docbin = DocBin().from_disk(shell.folder / name)
    return list(docbin.get_docs(lexpool.blank("en").vocab))


def test_a_docbin_comes_back_from_a_corpus_with_all_it_carries(shell, train):
    shell.ok("corpus", "convert", "train.spacy", "-o", "train.corpus")
    shell.ok("corpus", "convert", "train.corpus", "-o", "again.spacy")
    for before, after in zip(train, read(shell, "again.spacy"), strict=True):
        assert after.to_json() == before.to_json()
        assert after.user_data["key"] == "value"
        assert after.cats == {"good": 0.5}
        assert [span.label_ for span in after.spans["some"]] == ["S"]


def test_a_corpus_that_is_compressed_holds_the_same(shell, train):
    shell.ok("corpus", "convert", "train.spacy", "-o", "plain.corpus")
    shell.ok("corpus", "convert", "train.spacy", "-o", "small.corpus", "--compress")
    assert told(shell, "small.corpus") == told(shell, "plain.corpus")
    shell.ok("corpus", "verify", "small.corpus", "plain.corpus")


def test_a_corpus_that_is_made_of_texts_can_be_compressed_too(shell):
    shell.write("in.txt", "The same words, over and over again.\n" * 2000)
    shell.ok("corpus", "convert", "in.txt", "-o", "plain.corpus")
    shell.ok("corpus", "convert", "in.txt", "-o", "small.corpus", "--compress")
    plain, small = ((shell.folder / f"{name}.corpus").stat().st_size for name in ("plain", "small"))
    assert small < plain / 2
    assert told(shell, "small.corpus") == told(shell, "plain.corpus")
    for name in ("in.txt", "small.corpus"):
        said = shell.fails("corpus", "convert", name, "-o", "out.jsonl", "--compress", code=2)
        assert "--compress requires a .corpus output, not jsonl" in said


def test_a_treebank_comes_back_from_every_form_that_keeps_trees(shell):
    shell.write("in.conllu", TREEBANK)
    for form in ("corpus", "spacy", "conllu"):
        shell.ok("corpus", "convert", "in.conllu", "-o", f"one.{form}")
        shell.ok("corpus", "convert", f"one.{form}", "-o", "back.conllu")
        assert (shell.folder / "back.conllu").read_text() == TREEBANK
    shell.ok("corpus", "convert", "in.conllu", "-o", "out.jsonl")
    [doc] = map(json.loads, (shell.folder / "out.jsonl").read_text().splitlines())
    assert [token["dep"] for token in doc["tokens"]] == ["nsubj", "ROOT", "punct"]
    assert doc["tokens"][0]["morph"] == "Number=Sing"
    assert doc["sents"] == [{"start": 0, "end": 11}]


def test_json_is_what_doc_to_json_gives_and_the_word(shell, train):
    for line, doc in zip(told(shell, "train.spacy"), read(shell, "train.spacy"), strict=True):
        for token, own in zip(line["tokens"], doc, strict=True):
            assert token.pop("text") == own.text
        assert line == doc.to_json()


def test_json_lines_keep_categories_and_groups_of_spans(shell, train):
    shell.ok("corpus", "convert", "train.spacy", "-o", "train.jsonl")
    shell.ok("corpus", "convert", "train.jsonl", "-o", "again.spacy")
    for before, after in zip(train, read(shell, "again.spacy"), strict=True):
        assert after.to_json() == before.to_json()


@pytest.mark.parametrize("form", ["txt", "jsonl", "parquet"])
@pytest.mark.parametrize("to", ["corpus", "spacy", "conllu", "jsonl", "arrow"])
def test_texts_become_documents(shell, form, to):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    texts = ["Let's go.", "And on."]
    match form:
        case "txt":
            shell.write("in.txt", "\n".join(texts))
        case "jsonl":
            shell.write("in.jsonl", "\n".join(json.dumps({"text": text}) for text in texts))
        case "parquet":
            parquet.write_table(pa.table({"text": texts}), shell.folder / "in.parquet")
    shell.ok("corpus", "convert", f"in.{form}", "-o", f"out.{to}")
    if to == "arrow":
        with pa.ipc.open_file(shell.folder / "out.arrow") as file:
            assert file.read_all()["text"].to_pylist() == texts
        return
    if to == "jsonl":
        found = [
            json.loads(line)["text"]
            for line in (shell.folder / "out.jsonl").read_text().splitlines()
        ]
    else:
        found = [line["text"] for line in told(shell, f"out.{to}")]
    assert found == texts


def test_info_counts_and_merge_puts_together(shell, train):
    shell.ok("corpus", "convert", "train.spacy", "-o", "a.corpus")
    shell.write("in.conllu", TREEBANK)
    shell.ok("corpus", "convert", "in.conllu", "-o", "b.corpus")
    shell.ok("corpus", "merge", "a.corpus", "b.corpus", "-o", "both.corpus")
    assert told(shell, "both.corpus") == told(shell, "a.corpus") + told(shell, "b.corpus")
    [info] = json.loads(shell.ok("corpus", "info", "both.corpus", "--json").stdout)
    assert (info["documents"], info["tokens"], info["lang"]) == (3, 8, "en")
    assert info["columns"][0] == "text"
    table = shell.ok("corpus", "info", "a.corpus").stdout.decode()
    assert "documents  2\n" in table
    assert len(told(shell, "both.corpus")) == 3
    assert len(shell.ok("corpus", "head", "both.corpus", "-n", "1").stdout.splitlines()) == 1


def test_what_is_damaged_is_named_and_the_rest_is_checked(shell, train):
    shell.ok("corpus", "convert", "train.spacy", "-o", "whole.corpus")
    content = bytearray((shell.folder / "whole.corpus").read_bytes())
    content[content.index(b"sleeps")] ^= 1
    shell.write("flip.corpus", bytes(content))
    shell.write("cut.spacy", (shell.folder / "train.spacy").read_bytes()[:-5])
    shell.write("wrong.conllu", TREEBANK.replace("\t2\tpunct", "\t9\tpunct"))
    done = shell.run("corpus", "verify", "flip.corpus", "cut.spacy", "wrong.conllu", "whole.corpus")
    assert done.returncode == 1
    assert done.stdout == b"whole.corpus: valid, 2 documents\n"
    said = done.stderr.decode().splitlines()
    assert "flip.corpus" in said[0]
    assert "cut.spacy" in said[1]
    assert "wrong.conllu, line 5, column 7 (HEAD)" in said[2]
    assert "3 of 4 files are invalid" in said[3]


@pytest.mark.parametrize(
    ("args", "code", "hint"),
    [
        (["convert", "in.csv", "-o", "out.corpus"], 2, "expected .corpus, .spacy, .conllu, .txt"),
        (["convert", "in.txt", "-o", "out.docx"], 2, "use .corpus, .spacy, .conllu"),
        (["convert", "in.txt", "in.csv", "-o", "out.corpus"], 2, "convert takes one input file"),
        (["head", "in.txt"], 1, "expected .corpus, .spacy, .conllu or .jsonl"),
        (["info", "in.txt"], 1, "in.txt"),
        (["merge", "-o", "out.corpus"], 2, "<CORPUS>..."),
    ],
)
def test_wrong_usage_says_what_is_right(shell, args, code, hint):
    shell.write("in.txt", "one")
    shell.write("in.csv", "one")
    assert hint in shell.fails("corpus", *args, code=code)
    assert shell.names() == ["in.csv", "in.txt"]


def test_json_lines_with_tokens_are_the_documents_that_they_are(shell, train):
    from lexpool.corpus import Corpus
    from lexpool.tokens import Doc

    shell.write("in.conllu", TREEBANK)
    for name in ("train.spacy", "in.conllu"):
        shell.ok("corpus", "convert", name, "-o", "one.jsonl")
        shell.ok("corpus", "convert", "one.jsonl", "-o", "back.corpus")
        shell.ok("corpus", "verify", "one.jsonl", "back.corpus")
        shell.ok("corpus", "convert", "back.corpus", "-o", "back.jsonl")
        assert (shell.folder / "back.jsonl").read_bytes() == (
            shell.folder / "one.jsonl"
        ).read_bytes()
        assert told(shell, "one.jsonl") == told(shell, "back.corpus") == told(shell, name)
        docs = list(Corpus.open(shell.folder / "back.corpus"))
        for doc, line in zip(docs, told(shell, name), strict=True):
            assert doc.to_json() == Doc(doc.vocab).from_json(line).to_json()
    shell.ok("corpus", "convert", "back.jsonl", "-o", "back.conllu")
    assert (shell.folder / "back.conllu").read_text() == TREEBANK


def test_what_python_writes_of_a_document_is_read_with_what_it_carries(shell, train):
    lines = [json.dumps(doc.to_json()) for doc in train]
    shell.write("in.jsonl", "\n".join(lines))
    shell.ok("corpus", "convert", "in.jsonl", "-o", "out.spacy")
    for before, after in zip(train, read(shell, "out.spacy"), strict=True):
        assert after.to_json() == before.to_json()
        assert after.cats == {"good": 0.5}
        assert [span.label_ for span in after.spans["some"]] == ["S"]


def test_texts_and_documents_may_stand_in_one_file(shell):
    own = '{"text": "Let\'s go", "tokens": [{"start": 0, "end": 5}, {"start": 6, "end": 8}]}'
    lines = ['{"text": "Let\'s go"}', own, "", '{"text": " "}'] * 700
    shell.write("in.jsonl", "\n".join(lines))
    shell.ok("corpus", "convert", "in.jsonl", "-o", "out.jsonl", "--skip-blank")
    docs = [json.loads(line) for line in (shell.folder / "out.jsonl").read_text().splitlines()]
    assert [len(doc["tokens"]) for doc in docs] == [3, 2] * 700
    # A field that is named is a text, whatever stands beside it.
    shell.ok("corpus", "convert", "in.jsonl", "-o", "texts.jsonl", "--field", "text")
    docs = [json.loads(line) for line in (shell.folder / "texts.jsonl").read_text().splitlines()]
    assert [len(doc["tokens"]) for doc in docs] == [3, 3, 1] * 700


def test_a_wrong_line_is_named_and_leaves_no_file(shell):
    lines = ['{"text": "a b", "tokens": [{"start": 0, "end": 1}, {"start": 1, "end": 3}]}'] * 2
    lines[1] = lines[1].replace('"start": 1, "end": 3', '"start": 2, "end": 9')
    shell.write("in.jsonl", "\n".join(lines))
    for form in ("corpus", "jsonl", "spacy"):
        said = shell.fails("corpus", "convert", "in.jsonl", "-o", f"out.{form}")
        assert "in.jsonl, line 2: tokens[1] covers the characters 2..9 of a text of 3" in said
    assert "line 2" in shell.fails("corpus", "verify", "in.jsonl")
    # The documents before it can be read.
    said = shell.ok("corpus", "head", "in.jsonl", "-n", "1").stdout
    assert [json.loads(line)["text"] for line in said.splitlines()] == ["a b"]
    assert [path.name for path in shell.folder.iterdir()] == ["in.jsonl"]


def test_documents_become_rows_of_parquet(shell, train):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    polars = pytest.importorskip("polars")

    # Groups of rows, an empty text, and words of more bytes than characters among them.
    texts = ["", "caf\u00e9 \U0001f600, isn't it?", "word " * 400] * 900
    shell.write("in.jsonl", "\n".join(json.dumps({"text": text}) for text in texts))
    shell.ok("corpus", "convert", "in.jsonl", "-o", "out.parquet")
    shell.ok("tokenize", "in.jsonl", "--field", "text", "-o", "same.parquet", "--threads", "1")
    assert (shell.folder / "same.parquet").read_bytes() == (
        shell.folder / "out.parquet"
    ).read_bytes()
    table = parquet.read_table(shell.folder / "out.parquet")
    assert parquet.ParquetFile(shell.folder / "out.parquet").num_row_groups > 1
    assert [str(field.type) for field in table.schema] == [
        "string",
        "int32",
        "list<element: string not null>",
    ]
    assert table["text"].to_pylist() == texts
    words = table["words"].to_pylist()
    assert words[:2] == [[], ["caf\u00e9", "\U0001f600", ",", "is", "n't", "it", "?"]]
    assert table["n_tokens"].to_pylist() == [len(row) for row in words]
    assert (
        polars.read_parquet(shell.folder / "out.parquet").to_dict(as_series=False)
        == table.to_pydict()
    )
    shell.ok("corpus", "convert", "out.parquet", "-o", "back.parquet")
    assert (shell.folder / "back.parquet").read_bytes() == (
        shell.folder / "out.parquet"
    ).read_bytes()
    shell.ok("corpus", "convert", "train.spacy", "-o", "train.parquet")
    assert parquet.read_table(shell.folder / "train.parquet")["words"].to_pylist() == [
        [token.text for token in doc] for doc in train
    ]
    shell.ok("run", "in.jsonl", "-o", "docs", "--to", "parquet", "--quiet")
    assert (shell.folder / "docs" / "in.parquet").read_bytes() == (
        shell.folder / "out.parquet"
    ).read_bytes()
