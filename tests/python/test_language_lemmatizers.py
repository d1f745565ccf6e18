"""The lemmatizers of particular languages beside spaCy's, on random tables and documents."""

import importlib
import pickle
import random

import pytest

import lexpool
from lexpool import pipeline
from lexpool.lookups import Lookups
from lexpool.tokens import Doc

FOUR = ["lemma_lookup", "lemma_rules", "lemma_exc", "lemma_index"]
# The language with its class, and for each of its modes the tables that random ones are made of.
LANGUAGES = {
    "ca": ("Catalan", {"rule": FOUR}),
    "fr": ("French", {"rule": FOUR}),
    "mk": ("Macedonian", {"rule": FOUR[1:]}),
    "es": ("Spanish", {"rule": [*FOUR[1:], "lemma_rules_groups"]}),
    "el": ("Greek", {"rule": FOUR[1:]}),
    "ht": ("HaitianCreole", {"rule": FOUR}),
    "nl": ("Dutch", {"rule": FOUR, "lookup": FOUR[:1]}),
    "ga": ("Irish", {"pos_lookup": ["adj", "adp", "noun", "verb"]}),
    "it": ("Italian", {"pos_lookup": "num det adp adj noun pron verb aux adv other -".split()}),
    "pl": ("Polish", {"pos_lookup": "adj adp adv aux noun num part pron verb".split()}),
}
CASES = [(lang, mode) for lang, (_, modes) in LANGUAGES.items() for mode in modes]
PARTS = (
    "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X SPACE"
).split()
FEATURES = {
    "Number": ["Sing", "Plur"],
    "Gender": ["Fem", "Masc"],
    "PronType": ["Prs", "Dem"],
    "Person": ["1", "2", "3"],
    "Mood": ["Ind", "Sub"],
    "Tense": ["Pres", "Past"],
    "VerbForm": ["Fin", "Inf", "Ger", "Part", "Vnoun"],
    "Form": ["HPref"],
}
# Starts, stems and endings of the words: for each language some that its rules treat in their way.
STARTS = {
    "ga": ["bhf", "mb", "n-a", "n", "N", "h", "hA", "ts", "t-s", "\u1e03", "ch", "", "b-p"],
    "pl": ["nie", "naj", "nienaj", "", ""],
}
ENDINGS = {
    "mk": ["\u0458\u045c\u0438", "\u0458\u045c\u0438", "\u0438", "a", "", "\u0430\u0442"],
    "es": ["a", "as", "os", "s", "", "n", "\u00e1n", "ar", "lo", "los", "me", "selo", "nos", "te"],
}
PLAIN_ENDINGS = ["a", "as", "os", "s", "", "er", "en", "ons"]
STEMS = ["b", "ca", "sie", "go", "\u00e1b", "UE", "Da", "o", "", "\u0130", "x-"]
EXTRA = {
    "es": ["1.234,5", "0,5", "12.345", "dale\n", "casas\n", "las", "se"],
    "it": ["un'", "Una", "l'", "d'", "alcun", "gli", "i", "La"],
    "ga": ["h", "n", "n-", "bhfear", "Hata"],
}
COMMON = ["\u03a3\u0391\u03a3", "don't", "42", "\u00c9t\u00e9s", "i\u0307"]


class Words:
    """Random words of a language, and tables over them."""

    def __init__(self, lang, seed):
        self.lang, self.rng = lang, random.Random(f"{lang} {seed}")
        self.endings = ENDINGS.get(lang, PLAIN_ENDINGS)

    def word(self):
        choice = self.rng.choice
        if self.rng.random() < 0.1:
            return choice(COMMON + EXTRA.get(self.lang, []))
        word = choice(STARTS.get(self.lang, [""])) + choice(STEMS) + choice(self.endings)
        word = choice([word, word, word.upper(), word.title(), word.lower()])
        return word or "a"

    def stored(self):
        return self.word().lower() if self.rng.random() < 0.8 else self.word()

    def lemmas(self):
        return [self.stored() for _ in range(self.rng.randint(1, 3))]

    def rules(self):
        ending = lambda: self.rng.choice([*self.endings, "\u00e1", "l\u00e1s"])
        return [[ending(), self.rng.choice([*self.endings, "-"])] for _ in range(12)]

    def some(self, make):
        parts = [part.lower() for part in self.rng.sample(PARTS, 12)]
        return {part: make() for part in [*parts, "verb", "noun", "aux", "pron", "det"]}

    def tables(self, names):
        rng = self.rng
        made = {
            "lemma_lookup": lambda: {self.stored(): self.lemmas() for _ in range(40)},
            "lemma_rules": self._spanish_rules if self.lang == "es" else self._rules,
            "lemma_exc": lambda: self.some(
                lambda: {self.stored(): self.lemmas() for _ in range(rng.randint(0, 6))}
            ),
            "lemma_index": lambda: self.some(
                lambda: [self.stored() for _ in range(rng.randint(0, 25))]
            ),
            "lemma_rules_groups": self._groups,
        }
        if self.lang == "nl":
            made["lemma_lookup"] = lambda: {
                self.stored(): rng.choice([self.stored(), self.stored(), ""]) for _ in range(40)
            }
        tables = {name: make() for name, make in made.items() if name in names}
        for name in names:
            if not name.startswith("lemma_"):
                own = "lemma_lookup" if name == "-" else f"lemma_lookup_{name}"
                tables[own] = {self.stored(): self._one() for _ in range(60)}
        # A part of speech may have no rules.
        for table in tables.values():
            for key in [key for key in table if rng.random() < 0.1]:
                del table[key]
        return tables

    def _one(self):
        if self.lang == "ga" and self.rng.random() < 0.3:
            return self.lemmas()
        return self.rng.choice([self.stored(), self.stored(), "alcun", "qualcun", ""])

    def _rules(self):
        return self.some(self.rules)

    def _spanish_rules(self):
        names = "rules1 rules2 rules3 det_and_pron_general".split()
        made = {name: self.rules() for name in names}
        made["rules3"] += [["[ao]s", "e"], ["", "r"], ["(a|e)*", "i"], ["s|o", "u"]]
        made["accents"] = [["\u00e1", "a"], ["\u00e9", "e"], ["[\u00ed\u0458]", "i"]]
        made["voc_alt_1"] = [["u", "o"], ["i", "e"], ["ue", "o"], ["", "x"]]
        made["voc_alt_2"] = [["ue", "o"], ["ie", "e"], ["", "x"]]
        for name in ("adverbs", "det", "pron", "det_and_pron_fixed", "num"):
            made[name] = [[self.stored(), self.stored()] for _ in range(15)]
        return made

    def _groups(self):
        names = ["rules1", "rules2", "rules3", "rules4"]
        group = lambda: [self.rng.choice(names), self.features(2)]
        return {
            part: [group() for _ in range(self.rng.randint(0, 8))]
            for part in ("adj", "noun", "verb", "aux", "pron")
        }

    def features(self, most):
        fields = self.rng.sample(sorted(FEATURES), self.rng.randint(0, most))
        return [f"{field}={self.rng.choice(FEATURES[field])}" for field in fields]

    def analysis(self):
        features = self.features(5)
        if features and self.rng.random() < 0.2:
            field = features[0].split("=")[0]
            features[0] = f"{field}={','.join(FEATURES[field])}"
        return "|".join(features)

    def sentence(self):
        """The arguments of a document. Spanish in spaCy fails for CONJ."""
        n = self.rng.randint(0, 40)
        parts = [part for part in PARTS if part != "CONJ" or self.lang != "es"] + [""]
        made = {
            "words": [self.word() for _ in range(n)],
            "pos": [self.rng.choice(parts) for _ in range(n)],
            "morphs": [self.analysis() for _ in range(n)],
        }
        if self.rng.random() < 0.6:
            made["sent_starts"] = [self.rng.choice([True, False, None]) for _ in range(n)]
        if self.rng.random() < 0.5:
            made["lemmas"] = [self.rng.choice(["", "", "own"]) for _ in range(n)]
        return made


def filled(lookups, tables):
    for name, table in tables.items():
        lookups.add_table(name, table)
    return lookups


def theirs_and_ours(spacy, lang, mode, tables, **settings):
    from spacy.lookups import Lookups as TheirLookups

    name = f"{LANGUAGES[lang][0]}Lemmatizer"
    theirs = getattr(importlib.import_module(f"spacy.lang.{lang}.lemmatizer"), name)
    their_vocab = spacy.blank("xx").vocab
    theirs = theirs(their_vocab, None, mode=mode, **settings)
    theirs.initialize(lookups=filled(TheirLookups(), tables))
    nlp = lexpool.Language(lang, lexpool.blank("xx").tokenizer)
    ours = nlp.add_pipe("lemmatizer", config={"mode": mode, **settings})
    assert type(ours) is getattr(pipeline, name)
    ours.initialize(lookups=filled(Lookups(), tables))
    return theirs, ours, nlp


@pytest.mark.filterwarnings("ignore:.*W108")
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize(("lang", "mode"), CASES)
def test_lemmas_are_those_of_spacy_on_random_tables(spacy, full, lang, mode, overwrite):
    changed = 0
    for seed in range(40 if full else 8):
        words = Words(lang, seed)
        tables = words.tables(LANGUAGES[lang][1][mode])
        theirs, ours, nlp = theirs_and_ours(spacy, lang, mode, tables, overwrite=overwrite)
        assert ours.native() is not None
        sentences = [words.sentence() for _ in range(25)]
        expected = [theirs(spacy.tokens.Doc(theirs.vocab, **sentence)) for sentence in sentences]
        # A second time every lemma is cached.
        for _ in range(2):
            docs = [Doc(nlp.vocab, **sentence) for sentence in sentences]
            for sentence, doc, their in zip(sentences, docs, expected, strict=True):
                assert [t.lemma_ for t in ours(doc)] == [t.lemma_ for t in their], sentence
        fresh = (Doc(nlp.vocab, **sentence) for sentence in sentences)
        for doc, their in zip(nlp.pipe(fresh), expected, strict=True):
            assert [t.lemma_ for t in doc] == [t.lemma_ for t in their]
            changed += sum(t.lemma_ != t.text for t in doc)
            for token, own in zip(their, doc, strict=True):
                forms = theirs.lemmatize(token)
                assert ours.lemmatize(own) == forms, (token, token.pos_, token.morph)
                assert ours.is_base_form(own) == theirs.is_base_form(token)
    assert changed > 1000


@pytest.mark.parametrize("lang", LANGUAGES)
def test_modes_tables_and_settings_are_those_of_spacy(spacy, lang):
    import spacy.util

    name = f"{LANGUAGES[lang][0]}Lemmatizer"
    theirs = getattr(importlib.import_module(f"spacy.lang.{lang}.lemmatizer"), name)
    ours = getattr(pipeline, name)
    vocab = lexpool.blank("xx").vocab
    for mode in ("rule", "lookup", "pos_lookup", "other"):
        assert ours.get_lookups_config(mode) == theirs.get_lookups_config(mode)
        if not hasattr(theirs, f"{mode}_lemmatize"):
            with pytest.raises(ValueError, match=rf"\[E1003\].*{mode}"):
                ours(vocab, None, mode=mode)
            continue
        made = ours(vocab, None, mode=mode)
        assert made.native() is None
        if ours.get_lookups_config(mode)[0]:
            with pytest.raises(ValueError, match=r"\[E1004\]"):
                made.initialize(lookups=Lookups())
            with pytest.raises(ValueError, match=r"\[E1004\]"):
                made(Doc(vocab, words=["a"]))
    spacys = spacy.util.get_lang_class(lang).get_factory_meta("lemmatizer")
    nlp = lexpool.Language(lang, lexpool.blank("xx").tokenizer)
    nlp.add_pipe("lemmatizer")
    meta = nlp.get_pipe_meta("lemmatizer")
    assert meta.default_config == spacys.default_config
    assert list(meta.assigns) == list(spacys.assigns)
    assert meta.default_score_weights == spacys.default_score_weights
    assert nlp.get_pipe("lemmatizer").mode == spacys.default_config["mode"]


@pytest.mark.parametrize("lang", ["bn", "fa", "nb", "sv"])
def test_languages_without_rules_of_their_own_have_the_general_ones(spacy, lang):
    nlp = lexpool.Language(lang, lexpool.blank("xx").tokenizer)
    assert type(nlp.add_pipe("lemmatizer")) is pipeline.Lemmatizer
    spacys = spacy.util.get_lang_class(lang).get_factory_meta("lemmatizer")
    assert nlp.get_pipe_meta("lemmatizer").default_config == spacys.default_config
    assert nlp.get_pipe("lemmatizer").mode == "rule"


@pytest.mark.parametrize(("lang", "mode"), CASES)
def test_bytes_folders_and_pickles_keep_the_tables(spacy, tmp_path, lang, mode):
    words = Words(lang, "bytes")
    tables = words.tables(LANGUAGES[lang][1][mode])
    theirs, ours, nlp = theirs_and_ours(spacy, lang, mode, tables)
    sentence = {name: values for name, values in words.sentence().items() if name != "lemmas"}
    expected = [t.lemma_ for t in ours(Doc(nlp.vocab, **sentence))]
    ours.to_disk(tmp_path)
    make = type(ours)
    back = [
        make(nlp.vocab, None, mode=mode).from_bytes(theirs.to_bytes()),
        make(nlp.vocab, None, mode=mode).from_disk(tmp_path),
        pickle.loads(pickle.dumps(ours)),
    ]
    for own in back:
        assert own.native() is not None
        assert [t.lemma_ for t in own(Doc(own.vocab, **sentence))] == expected


def test_changes_of_tables_are_noticed():
    nlp = lexpool.Language("es", lexpool.blank("xx").tokenizer)
    lemmatizer = nlp.add_pipe("lemmatizer", config={"overwrite": True})
    tables = {
        "lemma_rules": {"plural": [["s", ""]]},
        "lemma_rules_groups": {"noun": [["plural", ["Number=Plur"]]]},
        "lemma_index": {},
        "lemma_exc": {},
    }
    lemmatizer.initialize(lookups=filled(Lookups(), tables))
    doc = Doc(nlp.vocab, words=["Casas"], pos=["NOUN"], morphs=["Number=Plur"])

    def lemmas():
        [forms] = [lemmatizer.lemmatize(token) for token in doc]
        assert lemmatizer(doc)[0].lemma_ == forms[0]
        return forms

    assert lemmas() == ["casa"]
    lemmatizer.lookups.get_table("lemma_rules")["plural"] = [["as", "o"]]
    assert lemmas() == ["caso"]
    lemmatizer.lookups.get_table("lemma_rules_groups")["noun"] = []
    assert lemmas() == ["casas"]
    doc[0].pos_ = "CONJ"
    assert lemmas() == ["casas"]


def test_the_first_word_of_a_spanish_sentence_is_in_lower_case():
    nlp = lexpool.Language("es", lexpool.blank("xx").tokenizer)
    lemmatizer = nlp.add_pipe("lemmatizer")
    names = ["lemma_rules", "lemma_rules_groups", "lemma_index", "lemma_exc"]
    lemmatizer.initialize(lookups=filled(Lookups(), {key: {} for key in names}))
    words = {"words": ["Y", "Y", "Y", "Ana"], "pos": ["CCONJ"] * 3 + ["PROPN"]}
    doc = lemmatizer(Doc(nlp.vocab, **words, sent_starts=[True, None, True, True]))
    assert [token.lemma_ for token in doc] == ["y", "Y", "y", "Ana"]


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ("lemma_rules", {"plural": [["(", ""]]}),
        ("lemma_rules", {"plural": [["(s)", "\\1"]]}),
        ("lemma_rules_groups", {"noun": [["plural"]]}),
        ("lemma_rules_groups", {"noun": ["ab"]}),
        ("lemma_rules_groups", {"noun": [[1, []]]}),
        ("lemma_rules_groups", {"noun": [["plural", "ab"]]}),
        ("lemma_rules_groups", {"noun": 1}),
    ],
)
def test_spanish_tables_of_another_form_are_refused_by_name(table, value):
    nlp = lexpool.Language("es", lexpool.blank("xx").tokenizer)
    lemmatizer = nlp.add_pipe("lemmatizer")
    tables = {
        "lemma_rules": {},
        "lemma_rules_groups": {"noun": [["plural", []]]},
        "lemma_index": {},
        "lemma_exc": {},
    }
    with pytest.raises(ValueError, match=rf"\[lemma-table\] {table}"):
        lemmatizer.initialize(lookups=filled(Lookups(), {**tables, table: value}))


@pytest.mark.parametrize("lang", ["ca", "fr"])
def test_a_lemma_that_is_looked_up_last_may_be_a_string(lang):
    nlp = lexpool.Language(lang, lexpool.blank("xx").tokenizer)
    lemmatizer = nlp.add_pipe("lemmatizer")
    tables = {**{key: {} for key in FOUR}, "lemma_lookup": {"va": "aller"}}
    lemmatizer.initialize(lookups=filled(Lookups(), tables))
    doc = lemmatizer(Doc(nlp.vocab, words=["Va", "va"], pos=["VERB", "X"]))
    assert [token.lemma_ for token in doc] == ["aller", "aller"]
    lemmatizer.lookups.remove_table("lemma_rules")
    assert lemmatizer.native() is None
    assert lemmatizer.rule_lemmatize(doc[0]) == ["Va"]


def test_methods_of_a_subclass_are_called():
    class OtherLemmatizer(pipeline.FrenchLemmatizer):
        def rule_lemmatize(self, token):
            return [*super().rule_lemmatize(token), "x"][-1:]

    nlp = lexpool.blank("xx")
    lemmatizer = OtherLemmatizer(nlp.vocab, None, mode="rule")
    lemmatizer.initialize(lookups=filled(Lookups(), {key: {} for key in FOUR}))
    assert lemmatizer.native() is None
    assert lemmatizer(nlp("a"))[0].lemma_ == "x"
