"""`lexpool.pipeline.Lemmatizer` beside spaCy's."""

import random
import warnings

import pytest
import treebank

import lexpool
from lexpool.lookups import Lookups
from lexpool.pipeline import EnglishLemmatizer, Lemmatizer
from lexpool.tokens import Doc
from lexpool.training import Example

RULES = {
    "noun": [
        ["s", ""],
        ["ses", "s"],
        ["ves", "f"],
        ["xes", "x"],
        ["zes", "z"],
        ["ches", "ch"],
        ["shes", "sh"],
        ["men", "man"],
        ["ies", "y"],
    ],
    "verb": [
        ["s", ""],
        ["ies", "y"],
        ["es", "e"],
        ["es", ""],
        ["ed", "e"],
        ["ed", ""],
        ["ing", "e"],
        ["ing", ""],
    ],
    "adj": [["er", ""], ["est", ""], ["er", "e"], ["est", "e"]],
    "punct": [["\u201c", '"'], ["\u201d", '"']],
}


@pytest.fixture(scope="module")
def tables(texts_folder):
    """Tables for both modes, made of the treebanks' lemmas."""
    lookup, exceptions, index = {}, {}, {}
    for sentence in treebank.sentences(texts_folder):
        for word, lemma, pos in zip(
            *(sentence[name] for name in ("words", "lemmas", "pos")), strict=True
        ):
            lookup.setdefault(word, lemma if len(word) % 2 else [lemma, "other"])
            if pos in ("NOUN", "VERB", "ADJ"):
                index.setdefault(pos.lower(), []).append(lemma)
                if word.lower()[:3] != lemma[:3]:
                    exceptions.setdefault(pos.lower(), {}).setdefault(word.lower(), []).append(
                        lemma
                    )
    return {
        "lemma_lookup": lookup,
        "lemma_rules": RULES,
        "lemma_exc": exceptions,
        "lemma_index": index,
    }


def filled(lookups, tables):
    for name, table in tables.items():
        lookups.add_table(name, table)
    return lookups


@pytest.fixture(scope="module")
def classes(spacy):
    """spaCy's classes with lexpool's, for any language and for English."""
    from spacy.lang.en.lemmatizer import EnglishLemmatizer as TheirEnglish
    from spacy.pipeline import Lemmatizer as Theirs

    return [(Theirs, Lemmatizer), (TheirEnglish, EnglishLemmatizer)]


def some(texts_folder):
    rng = random.Random(3)
    yield from treebank.sentences(texts_folder)
    yield from (treebank.random_sentence(rng) for _ in range(400))


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("mode", ["lookup", "rule"])
def test_lemmas_are_those_of_spacy_over_treebanks_and_random_documents(
    spacy, classes, tables, texts_folder, mode, overwrite
):
    from spacy.lookups import Lookups as TheirLookups

    for cls, own in classes:
        vocab, own_vocab = spacy.blank("en").vocab, lexpool.blank("en").vocab
        theirs = cls(vocab, None, mode=mode, overwrite=overwrite)
        ours = own(own_vocab, None, mode=mode, overwrite=overwrite)
        theirs.initialize(lookups=filled(TheirLookups(), tables))
        ours.initialize(lookups=filled(Lookups(), tables))
        assert ours.native() is not None
        for number, sentence in enumerate(some(texts_folder)):
            if number % 3:
                sentence = treebank.without(sentence, "lemmas")
            expected = theirs(spacy.tokens.Doc(vocab, **sentence))
            given = ours(Doc(own_vocab, **sentence))
            assert [t.lemma_ for t in given] == [t.lemma_ for t in expected], sentence
            if number % 10 == 0:
                for token, own_token in zip(expected, given, strict=True):
                    assert ours.lemmatize(own_token) == theirs.lemmatize(token), token
                    assert ours.is_base_form(own_token) == theirs.is_base_form(token), token


def test_a_word_without_a_part_of_speech_is_warned_of():
    nlp = lexpool.blank("en")
    lemmatizer = Lemmatizer(nlp.vocab, None, mode="rule")
    lemmatizer.initialize(lookups=filled(Lookups(), {"lemma_rules": RULES}))
    with pytest.warns(UserWarning, match="W108"):
        doc = lemmatizer(nlp("Cats sleep"))
    assert [token.lemma_ for token in doc] == ["cats", "sleep"]
    with pytest.warns(UserWarning, match="W108"):
        assert lemmatizer.rule_lemmatize(nlp("Cats")[0]) == ["cats"]
    doc = Doc(nlp.vocab, words=["Cats"], pos=["NOUN"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lemmatizer(doc)[0].lemma_ == "cat"


def test_missing_tables_are_named_at_initialization_and_at_the_first_document():
    nlp = lexpool.blank("en")
    for mode, table in (("lookup", "lemma_lookup"), ("rule", "lemma_rules")):
        lemmatizer = Lemmatizer(nlp.vocab, None, mode=mode)
        assert lemmatizer.native() is None
        with pytest.raises(ValueError, match=f"E1004.*{mode}.*{table}"):
            lemmatizer(nlp("word"))
        with pytest.raises(ValueError, match=f"E1004.*{mode}.*{table}.*something"):
            lemmatizer.initialize(lookups=filled(Lookups(), {"something": {}}))
    with pytest.raises(ValueError, match="E1003.*nothing"):
        Lemmatizer(nlp.vocab, None, mode="nothing")


@pytest.mark.parametrize(
    "table",
    [
        {"lemma_lookup": {"a": 1}},
        {"lemma_lookup": {"a": []}},
        {"lemma_lookup": {"a": ["b", 2]}},
        {"lemma_rules": {"verb": [["s"]]}},
        {"lemma_rules": {"verb": ["ss"]}},
        {"lemma_rules": {"verb": 1}},
        {"lemma_rules": {}, "lemma_exc": {"verb": ["be"]}},
        {"lemma_rules": {}, "lemma_exc": {"verb": {"is": "be"}}},
        {"lemma_rules": {}, "lemma_exc": {"verb": {(1, 2): ["be"]}}},
        {"lemma_rules": {}, "lemma_index": {"verb": [None]}},
    ],
)
def test_tables_of_another_form_are_refused_by_name(table):
    mode = "lookup" if "lemma_lookup" in table else "rule"
    lemmatizer = Lemmatizer(lexpool.blank("en").vocab, None, mode=mode)
    with pytest.raises(ValueError, match=r"\[lemma-table\] " + list(table)[-1]):
        lemmatizer.initialize(lookups=filled(Lookups(), table))


def test_changes_of_tables_are_noticed():
    nlp = lexpool.blank("en")
    lemmatizer = Lemmatizer(nlp.vocab, None)
    lookups = filled(Lookups(), {"lemma_lookup": {"went": "go"}})
    lemmatizer.initialize(lookups=lookups)

    def lemma():
        return lemmatizer(nlp("went"))[0].lemma_

    assert lemma() == "go"
    first = lemmatizer.native()
    assert lemmatizer.native() is first
    lookups.get_table("lemma_lookup")["went"] = "wend"
    assert lemma() == "wend"
    del lookups.get_table("lemma_lookup")["went"]
    assert lemma() == "went"
    lookups.set_table("lemma_lookup", lexpool.lookups.Table("x", {"went": "walk"}))
    assert lemma() == "walk"
    lemmatizer.lookups = filled(Lookups(), {"lemma_lookup": {"went": "run"}})
    assert lemma() == "run"
    rules = {"noun": [["s", ""]]}
    ruled = Lemmatizer(nlp.vocab, None, mode="rule")
    ruled.initialize(lookups=filled(Lookups(), {"lemma_rules": rules}))
    doc = Doc(nlp.vocab, words=["mice"], pos=["NOUN"])
    assert ruled(doc)[0].lemma_ == "mice"
    rules["noun"].append(["mice", "mouse"])
    ruled.overwrite = True
    assert ruled(doc)[0].lemma_ == "mouse"


def test_a_mode_of_ones_own_works_and_is_not_native():
    class Backwards(Lemmatizer):
        def backwards_lemmatize(self, token):
            return [token.text[::-1]]

    class Shouted(EnglishLemmatizer):
        def is_base_form(self, token):
            return token.text == "Cats"

    nlp = lexpool.blank("en")
    lemmatizer = Backwards(nlp.vocab, None, mode="backwards")
    assert lemmatizer.native() is None
    assert lemmatizer(nlp("abc"))[0].lemma_ == "cba"
    shouted = Shouted(nlp.vocab, None, mode="rule")
    shouted.initialize(lookups=filled(Lookups(), {"lemma_rules": RULES}))
    assert shouted.native() is None
    doc = shouted(Doc(nlp.vocab, words=["Cats", "dogs"], pos=["NOUN", "NOUN"]))
    assert [token.lemma_ for token in doc] == ["cats", "dog"]
    looked = Lemmatizer(nlp.vocab, None)
    looked.initialize(lookups=filled(Lookups(), {"lemma_lookup": {}}))
    looked.lemmatize = lambda token: ["same"]
    assert looked.native() is None
    assert looked(nlp("any"))[0].lemma_ == "same"


def test_what_fails_goes_to_the_error_handler():
    class Failing(Lemmatizer):
        def failing_lemmatize(self, token):
            raise RuntimeError(token.text)

    nlp, handled = lexpool.blank("en"), []
    lemmatizer = Failing(nlp.vocab, None, mode="failing")
    with pytest.raises(RuntimeError, match="one"):
        lemmatizer(nlp("one"))
    lemmatizer.set_error_handler(lambda name, proc, docs, error: handled.append((name, str(error))))
    assert list(lemmatizer.pipe([nlp("one"), nlp("")]))[-1].text == ""
    assert handled == [("lemmatizer", "one")]


@pytest.mark.parametrize("mode", ["lookup", "rule"])
def test_bytes_and_folders_are_spacys(spacy, classes, tables, tmp_path, mode):
    from spacy.lookups import Lookups as TheirLookups

    theirs = classes[0][0](spacy.blank("en").vocab, None, mode=mode)
    theirs.initialize(lookups=filled(TheirLookups(), tables))
    theirs.to_disk(tmp_path / "theirs")
    nlp = lexpool.blank("en")
    loaded = [
        Lemmatizer(nlp.vocab, None, mode=mode).from_bytes(theirs.to_bytes()),
        Lemmatizer(nlp.vocab, None, mode=mode).from_disk(tmp_path / "theirs"),
    ]
    loaded[0].to_disk(tmp_path / "ours")
    doc = Doc(nlp.vocab, words=["Cats", "went"], pos=["NOUN", "VERB"])
    for ours in loaded:
        assert ours.lookups.tables == list(tables)
        assert ours.native() is not None
        for back in (
            classes[0][0](spacy.blank("en").vocab, None, mode=mode).from_bytes(ours.to_bytes()),
            classes[0][0](spacy.blank("en").vocab, None, mode=mode).from_disk(tmp_path / "ours"),
        ):
            assert back.lookups.to_bytes() == theirs.lookups.to_bytes()
        assert [ours.lemmatize(t)[0] for t in doc] == [t.lemma_ for t in ours(doc.copy())]
    for exclude in (["lookups"], ["vocab", "lookups"]):
        with pytest.raises(ValueError, match=r"\[E912\]"):
            Lemmatizer(nlp.vocab, None, mode=mode).from_bytes(theirs.to_bytes(), exclude=exclude)
    with pytest.raises(ValueError, match="a component's parts"):
        loaded[0].from_bytes(b"\x93\x01\x02\x03")


def test_tables_are_found_as_spacy_finds_them(monkeypatch):
    import lexpool.pipeline.lemmatizer as module

    asked = []

    def load(lang, tables, strict=True):
        asked.append((lang, list(tables), strict))
        known = {"lemma_rules": RULES, "lemma_exc": {"verb": {"is": ["be"]}}, "lemma_index": {}}
        return filled(Lookups(), {name: known[name] for name in tables})

    monkeypatch.setattr(module, "load_lookups", load)
    lemmatizer = Lemmatizer(lexpool.blank("en").vocab, None, mode="rule")
    lemmatizer.initialize()
    assert asked == [("en", ["lemma_rules"], True), ("en", ["lemma_exc", "lemma_index"], False)]
    assert lemmatizer.lookups.tables == ["lemma_rules", "lemma_exc", "lemma_index"]
    assert Lemmatizer.get_lookups_config("other") == ([], [])


def test_a_stream_warns_of_words_without_a_part_of_speech_too():
    nlp = lexpool.blank("en")
    lemmatizer = nlp.add_pipe("lemmatizer", config={"mode": "rule"})
    assert type(lemmatizer) is EnglishLemmatizer
    lemmatizer.initialize(lookups=filled(Lookups(), {"lemma_rules": RULES}))
    for texts in (["Cats", "Dogs"], [nlp.make_doc("Cats"), nlp.make_doc("Dogs")]):
        with pytest.warns(UserWarning, match="W108"):
            docs = list(nlp.pipe(texts))
        assert [doc[0].lemma_ for doc in docs] == ["cats", "dogs"]
    with pytest.warns(UserWarning, match="W108"):
        assert nlp("Cats")[0].lemma_ == "cats"


def test_a_memory_zone_over_many_new_words_leaves_the_strings_as_they_were():
    nlp = lexpool.blank("en")
    lemmatizer = Lemmatizer(nlp.vocab, None, mode="rule")
    lemmatizer.initialize(lookups=filled(Lookups(), {"lemma_rules": RULES}))
    lemmatizer(Doc(nlp.vocab, words=["known", "knowns"], pos=["NOUN", "NOUN"]))
    before = len(nlp.vocab.strings)
    for turn in range(3):
        with nlp.memory_zone():
            words = [f"word{chr(97 + i % 26)}{i}q{turn}s" for i in range(3000)]
            doc = lemmatizer(Doc(nlp.vocab, words=words, pos=["NOUN"] * len(words)))
            assert doc[7].lemma_ == words[7][:-1]
            assert len(nlp.vocab.strings) >= before + 6000
            del doc
        assert len(nlp.vocab.strings) == before


def test_scores_are_those_of_spacy(spacy, classes, tables, texts_folder):
    from spacy.lookups import Lookups as TheirLookups
    from spacy.training import Example as TheirExample

    theirs, ours = (
        cls(vocab, None, overwrite=True)
        for cls, vocab in zip(
            classes[0], (spacy.blank("en").vocab, lexpool.blank("en").vocab), strict=True
        )
    )
    theirs.initialize(lookups=filled(TheirLookups(), tables))
    ours.initialize(lookups=filled(Lookups(), tables))
    some_sentences = list(treebank.sentences(texts_folder))[:200]
    scores = []
    for component, doc_class, example_class in (
        (theirs, spacy.tokens.Doc, TheirExample),
        (ours, Doc, Example),
    ):
        examples = [
            example_class(
                component(doc_class(component.vocab, words=s["words"], spaces=s["spaces"])),
                doc_class(component.vocab, **s),
            )
            for s in some_sentences
        ]
        scores.append((component.score(examples), component.score([])))
    assert scores[0] == scores[1]
    assert 0.5 < scores[1][0]["lemma_acc"] < 1.0
    assert scores[1][1] == {"lemma_acc": None}
    assert Lemmatizer(ours.vocab, None, scorer=None).score([]) == {}


@pytest.mark.parametrize("again", ["set", "initialize"])
def test_an_entry_replaced_within_a_value_counts_once_the_tables_are_taken_again(again):
    nlp = lexpool.blank("en")
    lemmatizer = nlp.add_pipe("lemmatizer", config={"mode": "rule"})
    lookups = Lookups()
    lookups.add_table("lemma_rules", RULES)
    exceptions = lookups.add_table("lemma_exc", {"noun": {"data": ["datum"]}})
    lemmatizer.initialize(lookups=lookups)

    def lemma():
        [doc] = nlp.pipe([Doc(nlp.vocab, words=["data"], pos=["NOUN"])])
        assert lemmatizer(Doc(nlp.vocab, words=["data"], pos=["NOUN"]))[0].lemma_ == doc[0].lemma_
        assert lemmatizer.lemmatize(Doc(nlp.vocab, words=["data"], pos=["NOUN"])[0]) == [
            doc[0].lemma_
        ]
        return doc[0].lemma_

    assert lemma() == "datum"
    exceptions["noun"]["data"] = ["x"]
    if again == "set":
        exceptions["noun"] = exceptions["noun"]
    else:
        lemmatizer.initialize(lookups=lemmatizer.lookups)
    assert lemma() == "x"
