"""Writes tests/files/{docs.spacy,sentence.doc,cities.phrases}, which tests/data/files.toml reads.

Run it once for each version of a format, and keep the files of the versions before. The cases name
offsets in the files, and a phrase file has a seed by chance, so new files need new cases.
"""

from pathlib import Path

import lexpool
from lexpool.matcher import PhraseMatcher
from lexpool.tokens import Doc, DocBin

FILES = Path(__file__).parents[1] / "files"


def sentence(nlp: lexpool.Language) -> Doc:
    doc = Doc(
        nlp.vocab,
        words=["Ada", "sleeps", "!"],
        spaces=[True, False, False],
        tags=["NNP", "VBZ", "."],
        lemmas=["Ada", "sleep", "!"],
        heads=[1, 1, 1],
        deps=["nsubj", "ROOT", "punct"],
        ents=["B-PERSON", "O", "O"],
    )
    doc.cats = {"CALM": 0.5}
    return doc


def main() -> None:
    nlp = lexpool.blank("en")
    doc = sentence(nlp)
    (FILES / "sentence.doc").write_bytes(doc.to_bytes())
    docs = DocBin(store_user_data=True, docs=[doc, nlp("I don't."), Doc(nlp.vocab)])
    (FILES / "docs.spacy").write_bytes(docs.to_bytes())
    phrases = PhraseMatcher(nlp.vocab, attr="LOWER")
    phrases.add_texts("CITY", ["New York", "York"])
    phrases.add_texts("PAPER", ["New York Times"])
    phrases.save(FILES / "cities.phrases")


if __name__ == "__main__":
    main()
