"""`lexpool.training.converters`: the documents of spaCy's converters, attribute by attribute."""

import json
import random

import pytest

import lexpool
from lexpool import training
from lexpool.training import converters

spacy = pytest.importorskip("spacy")
from spacy.training import converters as spacys, docs_to_json as spacys_json


def rows(doc):
    """All that a document has, whichever library made it."""
    return [
        doc.text,
        doc.has_unknown_spaces,
        dict(doc.cats),
        [
            (
                token.text_with_ws,
                token.tag_,
                token.pos_,
                str(token.morph),
                token.lemma_,
                token.dep_,
                token.head.i,
                token.ent_iob_,
                token.ent_type_,
                token.is_sent_start,
                token.norm_,
            )
            for token in doc
        ],
        [doc.has_annotation(attr) for attr in ("TAG", "POS", "MORPH", "LEMMA", "DEP", "ENT_IOB")],
    ]


def outcome(convert, *args, **kwargs):
    """The documents of a converter, or None for an error."""
    try:
        return [rows(doc) for doc in convert(*args, **kwargs)]
    except Exception:
        return None


def assert_equal(name, text, **settings):
    """Compares a converter with spaCy's. What spaCy cannot read is a named error or nothing more
    than blank lines.
    """
    theirs = outcome(getattr(spacys, name), text, no_print=True, **settings)
    if theirs is None:
        try:
            docs = list(getattr(converters, name)(text, no_print=True, **settings))
        except (ValueError, RuntimeError) as error:
            assert str(error).startswith("["), error
        else:
            assert "\n\n\n" in text or not text.strip() or "#" in text, (text, docs)
        return False
    made = outcome(getattr(converters, name), text, no_print=True, **settings)
    assert made == theirs, (text, settings)
    return True


def treebank(draw, hostile):
    """Random sentences in CoNLL-U, with ranges, empty nodes and entities."""
    sentences = []
    for _ in range(draw.randint(1, 5)):
        length = draw.randint(1, 6)
        lines = ["# text = ..."] if draw.random() < 0.3 else []
        at = 1
        end_of_range = 0
        while at <= length:
            if at > end_of_range and at < length and draw.random() < 0.2:
                end_of_range = draw.randint(at, length)
                misc = draw.choice(["_", "SpaceAfter=No"])
                lines.append(f"{at}-{end_of_range}\tab{at}" + "\t_" * 7 + f"\t{misc}")
            if draw.random() < 0.1:
                lines.append(f"{at}.1\tx" + "\t_" * 8)
            head = draw.choice([0, *range(1, length + 1)])
            fields = [
                str(at),
                draw.choice(["a", "Be", "\u00e9", "_", "c d"]),
                draw.choice(["be", "_", ""]),
                draw.choice(["NOUN", "VERB", "_", "X"]),
                draw.choice(["NN", "_", "V|V"]),
                draw.choice(["_", "Case=Nom", "B=2,1|A=x", "B=1|A=y"]),
                draw.choice([str(head), "_"]),
                draw.choice(["root", "nsubj", "_", "dep"]),
                "_",
                draw.choice(
                    [
                        "_",
                        "SpaceAfter=No",
                        "O",
                        "B-PER",
                        "name=L-PER|SpaceAfter=No",
                        "NE=U-LOCx",
                        "I-PER",
                        "x-PER",
                    ]
                ),
            ]
            if hostile and draw.random() < 0.1:
                column = draw.randrange(10)
                fields[column] = draw.choice(
                    ["", "7", "-1", "1-2-3", "0-1", "2-1", "x", "A|B", "\u00a0", "1_0", " 2 ", "#"]
                )
            if hostile and draw.random() < 0.03:
                fields.pop()
            lines.append("\t".join(fields))
            at += 1
        sentences.append("\n".join(lines))
    ends = ["\n\n", "\n\n\n"] if hostile else ["\n\n"]
    return "".join(sentence + draw.choice(ends) for sentence in sentences)


@pytest.mark.parametrize("hostile", [False, True])
def test_treebanks_become_the_documents_of_spacy(hostile):
    draw = random.Random(7)
    equal = 0
    for _ in range(150):
        settings = {
            "n_sents": draw.choice([1, 2, 10]),
            "merge_subtokens": draw.random() < 0.5,
            "append_morphology": draw.random() < 0.5,
            "ner_map": draw.choice([None, {"PER": "PERSON"}, {"PER": ""}]),
        }
        equal += assert_equal("conllu_to_docs", treebank(draw, hostile), **settings)
    assert equal > (10 if hostile else 40)


def columns(draw, hostile):
    lines = []
    width = draw.choice([2, 3, 4])
    for _ in range(draw.randint(1, 12)):
        word = draw.choice(["a", "Be", ".", "!", "\u3002", "c"])
        tag = draw.choice(["O", "B-A", "I-A", "I-B", "B-B"])
        lines.append(draw.choice([" ", "\t"]).join([word, *["T"] * (width - 2), tag]))
        if draw.random() < 0.2:
            lines.append("")
        if draw.random() < 0.08:
            lines += ["-DOCSTART- -X- O O", ""]
        if hostile and draw.random() < 0.1:
            odd = [
                "a",
                "a B-",
                " ",
                "a X O",
                "-DOCSTART-",
                "a -",
                "a\u00a0O",
                "-DOCSTART- -X- O Ob O",
            ]
            lines.append(draw.choice(odd))
    return "\n".join(lines) + draw.choice(["", "\n", "\n\n"])


@pytest.mark.parametrize("hostile", [False, True])
def test_columns_become_the_documents_of_spacy(hostile):
    draw = random.Random(11)
    equal = 0
    for _ in range(200):
        settings = {"n_sents": draw.choice([0, 1, 2, 10]), "seg_sents": draw.random() < 0.5}
        equal += assert_equal("conll_ner_to_docs", columns(draw, hostile), **settings)
    assert equal > (40 if hostile else 100)


@pytest.mark.parametrize("hostile", [False, True])
def test_words_with_bars_become_the_documents_of_spacy(hostile):
    draw = random.Random(13)
    equal = 0
    for _ in range(200):
        lines = []
        for _ in range(draw.randint(1, 5)):
            width = draw.choice([2, 3])
            words = [
                "|".join(
                    [
                        draw.choice(["a", "Be", "."]),
                        *["T"] * (width - 2),
                        draw.choice(["O", "B-A", "I-A", "I-B"]),
                    ]
                )
                for _ in range(draw.randint(0, 4))
            ]
            if hostile and draw.random() < 0.2:
                words.insert(
                    draw.randint(0, len(words)),
                    draw.choice(["a", "a|b|c|d", "a|B", "|O", "a|", "||", "a|-", "O|O|O"]),
                )
            lines.append(" ".join(words))
        equal += assert_equal("iob_to_docs", "\n".join(lines), n_sents=draw.choice([1, 2, 10]))
    assert equal > (50 if hostile else 150)


def training_json(draw, hostile):
    def token(length, at):
        made = {"orth": draw.choice(["a", "Be", "."])}
        own = {
            "tag": draw.choice(["NN", "VB"]),
            "pos": draw.choice(["NOUN", "VERB", ""]),
            "morph": draw.choice(["", "Case=Nom", "B=1|A=2"]),
            "lemma": draw.choice(["a", "b"]),
            "head": draw.randrange(length) - at,
            "dep": draw.choice(["ROOT", "root", "x"]),
            "ner": draw.choice(["O", "U-A", "-"]),
            "space": draw.choice(["", " "]),
        }
        made |= {key: value for key, value in own.items() if key in kept}
        if hostile and draw.random() < 0.05:
            made[draw.choice(list(own))] = draw.choice([None, 3, "B-X", [], 99])
        return made

    kept = {
        key
        for key in ("tag", "pos", "morph", "lemma", "head", "dep", "ner", "space")
        if draw.random() < 0.6
    }
    sentences = []
    for _ in range(draw.randint(0, 3)):
        length = draw.randint(1, 4)
        tokens = [token(length, at) for at in range(length)]
        sentences.append({"tokens": tokens, "brackets": []})
    words = [token["orth"] for sentence in sentences for token in sentence["tokens"]]
    raw = draw.choice([None, " ".join(words), "".join(words), "other"])
    cats = [{"label": "X", "value": draw.choice([0, 1, 0.5])}] if draw.random() < 0.3 else []
    return [{"id": 0, "paragraphs": [{"raw": raw, "sentences": sentences, "cats": cats}]}]


@pytest.mark.filterwarnings("ignore:.*W100")
@pytest.mark.parametrize("hostile", [False, True])
def test_training_json_becomes_the_documents_of_spacy(hostile):
    draw = random.Random(17)
    equal = 0
    for _ in range(200):
        data = training_json(draw, hostile)
        theirs = outcome(spacys.json_to_docs, data)
        if theirs is None:
            with pytest.raises(ValueError, match=r"^\["):
                list(converters.json_to_docs(data))
            continue
        try:
            made = [rows(doc) for doc in converters.json_to_docs(json.dumps(data))]
        except ValueError as error:
            # A value of a wrong type, or of some tokens only, which spaCy takes as some number.
            assert hostile
            assert str(error).startswith("[")
            continue
        assert made == theirs, data
        equal += 1
    assert equal > (50 if hostile else 120)


def test_documents_become_the_json_of_spacy():
    draw = random.Random(19)
    for _ in range(60):
        text = treebank(draw, hostile=False)
        theirs = (
            list(spacys.conllu_to_docs(text, n_sents=2, no_print=True))
            if outcome(spacys.conllu_to_docs, text, no_print=True)
            else []
        )
        if not theirs:
            continue
        docs = list(converters.conllu_to_docs(text, n_sents=2, no_print=True))
        for doc in (*theirs, *docs):
            doc.cats["A"] = 0.5
        assert training.docs_to_json(docs, 3, "-") == spacys_json(theirs, 3, "-")
        again = list(converters.json_to_docs([training.docs_to_json(docs)]))
        assert [[token.tag_ for token in doc] for doc in again] == [
            [token.tag_ for token in doc] for doc in docs
        ]


def test_links_come_with_their_offsets():
    def linked(library, made):
        doc = library.tokens.Doc(made.vocab, words=["In", "Rome"], spaces=[True, False])
        doc[0].is_sent_start = True
        doc[1].is_sent_start = False
        doc.ents = [library.tokens.Span(doc, 1, 2, label="GPE", kb_id="Q220")]
        return doc

    expected = spacys_json(linked(spacy, spacy.blank("en")))
    assert training.docs_to_json(linked(lexpool, lexpool.blank("en"))) == expected
    assert expected["paragraphs"][0]["links"] == [{(3, 7): {"Q220": 1.0}}]


@pytest.mark.parametrize(
    ("convert", "text", "message"),
    [
        (converters.conllu_to_docs, "1\ta\n", r"^\[convert-syntax\] the input, line 1: 2 columns"),
        (converters.conll_ner_to_docs, "a O\nb\n", r"^\[E903\] the input, line 2: "),
        (converters.iob_to_docs, "a|O\nb c|O\n", r"^\[E902\] the input, line 2: "),
        (converters.json_to_docs, "{}", r"^\[convert-json\] the input: "),
        (converters.json_to_docs, "[\n{]", r"^\[convert-json\] the input, line 2: "),
    ],
)
def test_wrong_input_is_named(convert, text, message):
    with pytest.raises(ValueError, match=message):
        list(convert(text, no_print=True))


def test_no_grouping_makes_one_document(capsys):
    treebank = "1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n" * 3
    assert len(list(converters.conllu_to_docs(treebank, n_sents=0))) == 1
    assert "one document" in capsys.readouterr().err
    assert len(list(converters.iob_to_docs("a|O\nb|O", n_sents=0, no_print=True))) == 1
    assert not capsys.readouterr().err
