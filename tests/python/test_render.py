"""Pictures of documents: well formed, safe with hostile input, and the same with spaCy's
documents.
"""

import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from types import ModuleType

import pytest
import spacy
from spacy import displacy
from spacy.tokens import Doc, Span

import lexpool
from lexpool.render import parse_deps, parse_ents, parse_spans, render, repr_html, to_file

HOSTILE = "<img src=x onerror=\"alert('1')\">&\x00\x1b"
SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Collects elements, attributes and selectable text; fails if an element is not closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.elements, self.text = [], [], ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, "user-select:none" in (dict(attrs).get("style") or "")))

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if not any(hidden for _, hidden in self.open):
            self.text += data

    def count(self, tag):
        return sum(tag == found for found, _ in self.elements)


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


@pytest.fixture
def tree(nlp):
    words = ["The", "big", "fox", "jumped", "over", "it", ".", '"']
    heads = [2, 2, 3, 3, 3, 4, 3, 3]
    deps = ["det", "amod", "nsubj", "ROOT", "prep", "pobj", "punct", "punct"]
    pos = ["DET", "ADJ", "NOUN", "VERB", "ADP", "PRON", "PUNCT", "PUNCT"]
    spaces = [True, True, True, True, True, False, False, False]
    return Doc(nlp.vocab, words, spaces, heads=heads, deps=deps, pos=pos, tags=pos, lemmas=words)


def show(*args, **kwargs):
    return render(*args, jupyter=False, **kwargs)


def test_a_tree_is_an_svg_of_its_words_and_arcs(tree):
    svg = ElementTree.fromstring(show(tree))
    spans = list(svg.iter(SVG + "tspan"))
    words = [span.text for span in spans if span.get("class") == "lexpool-word"]
    tags = [span.text for span in spans if span.get("class") == "lexpool-tag"]
    labels = [text.text for text in svg.iter(SVG + "text") if text.get("class") == "lexpool-label"]
    assert words == ["The", "big", "fox", "jumped", "over", 'it."']
    assert tags == ["DET", "ADJ", "NOUN", "VERB", "ADP", "PRON"]
    assert sorted(labels) == ["amod", "det", "nsubj", "pobj", "prep"]
    assert svg.find(SVG + "title").text and "nsubj: jumped to fox" in svg.find(SVG + "desc").text


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"collapse_punct": False},
        {"collapse_phrases": True},
        {"collapse_phrases": True, "collapse_punct": False, "add_lemma": True},
        {"fine_grained": True},
    ],
)
def test_words_and_arcs_are_those_of_displacy(tree, options):
    ours, theirs = parse_deps(tree, options), displacy.parse_deps(tree, options)
    assert ours["arcs"] == theirs["arcs"]
    keys = ["text", "tag"] if options.get("collapse_phrases") else ["text", "tag", "lemma"]
    for our, their in zip(ours["words"], theirs["words"], strict=True):
        assert [our[key] for key in keys] == [their[key] for key in keys]
    assert ours["settings"] == theirs["settings"]


def test_a_span_of_a_tree_has_the_arcs_within_it(tree):
    parsed = parse_deps(tree[1:4])
    assert [word["text"] for word in parsed["words"]] == ["big", "fox", "jumped"]
    arcs = [(arc["start"], arc["end"], arc["label"], arc["dir"]) for arc in parsed["arcs"]]
    assert arcs == [(0, 1, "amod", "left"), (1, 2, "nsubj", "left")]


def test_entities_are_marked_in_the_text(nlp):
    doc = nlp("Apple & <Co>\n is in Cupertino.")
    doc.ents = [Span(doc, 0, 1, "ORG", kb_id="Q312"), Span(doc, len(doc) - 2, len(doc) - 1, "GPE")]
    options = {"kb_url_template": "https://x.org/{}", "colors": {"org": "#123456"}}
    html = show(doc, style="ent", options=options)
    page = Reader(html)
    assert page.text.strip("\n") == doc.text
    assert page.count("mark") == 2
    assert [attrs["href"] for tag, attrs in page.elements if tag == "a"] == ["https://x.org/Q312"]
    assert "background:#123456;color:#fff" in html
    assert Reader(show(doc, style="ent", options={"ents": ["gpe"]})).count("mark") == 1
    ours, theirs = parse_ents(doc, options), displacy.parse_ents(doc, options)
    assert ours == theirs


def test_a_span_of_a_document_counts_from_its_start(nlp):
    doc = nlp("I like Apple pie")
    doc.ents = [Span(doc, 2, 3, "ORG")]
    doc.spans["sc"] = [Span(doc, 2, 4, "DISH"), Span(doc, 0, 4, "ALL")]
    ents = parse_ents(doc[1:])["ents"]
    assert [(ent["start"], ent["end"]) for ent in ents] == [(5, 10)]
    spans = parse_spans(doc[1:])["spans"]
    assert [(span["start_token"], span["end_token"], span["start"]) for span in spans] == [
        (1, 3, 5)
    ]


def test_spans_may_overlap(nlp):
    doc = nlp("Welcome to the Bank of China, isn't it?")
    doc.spans["sc"] = [Span(doc, 3, 6, "ORG"), Span(doc, 5, 6, "GPE"), Span(doc, 0, 11, "ALL")]
    html = show(doc, style="span")
    assert Reader(html).text.strip("\n") == doc.text
    assert sum("lexpool-label" in attrs.get("class", "") for _, attrs in Reader(html).elements) == 3
    parsed, theirs = parse_spans(doc), displacy.parse_spans(doc)
    assert parsed == theirs


def test_hostile_input_stays_text(nlp):
    link = {"label": HOSTILE, "kb_id": HOSTILE, "kb_url": "javascript:alert(1)"}
    about = {"title": HOSTILE, "settings": {"lang": HOSTILE}}
    word = {"text": HOSTILE, "tag": HOSTILE, "lemma": HOSTILE}
    arc = {"start": 0, "end": 1, "label": HOSTILE, "dir": "left"}
    parsed = {
        "ent": {"text": HOSTILE, "ents": [{"start": 0, "end": 3, **link}], **about},
        "span": {
            "tokens": [HOSTILE],
            "spans": [{"start_token": 0, "end_token": 1, **link}],
            **about,
        },
        "dep": {"words": [word, word], "arcs": [arc], **about},
    }
    for style, each in parsed.items():
        page = Reader(show(each, style=style, manual=True, page=True))
        assert not {"img", "script", "a"} & {tag for tag, _ in page.elements}
        assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
        assert "javascript:" not in str(page.elements)
    ElementTree.fromstring(show(parsed["dep"], manual=True))


def test_pages_files_and_lists(tree, tmp_path):
    page = Reader(show([tree, tree[:3]], page=True))
    assert page.count("html") == 1 and page.count("svg") == 2
    assert "\n" not in show(tree, minify=True)
    assert show([tree, tree]) == show(tree) + "\n" + show(tree)
    path = to_file(tree, tmp_path / "tree.svg")
    assert ElementTree.parse(path).getroot().tag == SVG + "svg"
    assert (
        to_file(tree, str(tmp_path / "tree.html")).read_text("utf-8").startswith("<!DOCTYPE html>")
    )
    with pytest.raises(ValueError, match=r"\[render-svg\]"):
        to_file([tree, tree], tmp_path / "trees.svg")
    assert not (tmp_path / "trees.svg").exists()


def test_text_from_the_right():
    hebrew = {"text": "\u05e9\u05dc\u05d5\u05dd", "ents": [{"start": 0, "end": 2, "label": "X"}]}
    assert 'dir="rtl"' in show(hebrew, style="ent", manual=True)
    words = [{"text": "a", "tag": ""}, {"text": "b", "tag": ""}]
    parsed = {"words": words, "arcs": [], "settings": {"direction": "rtl"}}
    svg = ElementTree.fromstring(show(parsed, manual=True))
    first, second = (float(span.get("x")) for span in svg.iter(SVG + "tspan") if span.text)
    assert first > second


def test_options_of_displacy_are_taken(tree):
    options = {
        "compact": True,
        "word_spacing": 30,
        "arrow_stroke": 1,
        "distance": 200,
        "offset_x": 5,
    }
    options |= {"bg": "#09a3d5", "color": "white", "font": "'Source Sans Pro'", "arrow_width": 4}
    svg = ElementTree.fromstring(show(tree, options=options))
    assert "background:#09a3d5;color:white;font-family:'Source Sans Pro'" in svg.get("style")
    assert float(svg.get("width")) > 5 * 200


def arcs(**arc):
    word = {"text": "a", "tag": ""}
    return {
        "words": [word, word],
        "arcs": [{"start": 0, "end": 1, "label": "", "dir": "left"} | arc],
    }


def ents(**ent):
    return {"text": "abc", "ents": [{"start": 0, "end": 1, "label": "X"} | ent]}


@pytest.mark.parametrize(
    ("docs", "kwargs", "error", "text"),
    [
        (arcs(), {"style": "tree"}, ValueError, r"\[E087\]"),
        (arcs(), {"manual": False}, ValueError, r"\[E096\] item 0"),
        ("text", {}, ValueError, r"\[E096\]"),
        (3, {}, ValueError, r"\[E096\]"),
        (arcs(start=-1), {}, ValueError, r"\[E157\] arc 0"),
        (arcs(end=2), {}, ValueError, r"\[E157\] arc 0"),
        (arcs(dir="up"), {}, ValueError, r"\[E157\] arc 0"),
        (arcs(start="x"), {}, TypeError, r"\[render-input\] item 0 of \"arcs\""),
        ({"words": []}, {}, ValueError, r"\[render-input\].*arcs"),
        (ents(end=4), {"style": "ent"}, ValueError, r"\[render-entity\] entity 0"),
        (ents(start=-1), {"style": "ent"}, ValueError, r"\[render-entity\] entity 0"),
        (arcs(), {"options": {"colour": "red"}}, ValueError, r"\[render-option\].*colour"),
        (arcs(), {"options": {"distance": "far"}}, TypeError, r"\[render-option\] distance"),
        (
            arcs(),
            {"options": {"distance": float("nan")}},
            ValueError,
            r"\[render-length\].*distance",
        ),
        (arcs(), {"options": {"bg": "red;x:url(y)"}}, ValueError, r"\[render-css\].*bg"),
        (ents(), {"style": "ent", "options": {"colors": {"X": "}"}}}, ValueError, "render-css.*X"),
    ],
)
def test_wrong_input_says_which_item(docs, kwargs, error, text):
    with pytest.raises(error, match=text):
        show(docs, **{"manual": True} | kwargs)


def test_what_is_missing_is_warned_of(nlp):
    doc = nlp("Nothing here")
    for style, code in [("dep", "W005"), ("ent", "W006"), ("span", "W117")]:
        with pytest.warns(UserWarning, match=code):
            show(doc, style=style)


def test_a_notebook_shows_entities_else_spans_else_tokens(nlp):
    doc = nlp("Bank of China")
    assert "lexpool-tokens" in repr_html(doc)
    doc.spans["a"], doc.spans["b"] = [Span(doc, 0, 3, "ORG")], [Span(doc, 2, 3, "GPE")]
    html = repr_html(doc)
    assert html.count("lexpool-spans") == 2 and ">a</h2>" in html
    doc.ents = [Span(doc, 2, 3, "GPE")]
    assert "lexpool-ents" in repr_html(doc)
    assert "lexpool-tokens" in repr_html(doc[:2].as_doc())


def test_a_notebook_shows_the_beginning_of_a_long_document():
    doc = lexpool.blank("en")("word " * 5000)
    html = doc._repr_html_()
    assert "and 4600 more tokens" in html
    assert Reader(html).text.count("word") == 400
    assert "more tokens" not in doc[10:400]._repr_html_()


def test_tokens_show_their_cuts_and_whitespace():
    html = lexpool.blank("en")("isn't\n it")._repr_html_()
    assert Reader(html).text.split("\n")[0].startswith("isn't\u21b5")


def test_pictures_are_the_same_each_time(tree):
    assert show(tree, page=True) == show(tree, page=True)


def test_in_a_notebook_the_picture_is_displayed(tree, monkeypatch):
    shown = []
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = type("ZMQInteractiveShell", (), {})
    display.HTML, display.display = str, shown.append
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    assert render(tree) is None
    assert len(shown) == 1 and show(tree) in shown[0]
