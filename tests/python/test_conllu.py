"""`read_conllu` and `write_conllu`: treebanks in CoNLL-U."""

import pytest

import lexpool
from lexpool.tokens import Doc, DocBin
from lexpool.training import Example, read_conllu, write_conllu

TREEBANK = """\
# newdoc id = first
# sent_id = first-1
# text = They don't buy  and sell books.
1\tThey\tthey\tPRON\tPRP\tCase=Nom|Number=Plur\t4\tnsubj\t4:nsubj|5:nsubj\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\tMood=Ind\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tbuy\tbuy\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root\tSpacesAfter=\\s\\s
5\tand\tand\tCCONJ\tCC\t_\t6\tcc\t6:cc\t_
5.1\tthey\tthey\tPRON\t_\t_\t_\t_\t6:nsubj\t_
6\tsell\tsell\tVERB\tVB\tVerbForm=Inf\t4\tconj\t0:root|4:conj\t_
7\tbooks\tbook\tNOUN\tNNS\tNumber=Plur\t4\tobj\t4:obj\tSpaceAfter=No
8\t.\t.\tPUNCT\t.\t_\t4\tpunct\t4:punct\t_

# sent_id = first-2
# text = Voy al mar
1\tVoy\tir\tVERB\t_\tMood=Ind\t0\troot\t_\t_
2-3\tal\t_\t_\t_\t_\t_\t_\t_\t_
2\ta\ta\tADP\tE\t_\t4\tcase\t_\t_
3\tel\tel\tDET\tD\tDefinite=Def\t4\tdet\t_\t_
4\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\t_

# newdoc id = second
# sent_id = second-1
1\tIn\tin\tADP\tIN\t_\t0\troot\t_\t_

"""


@pytest.fixture
def nlp():
    return lexpool.blank("en")


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text(TREEBANK, encoding="utf-8")
    return path


def kept(doc: Doc) -> list:
    """All that a file keeps of a document."""
    words = [
        (t.text_with_ws, t.lemma_, t.pos_, t.tag_, str(t.morph), t.dep_, t.head.i, t.is_sent_start)
        for t in doc
    ]
    return [words, doc.user_data.get("conllu")]


def test_a_treebank_comes_with_its_text_and_all_that_is_known_of_words(nlp, treebank):
    first, second = read_conllu(treebank, nlp.vocab)
    assert first.text == "They don't buy  and sell books. Voy al mar "
    assert [sent.text for sent in first.sents] == ["They don't buy  and sell books.", "Voy al mar"]
    assert first[2].lemma_ == "not"
    assert first[0].morph.to_dict() == {"Case": "Nom", "Number": "Plur"}
    assert [child.text for child in first[3].children] == [
        "They",
        "do",
        "n't",
        " ",
        "sell",
        "books",
        ".",
    ]
    assert first[3].dep_ == "ROOT"
    assert (first[10].text, first[10].lemma_, first[10].tag_, first[10].head.text) == (
        "al",
        "a el",
        "E_D",
        "mar",
    )
    assert first[9].tag_ == ""
    assert first.user_data["conllu"] == {"id": "first", "sent_ids": ["first-1", "first-2"]}
    assert second.user_data["conllu"]["id"] == "second"
    assert len(list(read_conllu(treebank, nlp.vocab, n_sents=1))) == 3
    assert len(list(read_conllu(str(treebank), nlp.vocab, n_sents=10))) == 2


def test_what_is_written_is_read_the_same(nlp, treebank, tmp_path):
    docs = list(read_conllu(treebank, nlp.vocab))
    path = tmp_path / "out.conllu"
    assert write_conllu(path, docs) == 2
    again = list(read_conllu(path, nlp.vocab))
    assert [kept(doc) for doc in again] == [kept(doc) for doc in docs]
    write_conllu(tmp_path / "again.conllu", again)
    assert path.read_bytes() == (tmp_path / "again.conllu").read_bytes()


def test_spacy_makes_the_same_of_words_that_are_written_as_they_are(nlp, treebank):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    from spacy.training.converters import conllu_to_docs

    assert spacy
    plain = TREEBANK.replace("SpacesAfter=\\s\\s", "_")
    treebank.write_text(plain, encoding="utf-8")
    for sentence, theirs in enumerate(conllu_to_docs(plain, n_sents=1, no_print=True)):
        if sentence == 1:
            continue
        ours = list(read_conllu(treebank, nlp.vocab, n_sents=1))[sentence]
        assert kept(ours)[0] == kept(Doc.from_json(Doc(nlp.vocab), theirs.to_json()))[0] or [
            (t.text_with_ws, t.lemma_, t.pos_, t.tag_, str(t.morph), t.dep_, t.head.i) for t in ours
        ] == [
            (t.text_with_ws, t.lemma_, t.pos_, t.tag_, str(t.morph), t.dep_, t.head.i)
            for t in theirs
        ]


def test_whitespace_of_any_kind_is_part_of_the_text(nlp, treebank):
    treebank.write_text(
        TREEBANK.replace("\\s\\s", "\\u00A0\\n\\t\\p\\u12").replace("buy  and", "buy |u12and")
    )
    doc = next(read_conllu(treebank, nlp.vocab))
    assert doc.text.startswith("They don't buy\u00a0\n\t|u12and sell")


def test_gold_documents_serve_as_references(nlp, treebank):
    gold = next(read_conllu(treebank, nlp.vocab))
    example = Example(nlp.make_doc(gold.text), gold)
    assert example.get_aligned("TAG", as_string=True)[:3] == ["PRP", "VBP", "RB"]
    assert len(DocBin(docs=[gold])) == 1


@pytest.mark.parametrize(
    ("changed", "to", "place"),
    [
        (
            "\tPRON\tPRP",
            "\tPRONOUN\tPRP",
            'line 4, column 4 (UPOS): unknown part of speech "PRONOUN"',
        ),
        (
            "\t4\tobj",
            "\t44\tobj",
            "line 12, column 7 (HEAD): word 44 is outside of the sentence, which has 8",
        ),
        ("7\tbooks\t", "9\tbooks\t", 'line 12, column 1 (ID): word "9", expected word 7'),
        ("don't buy", "do buy", "line 1: the words of the sentence are"),
        ("\t4:obj\t", "\t", "line 12: 9 columns between tabs"),
    ],
)
def test_a_fault_is_named_with_its_line_and_column(nlp, treebank, changed, to, place):
    assert changed in TREEBANK
    treebank.write_text(TREEBANK.replace(changed, to, 1), encoding="utf-8")
    with pytest.raises(ValueError, match="conllu-syntax") as raised:
        list(read_conllu(treebank, nlp.vocab))
    assert place in str(raised.value)
    assert "in.conllu" in str(raised.value)


def test_arguments_that_do_not_fit_are_named(nlp, treebank, tmp_path):
    with pytest.raises(ValueError, match="conllu-sentences"):
        read_conllu(treebank, nlp.vocab, n_sents=0)
    with pytest.raises(OSError, match="absent"):
        read_conllu(tmp_path / "absent.conllu", nlp.vocab)
    doc = nlp("One.")
    doc.user_data["conllu"] = {"id": 3, "sent_ids": []}
    with pytest.raises(TypeError, match="conllu-ids"):
        write_conllu(tmp_path / "out.conllu", [doc])
    with pytest.raises(TypeError):
        write_conllu(tmp_path / "out.conllu", ["text"])
    assert not (tmp_path / "out.conllu").exists()


def test_a_document_without_annotation_is_one_sentence(nlp, tmp_path):
    path = tmp_path / "out.conllu"
    write_conllu(path, [nlp("So it goes.\n\nAnd so on. ")])
    assert path.read_text().splitlines()[:3] == [
        "# newdoc",
        "# text = So it goes.  And so on.",
        "1\tSo\t_\t_\t_\t_\t_\t_\t_\t_",
    ]
    [doc] = read_conllu(path, nlp.vocab)
    assert doc.text == "So it goes.\n\nAnd so on. "
