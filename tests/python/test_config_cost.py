"""Configurations from anywhere: what reading them costs, in characters and values, and where it ends."""

import tracemalloc

import pytest

import lexpool
from lexpool import config as module
from lexpool.config import Config
from lexpool.errors import ConfigError

MOST = 2.5


class Counted(str):
    """Text that counts the characters which are copied out of it, and out of what is made of it."""

    copied = 0

    def _made(self, text: str) -> "Counted":
        Counted.copied += len(text)
        return Counted(text)

    def __add__(self, other: str) -> "Counted":
        return self._made(str.__add__(self, other))

    def __radd__(self, other: str) -> "Counted":
        return self._made(str.__add__(other, self))

    def strip(self, *given: str) -> "Counted":
        return self._made(super().strip(*given))

    def split(self, *given: str) -> list["Counted"]:
        return [self._made(part) for part in super().split(*given)]

    def partition(self, at: str) -> tuple["Counted", ...]:
        return tuple(self._made(part) for part in super().partition(at))


def copied(text: str) -> int:
    """Counts the characters that are copied while a configuration is read."""
    Counted.copied = 0
    Config.from_str(Counted(text))
    return Counted.copied


SHAPES = {
    "lines that go on": lambda n: "[a]\nx = 1\n" + "  0123456789\n" * n,
    "values": lambda n: "[a]\n" + "".join(f"x{i} = {i}\n" for i in range(n)),
    "sections": lambda n: "".join(f"[s{i}]\nx = 1\n" for i in range(n)),
    "references": lambda n: "[a]\nx = 1\n" + "".join(f"y{i} = ${{a.x}}\n" for i in range(n)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_file_copies_at_most_so_much_more(shape):
    one, two = (copied(SHAPES[shape](n)) for n in (2000, 4000))
    assert 0 < two <= MOST * one


def spent(text: str, monkeypatch) -> int:
    """Counts the characters and values that references pay for, until all are there or they are too many."""
    made = []

    class Resolver(module._Resolver):
        def __init__(self, config):
            super().__init__(config)
            made.append(self)

    with monkeypatch.context() as patched:
        patched.setattr(module, "_Resolver", Resolver)
        try:
            Config.from_str(text)
        except ConfigError as error:
            assert "references bring in more than" in str(error)
    (resolver,) = made
    return module._BUDGET - resolver.left


def laughs(levels: int, fan: int) -> str:
    """Values each of which refers to the one before so many times."""
    lines = ["[a]", 'x0 = "lol"']
    for i in range(1, levels):
        lines.append(f'x{i} = "' + f"${{a.x{i - 1}}}" * fan + '"')
    return "\n".join(lines)


def listed_laughs(levels: int, fan: int) -> str:
    """The same with lists, which hold what they refer to as it is."""
    lines = ["[a]", 'x0 = ["lol"]']
    for i in range(1, levels):
        lines.append(f"x{i} = [" + ", ".join([f'"${{a.x{i - 1}}}"'] * fan) + "]")
    return "\n".join(lines)


def quoted_laughs(levels: int, fan: int) -> str:
    """Lists within texts, where each level has more characters that need another before them."""
    lines = ["[a]", r'x0 = ["\"\"\"\""]']
    for i in range(1, levels):
        lines.append(f'x{i} = ["a", "b ' + f"${{a.x{i - 1}}}" * fan + '"]')
    return "\n".join(lines)


def sections_of_laughs(levels: int, fan: int) -> str:
    """Sections that refer to whole sections."""
    parts = ["[s0]\nx = 1"]
    for i in range(1, levels):
        parts.append(f"[s{i}]\n" + "\n".join(f"y{j} = ${{s{i - 1}}}" for j in range(fan)))
    return "\n".join(parts)


LAUGHS = [laughs, listed_laughs, quoted_laughs, sections_of_laughs]


@pytest.mark.parametrize("made", LAUGHS)
def test_references_to_references_end_at_the_limit_which_is_named_with_section_and_key(made):
    with pytest.raises(ConfigError, match=r"the\.cfg: [as]\d*\.[xy]\d.*more than 1,048,576 characters") as raised:
        Config.from_str(made(9, 8), origin="the.cfg")
    assert "${" in str(raised.value)


@pytest.mark.parametrize("made", LAUGHS)
def test_no_depth_or_number_of_references_takes_more_than_the_limit(made, monkeypatch):
    for levels, fan in ((4, 8), (6, 8), (9, 8), (9, 16), (9, 64)):
        # The last payment is for what was already made: of one reference, from parts that were paid for.
        assert spent(made(levels, fan), monkeypatch) <= 3 * module._BUDGET


@pytest.mark.parametrize("made", LAUGHS)
def test_memory_stays_bounded_by_the_limit(made):
    text = made(9, 8)
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError):
            Config.from_str(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Objects for values; without the limit it came to gigabytes.
    assert peak < 400 * module._BUDGET


def test_twice_the_references_pay_twice(monkeypatch):
    one, two = (spent(SHAPES["references"](n), monkeypatch) for n in (2000, 4000))
    assert 0 < two <= MOST * one


def test_a_pipeline_whose_configuration_grows_without_limit_is_not_loaded(tmp_path):
    (tmp_path / "config.cfg").write_text('[nlp]\nlang = "en"\npipeline = []\n\n' + laughs(9, 8))
    with pytest.raises(ConfigError, match="references bring in more than"):
        lexpool.load(tmp_path)


def test_what_a_large_configuration_needs_is_within_the_limit():
    words = [f"word{i}" for i in range(10_000)]
    config = Config({"paths": {"words": words}, "nlp": {f"n{i}": "${paths.words}" for i in range(5)}})
    assert config.interpolate()["nlp"]["n4"] == words
