"""The table of costs: components with rules, edit trees and configurations."""

from cost_documents import path, saved, sentences
from cost_pipelines import prepared
from cost_rows import FOLDER, words
from cost_table import Table

import lexpool
from lexpool import pipeline as components
from lexpool.config import Config, deep_copy
from lexpool.lookups import Lookups
from lexpool.pipeline import EditTrees, functions, spancat
from lexpool.strings import StringStore
from lexpool.tokens import Doc
from lexpool.vocab import Vocab

TABLE = Table()


# Components with rules.


def ruler_with_patterns(n, name):
    ruler = lexpool.blank("en").add_pipe(name)
    ruler.add_patterns([{"label": word, "pattern": f"{word} end", "id": word} for word in words(n)])
    return ruler


def doc_of(ruler):
    return Doc(ruler.nlp.vocab, words=["word5", "end"])


PATTERNS = [{"label": "NEW", "pattern": "new"}]


@TABLE.function("Pipe.score")
def _score(n):
    return prepared("tagger", n, lambda pipe, examples, docs: pipe.score(examples))


TABLE.subject(
    "Pipe",
    lambda n: ruler_with_patterns(n, "entity_ruler"),
    linear="labels",
    __call__=lambda pipe: pipe(Doc(pipe.nlp.vocab, words=["word5"])),
    initialize=lambda pipe: components.Pipe.initialize(pipe, list),
    pipe=lambda pipe: pipe.pipe([Doc(pipe.nlp.vocab, words=["word5"])]),
    set_error_handler=lambda pipe: pipe.set_error_handler(components.pipe.raise_error),
)


def ruler_calls(name):
    """Calls of members that both kinds of rulers have."""
    return {
        "__call__": lambda ruler: ruler(doc_of(ruler)),
        "__contains__": lambda ruler: "word5" in ruler,
        "add_patterns": lambda ruler: ruler.add_patterns(PATTERNS),
        "from_bytes": lambda ruler: ruler_with_patterns(0, name).from_bytes(ruler.to_bytes()),
        "from_disk": lambda ruler: ruler_with_patterns(0, name).from_disk(
            saved(ruler.to_disk, FOLDER / name)
        ),
        "initialize": lambda ruler: ruler.initialize(list, patterns=PATTERNS),
        "match": lambda ruler: ruler.match(doc_of(ruler)),
        # All of them, since removing one does not depend on the others.
        "remove": lambda ruler: [ruler.remove(pattern["id"]) for pattern in ruler.patterns],
        "set_annotations": lambda ruler: annotated_by(ruler, doc_of(ruler)),
        "to_disk": lambda ruler: ruler.to_disk(FOLDER / name),
    }


TABLE.subject(
    "EntityRuler",
    lambda n: ruler_with_patterns(n, "entity_ruler"),
    linear="ent_ids from_bytes from_disk labels patterns remove to_bytes to_disk",
    changing="add_patterns clear initialize remove",
    **ruler_calls("entity_ruler"),
)
TABLE.subject(
    "SpanRuler",
    lambda n: ruler_with_patterns(n, "span_ruler"),
    linear="from_bytes from_disk ids labels patterns remove remove_by_id to_bytes to_disk",
    changing="add_patterns clear initialize remove remove_by_id",
    remove_by_id=lambda ruler: ruler.remove_by_id("word5"),
    **ruler_calls("span_ruler"),
)


def annotated_by(ruler, doc):
    ruler.set_annotations(doc, ruler.match(doc))


def attribute_ruler(n):
    ruler = lexpool.blank("en").add_pipe("attribute_ruler")
    for word in words(n // 8):
        ruler.add([[{"ORTH": word}]], {"TAG": "NN"})
    return ruler


def doc_of_attributes(ruler):
    return Doc(ruler.vocab, words=["word5", "end"])


TABLE.subject(
    "AttributeRuler",
    attribute_ruler,
    linear="from_bytes from_disk patterns to_bytes to_disk",
    __call__=lambda ruler: ruler(doc_of_attributes(ruler)),
    add=lambda ruler: ruler.add([[{"ORTH": "new"}]], {"TAG": "NN"}),
    add_patterns=lambda ruler: ruler.add_patterns(
        [{"patterns": [[{"ORTH": "new"}]], "attrs": {"TAG": "NN"}}]
    ),
    from_bytes=lambda ruler: attribute_ruler(0).from_bytes(ruler.to_bytes()),
    from_disk=lambda ruler: attribute_ruler(0).from_disk(saved(ruler.to_disk, FOLDER / "rules")),
    initialize=lambda ruler: ruler.initialize(list, patterns=[]),
    load_from_morph_rules=lambda ruler: ruler.load_from_morph_rules({"NN": {"a": {"LEMMA": "b"}}}),
    load_from_tag_map=lambda ruler: ruler.load_from_tag_map({"NN": {"POS": "NOUN"}}),
    match=lambda ruler: ruler.match(doc_of_attributes(ruler)),
    pipe=lambda ruler: ruler.pipe([doc_of_attributes(ruler)]),
    set_annotations=lambda ruler: annotated_by(ruler, doc_of_attributes(ruler)),
    to_disk=lambda ruler: ruler.to_disk(FOLDER / "rules"),
    changing="add add_patterns clear initialize load_from_morph_rules load_from_tag_map",
)


def lemmatizer(n):
    component = lexpool.blank("en").add_pipe("lemmatizer", config={"mode": "lookup"})
    lookups = Lookups()
    lookups.add_table("lemma_lookup", dict.fromkeys(words(n), "lemma"))
    component.initialize(lookups=lookups)
    return component


def token_of(component):
    doc = Doc(component.vocab, words=["word5", "end"], pos=["NOUN", "NOUN"])
    return doc[0]


TABLE.subject(
    "Lemmatizer",
    lemmatizer,
    linear="from_bytes from_disk initialize to_bytes to_disk",
    __call__=lambda component: component(token_of(component).doc),
    from_bytes=lambda component: lemmatizer(0).from_bytes(component.to_bytes()),
    from_disk=lambda component: lemmatizer(0).from_disk(
        saved(component.to_disk, FOLDER / "lemmatizer")
    ),
    get_lookups_config=lambda component: component.get_lookups_config("rule"),
    initialize=lambda component: component.initialize(lookups=component.lookups),
    is_base_form=lambda component: component.is_base_form(token_of(component)),
    lookup_lemmatize=lambda component: component.lookup_lemmatize(token_of(component)),
    pipe=lambda component: component.pipe([token_of(component).doc]),
    rule_lemmatize=lambda component: None,
    to_disk=lambda component: component.to_disk(FOLDER / "lemmatizer"),
)
TABLE.without_row(
    "as Lemmatizer.lookup_lemmatize",
    """CatalanLemmatizer DutchLemmatizer EnglishLemmatizer FrenchLemmatizer GreekLemmatizer
    HaitianCreoleLemmatizer IrishLemmatizer ItalianLemmatizer MacedonianLemmatizer PolishLemmatizer
    SpanishLemmatizer""",
)


def sentencizer(n):
    return components.Sentencizer(punct_chars=[chr(0x4E00 + i) for i in range(n)])


TABLE.subject(
    "Sentencizer",
    sentencizer,
    linear="from_bytes from_disk to_bytes to_disk",
    __call__=lambda component: component(Doc(Vocab(), words=["a", "."])),
    from_bytes=lambda component: components.Sentencizer().from_bytes(component.to_bytes()),
    from_disk=lambda component: components.Sentencizer().from_disk(
        saved(component.to_disk, path("marks"))
    ),
    predict=lambda component: component.predict([Doc(Vocab(), words=["a", "."])]),
    set_annotations=lambda component: annotated_by_marks(
        component, [Doc(Vocab(), words=["a", "."])]
    ),
    to_disk=lambda component: component.to_disk(path("marks")),
)


def annotated_by_marks(component, docs):
    component.set_annotations(docs, component.predict(docs))


def of_document(name, call):
    """The row of a function of a document."""

    @TABLE.function(name)
    def _row(n):
        doc = sentences(n)
        return lambda: call(doc)


of_document("merge_entities", functions.merge_entities)
of_document("merge_noun_chunks", functions.merge_noun_chunks)
of_document("merge_subtokens", functions.merge_subtokens)
of_document("DocCleaner", components.functions.DocCleaner({"tensor": None, "tag": None}))
of_document("TokenSplitter", components.functions.TokenSplitter(5, 2))
of_document("ngram_suggester", lambda doc: spancat.ngram_suggester([doc], [1, 2]))
of_document("preset_spans_suggester", lambda doc: spancat.preset_spans_suggester([doc], "a"))
TABLE.without_row("as ngram_suggester", "build_ngram_suggester build_ngram_range_suggester")
TABLE.without_row("as preset_spans_suggester", "build_preset_spans_suggester")
TABLE.without_row("as merge_entities", "NativeComponent")


def edit_trees(n):
    trees = EditTrees(StringStore())
    for word in words(n):
        trees.add(f"{word}s", word)
    return trees


TABLE.subject(
    "EditTrees",
    edit_trees,
    __setstate__=lambda trees: trees.__setstate__(trees.__reduce__()[2]),
    add=lambda trees: trees.add("word5s", "word5"),
    apply=lambda trees: trees.apply(0, "word5s"),
    from_bytes=lambda trees: EditTrees(StringStore()).from_bytes(trees.to_bytes()),
    from_disk=lambda trees: EditTrees(StringStore()).from_disk(saved(trees.to_disk, path("trees"))),
    from_json=lambda trees: EditTrees(StringStore()).from_json([]),
    to_disk=lambda trees: trees.to_disk(path("trees")),
    tree_to_str=lambda trees: trees.tree_to_str(0),
)


# Configurations.


def config(n):
    return Config({"numbers": dict.fromkeys(words(n), 1)})


TABLE.subject(
    "Config",
    config,
    linear="copy from_bytes from_disk from_str interpolate merge to_bytes to_disk to_str",
    from_bytes=lambda settings: Config().from_bytes(settings.to_bytes()),
    from_disk=lambda settings: Config().from_disk(saved(settings.to_disk, path("config"))),
    from_str=lambda settings: Config().from_str(settings.to_str()),
    merge=lambda settings: settings.merge({"numbers": {"new": 1}}),
    to_disk=lambda settings: settings.to_disk(path("config")),
)
TABLE.without_row("as Config.from_disk", "load_config")


@TABLE.function("deep_copy")
def _copy(n):
    value = {word: [word] for word in words(n)}
    return lambda: deep_copy(value)
