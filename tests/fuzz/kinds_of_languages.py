"""Kinds of files: dictionaries and models of segmenters."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from file_kinds import FILES, TEXTS, Sample, files, folder_content, hash_of, kind, only, read

import lexpool
from lexpool import Tokenizer
from lexpool.msgpack import packb

CHINESE, JAPANESE = (
    "\u5728\u5317\u4eac\u5927\u5b66 \u5b66 a1",
    "\u6771\u4eac\u90fd\u306b\u884c\u3063\u305f abc,\u30ca\u30f31\uff12",
)
KOREAN, THAI = (
    "\ub098\ub294\uac04\ub2e4 abc, \ubdc1",
    "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22 a 1",
)


def segmenter(name: str, data: Path, text: str, **settings: Any) -> None:
    """Cut texts with a segmenter."""
    # A blank pipeline of the language needs the dictionary that its package installs.
    tokenizer = Tokenizer.with_segmenter(lexpool.Vocab(), name, data, **settings)
    for each in (text, text * 9, TEXTS[0], ""):
        doc = tokenizer(each)
        if doc.text != each:
            raise AssertionError(f"the text of a document is {doc.text!r}, not {each!r}")
        read(doc)


@kind("sudachi", files("dictionaries/blocks.dic", "dictionaries/legacy.dic"))
def _sudachi(place: Path) -> None:
    path = only(place)
    segmenter("sudachi", path, JAPANESE, split_mode="ABC"[hash_of(path, 3)])


@kind(
    "mecab",
    lambda: [
        folder_content(FILES / "dictionaries/mecab")
        | {"dicrc": b"cost-factor = 800\nleft-space-penalty-factor = 1,2,3,4\n"}
    ],
)
def _mecab(place: Path) -> None:
    segmenter("mecab", place, KOREAN)


def jieba_files() -> list[Sample]:
    states = "'B': -0.26, 'M': -3.14e+100, 'E': -3.14e+100, 'S': -1.46"
    rows = ", ".join(f"'{state}': {{{states}}}" for state in "BMES")
    emit = ", ".join(f"'{state}': {{'\\u4e00': -3.65, '\\u5728': -8.5}}" for state in "BMES")
    return [
        {
            "dict.txt": "\u5317\u4eac 300 ns\n\u5317\u4eac\u5927\u5b66 20 nt\n\u5b66 5 n\n".encode(),
            "finalseg/prob_start.py": f"P={{{states}}}\n".encode(),
            "finalseg/prob_trans.py": f"P={{{rows}}}\n".encode(),
            "finalseg/prob_emit.py": f"P={{{emit}}}\n".encode(),
        }
    ]


@kind("jieba", jieba_files)
def _jieba(place: Path) -> None:
    segmenter("jieba", place, CHINESE)


def npz(**arrays: Any) -> bytes:
    """Returns an archive as `numpy.savez` writes it, of arrays or of bytes that stand for them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            file = io.BytesIO()
            file.write(array) if isinstance(array, bytes) else np.save(file, array)
            archive.writestr(f"{name}.npy", file.getvalue())
    return out.getvalue()


def pkuseg_files() -> list[Sample]:
    features = {
        "unigram": ["\u5317\u4eac"],
        "bigram": ["\u5317\u4eac*\u5927\u5b66"],
        "feature_to_idx": {"$$": 0, "c.\u4eac": 1, "cb1.\u5317.c.\u4eac": 2},
        "tag_to_idx": {"B": 0, "I": 1},
    }
    weights = npz(sizes=np.array([2, 3]), w=np.arange(10.0) - 4)
    model = {
        "pkuseg_model/features.msgpack": packb(features),
        "pkuseg_processors": packb([[["\u5b66", ""]], True, ["\u5927"], ["\u5927"]]),
    }
    return [{**model, "cfg": b'{"segmenter": "pkuseg"}', "pkuseg_model/weights.npz": weights}]


@kind("pkuseg", pkuseg_files)
def _pkuseg(place: Path) -> None:
    tokenizer = Tokenizer.with_segmenter(lexpool.Vocab(), "pkuseg", pkuseg_files()[0])
    tokenizer.from_disk(place)
    read(tokenizer(CHINESE * 5))
    tokenizer.from_bytes(tokenizer.to_bytes())
    segmenter("pkuseg", place, CHINESE)


@kind(
    "newmm",
    lambda: [
        {
            "words_th.txt": "\u0e20\u0e32\u0e29\u0e32\n\u0e44\u0e17\u0e22\n\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22\n\u0e07\u0e48\u0e32\u0e22\n".encode()
        }
    ],
)
def _newmm(place: Path) -> None:
    segmenter("newmm", only(place), THAI)
