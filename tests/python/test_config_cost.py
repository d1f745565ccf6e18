"""Configurations from anywhere: where reading them ends."""

import tracemalloc

import pytest

import lexpool
from lexpool.config import Config
from lexpool.errors import ConfigError

LIMIT = 1 << 20


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


def shrinking_laughs(levels: int, fan: int) -> str:
    """Lists of a text of which next to nothing is left when it has been parsed."""
    lines = ["[a]", "e = 1", "x0 = [" + " " * 20_000 + "${a.e}]"]
    for i in range(1, levels):
        lines.append(f"x{i} = [" + ", ".join([f'"${{a.x{i - 1}}}"'] * fan) + "]")
    return "\n".join(lines)


def vanishing_laughs(levels: int, fan: int) -> str:
    """Texts with nothing in them."""
    return laughs(levels, fan).replace("lol", "")


def shrinking(n: int) -> str:
    """A text that is large and comes to a list of one number, and references to it, one for so many
    characters.
    """
    lines = ["[a]", "e = 1", "big = [" + " " * n + "${a.e}]"]
    return "\n".join([*lines, *(f"y{i} = ${{a.big}}" for i in range(n // 400))])


def keyed(n: int) -> str:
    """References to a section with long keys and nothing under them."""
    lines = ["[b]", *(f"{'k' * 1000}{i} = []" for i in range(n // 2000)), "[a]"]
    return "\n".join([*lines, *(f"y{i} = ${{b}}" for i in range(n // 40))])


LAUGHS = [
    laughs,
    listed_laughs,
    quoted_laughs,
    sections_of_laughs,
    shrinking_laughs,
    vanishing_laughs,
]


@pytest.mark.parametrize("made", LAUGHS)
def test_references_to_references_end_at_the_limit_which_is_named_with_section_and_key(made):
    with pytest.raises(
        ConfigError, match=r"the\.cfg: [as]\d*\.[xy]\d.*more than 1048576 characters"
    ) as raised:
        Config.from_str(made(9, 8), origin="the.cfg")
    assert "${" in str(raised.value)


@pytest.mark.parametrize("made", [shrinking, keyed])
def test_what_references_lead_to_is_paid_for_also_where_little_comes_of_it(made):
    with pytest.raises(
        ConfigError,
        match=r"a\.y\d+: with \$\{[ab.xbig]+\}, references insert more than 1048576",
    ):
        Config.from_str(made(400_000))


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
    assert peak < 400 * LIMIT


def test_a_pipeline_whose_configuration_grows_without_limit_is_not_loaded(tmp_path):
    (tmp_path / "config.cfg").write_text('[nlp]\nlang = "en"\npipeline = []\n\n' + laughs(9, 8))
    with pytest.raises(ConfigError, match="references insert more than"):
        lexpool.load(tmp_path)


def test_what_a_large_configuration_needs_is_within_the_limit():
    words = [f"word{i}" for i in range(10_000)]
    config = Config(
        {"paths": {"words": words}, "nlp": {f"n{i}": "${paths.words}" for i in range(5)}}
    )
    assert config.interpolate()["nlp"]["n4"] == words


def listed(levels: int) -> str:
    return "[" * levels + "1" + "]" * levels


def mapped(levels: int) -> str:
    return '{"a": ' * levels + "1" + "}" * levels


def sections(levels: int) -> str:
    return "".join(f"[{'.'.join('a' * level)}]\n" for level in range(1, levels + 1)) + "x = 1\n"


# Configurations of so many levels, in all the ways that levels come by. A section is one.
DEEP = {
    "lists": lambda levels: f"[a]\nx = {listed(levels - 1)}",
    "dicts": lambda levels: f"[a]\nx = {mapped(levels - 1)}",
    "lists with a reference": lambda levels: (
        f"[a]\ny = 1\nx = {listed(levels - 1).replace('1', '${a.y}')}"
    ),
    "sections": sections,
    "lists in sections": lambda levels: sections(50) + f"y = {listed(levels - 50)}",
    "a reference": lambda levels: (
        f"[b]\nx = {listed(48)}\n{sections(50)}y = " + listed(levels - 98).replace("1", '"${b.x}"')
    ),
    "a reference in a text": lambda levels: (
        f"[b]\nx = {listed(50)}\n[a]\ny = " + listed(levels - 51).replace("1", "${b.x}")
    ),
}


@pytest.mark.parametrize("shape", DEEP)
def test_a_hundred_levels_are_read_copied_merged_and_written(shape):
    config = Config.from_str(DEEP[shape](100))
    assert config.copy() == config
    assert Config().merge(config).merge(config) == config
    assert Config.from_str(config.to_str()) == config.interpolate() == config


@pytest.mark.parametrize("shape", DEEP)
@pytest.mark.parametrize("levels", [101, 104, 400, 900, 3000, 100_000])
def test_more_levels_are_an_error_that_says_where(shape, levels):
    text = DEEP[shape](min(levels, 1500) if "sections" in shape else levels)
    with pytest.raises(
        ConfigError, match=r"the\.cfg.*[ab]\b.* nested in more than 100 levels; write it flatter"
    ):
        Config.from_str(text, origin="the.cfg")


@pytest.mark.parametrize("shape", ["lists", "dicts", "sections", "lists in sections"])
def test_more_levels_are_an_error_also_where_references_are_left(shape, tmp_path):
    text = DEEP[shape](900)
    with pytest.raises(ConfigError, match="nested in more than 100 levels"):
        Config.from_str(text, interpolate=False)
    (tmp_path / "config.cfg").write_text(f'[nlp]\nlang = "en"\npipeline = []\n\n{text}')
    with pytest.raises(ConfigError, match="nested in more than 100 levels"):
        lexpool.load(tmp_path)


@pytest.mark.parametrize("kind", [lambda inner: [inner], lambda inner: {"a": inner}])
@pytest.mark.parametrize("levels", [200, 3000])
def test_more_levels_that_python_made_are_an_error_too(kind, levels):
    value = 1
    for _ in range(levels):
        value = kind(value)
    config = Config({"a": {"x": value}})
    calls = [
        config.copy,
        config.interpolate,
        lambda: config.merge({}),
        lambda: Config().merge(config),
        lambda: lexpool.blank("en", config=config),
        lambda: lexpool.language.Language.from_config({"nlp": {"lang": "en"}, **config}),
    ]
    for call in calls:
        with pytest.raises(ConfigError, match="nested in more than 100 levels"):
            call()
    with pytest.raises(ConfigError, match="E961"):
        config.to_str()
