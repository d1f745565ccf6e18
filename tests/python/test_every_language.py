"""Every language of spaCy's that has affix rules: its tokens and attributes are spaCy's."""

import random

import pytest
from comparing import differences
from scripts import generated

# The languages that test_same_as_spacy.py does not test in more detail. Japanese, Korean, Thai,
# Vietnamese and Chinese have tokenizers of other kinds.
LANGUAGES = (
    "af am ar az bg bn bo ca cs da dsb et eu fa fo ga gd grc gu he hi hr hsb ht hy id is kmr kn ky "
    "la lb lg lij lt lv mk ml mr ms nb ne nn pt ro sa si sk sl sq sr ta te ti tl tn tt uk ur yo"
).split()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_language_has_spacys_tokens_and_attributes(pair, lines, full, lang):
    draw = random.Random(lang)
    count = 3000 if full else 60
    assert differences(*pair(lang), draw.sample(lines, count) + generated(draw, count)) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_language_runs_on_automata(pair, lang):
    report = pair(lang)[1].report()
    assert len(report) >= 4
    assert all("automata" in how for how in report.values())


def test_the_list_is_that_of_spacy(spacy):
    from pkgutil import iter_modules

    import spacy.lang

    near = "en de fr es it nl sv pl hu fi tr ru el xx".split()
    other = ["ja", "ko", "th", "vi", "zh"]
    folders = {module.name for module in iter_modules(spacy.lang.__path__) if module.ispkg}
    assert folders == {*LANGUAGES, *near, *other}
