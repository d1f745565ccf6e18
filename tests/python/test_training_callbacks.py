"""Functions that a configuration names, called by `nlp.initialize` and `training.loop`."""

import random
from pathlib import Path
from typing import Any

import pytest

import lexpool
from lexpool.errors import ConfigError
from lexpool.training import Example, callback, loop

SENTENCES = [
    ("the cat sees a dog", ["D", "N", "V", "D", "N"]),
    ("a dog eats", ["D", "N", "V"]),
    ("she sees the cat", ["P", "V", "D", "N"]),
]
# The calls of the callbacks, with their arguments.
EVENTS: list[Any] = []
# Pipelines that `before_to_disk` returns instead of the given one.
OTHERS: list[Any] = []


def note(what: str) -> Any:
    def noting(nlp: Any, *args: Any) -> None:
        EVENTS.append((what, list(nlp.pipe_names), *(dict(arg) for arg in args)))

    return noting


def to_disk(nlp: Any) -> Any:
    EVENTS.append(("before_to_disk", list(nlp.pipe_names)))
    return OTHERS[0] if OTHERS else nlp


def make_to_disk() -> Any:
    return to_disk


callback("tests.note.v1")(note)
callback("tests.to_disk.v1")(make_to_disk)


@pytest.fixture(autouse=True)
def nothing_noted() -> None:
    EVENTS.clear()
    OTHERS.clear()


SECTIONS = {
    name: {"@callbacks": "tests.note.v1", "what": name}
    for name in ("before_init", "after_init", "before_update")
}


def pipeline(**training: Any) -> Any:
    nlp = lexpool.blank("en")
    nlp.add_pipe("tagger")
    nlp.config["training"].update(training)
    for key in ("before_init", "after_init"):
        nlp.config["initialize"][key] = SECTIONS[key]
    return nlp


def examples(nlp: Any) -> list[Example]:
    return [Example.from_dict(nlp.make_doc(text), {"tags": tags}) for text, tags in SENTENCES]


def test_callbacks_are_called_as_spacy_calls_them(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")
    numbers = {"max_steps": 5, "max_epochs": 0, "eval_frequency": 3, "patience": 0}
    batcher = {"@batchers": "spacy.batch_by_sequence.v1", "size": 2}
    own = {
        **numbers,
        "batcher": batcher,
        "before_update": SECTIONS["before_update"],
        "before_to_disk": {"@callbacks": "tests.to_disk.v1"},
    }
    training = loop(pipeline(**own), train=examples, dev=examples)
    for update in training:
        if update.scores is not None:
            training.save(tmp_path / "ours")
    ours = list(EVENTS)
    EVENTS.clear()

    spacy.registry.callbacks("tests.note.v1", func=note)
    spacy.registry.callbacks("tests.to_disk.v1", func=make_to_disk)

    def corpus() -> Any:
        def read(nlp: Any) -> Any:
            for text, tags in SENTENCES:
                yield spacy.training.Example.from_dict(nlp.make_doc(text), {"tags": tags})

        return read

    spacy.registry.readers("tests.corpus.v1", func=corpus)
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    config = nlp.config.copy()
    config["corpora"] = {name: {"@readers": "tests.corpus.v1"} for name in ("train", "dev")}
    config["training"].update(own)
    for key in ("before_init", "after_init"):
        config["initialize"][key] = SECTIONS[key]
    made = spacy.training.initialize.init_nlp(config)
    (tmp_path / "theirs").mkdir()
    spacy.training.loop.train(made, tmp_path / "theirs")
    # spaCy saves once more at the end.
    assert ours == EVENTS[:-1]
    assert EVENTS[-1] == ("before_to_disk", ["tagger"])
    steps = [args[0] for what, _, *args in ours if what == "before_update"]
    assert steps == [{"step": step, "epoch": step // 2} for step in range(6)]


def test_callbacks_of_initialize_are_called_around_it() -> None:
    nlp = pipeline()
    optimizer = nlp.initialize(lambda: examples(nlp))
    assert [what for what, _ in EVENTS] == ["before_init", "after_init"]
    assert nlp.get_pipe("tagger").labels
    assert optimizer is not None


def test_what_before_to_disk_returns_is_saved(tmp_path: Path) -> None:
    section = {"@callbacks": "tests.to_disk.v1"}
    training = loop(pipeline(before_to_disk=section), train=examples, dev=examples)
    next(iter(training))
    OTHERS.append(lexpool.blank("de"))
    training.save(tmp_path / "other")
    assert lexpool.load(tmp_path / "other").lang == "de"
    OTHERS[0] = None
    with pytest.raises(ValueError, match="E914.*returned None"):
        training.save(tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("key", ["before_update", "before_to_disk"])
def test_a_callback_that_is_not_registered_is_named_before_training(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"E893.*\[training.{key}\] names the callback 'none'"):
        loop(pipeline(**{key: {"@callbacks": "none"}}), train=examples, dev=examples)
    with pytest.raises(ConfigError, match="expected '@callbacks' with a name, or null"):
        loop(pipeline(**{key: "tests.note.v1"}), train=examples, dev=examples)
    nlp = pipeline()
    nlp.config["initialize"]["after_init"] = {"@callbacks": "none"}
    with pytest.raises(ConfigError, match="E893"):
        nlp.initialize(lambda: examples(nlp))
    assert EVENTS == []


def test_an_exception_of_a_callback_is_that_of_the_loop() -> None:
    @callback("tests.failing.v1")
    def make() -> Any:
        def fail(nlp: Any, args: Any) -> None:
            raise LookupError(f"step {args['step']}")

        return fail

    section = {"@callbacks": "tests.failing.v1"}
    training = loop(pipeline(before_update=section), train=examples, dev=examples)
    with pytest.raises(LookupError, match="step 0"):
        next(iter(training))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two files of documents of one to five sentences, some without sentences."""
    chance = random.Random(5)
    nlp = lexpool.blank("en")
    folder = tmp_path_factory.mktemp("corpus")
    for name in ("a", "b"):
        docs = lexpool.tokens.DocBin(attrs=["TAG", "SENT_START", "SPACY"])
        for number in range(8):
            words: list[str] = []
            starts: list[bool] = []
            for _ in range(chance.randint(1, 5)):
                length = chance.randint(1, 9)
                words += chance.choices(["The", "cat", '"', "-", "Sees", "..."], k=length)
                starts += [True] + [False] * (length - 1)
            given: dict[str, Any] = {"sent_starts": starts} if number % 4 else {}
            tags = chance.choices(["N", "V", ":", "``"], k=len(words))
            doc = lexpool.Doc(nlp.vocab, words=words, tags=tags, **given)
            doc.cats = {"odd": float(number % 2)}
            if number == 3 and name == "b":
                doc.spans["sc"] = [doc[0:1]]
            docs.add(doc)
        docs.to_disk(folder / f"{name}.spacy")
    return folder


def facts(example: Any) -> Any:
    x, y = example.predicted, example.reference
    return (
        [token.text for token in x],
        [(token.text, token.tag_, token.is_sent_start) for token in y],
        dict(y.cats),
        {key: [(s.start, s.end, s.label_) for s in group] for key, group in y.spans.items()},
    )


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_length": 12},
        {"max_length": 5},
        {"limit": 3},
        {"limit": 9, "max_length": 12},
        {"gold_preproc": True, "max_length": 5, "limit": 10},
    ],
)
def test_a_corpus_is_read_as_by_spacy(corpus: Path, settings: dict[str, Any]) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")
    given = {"@readers": "spacy.Corpus.v1", "path": str(corpus), **settings}
    ours = list(map(facts, read(given)))
    theirs = list(map(facts, spacy.training.Corpus(corpus, **settings)(spacy.blank("en"))))
    assert ours == theirs
    assert len(ours) > 1


def read(section: dict[str, Any], seed: int = 0) -> list[Example]:
    """The examples that a loop learns from."""
    nlp = lexpool.blank("en")
    nlp.add_pipe("tagger")
    nlp.config["training"]["seed"] = seed
    nlp.config["corpora"] = {"train": section, "dev": section}
    return list(loop(nlp).train_corpus(nlp))


VARIANTS = {
    "single": [{"tags": [":"], "variants": ["-", "--", "..."]}],
    "paired": [{"tags": ["``"], "variants": [['"', '"'], ["'", "'"]]}],
}


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize(
    "augmenter",
    [
        {"@augmenters": "spacy.lower_case.v1", "level": 0.5},
        {
            "@augmenters": "spacy.orth_variants.v1",
            "level": 0.8,
            "lower": 0.4,
            "orth_variants": VARIANTS,
        },
    ],
)
def test_variants_of_a_corpus_are_those_of_spacy(
    corpus: Path, augmenter: dict[str, Any], seed: int
) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")
    # spaCy fails to vary documents with span groups, which are in the other file.
    path = corpus / "a.spacy"
    given = {"@readers": "spacy.Corpus.v1", "path": str(path), "augmenter": augmenter}
    ours = list(map(facts, read(given, seed)))
    made = spacy.registry.resolve({"own": augmenter})["own"]
    random.seed(seed)
    theirs = list(map(facts, spacy.training.Corpus(path, augmenter=made)(spacy.blank("en"))))

    # spaCy forgets where sentences without trees begin.
    def kept(words: Any, tokens: Any, cats: Any, _: Any) -> Any:
        return words, [(text, tag) for text, tag, _ in tokens], cats

    assert [kept(*own) for own in ours] == [kept(*other) for other in theirs]
    plain = list(map(facts, read({**given, "augmenter": {"@augmenters": "spacy.dont_augment.v1"}})))
    assert plain == list(map(facts, read({**given, "augmenter": None}))) != ours


def test_a_variant_keeps_its_span_groups(corpus: Path) -> None:
    settings = {**ALL_VARIED, "orth_variants": VARIANTS}
    given = {"@readers": "spacy.Corpus.v1", "path": str(corpus / "b.spacy")}
    plain, varied = read(given), read({**given, "augmenter": settings})
    spans = [example.reference.spans.get("sc") for example in varied]
    assert [len(group) for group in spans if group is not None] == [1]
    for before, after in zip(plain, varied, strict=True):
        assert len(before.reference) == len(after.reference)
        for name, group in before.reference.spans.items():
            (span,) = after.reference.spans[name]
            assert (span.start, span.end, span.label) == (group[0].start, group[0].end, 0)


ALL_VARIED = {"@augmenters": "spacy.orth_variants.v1", "level": 1.0, "lower": 1.0}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_length": -1}, "'max_length' -1; expected a whole number"),
        ({"limit": "9"}, "'limit' '9'; expected a whole number"),
        ({"shuffles": True}, "unknown key 'shuffles'"),
        ({"@readers": "spacy.JsonlCorpus.v1"}, "lexpool has spacy.Corpus.v1"),
        ({"path": None}, "E913"),
        ({"augmenter": {"@augmenters": "own.v1"}}, "training-unsupported.*own.v1"),
        ({"augmenter": {"@augmenters": "spacy.lower_case.v1", "level": 2}}, "training-config"),
    ],
)
def test_wrong_settings_of_a_corpus_are_refused(
    corpus: Path, settings: dict[str, Any], message: str
) -> None:
    given = {"@readers": "spacy.Corpus.v1", "path": str(corpus), **settings}
    with pytest.raises(ValueError, match=f"(?s){message}"):
        read(given)
