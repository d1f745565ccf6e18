"""`Language`: components are added, found, replaced, disabled, as in spaCy."""

import copy
import pickle
import warnings

import pytest

import lexpool
from lexpool import Language
from lexpool.errors import ConfigError
from lexpool.lookups import Lookups

NAMES = ["one", "two", "three", "four"]


@pytest.fixture
def nlp():
    made = lexpool.blank("en")
    for name in NAMES:
        made.add_pipe(make(name), name=name)
    return made


def make(name):
    def component(doc):
        doc.user_data.setdefault("seen", []).append(name)
        return doc

    return component


def identity(doc):
    return doc


class Custom(Language):
    """With factories of its own."""


def test_components_run_in_their_order(nlp):
    assert nlp("a b").user_data["seen"] == NAMES
    assert nlp.pipe_names == nlp.component_names == NAMES
    assert [name for name, _ in nlp.pipeline] == [name for name, _ in nlp.components] == NAMES
    doc = nlp.make_doc("a b")
    assert nlp(doc) is doc
    assert nlp(doc.to_bytes()).text == "a b"


@pytest.mark.parametrize(
    "place, at",
    [
        ({}, 4),
        ({"last": True}, 4),
        ({"first": True}, 0),
        ({"before": "two"}, 1),
        ({"after": "two"}, 2),
        ({"before": 3}, 3),
        ({"after": 3}, 4),
        ({"before": 0}, 0),
    ],
)
def test_a_component_is_put_where_it_is_to_be(nlp, place, at):
    nlp.add_pipe(identity, **place)
    assert nlp.pipe_names.index("identity") == at
    assert nlp.get_pipe("identity") is identity


@pytest.mark.parametrize(
    "arguments, code",
    [
        ({"before": "one", "after": "two"}, "E006"),
        ({"first": True, "last": True}, "E006"),
        ({"before": "none"}, "E001"),
        ({"after": "none"}, "E001"),
        ({"before": 4}, "E959"),
        ({"after": -1}, "E959"),
        ({"before": True}, "E006"),
        ({"name": "one"}, "E007"),
    ],
)
def test_a_place_or_name_that_cannot_be_is_refused(nlp, arguments, code):
    with pytest.raises(ValueError, match=code):
        nlp.add_pipe(identity, **arguments)
    assert nlp.pipe_names == NAMES


@pytest.mark.parametrize("given", [3, None, ["x"], Language])
def test_what_is_no_component_is_refused(nlp, given):
    with pytest.raises(ValueError, match="E966"):
        nlp.add_pipe(given)


def test_a_factory_that_is_not_there_is_refused(nlp):
    with pytest.raises(ValueError, match="E002.*nothing"):
        nlp.add_pipe("nothing")
    with pytest.raises(ValueError, match="E002.*exclude="):
        nlp.add_pipe("transformer")
    for config in ([], "x"):
        with pytest.raises(ValueError, match="E962"):
            nlp.add_pipe("op", config=config)
    with pytest.raises(ValueError, match="E961"):
        nlp.create_pipe("op", config={"op": object()})
    with pytest.raises(ValueError, match="lacks 'op'"):
        nlp.create_pipe("op")
    with pytest.raises(ValueError, match="'other'"):
        nlp.create_pipe("op", config={"op": "doc.words", "other": 1})


def test_components_are_found_by_name(nlp):
    assert nlp.has_pipe("two") and not nlp.has_pipe("five")
    with pytest.raises(KeyError, match="E001"):
        nlp.get_pipe("five")
    with pytest.raises(ValueError, match="E967"):
        nlp.get_pipe_meta("five")
    with pytest.raises(ValueError, match="E960"):
        nlp.get_pipe_config("five")
    with pytest.raises(ValueError, match="E967"):
        Language.get_factory_meta("five")


def test_a_component_is_removed_renamed_or_replaced(nlp):
    name, component = nlp.remove_pipe("two")
    assert name == "two" and callable(component)
    assert nlp.pipe_names == ["one", "three", "four"]
    nlp.rename_pipe("three", "drei")
    assert nlp.pipe_names == ["one", "drei", "four"]
    nlp.replace_pipe("drei", "op", config={"op": "doc.words"})
    assert nlp.pipe_names == ["one", "drei", "four"]
    doc = nlp("a b")
    assert doc.user_data == {"seen": ["one", "four"], "drei": ["a", "b"]}
    nlp.rename_pipe("drei", "words")
    assert nlp("a b").user_data["words"] == ["a", "b"]
    for act in (nlp.remove_pipe, nlp.disable_pipe, nlp.enable_pipe):
        with pytest.raises(ValueError, match="E001"):
            act("two")
    with pytest.raises(ValueError, match="E001"):
        nlp.rename_pipe("two", "zwei")
    with pytest.raises(ValueError, match="E007"):
        nlp.rename_pipe("one", "four")
    with pytest.raises(ValueError, match="E001"):
        nlp.replace_pipe("two", "op")
    with pytest.raises(ValueError, match="E968"):
        nlp.replace_pipe("one", identity)
    with pytest.raises(ValueError, match="E002"):
        nlp.replace_pipe("one", "nothing")
    assert nlp.pipe_names == ["one", "words", "four"]


def test_a_disabled_component_stays_and_does_not_run(nlp):
    nlp.disable_pipe("two")
    assert nlp.disabled == ["two"]
    assert nlp.pipe_names == ["one", "three", "four"] and nlp.component_names == NAMES
    assert nlp("a").user_data["seen"] == ["one", "three", "four"]
    assert not nlp.has_pipe("two") and nlp.get_pipe("two")
    nlp.rename_pipe("two", "zwei")
    assert nlp.disabled == ["zwei"]
    nlp.enable_pipe("zwei")
    assert nlp.disabled == []
    nlp.disable_pipe("one")
    nlp.remove_pipe("one")
    nlp.add_pipe(make("one"), name="one")
    assert nlp.disabled == []


def test_components_are_disabled_for_a_while(nlp):
    with nlp.select_pipes(disable=["one", "two"]) as disabled:
        assert nlp.pipe_names == ["three", "four"] and disabled == ["one", "two"]
    assert nlp.pipe_names == NAMES
    with nlp.select_pipes(enable="two"):
        assert nlp.pipe_names == ["two"]
        with nlp.select_pipes(disable="two"):
            assert nlp.pipe_names == []
        assert nlp.pipe_names == ["two"]
    disabled = nlp.select_pipes(disable="four")
    nlp.remove_pipe("four")
    with pytest.raises(ValueError, match="E008"):
        disabled.restore()
    nlp.disable_pipe("one")
    with nlp.select_pipes(disable=["one", "two"]):
        assert nlp.pipe_names == ["three"]
    assert nlp.disabled == ["one"]


def test_a_selection_that_cannot_be_is_refused(nlp):
    with pytest.raises(ValueError, match="E991"):
        nlp.select_pipes()
    with pytest.raises(ValueError, match="E992"):
        nlp.select_pipes(enable=["one", "two"], disable=["three"])
    with pytest.raises(ValueError, match="E001"):
        nlp.select_pipes(disable=["one", "five"])
    with pytest.raises(ValueError, match="E001"):
        nlp.switch_pipes(["one", "five"], enabled=False)
    assert nlp.disabled == []
    with nlp.select_pipes(enable=["one", "two"], disable=["three", "four"]):
        assert nlp.pipe_names == ["one", "two"]


@pytest.mark.parametrize("name", ["pipe_names", "component_names", "pipeline", "disabled"])
def test_what_shows_the_pipeline_does_not_change_it(nlp, name):
    shown = getattr(nlp, name)
    for act in (
        lambda: shown.append("x"),
        lambda: shown.clear(),
        lambda: shown.insert(0, "x"),
        lambda: shown.__setitem__(slice(None), []),
        lambda: shown.sort(),
    ):
        with pytest.raises(NotImplementedError, match="E926"):
            act()


def test_what_replaces_a_disabled_component_is_disabled_as_in_spacy(spacy):
    for module in (spacy, lexpool):
        nlp = module.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("doc_cleaner", last=False)
        nlp.disable_pipe("sentencizer")
        made = nlp.replace_pipe("sentencizer", "sentencizer", config={"punct_chars": ["!"]})
        assert nlp.disabled == ["sentencizer"]
        assert nlp.component_names == ["sentencizer", "doc_cleaner"]
        assert not nlp("a! b").has_annotation("SENT_START")
        nlp.enable_pipe("sentencizer")
        assert nlp.get_pipe("sentencizer") is made
        assert len(list(nlp("a! b").sents)) == 2
        with pytest.raises(ValueError, match="E006"):
            nlp.add_pipe("merge_entities", first=False)
        with pytest.raises(ValueError, match="E006"):
            nlp.add_pipe("merge_entities", last=False, before="doc_cleaner")


def test_functions_and_factories_are_registered_for_a_class():
    @Custom.component("shouting")
    def shouting(doc):
        doc.user_data["text"] = doc.text.upper()
        return doc

    @Custom.factory("marking", default_config={"mark": "!", "times": 1})
    def marking(nlp, name, mark, times, more="none"):
        def component(doc):
            doc.user_data[name] = mark * times
            return doc

        return component

    assert Custom.has_factory("shouting") and not Language.has_factory("shouting")
    nlp = Custom("en", lexpool.Tokenizer.blank("en"))
    nlp.add_pipe("shouting")
    nlp.add_pipe("marking", name="marked", config={"times": 3})
    nlp.add_pipe("marking")
    doc = nlp("a")
    assert doc.user_data == {"text": "A", "marked": "!!!", "marking": "!"}
    assert nlp.pipe_factories == {
        "shouting": "shouting",
        "marked": "marking",
        "marking": "marking",
    }
    assert nlp.get_pipe_config("marked") == {
        "factory": "marking", "mark": "!", "times": 3, "more": "none",
    }  # fmt: skip
    assert nlp.get_pipe_meta("marked").default_config == {"mark": "!", "times": 1}
    assert {"shouting", "marking", "sentencizer", "op"} <= set(nlp.factory_names)
    with pytest.raises(ValueError, match="E002"):
        lexpool.blank("en").add_pipe("shouting")
    # The same function may come again, as when its module is loaded again.
    Custom.component("shouting", func=shouting)
    with pytest.raises(ValueError, match="E004"):
        Custom.component("shouting", func=identity)
    with pytest.raises(ValueError, match="E004"):
        Custom.factory("marking", func=lambda nlp, name: identity)
    # A function that is registered is known by its factory when it is added itself.
    other = Custom("en", lexpool.Tokenizer.blank("en"))
    other.add_pipe(shouting, name="loud")
    assert other.pipe_factories == {"loud": "shouting"}


@pytest.mark.parametrize("name", ["sentencizer", "lemmatizer", "op"])
def test_a_built_in_factory_is_not_replaced(name):
    for cls in (Language, Custom):
        with pytest.raises(ValueError, match=f"E004.*{name}"):
            cls.component(name, func=identity)
        with pytest.raises(ValueError, match=f"E004.*{name}"):
            cls.factory(name, func=lambda nlp, name: identity)

    class Dialect(Language):
        lang = "en-dialect"

    Dialect.component(name, func=identity)
    nlp = Dialect("en", lexpool.Tokenizer.blank("en"))
    assert nlp.add_pipe(name) is identity
    with pytest.raises(ValueError, match="E004"):
        Dialect.component(name, func=make("other"))
    assert name not in Language._own_factories


def test_a_cell_that_is_run_again_replaces_the_factories_that_it_has():
    cell = """
class Marking:
    def __init__(self, nlp, name):
        self.mark = {mark!r}
    def __call__(self, doc):
        doc.user_data["mark"] = self.mark
        return doc

def marked(doc):
    doc.user_data["function"] = {mark!r}
    return doc

Custom.factory("cell_class", func=Marking)
Custom.component("cell_function", func=marked)
"""
    # The same names, further down and with other contents.
    for text in (cell.format(mark="first"), "\n\n" + cell.format(mark="second")):
        exec(compile(text, "<cell>", "exec"), {"__name__": "a_notebook", "Custom": Custom})
    nlp = Custom("en", lexpool.Tokenizer.blank("en"))
    nlp.add_pipe("cell_class")
    nlp.add_pipe("cell_function")
    assert nlp("a").user_data == {"mark": "second", "function": "second"}
    with pytest.raises(ValueError, match="E004"):
        Custom.component("cell_class", func=identity)
    # Lambdas are not told apart by their names.
    Custom.component("cell_lambda", func=lambda doc: doc)
    with pytest.raises(ValueError, match="E004"):
        Custom.component("cell_lambda", func=lambda doc: None)


def test_what_cannot_be_registered_is_refused():
    with pytest.raises(ValueError, match="E963"):
        Custom.factory(identity)
    with pytest.raises(ValueError, match="E963"):
        Custom.component(identity)
    with pytest.raises(ValueError, match="E853"):
        Custom.factory("a.b")
    with pytest.raises(ValueError, match="E962"):
        Custom.factory("bad", default_config=["x"])
    with pytest.raises(ValueError, match="E964"):
        Custom.factory("bad", func=lambda nlp: identity)
    with pytest.raises(ValueError, match="E965"):
        Custom.component("bad", func=dict)
    assert not Custom.has_factory("bad")


def test_an_op_is_a_component(nlp):
    words = lexpool.blank("en")
    words.add_pipe(lexpool.ops.doc.words)
    words.add_pipe(lexpool.ops.doc.words, name="again")
    assert words.pipe_names == ["words", "again"]
    assert words("a b").user_data == {"words": ["a", "b"], "again": ["a", "b"]}
    assert words.get_pipe_config("again") == {"factory": "op", "op": "doc.words"}
    with pytest.raises(KeyError, match="doc.wrods"):
        words.add_pipe("op", name="none", config={"op": "doc.wrods"})
    with pytest.raises(TypeError, match="Doc only"):
        words.add_pipe(lexpool.ops.text.edit_distance)


def test_a_component_is_shared_with_its_source(nlp):
    other = lexpool.blank("en")
    other.add_pipe("op", name="words", config={"op": "doc.words"})
    other.vocab.strings.add("a string of the source")
    assert nlp.add_pipe("words", source=other) is other.get_pipe("words")
    assert "a string of the source" in nlp.vocab.strings
    assert nlp("a").user_data["words"] == ["a"]
    with pytest.raises(KeyError, match="E944"):
        nlp.add_pipe("none", source=other)
    with pytest.raises(ValueError, match="E945"):
        nlp.add_pipe("none", source="other")


def test_a_name_in_the_config_is_not_used(nlp):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlp.add_pipe("op", name="words", config={"op": "doc.words", "name": "other"})
    assert "W119" in str(caught[0].message)
    assert nlp.pipe_names[-1] == "words"


def test_a_component_that_cannot_be_called_is_told_so(nlp):
    nlp._components.append(("broken", "no function"))
    with pytest.raises(ValueError, match="E003"):
        nlp("a")
    with pytest.raises(ValueError, match="E003"):
        nlp.pipe(["a"])


def test_labels_are_those_of_the_components_that_show_them(nlp):
    class Labelled:
        labels = ("A", "B")

        def __call__(self, doc):
            return doc

    class Hiding(Labelled):
        hide_labels = True

    nlp.add_pipe(Labelled(), name="labelled")
    nlp.add_pipe(Hiding(), name="hiding")
    assert nlp.pipe_labels == {"labelled": ["A", "B"]}
    assert nlp.meta["labels"] == {"labelled": ["A", "B"]}
    assert nlp.meta["pipeline"] == [*NAMES, "labelled", "hiding"]
    assert (nlp.meta["lang"], nlp.meta["name"]) == ("en", "pipeline")


def test_components_that_take_data_are_given_it(nlp):
    given = []

    class Prepared:
        def __call__(self, doc):
            return doc

        def initialize(self, get_examples, *, nlp, extra=None):
            given.append((list(get_examples()), nlp, extra))

    nlp.add_pipe(Prepared(), name="prepared")
    nlp.initialize(lambda: [1, 2])
    nlp.config = nlp.config.merge({"initialize": {"components": {"prepared": {"extra": 3}}}})
    nlp.initialize()
    (first, *_), (second, *others) = given
    assert (first, given[0][1:]) == ([1, 2], (nlp, None))
    # As in spaCy, one document without annotation stands for examples that are not given.
    assert [example.text for example in second] == ["x y z "]
    assert others == [nlp, 3]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda nlp: pickle.loads(pickle.dumps(nlp))])
def test_pipelines_that_were_used_are_copied_and_pickled(copied):
    nlp, lookups = lexpool.blank("en"), Lookups()
    nlp.add_pipe("attribute_ruler").add([[{"LOWER": "they"}]], {"TAG": "PRP"})
    lookups.add_table("lemma_lookup", {"went": "go"})
    lemmatizer = nlp.add_pipe("lemmatizer", config={"mode": "lookup"})
    lemmatizer.initialize(lookups=lookups)
    patterns = [{"label": "AWAY", "pattern": "went"}]
    for name in ("sentencizer", "entity_ruler", "span_ruler", "merge_entities", "token_splitter"):
        component = nlp.add_pipe(name)
        if name.endswith("_ruler"):
            component.add_patterns(patterns)
    nlp.add_pipe(lexpool.ops.doc.words)

    def seen(pipeline):
        docs = [pipeline("They went."), *pipeline.pipe(["They went."])]
        return [
            ([(t.tag_, t.lemma_, t.ent_type_, t.is_sent_start) for t in doc],
             len(doc.spans["ruler"]), doc.user_data)
            for doc in docs
        ]  # fmt: skip

    before = seen(nlp)
    assert before[0][0][:2] == [("PRP", "They", "", True), ("", "go", "AWAY", False)]
    other = copied(nlp)
    assert seen(other) == before
    # Each has its own rules.
    other.get_pipe("attribute_ruler").add([[{"LOWER": "went"}]], {"TAG": "VBD"})
    other.get_pipe("lemmatizer").lookups.get_table("lemma_lookup")["went"] = "wend"
    assert seen(other)[0][0][1] == ("VBD", "wend", "AWAY", False)
    assert seen(nlp) == before


@pytest.mark.parametrize(
    ("factory", "key"), [("trainable_lemmatizer", "backoff"), ("span_finder", "max_length")]
)
def test_a_setting_that_may_be_none_in_spacy_may_be_none(factory, key):
    nlp = lexpool.blank("en")
    nlp.add_pipe(factory, config={key: None})
    assert nlp.config["components"][factory][key] is None
    with pytest.raises(ConfigError, match=key):
        nlp.add_pipe(factory, name="wrong", config={key: []})


def test_a_factory_of_ones_own_gets_the_results_of_registered_functions():
    spacy = pytest.importorskip("spacy")
    given = {}

    @spacy.registry.misc("lexpool.test_pair.v1")
    def pair(*args, first, second=2):
        return args, first, second

    @Language.factory("registered", default_config={"deep": {"one": 1}, "n": 3})
    def registered(nlp, name, function, deep, n, network, absent):
        given.update(function=function, deep=deep, n=n, network=network, absent=absent)
        return lambda doc: doc

    named = {"@misc": "lexpool.test_pair.v1", "first": 1}
    network = {"@architectures": "spacy.HashEmbedCNN.v2", "width": 8}
    absent = [{"@misc": "lexpool.no_such_function.v1", "x": named}, {"@get": "y"}, {"@misc": 5}]
    nlp = lexpool.blank("en")
    config = {
        "function": {**named, "*": [7, named]},
        "deep": {"two": [named]},
        "network": network,
        "absent": absent,
    }
    nlp.add_pipe("registered", config=config)
    made = ((), 1, 2)
    assert given == {
        "function": ((7, made), 1, 2),
        "deep": {"one": 1, "two": [made]},
        "n": 3,
        "network": network,
        "absent": [{"@misc": "lexpool.no_such_function.v1", "x": made}, *absent[1:]],
    }
    assert nlp.config["components"]["registered"]["function"] == config["function"]
    wrong = {**config, "function": {**named, "third": 3}}
    with pytest.raises(
        ConfigError, match=r"\[components.wrong.function\], 'lexpool.test_pair.v1': "
    ):
        nlp.add_pipe("registered", name="wrong", config=wrong)
    assert nlp.pipe_names == ["registered"]
