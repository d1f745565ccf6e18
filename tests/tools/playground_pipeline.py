"""Trains the small English pipeline of the site's playground, in an environment with spaCy:

    python tests/tools/playground_pipeline.py TREEBANK ENTITIES HELD_OUT -o FOLDER

All three are files of documents (`.spacy`): TREEBANK with tags, features, lemmas and trees,
ENTITIES with entities, HELD_OUT with both, which is only scored. docs/public/playground.lexpool was
trained on the treebank UD_English-EWT and the entities UNER_English-EWT of Universal Dependencies
and Universal NER (CC BY-SA 4.0), ten sentences a document, for ten minutes on one core; its notice
is docs/public/playground.licence.txt.

FOLDER is packed into that file by `lexpool model pack FOLDER -o docs/public/playground.lexpool`.
"""

import argparse
import itertools
import json
import random
import shutil
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from thinc.api import Adam, compounding

import lexpool
import lexpool.tokens
import lexpool.training

SEED = 20
EPOCHS = 15
# Documents with entities are few: each is shown so many times an epoch.
ENTITY_REPEATS = 2
WIDTH = 64
HIDDEN_WIDTH = 64

TOK2VEC = {
    "@architectures": "spacy.Tok2Vec.v2",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": WIDTH,
        "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
        "rows": [2000, 500, 1000, 500],
        "include_static_vectors": False,
    },
    "encode": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": WIDTH,
        "depth": 3,
        "window_size": 1,
        "maxout_pieces": 2,
    },
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "tok2vec"}
TAGGER = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}


def state_network(state_type: str) -> dict[str, Any]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "tok2vec": LISTENER,
        "state_type": state_type,
        "extra_state_tokens": False,
        "hidden_width": HIDDEN_WIDTH,
        "maxout_pieces": 2,
        "use_upper": True,
    }


TRAINED: list[tuple[str, dict[str, Any]]] = [
    ("tok2vec", {"model": TOK2VEC}),
    ("tagger", {"model": TAGGER}),
    ("parser", {"model": state_network("parser"), "min_action_freq": 30}),
    ("ner", {"model": state_network("ner")}),
]

# A word with an analysis of its own under a tag has it at least so often in the treebank.
FREQUENT = 8

LEMMA_RULES = {
    "noun": [
        ["s", ""], ["ses", "s"], ["ves", "f"], ["xes", "x"], ["zes", "z"], ["ches", "ch"],
        ["shes", "sh"], ["men", "man"], ["ies", "y"],
    ],
    "verb": [
        ["s", ""], ["ies", "y"], ["es", "e"], ["es", ""], ["ed", "e"], ["ed", ""], ["ing", "e"],
        ["ing", ""],
    ],
    "adj": [["er", ""], ["est", ""], ["er", "e"], ["est", "e"]],
}  # fmt: skip
# The parts of speech whose lemmas are looked up, by their name in the tables.
LEMMA_KINDS = {
    "NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv", "PRON": "pron", "AUX": "aux",
    "DET": "det", "PART": "part",
}  # fmt: skip

META = {
    "name": "playground",
    "version": "1.0.0",
    "description": "A small pipeline for the playground of lexpool's site.",
    "license": "CC BY-SA 4.0",
    "sources": [
        {
            "name": "Universal Dependencies English EWT",
            "url": "https://github.com/UniversalDependencies/UD_English-EWT",
            "license": "CC BY-SA 4.0",
        },
        {
            "name": "Universal NER English EWT",
            "url": "https://github.com/UniversalNER/UNER_English-EWT",
            "license": "CC BY-SA 4.0",
        },
    ],
}
# The figures of the held-out documents that the pipeline's meta.json has.
FIGURES = [
    "token_acc",
    "tag_acc",
    "pos_acc",
    "lemma_acc",
    "dep_uas",
    "dep_las",
    "sents_f",
    "ents_f",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("entities", type=Path)
    parser.add_argument("held_out", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    args = parser.parse_args()
    spacy.util.fix_random_seed(SEED)
    nlp = spacy.blank("en")
    treebank = read(nlp, args.treebank)
    entities = read(nlp, args.entities)
    for factory, settings in TRAINED:
        nlp.add_pipe(factory, config=settings)
    train(nlp, treebank + ENTITY_REPEATS * entities, args.epochs)
    add_rules(nlp, treebank)
    with tempfile.TemporaryDirectory() as folder:
        nlp.to_disk(folder)
        keep_strings(Path(folder), nlp)
        save(Path(folder), args.held_out, args.output)


def read(nlp: Language, path: Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(nlp.vocab))


def train(nlp: Language, docs: list[Doc], epochs: int) -> None:
    """Trains with averaged weights, on the tokens that the tokenizer makes."""
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    optimizer = nlp.initialize(lambda: examples, sgd=Adam(0.001, L2=0.01, use_averages=True))
    sizes = compounding(300.0, 1500.0, 1.003)
    for epoch in range(epochs):
        random.shuffle(examples)
        losses: dict[str, float] = {}
        # The parser's updates stay in the document that is annotated: a new one an epoch.
        fresh = [Example(nlp.make_doc(example.text), example.reference) for example in examples]
        for batch in minibatch_by_words(fresh, size=sizes):
            nlp.update(batch, sgd=optimizer, drop=0.1, losses=losses)
        print(
            f"epoch {epoch}: { ({name: round(loss) for name, loss in losses.items()}) }", flush=True
        )
    nlp.use_params(optimizer.averages).__enter__()


def add_rules(nlp: Language, treebank: list[Doc]) -> None:
    """Adds parts of speech and features by tag, and lemmas by rule, from the treebank's."""
    tokens = [token for doc in treebank for token in doc]
    ruler = nlp.add_pipe("attribute_ruler", before="ner")
    analyses: dict[str, dict[str, Counter[tuple[str, str]]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for token in tokens:
        analyses[token.tag_][token.lower_][token.pos_, str(token.morph)] += 1
    for tag, by_word in sorted(analyses.items()):
        # The analysis of most words: that of most tokens is often the one of a frequent auxiliary.
        usual = Counter(max(counts, key=counts.__getitem__) for counts in by_word.values())
        default = max(usual, key=usual.__getitem__)
        others: dict[tuple[str, str], list[str]] = defaultdict(list)
        for word, counts in sorted(by_word.items()):
            analysis = max(counts, key=counts.__getitem__)
            if analysis != default and counts[analysis] >= FREQUENT:
                others[analysis].append(word)
        frequent = [word for words in others.values() for word in words]
        ruler.add([[{"TAG": tag, "LOWER": {"NOT_IN": frequent}}]], attributes(default))
        for analysis, words in sorted(others.items()):
            ruler.add([[{"TAG": tag, "LOWER": {"IN": words}}]], attributes(analysis))
    lemmatizer = nlp.add_pipe("lemmatizer", config={"mode": "rule"}, after="attribute_ruler")
    lemmatizer.initialize(lookups=lemma_tables(tokens))


def attributes(analysis: tuple[str, str]) -> dict[str, str]:
    pos, features = analysis
    return {"POS": pos, **({"MORPH": features} if features else {})}


def lemma_tables(tokens: list[Any]) -> Lookups:
    """The lemmas of the treebank that the rules do not give, and those that they may."""
    seen = Counter((token.lower_, token.pos_, token.lemma_) for token in tokens)
    usual: dict[tuple[str, str], str] = {}
    for (form, pos, lemma), _ in seen.most_common():
        if pos in LEMMA_KINDS and form.isascii():
            usual.setdefault((form, LEMMA_KINDS[pos]), lemma)
    exceptions: dict[str, dict[str, list[str]]] = defaultdict(dict)
    index: dict[str, set[str]] = defaultdict(set)
    for (form, kind), lemma in sorted(usual.items()):
        rules = LEMMA_RULES.get(kind, [])
        if any(form.endswith(old) and form.removesuffix(old) + new == lemma for old, new in rules):
            index[kind].add(lemma)
        # Without rules, a capitalized word would stay as it is.
        elif form != lemma or not rules:
            exceptions[kind][form] = [lemma]
    lookups = Lookups()
    lookups.add_table("lemma_rules", LEMMA_RULES)
    lookups.add_table("lemma_exc", dict(exceptions))
    lookups.add_table("lemma_index", {kind: sorted(lemmas) for kind, lemmas in index.items()})
    return lookups


def keep_strings(folder: Path, nlp: Language) -> None:
    """Leaves only labels in the vocab: spaCy writes all words of the training documents."""
    labels = set(itertools.chain.from_iterable(nlp.pipe_labels.values()))
    (folder / "vocab" / "strings.json").write_text(json.dumps(sorted(labels)))


def save(trained: Path, held_out: Path, output: Path) -> None:
    """Writes the pipeline with lexpool's own tokenizer, and the figures that lexpool gives it."""
    nlp = lexpool.load(trained)
    nlp.tokenizer.from_bytes(lexpool.blank("en").tokenizer.to_bytes())
    docs = lexpool.tokens.DocBin().from_disk(held_out).get_docs(nlp.vocab)
    scores = nlp.evaluate([lexpool.training.Example(nlp.make_doc(doc.text), doc) for doc in docs])
    figures = {name: round(scores[name], 4) for name in FIGURES}
    nlp.meta.update({**META, "performance": figures})
    shutil.rmtree(output, ignore_errors=True)
    nlp.to_disk(output)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
