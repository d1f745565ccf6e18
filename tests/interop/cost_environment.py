"""The table of costs: networks and their settings, ops, thinc's backend, names and settings, and
what acts outside of the process.
"""

import numpy
from cost_documents import path, saved, sentences
from cost_pipelines import NETWORK, examples, trained
from cost_rows import words
from cost_table import FIXED, ONE_VALUE, OUTSIDE, Table, refused

import lexpool
from lexpool import errors, lex_attrs, ops, thinc
from lexpool.kb import InMemoryLookupKB
from lexpool.pipeline import span_ruler
from lexpool.training import Evaluation, RunResult, RunTable
from lexpool.vocab import Vocab

TABLE = Table()


def rows_of(name, make, call):
    """The row of a function of a value of a size."""

    @TABLE.function(name)
    def _row(n):
        value = make(n)
        return lambda: call(value)


def of_model(name, call):
    """The row of a method of a network for documents of a size."""
    rows_of(f"Model.{name}", documents, lambda values: call(*values))


def documents(n):
    nlp = trained("tagger")
    return nlp.get_pipe("learner").model, [each.x for each in examples(nlp, n)]


of_model("predict", lambda model, docs: model.predict(docs))
of_model("begin_update", lambda model, docs: model.begin_update(docs))
of_model("__call__", lambda model, docs: model(docs, True))
of_model("initialize", lambda model, docs: refused(lambda: model.initialize(docs)))

# Networks: one with as many outputs as the size.


def network(n):
    nlp = lexpool.blank("en")
    pipe = nlp.add_pipe(
        "tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": NETWORK}}
    )
    for word in words(n):
        pipe.add_label(word)
    nlp.initialize(lambda: examples(nlp, 10))
    return pipe.model


TABLE.subject(
    "Model",
    network,
    linear="detach from_disk native to_dict",
    attach=lambda model: model.attach(model.learner),
    from_bytes=lambda model: network(40).from_bytes(model.to_bytes()),
    from_disk=lambda model: network(40).from_disk(saved(model.to_disk, path("network"))),
    get_dim=lambda model: model.get_dim("nO"),
    get_param=lambda model: refused(lambda: model.get_param("W")),
    get_ref=lambda model: model.get_ref("softmax"),
    has_dim=lambda model: model.has_dim("nO"),
    has_param=lambda model: model.has_param("W"),
    has_ref=lambda model: model.has_ref("softmax"),
    maybe_get_dim=lambda model: model.maybe_get_dim("nO"),
    maybe_get_param=lambda model: model.maybe_get_param("W"),
    maybe_get_ref=lambda model: model.maybe_get_ref("softmax"),
    native=lambda model: model.native(Vocab()),
    restore=lambda model: model.restore(model.snapshot()),
    to_disk=lambda model: model.to_disk(path("network")),
    changing="attach detach",
)
TABLE.subject(
    "pipeline.model.Node",
    lambda n: network(n).root,
    get_dim=lambda node: node.get_dim("nO"),
    get_param=lambda node: node.maybe_get_param("W"),
    get_ref=lambda node: node.get_ref("softmax"),
    has_dim=lambda node: node.has_dim("nO"),
    has_param=lambda node: node.has_param("W"),
    has_ref=lambda node: node.has_ref("softmax"),
    maybe_get_dim=lambda node: node.maybe_get_dim("nO"),
    maybe_get_param=lambda node: node.maybe_get_param("W"),
    maybe_get_ref=lambda node: node.maybe_get_ref("softmax"),
)
TABLE.without_row("as Parser.greedy_parse", "Model.scorer")
TABLE.without_row("as TrainablePipe.update", "Learner SharedRows TrainingLoop loop")
TABLE.without_row("as TrainablePipe.predict", "TrainedModel as_model")


# The linking of entities.


def linker(n):
    """A pipeline that links entities of documents to a knowledge base."""
    nlp = lexpool.blank("en")
    pipe = nlp.add_pipe(
        "entity_linker",
        config={"model": {"@architectures": "spacy.EntityLinker.v2", "tok2vec": NETWORK}},
    )

    def knowledge(vocab):
        base = InMemoryLookupKB(vocab, entity_vector_length=8)
        base.add_entity("Q1", 1.0, [1.0] * 8)
        base.add_alias("word0", ["Q1"], [0.9])
        return base

    pipe.set_kb(knowledge)
    linked = examples(nlp, n)
    for each in linked:
        each.reference.ents = [lexpool.Span(each.reference, 0, 1, "PER", kb_id="Q1")]
    pipe.initialize(lambda: linked, nlp=nlp, kb_loader=knowledge)
    return pipe, linked, [each.reference for each in linked]


def of_linker(name, call):
    rows_of(f"EntityLinker.{name}", linker, lambda values: call(*values))


of_linker("predict", lambda pipe, linked, docs: pipe.predict(docs))
of_linker(
    "set_annotations", lambda pipe, linked, docs: pipe.set_annotations(docs, pipe.predict(docs))
)
of_linker("update", lambda pipe, linked, docs: pipe.update(linked))
of_linker("initialize", lambda pipe, linked, docs: pipe.initialize(lambda: linked))
of_linker(
    "batch_has_learnable_example",
    lambda pipe, linked, docs: pipe.batch_has_learnable_example(linked),
)
TABLE.without_row("as EntityLinker.predict", "EntityLinker EntityLinker_v1")


# Ops, and kernels for thinc: matrices of the size.


def matrix(n):
    return numpy.ones((n, 8), dtype="f")


rows_of("LexpoolOps.gemm", matrix, lambda rows: thinc.LexpoolOps().gemm(rows, matrix(8)))
rows_of(
    "LexpoolOps.maxout",
    lambda n: numpy.ones((n, 4, 2), dtype="f"),
    lambda pieces: thinc.LexpoolOps().maxout(pieces),
)
rows_of(
    "LexpoolOps.gather_add",
    lambda n: numpy.arange(4 * n, dtype="i").reshape(n, 4) % 8,
    lambda indices: thinc.LexpoolOps().gather_add(matrix(8), indices),
)
TABLE.without_row("as LexpoolOps.gemm", "LexpoolOps")
TABLE.without_row("as map", "NativeFunction Op Registration")


# Settings.


rows_of("explain", lambda n: "[E001] " + "a" * n, errors.explain)
rows_of("get", words, lambda _: ops.get("doc.count_by"))
rows_of("names", words, lambda _: ops.names())
for name in ("prioritize_new_ents_filter", "prioritize_existing_ents_filter"):
    rows_of(
        name, sentences, lambda doc, name=name: getattr(span_ruler, name)(doc.ents, [*doc.sents])
    )
rows_of(
    "add_lookups",
    lambda n: lex_attrs.add_lookups(str.lower, *({word: word} for word in words(n))),
    lambda getter: getter("other"),
)
TABLE.without_row(
    ONE_VALUE,
    """check_numerics is_writable_attr get_ext_args normalize_token_attrs
    set_token_attrs resolve_callback resolve_function is_registered
    create_vocab""",
)


# Results of trainings.


def run(i):
    return RunResult(f"setting{i // 2}", 0, None, "folder", 0.5, 1, {"a": 0.5}, None)


TABLE.subject(
    "RunTable",
    lambda n: RunTable([run(i) for i in range(n)]),
    linear="__repr__ __str__ summary to_dict",
    __hash__=lambda table: refused(lambda: hash(table)),
)
TABLE.subject("RunResult", run, __hash__=lambda result: refused(lambda: hash(result)))
TABLE.subject(
    "Evaluation", lambda n: Evaluation(1, 1, 1, 0.5, {"a": 1.0}, dict.fromkeys(words(n), 0.5))
)
TABLE.without_row("as Evaluation", "Update")


# Names of fixed size, and those that act outside of the process.

TABLE.without_row(FIXED, "ErrorCode Limit limits univ_pos_t Numerics")
TABLE.without_row(
    OUTSIDE,
    """activate callback corpus_reader cpu ignore_error load_library logger needed override patch
    Patch prefer_gpu profile raise_error remove require_cpu require_gpu""",
)
TABLE.without_row("as Language.update", "train training.train training.train_many pretrain")
TABLE.without_row("as training.train_many", "ray.train_many")
TABLE.without_row(
    "as arrow.annotate",
    """Annotate CorpusWriter Texts altered annotate_partition dask.annotate function polars.annotate
    ray.annotate schema spark.annotate""",
)
TABLE.without_row("as Doc.from_array", "from_spacy")
TABLE.without_row("as Doc.to_array", "to_spacy")
