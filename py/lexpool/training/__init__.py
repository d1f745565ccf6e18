"""Training: predicted documents with their references, entities as tags, optimizers, loops."""

from .._core import read_conllu, write_conllu
from .._learning.alignment import Alignment
from .._learning.annotations import annotations_to_doc
from .._learning.example import Example, validate_examples, validate_get_examples
from .._learning.iob_utils import (
    biluo_tags_to_offsets,
    biluo_tags_to_spans,
    biluo_to_iob,
    doc_to_biluo_tags,
    doc_to_biluo_tags_with_partial,
    iob_to_biluo,
    offsets_to_biluo_tags,
    remove_bilu_prefix,
    split_bilu_label,
    tags_to_entities,
)
from .._learning.optimizer import SGD, Adam, Optimizer, RAdam
from ._train import train
from ._training_loop import Evaluation, TrainingLoop, Update, loop
from .align import get_alignments
from .alignment_array import AlignmentArray
from .callbacks import callback, corpus_reader, logger
from .converters import docs_to_json
from .many import RunResult, RunTable, train_many
from .pretraining import pretrain

__all__ = [
    "SGD",
    "Adam",
    "Alignment",
    "AlignmentArray",
    "Evaluation",
    "Example",
    "Optimizer",
    "RAdam",
    "RunResult",
    "RunTable",
    "TrainingLoop",
    "Update",
    "annotations_to_doc",
    "biluo_tags_to_offsets",
    "biluo_tags_to_spans",
    "biluo_to_iob",
    "callback",
    "corpus_reader",
    "doc_to_biluo_tags",
    "doc_to_biluo_tags_with_partial",
    "docs_to_json",
    "get_alignments",
    "iob_to_biluo",
    "logger",
    "loop",
    "offsets_to_biluo_tags",
    "pretrain",
    "read_conllu",
    "remove_bilu_prefix",
    "split_bilu_label",
    "tags_to_entities",
    "train",
    "train_many",
    "validate_examples",
    "validate_get_examples",
    "write_conllu",
]
