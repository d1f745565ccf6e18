"""A child of a process that trains finds all components and modules usable, whatever the training
was at when the process forked.

LEXPOOL_FULL=1 forks five hundred times beside each kind of work, else it is some twenty times.
"""

import os
import pkgutil
import textwrap

import pytest
from processes import python

import lexpool

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

FORKS = 500 if os.environ.get("LEXPOOL_FULL") else 20

# The main thread forks while another thread works without end. Each child predicts, learns and
# saves, with no error and in no more than the time of an alarm. A fork that gives up waiting warns,
# which is an error here.
PARENT = """
    import faulthandler, itertools, os, signal, sys, tempfile, threading, time, warnings
    from pathlib import Path
    import numpy, lexpool
    from lexpool.training import Example

    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    sys.setswitchinterval(1e-4)
    folder = Path(tempfile.mkdtemp())
    TOK2VEC = {
        "@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None, "width": 16,
        "depth": 1, "embed_size": 50, "window_size": 1, "maxout_pieces": 2, "subword_features": True,
    }
    LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16, "upstream": "tok2vec"}
    nlp = lexpool.blank("en")
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}})
    nlp.add_pipe("ner", config={"model": {
        "@architectures": "spacy.TransitionBasedParser.v2", "state_type": "ner",
        "extra_state_tokens": False, "hidden_width": 8, "maxout_pieces": 2, "use_upper": True,
        "tok2vec": LISTENER,
    }})
    nlp.add_pipe("textcat")

    def example(n):
        doc = nlp.make_doc("Apple bought Mary in London " * n)
        return Example.from_dict(doc, {
            "tags": ["A", "B", "A", "C", "A"] * n, "cats": {"x": 1.0, "y": 0.0},
            "entities": ["U-ORG", "O", "U-PER", "O", "U-LOC"] * n,
        })

    examples = [example(4) for _ in range(6)]
    few = [example(1)]
    nlp.initialize(lambda: examples)
    optimizer = nlp.resume_training()
    nlp.update(examples, sgd=optimizer)
    text = "Apple bought Mary in London"

    def child(number):
        assert len(nlp(text)) == 5
        assert [len(doc) for doc in nlp.pipe([text] * 6, n_threads=2)] == [5] * 6
        nlp.update(few, sgd=optimizer)
        nlp.rehearse(few, sgd=optimizer)
        assert nlp.evaluate(few)["token_acc"] == 1.0
        nlp.from_bytes(nlp.to_bytes())
        if number % 10 == 0:
            nlp.initialize(lambda: few)
"""

FORKING = """
    is_over, failed = threading.Event(), []
    begun, ended = itertools.count(), itertools.count()

    def so_far(count):
        return count.__reduce__()[1][0]

    def repeat():
        try:
            while not is_over.is_set():
                next(begun)
                work()
                next(ended)
        except BaseException as error:
            failed.append(error)
            raise

    thread = threading.Thread(target=repeat)
    thread.start()
    beside = 0
    try:
        for number in range(int(sys.argv[1])):
            # Somewhere in a call.
            time.sleep(0.001 * (number % 7))
            beside += so_far(begun) > so_far(ended)
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)
                faulthandler.dump_traceback_later(50)
                try:
                    child(number)
                except BaseException as error:
                    print(repr(error), file=sys.stderr, flush=True)
                    os._exit(1)
                os._exit(0)
            _, status = os.waitpid(pid, 0)
            assert status == 0, (number, status)
            assert not failed, failed
    finally:
        is_over.set()
        thread.join()
    assert not failed, failed
    assert beside, "no call was under way at a fork"
"""

CONFIG = """
    CONFIG = '''
    [nlp]
    lang = "en"
    pipeline = ["tok2vec", "tagger"]
    [components]
    [components.tok2vec]
    factory = "tok2vec"
    [components.tok2vec.model]
    @architectures = "spacy.HashEmbedCNN.v2"
    pretrained_vectors = null
    width = 16
    depth = 1
    embed_size = 50
    window_size = 1
    maxout_pieces = 2
    subword_features = true
    [components.tagger]
    factory = "tagger"
    [components.tagger.model]
    @architectures = "spacy.Tagger.v2"
    [components.tagger.model.tok2vec]
    @architectures = "spacy.Tok2VecListener.v1"
    width = 16
    upstream = "tok2vec"
    [corpora]
    [corpora.train]
    @readers = "spacy.Corpus.v1"
    path = "FOLDER/train.spacy"
    [corpora.dev]
    @readers = "spacy.Corpus.v1"
    path = "FOLDER/train.spacy"
    [corpora.pretrain]
    @readers = "spacy.JsonlCorpus.v1"
    path = "FOLDER/texts.jsonl"
    [training]
    dev_corpus = "corpora.dev"
    train_corpus = "corpora.train"
    seed = 0
    max_steps = STEPS
    patience = 0
    eval_frequency = 50
    [training.batcher]
    @batchers = "spacy.batch_by_sequence.v1"
    size = 2
    get_length = null
    [training.optimizer]
    @optimizers = "Adam.v1"
    [pretraining]
    max_epochs = STEPS
    dropout = 0.2
    n_save_every = null
    n_save_epoch = null
    component = "tok2vec"
    layer = ""
    corpus = "corpora.pretrain"
    [pretraining.batcher]
    @batchers = "spacy.batch_by_words.v1"
    size = 20
    discard_oversize = false
    tolerance = 0.2
    [pretraining.objective]
    @architectures = "spacy.PretrainCharacters.v1"
    maxout_pieces = 2
    hidden_size = 16
    n_characters = 4
    [pretraining.optimizer]
    @optimizers = "Adam.v1"
    '''
    from lexpool.tokens import DocBin

    DocBin(docs=[one.reference for one in examples]).to_disk(folder / "train.spacy")
    (folder / "texts.jsonl").write_text('{"text": "Apple bought Mary in London"}\\n' * 40)
    for name, steps in (("short", 40), ("endless", 1_000_000)):
        settings = textwrap.dedent(CONFIG).replace("FOLDER", str(folder)).replace("STEPS", str(steps))
        (folder / f"{name}.cfg").write_text(settings)
"""

WORK = {
    "update": "work = lambda: nlp.update(examples, sgd=optimizer)",
    "rehearse": "work = lambda: nlp.rehearse(examples, sgd=optimizer)",
    "evaluate": "work = lambda: nlp.evaluate(examples)",
    "pipe": "work = lambda: list(nlp.pipe([text * 20] * 20, n_threads=2))",
    "initialize": """
        other = lexpool.blank("en")
        other.add_pipe("tagger")
        work = lambda: other.initialize(lambda: examples)
    """,
    "update and save": """
        def work():
            nlp.update(few, sgd=optimizer)
            nlp.to_bytes()
    """,
    "train": CONFIG + "    work = lambda: lexpool.train(folder / 'short.cfg', folder / 'out')",
    # A call that never ends by itself lets forks pass in between.
    "a long training": CONFIG + """
    def work():
        def report(*_):
            if is_over.is_set():
                raise EOFError
        try:
            lexpool.train(folder / "endless.cfg", folder / "out", report=report)
        except EOFError:
            pass
    """,
    "pretrain": CONFIG + """
    from lexpool.training import pretrain
    pretraining = itertools.count()
    def work():
        def report(*_):
            if is_over.is_set():
                raise EOFError
        try:
            pretrain(folder / "short.cfg", folder / f"pretrained{next(pretraining)}", report=report)
        except EOFError:
            pass
    """,
}  # fmt: skip


@pytest.mark.parametrize("name", WORK)
def test_a_child_predicts_learns_and_saves_whatever_training_its_parent_is_at(name: str) -> None:
    head = "import textwrap\n" + textwrap.dedent(PARENT)
    work = "\n".join(map(textwrap.dedent, [head, WORK[name], FORKING]))
    python(work, str(FORKS), timeout=100 + 10 * FORKS)


# Modules that need packages of others, or that run something.
_OTHERS = {"lexpool.__main__", "lexpool.dask", "lexpool.polars", "lexpool.ray", "lexpool.spark"}


def test_a_child_imports_what_its_parent_was_importing_for_the_first_time() -> None:
    modules = pkgutil.walk_packages(lexpool.__path__, "lexpool.")
    names = [
        module.name
        for module in modules
        if module.name not in _OTHERS
        and ".compat" not in module.name
        and "_core" not in module.name
    ]
    importing = """
        import importlib

        names = sys.argv[2].split()
        native = {name for name in sys.modules if "_core" in name}
        order = itertools.count()

        def work():
            # Imported anew: nobody has imported it then.
            for name in [name for name in sys.modules if name.startswith("lexpool.")]:
                if name not in native:
                    del sys.modules[name]
            importlib.import_module(names[next(order) % len(names)])
            time.sleep(0.002)

        def child(number):
            for name in names:
                importlib.import_module(name)
            Example = importlib.import_module("lexpool.training").Example
            doc = lexpool.blank("en").make_doc("a b")
            assert Example.from_dict(doc, {"tags": ["A", "B"]}).get_aligned("TAG")
    """
    parts = [PARENT, importing, FORKING]
    python(
        "\n".join(map(textwrap.dedent, parts)),
        str(FORKS),
        " ".join(names),
        timeout=100 + 10 * FORKS,
    )
