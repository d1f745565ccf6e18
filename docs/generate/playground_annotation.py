"""Sentences with the annotation of the playground's pipeline by the Python package:
src/data/playground-annotation.json.

The sentences are put together from the parts below by a seeded generator. The browser's tests
compare what the page says of them.
"""

import random
from pathlib import Path
from typing import Any

import lexpool

SENTENCES = 200
SEED = 81
PIPELINE = Path(__file__).parents[1] / "public" / "playground.lexpool"

SUBJECTS = """\
She
They
Nobody
Ada Lovelace
Mr. O'Neil
The old captain
My neighbour's daughter
Two engineers from Siemens
Google
The BBC's reporter
Every student in Paris
The company that she founded
Dr. Maria Silva, of the University of Lisbon,
Cats and dogs
""".splitlines()

VERBS = """\
has never seen
didn't buy
will probably sell
wrote about
is looking for
found
couldn't remember
had been waiting for
says that he likes
wants to repair
""".splitlines()

OBJECTS = """\
a very small boat
the report on Brazil
12 bottles of wine
it
New York
his mother-in-law's car
$4.50 worth of apples
the first edition, which was expensive,
Microsoft's new building
what the others had left
""".splitlines()

ENDS = """\
.
in Berlin.
on Monday, 3 May 1999.
because it rained!
and went home to Kenya.
, didn't they?
with George's help...
- but nobody noticed.
before the U.N. could answer.
(see https://example.org/a?b=c).
""".splitlines()

SINGLE = """\
Where did you put the keys?
Go!
Thanks a lot, Tom :-)
There are three ways from Oslo to Bergen, aren't there?
"I can't," said Anna, "and I won't!"
London, Paris and Rome are far from Tokyo.
No. 5 is alive; No. 6 isn't.
gonna be late, sorry
CALL JOHN SMITH AT 555-0123 NOW
The sun rises.  The rain in Spain stays.
""".splitlines()


def data() -> list[dict[str, Any]]:
    nlp = lexpool.load(PIPELINE)
    return [annotated(nlp, text) for text in texts()]


def texts() -> list[str]:
    rng = random.Random(SEED)
    sentences = dict.fromkeys(SINGLE)
    while len(sentences) < SENTENCES:
        subject, verb, thing, end = map(rng.choice, (SUBJECTS, VERBS, OBJECTS, ENDS))
        sentences[f"{subject} {verb} {thing}{'' if end[0] in '.,' else ' '}{end}"] = None
    return list(sentences)


def annotated(nlp: lexpool.Language, text: str) -> dict[str, Any]:
    doc = nlp(text)
    return {
        "text": text,
        "tokens": [
            [token.text, token.tag_, token.pos_, str(token.morph), token.lemma_, token.dep_,
             token.head.i]
            for token in doc
        ],
        "entities": [[ent.start, ent.end, ent.label_] for ent in doc.ents],
        "sentences": [[sent.start, sent.end] for sent in doc.sents],
    }  # fmt: skip
