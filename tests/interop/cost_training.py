"""The table of costs: examples and alignments, tags and trees, parse states, scores, converters,
optimizers and loops of training; ops, and what surrounds the package.
"""

import numpy
from cost_documents import path, saved, sentences
from cost_pipelines import examples, trained
from cost_rows import annotated, short_docs, words
from cost_table import FOLDER_LIST, ONE_VALUE, Table

import lexpool
from lexpool import training
from lexpool.parser import ArcEager, BiluoPushDown, StateClass, nonproj
from lexpool.pipeline.ragged import Ragged
from lexpool.scorer import PRFScore, ROCAUCScore, Scorer
from lexpool.tokens import Doc, DocBin
from lexpool.training import Alignment, Example, Optimizer, converters, iob_utils
from lexpool.vocab import Vocab

TABLE = Table()


# Examples and alignments.


def example(n):
    """Two documents of one text; in one, two tokens are one in each sentence."""
    reference = annotated(n)
    predicted = reference.copy()
    with predicted.retokenize() as retokenizer:
        for i in range(0, n - 9, 10):
            retokenizer.merge(predicted[i : i + 2])
    return Example(predicted, reference)


def same_words(n):
    reference = annotated(n)
    return Example(Doc(reference.vocab, words=words(n)), reference)


TABLE.subject(
    "Example",
    example,
    same_words,
    linear="""__repr__ alignment copy from_dict get_aligned get_aligned_ents_and_ner get_aligned_ner
        get_aligned_parse get_aligned_sent_starts get_aligned_spans_x2y
        get_aligned_spans_y2x get_matching_ents split_sents text to_dict""",
    from_dict=lambda example: Example.from_dict(example.x.copy(), example.to_dict()),
    get_aligned=lambda example: example.get_aligned("TAG", as_string=True),
    get_aligned_spans_x2y=lambda example: example.get_aligned_spans_x2y(example.x.ents),
    get_aligned_spans_y2x=lambda example: example.get_aligned_spans_y2x(example.y.ents),
)
TABLE.subject(
    "Alignment",
    lambda n: Alignment.from_strings(*two_splittings(n)),
    linear="__repr__",
    __eq__=lambda alignment: alignment == Alignment.from_strings(["a"], ["a"]),
    from_indices=lambda alignment: Alignment.from_indices([[0]], [[0]]),
    from_strings=lambda alignment: Alignment.from_strings(["a"], ["a"]),
)
TABLE.subject(
    "AlignmentArray",
    lambda n: training.alignment_array.AlignmentArray([[i, i + 1] for i in range(n)]),
    linear="__eq__ __reduce__ __repr__ ends lengths starts",
)


def of_size(name, make, call):
    """The row of a function of a value of a size."""

    @TABLE.function(name)
    def _row(n):
        value = make(n)
        return lambda: call(value)


def two_splittings(n):
    return [f"{word}." for word in words(n)], [part for word in words(n) for part in (word, ".")]


of_size("Alignment.from_strings", two_splittings, lambda values: Alignment.from_strings(*values))
of_size("get_alignments", two_splittings, lambda values: lexpool._core.get_alignments(*values))
of_size(
    "annotations_to_doc",
    lambda n: Example(annotated(n), annotated(n)).to_dict(),
    lambda value: training.annotations_to_doc(
        Vocab(), value["token_annotation"], value["doc_annotation"]
    ),
)
of_size(
    "validate_examples",
    lambda n: [example(10)] * n,
    lambda pairs: training.example.validate_examples(pairs, "method"),
)
of_size(
    "validate_get_examples",
    lambda n: [example(10)] * n,
    lambda pairs: training.example.validate_get_examples(lambda: pairs, "method"),
)


# Tags of entities.


def tagged(n):
    return [("B-A", "L-A", "O")[i % 3] for i in range(n)]


of_size("biluo_to_iob", tagged, lexpool._core.biluo_to_iob)
of_size("iob_to_biluo", tagged, lambda tags: lexpool._core.iob_to_biluo(["B-A"] * len(tags)))
of_size("tags_to_entities", tagged, lexpool._core.tags_to_entities)
of_size("doc_to_biluo_tags", annotated, iob_utils.doc_to_biluo_tags)
of_size("doc_to_biluo_tags_with_partial", annotated, iob_utils.doc_to_biluo_tags_with_partial)
of_size(
    "biluo_tags_to_spans",
    lambda n: (annotated(n), tagged(n - n % 3) + ["O"] * (n % 3)),
    lambda values: iob_utils.biluo_tags_to_spans(*values),
)
of_size(
    "biluo_tags_to_offsets",
    lambda n: (annotated(n), tagged(n - n % 3) + ["O"] * (n % 3)),
    lambda values: iob_utils.biluo_tags_to_offsets(*values),
)


def offsets(n):
    doc = annotated(n)
    return doc, [(token.idx, token.idx + len(token), "A") for token in doc]


of_size("offsets_to_biluo_tags", offsets, lambda values: iob_utils.offsets_to_biluo_tags(*values))
TABLE.without_row(ONE_VALUE, "split_bilu_label remove_bilu_prefix")


# Trees.


def lifted_heads(n):
    heads = [i if i % 10 == 0 else i - 1 for i in range(n)]
    heads[8::10] = heads[3::10]
    return heads


def a_chain(n):
    return [max(i - 1, 0) for i in range(n)]


of_size("ancestors", a_chain, lambda heads: [*nonproj.ancestors(len(heads) - 1, heads)])
of_size("contains_cycle", a_chain, nonproj.contains_cycle)
of_size("is_nonproj_tree", a_chain, nonproj.is_nonproj_tree)
of_size("is_nonproj_arc", a_chain, lambda heads: nonproj.is_nonproj_arc(len(heads) - 1, heads))
of_size("get_smallest_nonproj_arc_slow", lifted_heads, nonproj.get_smallest_nonproj_arc_slow)
of_size("deprojectivize", sentences, nonproj.deprojectivize)
of_size(
    "count_decorated_labels",
    lambda n: [example(n)],
    nonproj.count_decorated_labels,
)
TABLE.without_row("row made_projective", "projectivize")
TABLE.without_row(ONE_VALUE, "decompose is_decorated")


# Parse states: in the middle of a document.


FEW = annotated(20)


def state(n):
    parse = StateClass(sentences(n))
    for _ in range(n // 2):
        parse.push()
    for i in range(1, n // 4):
        parse.add_arc(i - 1, i, 1)
    return parse


POSITIONS = {
    name: lambda state, name=name: getattr(state, name)(5)
    for name in "B B_ E E_ H H_ S S_ has_head n_L n_R".split()
}
CHILDREN = {
    name: lambda state, name=name: getattr(state, name)(5, 1) for name in "L L_ R R_".split()
}
TABLE.subject(
    "StateClass",
    state,
    linear="arcs clone copy print_state queue stack",
    **POSITIONS,
    **CHILDREN,
    add_arc=lambda state: state.add_arc(7, 8, 1),
    clone=lambda state: state.clone(state.copy()),
    close_ent=lambda state: (state.open_ent(1), state.close_ent()),
    del_arc=lambda state: state.del_arc(3, 4),
    open_ent=lambda state: state.open_ent(1),
    changing="add_arc close_ent del_arc open_ent pop push unshift",
)


def system(n):
    return ArcEager(
        Vocab().strings, ArcEager.get_actions(left_labels=words(n // 8), right_labels=["nsubj"])
    )


def entity_system(n):
    return BiluoPushDown(Vocab().strings, BiluoPushDown.get_actions(entity_types=words(n // 8)))


TABLE.subject(
    "TransitionSystem",
    system,
    linear="__reduce__ from_bytes from_disk initialize_actions labels to_bytes to_disk",
    add_action=lambda moves: moves.add_action(2, "new"),
    apply_transition=lambda moves: moves.apply_transition(StateClass(FEW), "S"),
    from_bytes=lambda moves: system(0).from_bytes(moves.to_bytes()),
    from_disk=lambda moves: system(0).from_disk(saved(moves.to_disk, path("moves"))),
    get_class_name=lambda moves: moves.get_class_name(1),
    init_batch=lambda moves: moves.init_batch([FEW]),
    initialize_actions=lambda moves: moves.initialize_actions(moves.labels),
    is_valid=lambda moves: moves.is_valid(StateClass(FEW), "S"),
    lookup_transition=lambda moves: moves.lookup_transition("S"),
    move_name=lambda moves: moves.move_name(2, moves.strings["nsubj"]),
    to_disk=lambda moves: moves.to_disk(path("moves")),
    transition=lambda moves: moves.transition(StateClass(FEW), 0),
    changing="add_action initialize_actions",
)
TABLE.subject(
    "ArcEager",
    system,
    class_name=lambda moves: moves.class_name(1),
    get_actions=lambda moves: ArcEager.get_actions(left_labels=["a"]),
    get_doc_labels=lambda moves: moves.get_doc_labels(FEW),
)
TABLE.subject(
    "BiluoPushDown",
    entity_system,
    add_action=lambda moves: moves.add_action(1, "new"),
    get_actions=lambda moves: BiluoPushDown.get_actions(entity_types=["a"]),
    get_doc_labels=lambda moves: moves.get_doc_labels(FEW),
    is_valid=lambda moves: moves.is_valid(StateClass(FEW), "O"),
    lookup_transition=lambda moves: moves.lookup_transition("O"),
    changing="add_action",
)
TABLE.without_row("as TransitionSystem", "Moves")


def few_labels(n):
    """A system for the labels of examples, and an example of a size."""
    pair = same_words(n)
    moves = ArcEager(
        pair.x.vocab.strings,
        ArcEager.get_actions(left_labels=["nsubj"], right_labels=["nsubj", "ROOT"]),
    )
    return moves, pair


def entity_types(n):
    pair = same_words(n)
    return BiluoPushDown(
        pair.x.vocab.strings, BiluoPushDown.get_actions(entity_types=["PER"])
    ), pair


def of_gold(name, call):
    """The row of a method of a system for an example of a size."""
    of_size(name, few_labels, lambda values: call(*values))


def started(moves, example):
    state = moves.init_batch([example.x])[0]
    return state, moves.init_gold(state, example)


of_gold("TransitionSystem.init_gold", started)
of_gold("TransitionSystem.init_gold_batch", lambda moves, example: moves.init_gold_batch([example]))
of_gold("TransitionSystem.has_gold", lambda moves, example: moves.has_gold(example))
of_gold(
    "TransitionSystem.get_cost", lambda moves, example: moves.get_cost(*started(moves, example), 0)
)
of_gold(
    "TransitionSystem.get_costs", lambda moves, example: moves.get_costs(*started(moves, example))
)
of_gold(
    "TransitionSystem.get_oracle_sequence",
    lambda moves, example: moves.get_oracle_sequence(example),
)
of_gold(
    "TransitionSystem.get_oracle_sequence_from_state",
    lambda moves, example: moves.get_oracle_sequence_from_state(*started(moves, example)),
)
of_gold("TransitionSystem.oracle", lambda moves, example: moves.oracle([example], n_threads=1))
of_gold(
    "TransitionSystem.set_annotations",
    lambda moves, example: moves.set_annotations(started(moves, example)[0], example.x),
)
TABLE.without_row("as Parser.greedy_parse", "TransitionSystem.parse")
TABLE.without_row(
    "as Parser.beam_parse",
    "TransitionSystem.beam_parse Beam StateScorer ArcEager.get_beam_parses BiluoPushDown.get_beam_parses",
)
TABLE.without_row(
    "as TransitionSystem.init_gold",
    """ArcEager.init_gold ArcEager.has_gold BiluoPushDown.has_gold Gold GoldAnnotation ArcEagerGold
    BiluoGold native_gold numbers_of""",
)
of_gold(
    "ArcEager.is_gold_parse",
    lambda moves, example: moves.is_gold_parse(*started(moves, example)),
)
of_size("BiluoPushDown.init_gold", entity_types, lambda values: started(*values))


# Scores.


def scored(n):
    """Predictions that are right in part."""
    pairs = examples(lexpool.blank("en"), n)
    for each in pairs:
        each.x.ents = each.x[0:1].ents or [lexpool.Span(each.x, 0, 1, "PER")]
    return pairs


def of_scores(name, call):
    of_size(name, scored, call)


of_scores("Scorer.score_tokenization", Scorer.score_tokenization)
of_scores("Scorer.score_token_attr", lambda pairs: Scorer.score_token_attr(pairs, "tag"))
of_scores(
    "Scorer.score_token_attr_per_feat",
    lambda pairs: Scorer.score_token_attr_per_feat(
        pairs, "morph", getter=lambda token, attr: token.morph.key
    ),
)
of_scores("Scorer.score_spans", lambda pairs: Scorer.score_spans(pairs, "ents"))
of_scores("Scorer.score_cats", lambda pairs: Scorer.score_cats(pairs, "cats", labels=["A", "B"]))
of_scores("Scorer.score_deps", lambda pairs: Scorer.score_deps(pairs, "dep"))
of_scores("Scorer.score_links", lambda pairs: Scorer.score_links(pairs, negative_labels=["NIL"]))
of_scores("Scorer.score", lambda pairs: Scorer().score(pairs))
of_scores("get_ner_prf", lexpool.scorer.get_ner_prf)
for name in "attribute_ruler lemmatizer morphologizer parser senter tagger textcat".split():
    of_scores(f"{name}_score", getattr(lexpool.pipeline.scores, f"{name}_score"))
of_scores(
    "spancat_score",
    lambda pairs: lexpool.pipeline.scores.spancat_score(pairs, spans_key="sc"),
)
TABLE.without_row("as Scorer.score", "Scorer")
TABLE.without_row("as textcat_score", "textcat_multilabel_score")
TABLE.without_row("as Scorer.score_links", "entity_linker_score")
TABLE.without_row("as get_ner_prf", "entity_ruler_score")
TABLE.without_row("as spancat_score", "span_finder_score overlapping_labeled_spans_score")


def roc(n):
    scores = ROCAUCScore()
    for i in range(n):
        scores.score_set(i / n, i % 2)
    return scores


TABLE.subject(
    "ROCAUCScore",
    roc,
    linear="is_binary",
    changing="score_set",
    score_set=lambda scores: scores.score_set(0.5, 1),
)
TABLE.subject(
    "PRFScore",
    lambda n: PRFScore(tp=n),
    __setstate__=lambda scores: scores.__setstate__(scores.__getstate__()),
    score_set=lambda scores: scores.score_set({1}, {1}),
)
of_size(
    "PRFScore.score_set",
    lambda n: ({*range(n)}, {*range(5, n)}),
    lambda sets: PRFScore().score_set(*sets),
)


# Converters, and references of trainings.


def lines(text):
    return lambda n: "".join(text.format(i=i) + "\n" * (i % 10 == 9) for i in range(n))


of_size(
    "conllu_to_docs",
    lines("1\tword{i}\tlemma\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"),
    lambda text: [*converters.conllu_to_docs(text, no_print=True)],
)
of_size(
    "conll_ner_to_docs",
    lines("word{i} NN B-PER\n"),
    lambda text: [*converters.conll_ner_to_docs(text, no_print=True)],
)
of_size(
    "iob_to_docs",
    lines("word{i}|NN|B-PER\n"),
    lambda text: [*converters.iob_to_docs(text, no_print=True)],
)
of_size("docs_to_json", sentences, lambda doc: converters.docs_to_json([doc]))
of_size(
    "json_to_docs",
    lambda n: [converters.docs_to_json([annotated(n)])],
    lambda value: [*converters.json_to_docs(value)],
)


def references(n):
    place = path(f"references{n}").with_suffix(".spacy")
    DocBin(docs=short_docs(n // 10)).to_disk(place)
    return place


of_size(
    "read_references",
    references,
    lambda place: [*training.references.read_references([place], lexpool.blank("en"))],
)
of_size(
    "examples_of_references",
    lambda n: [annotated(n)],
    lambda docs: [*training.references.examples_of_references(docs, lexpool.blank("en"))],
)
TABLE.without_row(FOLDER_LIST, "docbin_files")
TABLE.without_row("as read_references", "CorpusReader")


# Optimizers, and rows of networks.


def step(optimizer):
    learner = trained("tagger").get_pipe("learner")
    learner.update(examples(trained("tagger"), 10), sgd=optimizer)


TABLE.subject(
    "Optimizer",
    lambda n: Optimizer(),
    __setstate__=lambda optimizer: optimizer.__setstate__(optimizer.__getstate__()),
    from_bytes=lambda optimizer: Optimizer().from_bytes(optimizer.to_bytes()),
    from_config=lambda optimizer: Optimizer.from_config({"@optimizers": "Adam.v1"}),
    step=lambda optimizer: step(optimizer),
    changing="step",
)
TABLE.without_row("as Optimizer", "Adam RAdam SGD")
TABLE.subject(
    "Ragged",
    lambda n: Ragged(numpy.ones((2 * n, 3), "f"), [2] * n),
    linear="__iter__",
)
