"""An annotator whose rules are no longer those it was made with, as a worker would meet it."""

import lexpool
from lexpool.engines import Annotator


def outdated(folder, monkeypatch, **options):
    """Makes one by `options`, of rules in a folder, which then get a special case more for
    "word".
    """
    tokenizer = lexpool.blank("en").tokenizer
    tokenizer.to_disk(folder / "rules")
    annotator = Annotator("en", rules=folder / "rules", **options)
    tokenizer.add_special_case("word", [{"ORTH": "wo"}, {"ORTH": "rd"}])
    tokenizer.to_disk(folder / "rules")
    # A worker has nothing but the file.
    monkeypatch.setattr("lexpool.engines._known", {})
    return annotator
