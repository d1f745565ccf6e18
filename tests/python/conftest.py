"""Fixtures that the files of this folder share: texts, tokenizers, and spaCy's beside them."""

import functools
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

lexpool = pytest.importorskip("lexpool", reason="lexpool is not installed")

CHECKOUT = Path(__file__).resolve().parents[2]
TEXTS = Path(os.environ.get("LEXPOOL_TEXTS") or CHECKOUT.parent / "shared" / "corpora")
MODELS = Path(os.environ.get("LEXPOOL_MODELS") or CHECKOUT.parent / "shared" / "models")
FULL = os.environ.get("LEXPOOL_FULL") == "1"

settings.register_profile(
    "lexpool",
    deadline=None,
    database=None,
    derandomize=not FULL,
    max_examples=1000 if FULL else 150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("lexpool")


@pytest.fixture(scope="session")
def full() -> bool:
    """True if LEXPOOL_FULL=1 requests the long forms of the tests."""
    return FULL


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the repository."""
    return CHECKOUT


@pytest.fixture(scope="session")
def texts_folder() -> Path:
    """The folder of real texts; skips the test without it."""
    if not any(TEXTS.glob("*.txt")):
        pytest.skip(f"no texts in {TEXTS}; LEXPOOL_TEXTS names their folder")
    return TEXTS


@pytest.fixture(scope="session")
def trained_model() -> Path:
    """The folder of an English pipeline that was trained; skips the test without it."""
    folder = MODELS / "en_sm_like"
    if not folder.is_dir():
        pytest.skip(f"no {folder}; LEXPOOL_MODELS names the folder of trained pipelines")
    return folder


@pytest.fixture(scope="session")
def lines(texts_folder: Path) -> list[str]:
    """Every line of every text, and the sentences of the treebanks."""
    found: list[str] = []
    for path in sorted(texts_folder.glob("*.txt")):
        found += path.read_text("utf8").split("\n")
    for path in sorted(texts_folder.glob("*.conllu")):
        rows = path.read_text("utf8").split("\n")
        found += [row.removeprefix("# text = ") for row in rows if row.startswith("# text = ")]
    return found


@pytest.fixture(scope="session")
def sample(lines: list[str]) -> list[str]:
    """Some two thousand of the lines, always the same."""
    return random.Random(20).sample(lines, min(len(lines), 2000))


@pytest.fixture(scope="session")
def spacy():
    """The oracle."""
    return pytest.importorskip("spacy", reason="spaCy is not installed")


@pytest.fixture(scope="session")
def new_pair(spacy):
    """Makes, for a language, spaCy's tokenizer and lexpool's with the same rules."""

    def make(lang: str):
        theirs = spacy.blank(lang).tokenizer
        # The tokens do not depend on it, and spaCy's own default makes it slow.
        theirs.max_cache_size = 10**7
        return theirs, lexpool.Tokenizer.from_spacy(theirs)

    return make


@pytest.fixture(scope="session")
def pair(new_pair):
    """The same, made once for each language; not to be changed."""
    return functools.cache(new_pair)


@pytest.fixture(scope="session")
def english():
    """lexpool's own English tokenizer."""
    return lexpool.Tokenizer.blank("en")


@pytest.fixture
def tokenizer():
    """An English tokenizer with a vocab that no other test has touched."""
    return lexpool.Tokenizer.blank("en")


@pytest.fixture
def vocab(tokenizer):
    return tokenizer.vocab


@pytest.fixture
def doc(tokenizer):
    return tokenizer("Hello, world!  It's 5 o'clock in N.Y. ")
