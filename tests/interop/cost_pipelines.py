"""The table of costs: pipelines and their components, with rules and with networks."""

from functools import cache

from cost_documents import enter, saved
from cost_rows import FOLDER, annotated, words
from cost_table import FIXED, Table, refused

import lexpool
from lexpool import pipeline as components
from lexpool.tokens import Doc
from lexpool.training import Example, Optimizer

TABLE = Table()


# Pipelines of many components.


def pipeline(n):
    nlp = lexpool.blank("en")
    for i in range(n // 25):
        nlp.add_pipe("sentencizer", name=f"sentencizer{i}")
    return nlp


@lexpool.Language.component("cost_component")
def _component(doc):
    return doc


TABLE.subject(
    "Language",
    pipeline,
    linear="""__call__ analyze_pipes begin_training component_names config create_optimizer
        disable_pipes evaluate from_bytes from_config from_disk initialize link_components meta
        pipe pipe_factories pipe_labels pipe_names pipeline rehearse remove_pipe rename_pipe
        replace_listeners replace_pipe resume_training select_pipes set_error_handler to_bytes
        to_disk update""",
    __call__=lambda nlp: nlp("a text of few words"),
    add_pipe=lambda nlp: nlp.add_pipe("sentencizer", name="new"),
    component=lambda nlp: nlp.component("cost_component", func=_component),
    create_pipe=lambda nlp: nlp.create_pipe("sentencizer"),
    disable_pipe=lambda nlp: nlp.disable_pipe("sentencizer0"),
    disable_pipes=lambda nlp: enter(nlp.disable_pipes("sentencizer0")),
    enable_pipe=lambda nlp: nlp.enable_pipe("sentencizer0"),
    evaluate=lambda nlp: nlp.evaluate(examples(nlp, 10)),
    factory=lambda nlp: nlp.factory("cost_factory", func=lambda nlp, name: _component),
    from_bytes=lambda nlp: pipeline(25 * len(nlp.pipe_names)).from_bytes(nlp.to_bytes()),
    from_config=lambda nlp: lexpool.Language.from_config(nlp.config),
    from_disk=lambda nlp: pipeline(25 * len(nlp.pipe_names)).from_disk(
        saved(nlp.to_disk, FOLDER / "pipeline")
    ),
    get_factory_meta=lambda nlp: nlp.get_factory_meta("sentencizer"),
    get_pipe=lambda nlp: nlp.get_pipe("sentencizer0"),
    get_pipe_config=lambda nlp: nlp.get_pipe_config("sentencizer0"),
    get_pipe_meta=lambda nlp: nlp.get_pipe_meta("sentencizer0"),
    has_factory=lambda nlp: nlp.has_factory("sentencizer"),
    has_pipe=lambda nlp: nlp.has_pipe("sentencizer0"),
    initialize=lambda nlp: nlp.initialize(),
    begin_training=lambda nlp: nlp.begin_training(),
    make_doc=lambda nlp: nlp.make_doc("a text of few words"),
    memory_zone=lambda nlp: enter(nlp.memory_zone()),
    pipe=lambda nlp: nlp.pipe(["a text of few words"], n_threads=1),
    rehearse=lambda nlp: nlp.rehearse(examples(nlp, 10)),
    remove_pipe=lambda nlp: nlp.remove_pipe("sentencizer0"),
    rename_pipe=lambda nlp: nlp.rename_pipe("sentencizer0", "new"),
    replace_pipe=lambda nlp: nlp.replace_pipe("sentencizer0", "sentencizer"),
    select_pipes=lambda nlp: enter(nlp.select_pipes(disable=["sentencizer0"])),
    set_error_handler=lambda nlp: nlp.set_error_handler(components.pipe.raise_error),
    replace_listeners=lambda nlp: refused(
        lambda: nlp.replace_listeners("tok2vec", "sentencizer0", ["model.tok2vec"])
    ),
    switch_pipes=lambda nlp: nlp.switch_pipes(["sentencizer0"], enabled=False),
    to_disk=lambda nlp: nlp.to_disk(FOLDER / "pipeline"),
    update=lambda nlp: nlp.update(examples(nlp, 10)),
    use_params=lambda nlp: enter(nlp.use_params({})),
    changing="add_pipe remove_pipe rename_pipe replace_pipe disable_pipe",
)
TABLE.without_row("as Language.__call__", "Language.from_spacy")
TABLE.without_row("as Language.from_disk", "load load_model")
TABLE.without_row(FIXED, "blank")


# Texts through a pipeline with many components that annotate.


def examples(nlp, n):
    """Examples of ten words with all annotation."""
    docs = [annotated(10, nlp.vocab) for _ in range(max(n // 10, 1))]
    for doc in docs:
        doc.cats = {"A": 1.0, "B": 0.0}
        doc.spans["sc"] = [doc[i : i + 2] for i in range(9)]
        for token in doc:
            token.set_morph("Case=Nom")
    return [Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc) for doc in docs]


# Components with networks: labels are of the size, and the documents of calls.

NETWORK = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 8,
    "depth": 1,
    "embed_size": 50,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": False,
    "pretrained_vectors": None,
}
NETWORKS = {
    "Tagger": "tagger",
    "Morphologizer": "morphologizer",
    "SentenceRecognizer": "senter",
    "EditTreeLemmatizer": "trainable_lemmatizer",
    "DependencyParser": "parser",
    "EntityRecognizer": "ner",
    "TextCategorizer": "textcat",
    "MultiLabel_TextCategorizer": "textcat_multilabel",
    "SpanCategorizer": "spancat",
    "SpanFinder": "span_finder",
    "Tok2Vec": "tok2vec",
}
SETTINGS = {"trainable_lemmatizer": {"min_tree_freq": 1}, "parser": {"min_action_freq": 1}}


@cache
def trained(factory):
    """A pipeline of one component whose network has its first weights."""
    nlp = lexpool.blank("en")
    settings = nlp.get_factory_meta(factory).default_config
    model = {**settings["model"]}
    model |= {"tok2vec": NETWORK} if "tok2vec" in model else NETWORK if factory == "tok2vec" else {}
    nlp.add_pipe(factory, name="learner", config={"model": model, **SETTINGS.get(factory, {})})
    nlp.initialize(lambda: examples(nlp, 40))
    return nlp


def calls(name, call):
    """Rows of a method for each class of a network that has it: of documents of a size."""
    for owner, factory in NETWORKS.items():
        if name in vars(getattr(components, owner)):
            TABLE.functions[f"{owner}.{name}"] = lambda n, factory=factory: prepared(
                factory, n, call
            )


def prepared(factory, n, call):
    nlp = trained(factory)
    chosen = examples(nlp, n)
    return lambda: call(nlp.get_pipe("learner"), chosen, [example.x for example in chosen])


def annotate(pipe, examples, docs):
    pipe.set_annotations(docs, pipe.predict(docs))


def loss(pipe, examples, docs):
    if isinstance(pipe, components.SpanCategorizer):
        pipe.get_loss(examples, pipe.predict(docs))
    else:
        pipe.get_loss(examples, pipe.model.begin_update(docs)[0])


def learn(pipe, examples, docs):
    pipe.update(examples)
    pipe.finish_update(pipe.create_optimizer())


def predict_with_averages(pipe, examples, docs):
    optimizer = Optimizer(0.001)
    pipe.update(examples, sgd=optimizer)
    for _ in pipe.use_params(optimizer.averages):
        pipe.predict(docs)


calls("predict", lambda pipe, examples, docs: pipe.predict(docs))
calls("set_annotations", annotate)
calls("get_loss", loss)
calls("initialize", lambda pipe, examples, docs: pipe.initialize(lambda: examples))
calls("update", learn)
calls("set_candidates", lambda pipe, examples, docs: pipe.set_candidates(docs))
calls("beam_scores", lambda pipe, examples, docs: pipe.beam_scores(docs, width=2))


def of_network(name, factory, call):
    TABLE.functions[name] = lambda n: prepared(factory, n, call)


of_network("TrainablePipe.predict", "tagger", lambda pipe, examples, docs: pipe.predict(docs))
of_network("TrainablePipe.set_annotations", "tagger", annotate)
of_network("TrainablePipe.__call__", "tagger", lambda pipe, examples, docs: [*map(pipe, docs)])
of_network("TrainablePipe.pipe", "tagger", lambda pipe, examples, docs: [*pipe.pipe(docs)])
of_network(
    "TrainablePipe.initialize",
    "tagger",
    lambda pipe, examples, docs: pipe.initialize(lambda: examples),
)
of_network("TrainablePipe.get_loss", "tagger", loss)
of_network("TrainablePipe.update", "tagger", learn)
of_network("TrainablePipe.rehearse", "tagger", lambda pipe, examples, docs: pipe.rehearse(examples))
of_network("AveragesInUse", "tagger", predict_with_averages)
of_network("Parser.predict", "parser", lambda pipe, examples, docs: pipe.predict(docs))
of_network("Parser.set_annotations", "parser", annotate)
of_network("Parser.greedy_parse", "parser", lambda pipe, examples, docs: pipe.greedy_parse(docs))
of_network("Parser.beam_parse", "parser", lambda pipe, examples, docs: pipe.beam_parse(docs, 2))
of_network(
    "DependencyParser.scored_parses",
    "parser",
    lambda pipe, examples, docs: pipe.scored_parses(pipe.beam_parse(docs, 2)),
)
of_network(
    "EntityRecognizer.scored_ents",
    "ner",
    lambda pipe, examples, docs: pipe.scored_ents(pipe.beam_parse(docs, 2)),
)
of_network(
    "Parser.get_loss",
    "parser",
    lambda pipe, examples, docs: refused(lambda: pipe.get_loss(examples, None)),
)


def labelled(factory):
    """Makes a component without weights, with as many labels as the size."""

    def component(n):
        pipe = lexpool.blank("en").add_pipe(factory)
        for word in words(n):
            pipe.add_label(word)
        return pipe

    return component


LABELS_OF = {
    "Tagger": "label_data labels",
    "DependencyParser": "labels",
    "EntityRecognizer": "labels",
    "TextCategorizer": "label_data labels",
    "SpanCategorizer": "label_data labels",
}
MEMBERS = {
    "Morphologizer": {"add_label": lambda pipe: refused(lambda: pipe.add_label("Case=Acc"))},
    "SentenceRecognizer": {"add_label": lambda pipe: refused(lambda: pipe.add_label("a"))},
    "EditTreeLemmatizer": {"add_label": lambda pipe: refused(lambda: pipe.add_label("a"))},
    "SpanFinder": {"add_label": lambda pipe: refused(lambda: pipe.add_label("a"))},
    "Tok2Vec": {
        "add_label": lambda pipe: refused(lambda: pipe.add_label("a")),
        "add_listener": lambda pipe: pipe.add_listener(None, "tagger"),
        "find_listeners": lambda pipe: pipe.find_listeners(pipe),
        "finish_update": lambda pipe: pipe.finish_update(pipe.create_optimizer()),
        "remove_listener": lambda pipe: pipe.remove_listener(None, "tagger"),
    },
}
for owner, factory in NETWORKS.items():
    if factory not in ("senter", "span_finder", "tok2vec", "trainable_lemmatizer", "morphologizer"):
        TABLE.subject(owner, labelled(factory), linear=LABELS_OF.get(owner, ""))
    else:
        TABLE.subject(
            owner,
            lambda n, factory=factory: trained(factory).get_pipe("learner"),
            **MEMBERS.get(owner, {}),
        )
TABLE.without_row("as Tok2Vec.update", "Tok2Vec.forget_rows Tok2Vec.forget_update")
TABLE.subject(
    "TrainablePipe",
    labelled("tagger"),
    linear="add_label from_bytes from_disk restorer to_bytes to_disk",
    add_label=lambda pipe: pipe.add_label("new"),
    finish_update=lambda pipe: pipe.finish_update(pipe.create_optimizer()),
    native=lambda pipe: pipe.native() if pipe.model.is_initialized else None,
    own_shared=lambda pipe: pipe.own_shared(pipe, []),
    set_output=lambda pipe: refused(lambda: pipe.set_output(5)),
    use_params=lambda pipe: [*pipe.use_params({})],
    from_bytes=lambda pipe: labelled("tagger")(0).from_bytes(pipe.to_bytes()),
    from_disk=lambda pipe: labelled("tagger")(0).from_disk(saved(pipe.to_disk, FOLDER / "tagger")),
    to_disk=lambda pipe: pipe.to_disk(FOLDER / "tagger"),
    changing="add_label",
)
TABLE.subject(
    "Parser",
    labelled("parser"),
    add_label=lambda pipe: pipe.add_label("new"),
    changing="add_label",
    linear="label_data move_names",
)
