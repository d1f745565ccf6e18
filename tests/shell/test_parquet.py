"""Parquet files that pyarrow wrote, in the codecs that lexpool decompresses itself."""

import itertools
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

CODECS = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")


def cell(row: int) -> str | None:
    match row % 7:
        case 3:
            return None
        case 5:
            return ""
        case _:
            return f"text {row % 40} \u00e9\U0001f600 {'and more ' * (row % 5)}"


def write(shell, cells: list[str | None], codec: str, **options) -> None:
    table = pa.table({"id": range(len(cells)), "text": pa.array(cells, pa.string())})
    pq.write_table(table, shell.folder / "in.parquet", compression=codec, **options)


@pytest.mark.parametrize("codec", CODECS)
def test_rows_come_back_in_order_whatever_codec_encoding_and_version(shell, codec):
    cells = [cell(row) for row in range(533)]
    encodings = (None, "PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")
    for version, encoding in itertools.product(("1.0", "2.0"), encodings):
        encoded = {"use_dictionary": False, "column_encoding": {"text": encoding}}
        options = encoded if encoding else {}
        write(
            shell,
            cells,
            codec,
            data_page_version=version,
            row_group_size=200,
            data_page_size=1000,
            write_batch_size=10,
            **options,
        )
        done = shell.ok("tokenize", "in.parquet", "-q")
        texts = [json.loads(line)["text"] for line in done.stdout.splitlines()]
        assert texts == [text or "" for text in cells], (version, encoding)


@pytest.mark.parametrize("codec", ["gzip", "brotli", "zstd"])
def test_a_page_that_announces_far_more_than_it_has_is_refused(shell, codec):
    # 64 MB inflate from whatever they take.
    write(shell, ["a" * ((64 << 20) + 100)], codec, use_dictionary=False)
    assert (shell.folder / "in.parquet").stat().st_size < 1 << 20
    assert "over the limit" in shell.fails("tokenize", "in.parquet", "-q")


def test_a_page_of_gzip_that_holds_more_than_it_announces_is_refused(shell):
    write(shell, ["a" * (1 << 20)], "gzip", use_dictionary=False)
    path = shell.folder / "in.parquet"
    column = pq.ParquetFile(path).metadata.row_group(0).column(1)
    page = bytearray(path.read_bytes())
    size = column.data_page_offset + 3
    # A field of the page's kind, then one of its size: four bytes of seven bits each.
    assert page[size - 1] == 0x15
    page[size : size + 4] = b"\x80\x80\x80\x01"
    path.write_bytes(page)
    error = shell.fails("tokenize", "in.parquet", "-q")
    assert "parquet-invalid" in error
    assert "a page that announces 1048576 bytes has more" in error
