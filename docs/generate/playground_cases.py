"""Inputs of the playground with the Python package's results: src/data/playground-cases.json.

Texts with their tokens, rules and the bytes of their words; patterns with what they match; the
layouts of the records. Texts are made of the sentences below, and of pieces strewn together by a
seeded generator.
"""

import json
import random
from typing import Any

import lexpool
from lexpool import structs
from lexpool.matcher import Matcher

TEXTS = 200
SEED = 80

SENTENCES = """\
The cat sat on the mat.
Let's go to N.Y., shall we?
Dr. Strange didn't pay $12.50 for the U.K.-based start-up's pie.
"I can't," she said, "and I won't!"
It's 9:30 a.m. and they've already left; who's surprised?
See https://example.org/a/b?c=d&e=f#g, or write to jane.doe+news@example.co.uk.
On 3/14/2015 at 9:26:53, pi was 3.14159 (more or less).
We'd've come if you'd asked - but you didn't...
Well-known, mother-in-law, twenty-one, state-of-the-art.
Prices rose 5% to 1,234.56€, then fell by £3m.
"Quoted 'within' quotes," he said (in brackets [and more {brackets}]).
What?! No way!!! Really??
C++ and C# are languages; so is F#. AT&T isn't.
and/or his/her either/or
I'm gonna go, cuz y'all ain't comin'.
He ran 10km in 45min at 12km/h, drank 500ml and lost 2kg.
The U.S.A. vs. the E.U., i.e. e.g. etc.
Mr. and Mrs. Smith Jr., Ph.D., live in St. Louis, Mo.
:-) ;) :D <3 :'( ^_^ -_- (╯°□°)╯︵ ┻━┻
Café naïve façade über Ærøskøbing Łódź İstanbul ﬁnd
Привет, мир! Как дела?
東京タワーは高い。「本当？」
مرحبا بالعالم، كيف حالك؟
שלום עולם! צה"ל
नमस्ते दुनिया।
สวัสดีชาวโลก
👩🏽‍🚀 👨‍👩‍👧‍👦 🇩🇪🇫🇷 ☕️ ✊🏿!
x=y+z a*b^c 2<3>1 ~5 @home #tag $HOME %d
www.example.com example.com/path ftp://files.example.org localhost:8080
-- --- – — … ‘single’ “double” «guillemets» ‹one›
O'Neil's o'clock rock'n'roll 'tis 'cause '90s
A.B.C. a.b.c a.B.c A-B-C 1-2-3 1.2.3 v1.2.3-rc4
don’t can’t I’m you’ll they’re we’ve he’d
1st 2nd 3rd 4th 21st hundred million one-third
""".splitlines()

PIECES = [
    *"a I the Word word's don't can't N.Y. U.S. e.g. x-y 12 3.14 1,000 50% $5 €20 10km 9am :-) :( <3".split(),
    *'https://a.example/b?c=d me@example.org www.example.net/x_(y) a/b a--b a...b end. end, (in) [in] "q"'.split(),
    *"é e\u0301 \u0301 o\u0308\u0323 ß ẞ ﬀ İ ı Ω ж 字 かな 한글 ا ש ก 👍 👍🏽 👩‍🚀 🇺🇸 ☃ ️ \u200d \u200b \u00ad \ufeff".split(),
    *"... .. . , ; : ! ? ( ) [ ] { } ' \" ` ´ ‘ ’ “ ” - – — _ / \\ | @ # & * + = < > ~ ^ % $ £ €".split(),
    *"\u2028 \u00a0 \u3000 \u2009 \t \n \r\n \x0b \x0c \x1c \x85".split(" "),
    *[
        "  ",
        "   ",
        " \n ",
        "\n\n",
        "\t\t",
        "",
        "\x00",
        "\x01",
        "\x7f",
        "\U0001d54f",
        "\U0010ffff",
        "\ue000",
    ],
    *"ain't shouldn't've y'all 'em o'clock 12:30pm 12:30 7/8 ½ ² ₂ Ⅷ ٣ ３ 1e5 0x1f -5 +5 #1".split(),
]

PATTERNS: list[tuple[str, list[dict[str, Any]]]] = [
    ("It cost $12.50, or € 3, or ten pounds.", [{"IS_CURRENCY": True}, {"LIKE_NUM": True}]),
    (
        "a very very very good day, a very bad one",
        [{"LOWER": "very", "OP": "+"}, {"IS_ALPHA": True}],
    ),
    ("well-known and mother-in-law", [{"IS_ALPHA": True}, {"TEXT": "-"}, {"IS_ALPHA": True}]),
    ("I can't, won't and shall not.", [{"NORM": "not"}]),
    ("See https://example.org or me@example.org.", [{"LIKE_URL": True}]),
    ("Write to me@example.org.", [{"LIKE_EMAIL": True}, {"IS_PUNCT": True}]),
    ("Paris, Rome and London; paris", [{"SHAPE": {"REGEX": "^Xx+$"}}]),
    ("colour color colr cooler", [{"LOWER": {"FUZZY": "colour"}}]),
    ("one two three four five", [{"LENGTH": {">=": 4}, "OP": "{1,2}"}]),
    ("a b c d e f", [{"OP": "?"}, {"TEXT": {"IN": ["b", "d", "f"]}}, {}]),
    ("a  b\n\nc", [{"IS_SPACE": True}]),
    ("👍🏽 👍 x 👩‍🚀", [{"IS_ASCII": False}]),
    ("nothing here", [{"TEXT": "absent"}]),
    ("A a B b", [{"IS_UPPER": True}, {"IS_LOWER": True, "OP": "*"}]),
]


def data() -> dict[str, Any]:
    nlp = lexpool.blank("en")
    return {
        "texts": [tokenized(nlp, text) for text in texts()],
        "patterns": [matched(nlp, *case) for case in PATTERNS],
        "records": [layout(structs.TokenC), layout(structs.LexemeC)],
    }


def texts() -> list[str]:
    """The sentences, and as many strewn texts as are wanting."""
    rng = random.Random(SEED)
    cases = list(SENTENCES)
    while len(cases) < TEXTS:
        pieces = rng.choices(PIECES, k=rng.randint(1, 24))
        glue = rng.choice(["", " ", " "])
        cases.append(glue.join(pieces))
    return cases


def tokenized(nlp: lexpool.Language, text: str) -> dict[str, Any]:
    doc = nlp(text)
    if doc.text != text:
        raise ValueError(f"the text {text!r} came back as {doc.text!r}")
    explained = iter(nlp.tokenizer.explain(text))
    tokens = []
    for token in doc:
        rule = "SPACE" if token.is_space else next(explained)[0]
        word = bytes(token.lex.c).hex()
        tokens.append([token.text, token.idx, bool(token.whitespace_), token.norm_, rule, word])
    return {"text": text, "tokens": tokens}


def matched(nlp: lexpool.Language, text: str, pattern: list[dict[str, Any]]) -> dict[str, Any]:
    matcher = Matcher(nlp.vocab)
    matcher.add("pattern", [pattern])
    matches = [[start, end] for _, start, end in matcher(nlp(text))]
    return {"text": text, "pattern": json.dumps(pattern), "matches": matches}


def layout(record: structs.Record) -> dict[str, Any]:
    fields = [
        {"name": field.name, "offset": field.offset, "size": field.size} for field in record.fields
    ]
    return {"name": record.name, "size": record.size, "fields": fields}
