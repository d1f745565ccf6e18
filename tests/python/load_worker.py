"""Work of each child of `test_forks_under_load.py`, with the pipeline of its process.

A server of forks and a spawned process import this module; a forked one has it from its parent.
"""

import lexpool
from lexpool.matcher import Matcher, PhraseMatcher

nlp = lexpool.blank("en")
nlp.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "New York"}])
phrases = PhraseMatcher(nlp.vocab)
phrases.add("P", [nlp.make_doc("New York")])
matcher = Matcher(nlp.vocab)
matcher.add("M", [[{"LOWER": "it"}, {"TEXT": {"REGEX": "^g"}}]])


def text(number: int) -> str:
    return f"So it goes in New York with word{number} , and it's word{number}x ."


def check(number: int) -> None:
    """Calls what has locks and threads, with words that no process has met."""
    doc = nlp(text(number))
    assert [ent.text for ent in doc.ents] == ["New York"]
    assert (len(phrases(doc)), len(matcher(doc))) == (1, 1)
    texts = [text(100 * number + i) for i in range(30)]
    for n_threads in (1, 2):
        docs = list(nlp.pipe(texts, batch_size=10, n_threads=n_threads))
        assert [doc.text for doc in docs] == texts
        assert all(len(doc.ents) == 1 for doc in docs)
    assert len(matcher.match_all(docs, n_threads=2)) == len(docs)


# The threads of the pool are there from now on, in a server of forks too.
check(0)
