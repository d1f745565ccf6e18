"""Polars, at once, lazily and streaming."""

import pytest
from changed_rules import outdated

import lexpool
import lexpool.arrow
from lexpool.engines import Annotator, altered

pl = pytest.importorskip("polars", reason="Polars is not installed")

import lexpool.polars


@pytest.fixture(scope="module")
def frame(texts):
    return pl.DataFrame(texts)


def as_table(frame):
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())


@pytest.mark.parametrize("chunks", [1, 2, 9])
def test_a_frame_gets_what_one_process_makes(frame, annotator, same, chunks):
    size = -(-len(frame) // chunks)
    parts = pl.concat(list(frame.iter_slices(size)), rechunk=False)
    assert parts.n_chunks() == chunks
    same(as_table(lexpool.polars.annotate(parts, annotator)))


@pytest.mark.parametrize("chunks", [1, 7])
@pytest.mark.parametrize("threads", [0, 2])
def test_a_trained_pipeline_annotates_as_in_one_piece(
    fewer, trained, same_annotation, chunks, threads
):
    frame = pl.DataFrame(fewer)
    size = -(-len(frame) // chunks)
    parts = pl.concat(list(frame.iter_slices(size)), rechunk=False)
    same_annotation(as_table(lexpool.polars.annotate(parts, altered(trained, threads=threads))))
    lazy = lexpool.polars.annotate(parts.lazy(), trained).collect(engine="streaming")
    same_annotation(as_table(lazy))
    lemmas = parts.select(pl.col("body").lexpool.attribute("lemma_", trained))
    assert lemmas["body"].to_list() == lazy["lemma_"].to_list()


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_lazy_frame_gets_the_same_in_any_order(frame, annotator, same, engine):
    mixed = frame.lazy().sort(pl.col("id") % 17)
    same(as_table(lexpool.polars.annotate(mixed, annotator).collect(engine=engine)))


def test_a_file_is_streamed_through(frame, annotator, same, tmp_path):
    frame.write_parquet(tmp_path / "texts.parquet", row_group_size=100)
    lexpool.polars.annotate(pl.scan_parquet(tmp_path / "texts.parquet"), annotator).sink_parquet(
        tmp_path / "tokens.parquet"
    )
    same(as_table(pl.read_parquet(tmp_path / "tokens.parquet")))


def test_expressions_give_what_documents_have(frame):
    nlp = lexpool.blank("en")
    texts = pl.col("body").lexpool
    done = frame.head(100).select(
        "body",
        words=texts.tokenize(),
        count=texts.n_tokens(),
        tokens=texts.tokens(),
        strings=texts.strings("en"),
        lower=texts.attribute("lower_", Annotator("en", threads=2)),
    )
    for row in done.to_dicts():
        if row["body"] is None:
            assert set(row.values()) == {None}
            continue
        doc = nlp(row["body"])
        assert row["words"] == [token.text for token in doc]
        assert row["count"] == len(doc)
        assert row["lower"] == [token.lower_ for token in doc]
        assert [token["orth"] for token in row["tokens"]] == [token.orth for token in doc]
        assert row["strings"] == list(dict.fromkeys(row["words"]))


def test_expressions_know_their_types_and_names_beforehand(frame):
    lazy = frame.lazy().select(pl.col("body").lexpool.tokens())
    assert lazy.collect_schema() == lazy.collect().schema
    assert lazy.collect_schema().names() == ["body"]


def test_categories_and_other_expressions_are_texts_too(frame):
    made = frame.head(50).with_columns(category=pl.col("body").cast(pl.Categorical))
    done = made.select(
        plain=pl.col("body").lexpool.n_tokens(),
        coded=pl.col("category").lexpool.n_tokens(),
        upper=pl.col("body").str.to_uppercase().lexpool.attribute("is_upper"),
    )
    assert done["plain"].to_list() == done["coded"].to_list()
    assert done["upper"].explode().any()


def test_groups_are_rows_by_themselves(frame):
    made = frame.head(200).with_columns(group=pl.col("id") % 3)
    grouped = made.group_by("group", maintain_order=True).agg(
        pl.col("id"), n=pl.col("body").lexpool.n_tokens()
    )
    by_row = made.select("id", n=pl.col("body").lexpool.n_tokens())
    assert grouped.explode("id", "n").select("id", "n").sort("id").equals(by_row)


def test_what_is_no_text_is_an_error(frame):
    with pytest.raises((ValueError, pl.exceptions.PolarsError), match="Int64, not strings"):
        frame.select(pl.col("id").lexpool.n_tokens())
    with pytest.raises(ValueError, match="'id' already"):
        lexpool.polars.annotate(frame, Annotator("en", columns=["id"]))
    with pytest.raises(ValueError, match="2 columns have strings"):
        lexpool.polars.annotate(frame.with_columns(title=pl.col("body")))


def test_rules_that_have_changed_since_are_refused(tmp_path, monkeypatch):
    annotator = outdated(tmp_path, monkeypatch)
    frame = pl.DataFrame({"body": ["a word"]})
    for annotated in (
        lambda: frame.select(pl.col("body").lexpool.tokenize(annotator)),
        lambda: lexpool.polars.annotate(frame, annotator),
    ):
        with pytest.raises((ValueError, pl.exceptions.PolarsError), match="are not those"):
            annotated()
