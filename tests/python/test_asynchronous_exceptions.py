"""An exception at any bytecode of an operation leaves its objects as before it or as after it.

Signal handlers raise between any two bytecodes, most often right after a native call, during which
the signal came. Two equal pipelines go through each operation: one is stopped somewhere in it, and
must then be as the other one is before or after the operation. If it is as before, it runs the
operation again, whose result must be the same: so gradients that were left behind would show too.

LEXPOOL_FULL=1 stops at every bytecode, else it is one for each line.
"""

import gc
import os
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from interrupting import Stopped, bytecodes, interrupted, stops
from processes import python

import lexpool
from lexpool._learning.optimizer import Optimizer
from lexpool.training import Example

IS_FULL = bool(os.environ.get("LEXPOOL_FULL"))
# The most bytecodes at which an operation is stopped: of most, and of those that read or write
# files, each of which takes some tenths of a second.
MAX_STOPS, MAX_STOPS_OF_FILES = (100_000, 2_000) if IS_FULL else (80, 8)

TEXTS = ["Ada saw Bob in Rome .", "Bob saw Rome ."]
WORDS = {
    "Ada": ("A", "U-PER"), "Bob": ("A", "U-PER"), "Rome": ("A", "U-LOC"), "saw": ("B", "O"),
    "in": ("C", "O"), ".": ("C", "O"),
}  # fmt: skip
TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 4,
    "depth": 1,
    "embed_size": 20,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 4, "upstream": "tok2vec"}
PARSER = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "state_type": "ner",
    "extra_state_tokens": False,
    "hidden_width": 4,
    "maxout_pieces": 2,
    "use_upper": True,
    "tok2vec": LISTENER,
}


class World:
    """A small pipeline in training, the same each time it is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        nlp = self.nlp = lexpool.blank("en")
        nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
        tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}
        nlp.add_pipe("tagger", config={"model": tagger})
        nlp.add_pipe("ner", config={"model": PARSER})
        nlp.add_pipe("sentencizer")
        self.examples = [self._example(text) for text in TEXTS]
        numpy.random.seed(0)
        nlp.initialize(lambda: self.examples)
        self.optimizer = Optimizer(0.01, use_averages=True)
        for _ in range(3):
            nlp.update(self.examples, sgd=self.optimizer)
        nlp.resume_training(sgd=self.optimizer)
        self.saved = [nlp.to_bytes()]
        nlp.update(self.examples, sgd=self.optimizer)
        self.saved.append(nlp.to_bytes())
        self.doc = nlp(TEXTS[0])
        self.n_calls = 0

    def _example(self, text: str) -> Example:
        doc = self.nlp.make_doc(text)
        tags, entities = zip(*(WORDS[token.text] for token in doc), strict=True)
        return Example.from_dict(doc, {"tags": tags, "entities": entities})

    def state(self) -> dict[str, object]:
        """All that users can see and save."""
        nlp = self.nlp
        state: dict[str, object] = {
            "names": list(nlp.component_names),
            "disabled": list(nlp.disabled),
            "factories": nlp.pipe_factories,
            "config": nlp.config.to_str(),
            "doc": self.doc.to_bytes(),
            "listeners": {
                name: list(component.listener_map)
                for name, component in nlp.pipeline
                if hasattr(component, "listener_map")
            },
        }
        for name, component in nlp.components:
            assert component.name == name
            state[name] = component.to_bytes(exclude=["vocab"])
        return state

    def use(self) -> None:
        """Predicts, and saves and loads the pipeline."""
        doc = self.nlp(TEXTS[0])
        assert len(doc) == 6
        assert [len(doc) for doc in self.nlp.pipe(TEXTS)] == [6, 4]
        with self.nlp.memory_zone():
            self.nlp.make_doc("a new word")


def update(world: World) -> None:
    world.nlp.update(world.examples, sgd=world.optimizer)


def update_and_annotate(world: World) -> None:
    world.nlp.update(world.examples, sgd=world.optimizer, annotates=["tagger"])


def update_one(world: World) -> None:
    world.nlp.get_pipe("tok2vec").update(world.examples)
    world.nlp.get_pipe("tagger").update(world.examples, sgd=world.optimizer)
    world.nlp.get_pipe("tok2vec").forget_update()
    world.nlp.get_pipe("ner").forget_update()


def rehearse_one(world: World) -> None:
    world.nlp.get_pipe("tagger").rehearse(world.examples, sgd=world.optimizer)


def use_means(world: World) -> None:
    with world.nlp.use_params(world.optimizer.averages):
        world.nlp(TEXTS[0])


def evaluate(world: World) -> None:
    with world.nlp.use_params(world.optimizer.averages):
        world.nlp.evaluate(world.examples)


def pipe(world: World) -> None:
    list(world.nlp.pipe(TEXTS))


def begin_pipe(world: World) -> None:
    next(iter(world.nlp.pipe(TEXTS, batch_size=1)))


def initialize(world: World) -> None:
    numpy.random.seed(0)
    world.nlp.initialize(lambda: world.examples, sgd=world.optimizer)


def add_or_remove(world: World) -> None:
    if "more" in world.nlp.pipe_names:
        world.nlp.remove_pipe("more")
    else:
        world.nlp.add_pipe("sentencizer", name="more", before="tagger")


def replace(world: World) -> None:
    world.nlp.replace_pipe("sentencizer", "sentencizer", config={"punct_chars": ["!"]})


def rename(world: World) -> None:
    if "tagger" in world.nlp.pipe_names:
        world.nlp.rename_pipe("tagger", "other")
    else:
        world.nlp.rename_pipe("other", "tagger")


def disable(world: World) -> None:
    is_entered = False
    try:
        with world.nlp.select_pipes(disable=["tagger", "ner"]):
            is_entered = True
            world.nlp(TEXTS[1])
    except Stopped:
        # The call disables them, as it does without a block; what interrupts it before the block
        # leaves them so.
        if not is_entered:
            for name in world.nlp.disabled:
                world.nlp.enable_pipe(name)
        raise


def load_bytes(world: World) -> None:
    world.nlp.from_bytes(world.saved[world.n_calls % 2])


def load_folder(world: World) -> None:
    folder = world.folder / str(world.n_calls % 2)
    world.nlp.from_disk(folder)


def save(world: World) -> None:
    world.nlp.to_disk(world.folder / "saved")


def save_optimizer(world: World) -> None:
    world.optimizer.from_bytes(world.optimizer.to_bytes())
    update(world)


def add_label(world: World) -> None:
    world.nlp.get_pipe("ner").add_label("NEW")


def replace_listeners(world: World) -> None:
    world.nlp.replace_listeners("tok2vec", "tagger", ["model.tok2vec"])


def merge(world: World) -> None:
    with world.doc.retokenize() as retokenizer:
        retokenizer.merge(world.doc[0:2], {"LEMMA": "merged"})
        retokenizer.split(world.doc[4], ["Ro", "me"], [world.doc[2], world.doc[3]])


def zone(world: World) -> None:
    with world.nlp.memory_zone():
        world.nlp(TEXTS[0])


OPERATIONS = {
    "an update": update,
    "an update that annotates": update_and_annotate,
    "an update of one component": update_one,
    "rehearsing": rehearse_one,
    "use of means": use_means,
    "evaluation with means": evaluate,
    "a stream": pipe,
    "a stream that is left": begin_pipe,
    "initialization": initialize,
    "a component added or removed": add_or_remove,
    "a component replaced": replace,
    "a component renamed": rename,
    "components disabled in a block": disable,
    "a pipeline read of bytes": load_bytes,
    "a pipeline read of a folder": load_folder,
    "a pipeline saved": save,
    "an optimizer saved and read": save_optimizer,
    "a memory zone": zone,
}
OF_FILES = {"a pipeline read of bytes", "a pipeline read of a folder", "a pipeline saved"}
# Operations that a pipeline goes through once.
ONCE = {
    "a label added": add_label,
    "listeners replaced": replace_listeners,
    "tokens merged and split": merge,
}


def check(world: World, model: World, operation: Callable[[World], None], at: int) -> None:
    """Stops an operation, and checks it against a pipeline that runs it undisturbed."""
    model.n_calls = world.n_calls = world.n_calls + 1
    before = model.state()
    place = interrupted(lambda: operation(world), at)
    gc.collect(0)
    stopped_state = world.state()
    world.use()
    assert world.state() == stopped_state, f"use has changed the pipeline, after a stop at {place}"
    operation(model)
    after = model.state()
    if stopped_state == before:
        operation(world)
        assert world.state() == after, f"left something behind: {place}"
        return
    wrong = [name for name in after if stopped_state.get(name) != after[name]]
    assert stopped_state == after, f"neither as before nor as after: {place}: {wrong}"


def places(operation: Callable[[], object], limit: int) -> list[int]:
    """Runs an operation, and returns the numbers of bytecodes to stop it at."""
    lines = bytecodes(operation)
    return (
        list(range(0, len(lines), max(len(lines) // limit, 1))) if IS_FULL else stops(lines, limit)
    )


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_that_is_stopped_anywhere_is_done_or_not(name: str, tmp_path: Path) -> None:
    operation = OPERATIONS[name]
    world, model = World(tmp_path), World(tmp_path)
    for number, data in enumerate(world.saved):
        world.nlp.from_bytes(data)
        world.nlp.to_disk(tmp_path / str(number))
    model.nlp.from_bytes(model.saved[1])
    # Modules are imported, and native components made, at first use.
    for _ in range(2):
        operation(world)
        operation(model)
    limit = MAX_STOPS_OF_FILES if name in OF_FILES else MAX_STOPS
    at_first, at_second = (places(lambda one=one: operation(one), limit) for one in (world, model))
    # One that adds and removes by turns.
    for at in sorted({*at_first, *at_second}):
        check(world, model, operation, at)


@pytest.mark.parametrize("name", ONCE)
def test_a_change_that_is_stopped_anywhere_is_made_or_not(name: str, tmp_path: Path) -> None:
    operation = ONCE[name]
    first = World(tmp_path)
    for at in places(lambda: operation(first), MAX_STOPS)[:: 1 if IS_FULL else 4]:
        check(World(tmp_path), World(tmp_path), operation, at)


def test_a_patch_of_spacy_that_is_stopped_anywhere_is_undone() -> None:
    python(
        """
        import sys
        import spacy
        from interrupting import bytecodes, interrupted, stops
        from lexpool.compat.spacy import patch

        def replaced():
            return [spacy.tokens.Doc, spacy.tokens.Span, spacy.vocab.Vocab, spacy.tokens.DocBin]

        def use():
            active = patch()
            try:
                assert spacy.tokens.Doc.__module__.startswith("lexpool")
            finally:
                active.undo()

        use()
        originals = replaced()
        for at in stops(bytecodes(use), int(sys.argv[1])):
            place = interrupted(use, at)
            assert replaced() == originals, place
            assert type(spacy.blank("en")("a b")) is originals[0], place
            use()
        """,
        "100" if IS_FULL else "3",
        timeout=1000,
    )
