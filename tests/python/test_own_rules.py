"""lexpool's own rules, beside spaCy's and beside people's."""

import numpy as np
import pytest
from comparing import words

import lexpool


@pytest.mark.parametrize("lang", ["en", "xx"])
def test_own_rules_agree_with_spacys_on_all_but_one_token_in_a_thousand(spacy, lines, full, lang):
    theirs = spacy.blank(lang).tokenizer
    theirs.max_cache_size = 10**7
    ours = lexpool.blank(lang)
    total = agreed = 0
    for text in lines if full else lines[::4]:
        expected, given = words(theirs(text)), words(ours(text))
        total += len(expected)
        agreed += np.isin(expected, given, assume_unique=True).sum()
    assert agreed / total >= 0.999


def test_own_rules_are_as_near_to_the_gold_tokens_as_spacys(spacy, texts_folder):
    gold = list(sentences((texts_folder / "en_ewt-ud-test.conllu").read_text("utf8")))
    assert len(gold) > 1000
    ours, theirs = f1(lexpool.blank("en"), gold), f1(spacy.blank("en").tokenizer, gold)
    assert ours >= theirs > 0.9


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Let's go to N.Y., shall we?", "Let|'s|go|to|N.Y.|,|shall|we|?"),
        ("I can't, won't & shouldn't've.", "I|ca|n't|,|wo|n't|&|should|n't|'ve|."),
        ("(see http://x.org/a?b=c, or mail me@x.org)", "(|see|http://x.org/a?b=c|,|or|mail|me@x.org|)"),
        ("It cost $1,000.50 :) at 5p.m.", "It|cost|$|1,000.50|:)|at|5|p.m.|"),
    ],
)  # fmt: skip
def test_english_is_cut_as_a_reader_expects(english, text, tokens):
    assert [token.text for token in english(text)] == tokens.rstrip("|").split("|")


def f1(tokenize, gold) -> float:
    expected = given = hit = 0
    for text, spans in gold:
        found = {(t.idx, t.idx + len(t)) for t in tokenize(text) if not t.is_space}
        expected, given, hit = expected + len(spans), given + len(found), hit + len(found & spans)
    return 2 * hit / (expected + given)


def sentences(treebank: str):
    """Each sentence's raw text, with the character ranges of its words."""
    for block in treebank.strip().split("\n\n"):
        rows = block.split("\n")
        text = next(r.removeprefix("# text = ") for r in rows if r.startswith("# text = "))
        yield text, ranges(text, [row.split("\t") for row in rows if not row.startswith("#")])


def ranges(text: str, rows: list[list[str]]) -> set[tuple[int, int]]:
    """Returns the character ranges of the words of a sentence.

    The words of a contraction ("don't" as "do" and "not") are found in its surface form as far as
    they match; the last one gets the rest.
    """
    found, at, last, until = set(), 0, 0, 0
    for number, form, *_ in rows:
        if "." in number:
            continue
        if "-" in number:
            at = text.index(form, at)
            last, until = int(number.split("-")[1]), at + len(form)
            continue
        if int(number) <= last:
            cut = int(number) < last and text.startswith(form, at, until)
            end = at + len(form) if cut else until
        else:
            at = text.index(form, at)
            end = at + len(form)
        found.add((at, end))
        at = end
    return found
