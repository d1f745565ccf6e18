"""Write core/chars/src/table.rs from the running Python's character database.

    python tests/tools/chars_table.py              # rewrite the table in place
    python tests/tools/chars_table.py --checksum   # print the sums that the crate's tests expect

spaCy's lexical attributes are Python's `str` methods, so the table asks those
methods and nothing else; run it with the Python version that lexpool should
agree with. With spaCy installed it also checks ALPHA_LOWER against spaCy's own.
"""

import argparse
import re
import sys
import unicodedata
from pathlib import Path

TARGET = Path(__file__).parents[2] / "core" / "chars" / "src" / "table.rs"
CODE_POINTS = 0x110000
BLOCK = 256

# A letter of a class string stands for one combination of properties; neither
# a quote nor a backslash, so that the strings need no escapes.
LETTERS = ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

# spaCy's ALPHA_LOWER: every code point of some uncased blocks, and the
# lower-case letters of some stretches of the cased ones.
UNCASED = [
    (0x0591, 0x05F4), (0x0620, 0x064A), (0x066E, 0x06D5), (0x06E5, 0x06FF), (0x0750, 0x077F),
    (0x08A0, 0x08BD), (0x0900, 0x09FF), (0x0B80, 0x0CFF), (0x0D80, 0x0DFF), (0x1100, 0x137F),
    (0x2E80, 0x2FDF), (0x2FF0, 0x30FF), (0x31C0, 0x31EF), (0x3200, 0x4DBF), (0x4E00, 0x9FFF),
    (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFB1D, 0xFBB1), (0xFBD3, 0xFD3D), (0xFD50, 0xFDC7),
    (0xFDF0, 0xFDFB), (0xFE30, 0xFE4F), (0xFE70, 0xFEFC), (0x1EE00, 0x1EEBB), (0x1F200, 0x1F2FF),
    (0x20000, 0x2A6DF), (0x2A700, 0x2EBEF), (0x2F800, 0x2FA1F),
]  # fmt: skip
CASED = [
    (0x0061, 0x007A), (0x00DF, 0x02AF),  # Latin
    (0x03AC, 0x03AF), (0x03B1, 0x03C9), (0x03CC, 0x03CE),  # Greek
    (0x0430, 0x0451), (0x0453, 0x045A), (0x045C, 0x045D),  # Russian, Macedonian, Ukrainian
    (0x0491, 0x0491), (0x0497, 0x0497), (0x04A3, 0x04A3), (0x04AF, 0x04AF),  # and Tatar
    (0x04BB, 0x04BB), (0x04D9, 0x04D9), (0x04E9, 0x04E9),
    (0x1D00, 0x1D25), (0x1D6B, 0x1D9A), (0x1E00, 0x1EFF),  # phonetic, Vietnamese
    (0x2C60, 0x2C7B), (0xA722, 0xA787), (0xA78B, 0xA7B9), (0xA7FA, 0xA7FA),  # Latin again
    (0xAB30, 0xAB5A), (0xAB60, 0xAB64), (0xFF41, 0xFF5A),
]  # fmt: skip
GLOTTAL_STOP = 0x0294  # the one member that is neither lower case nor of an uncased block


def within(ranges, cp):
    return any(first <= cp <= last for first, last in ranges)


def alpha_lower(c):
    cp = ord(c)
    lower = unicodedata.category(c) == "Ll" and within(CASED, cp)
    return lower or cp == GLOTTAL_STOP or within(UNCASED, cp)


def case_ignorable(c):
    """Returns whether the final-sigma rule of `str.lower` skips this character.

    Python does not export the property, but after "A", a capital sigma is final
    unless a cased letter follows, ignorable characters in between not counting.
    """
    skipped_or_cased = ("A\u03a3" + c + "A").lower()[1] == "\u03c3"
    cased_itself = (c + "\u03a3").lower()[-1] == "\u03c2"
    return skipped_or_cased and not cased_itself


# In the order of the bits of `Class` in lib.rs.
PROPERTIES = [
    ("SPACE", str.isspace),
    ("ALPHA", str.isalpha),
    ("UPPER", str.isupper),
    ("LOWER", str.islower),
    ("TITLE", lambda c: unicodedata.category(c) == "Lt"),
    ("DIGIT", str.isdigit),
    ("DECIMAL", str.isdecimal),
    ("NUMERIC", str.isnumeric),
    ("PUNCT", lambda c: unicodedata.category(c).startswith("P")),
    ("CURRENCY", lambda c: unicodedata.category(c) == "Sc"),
    ("CASE_IGNORABLE", case_ignorable),
    ("ALPHA_LOWER", alpha_lower),
]

RANGES = [
    ("SPACE", str.isspace, "`str.isspace` and the regex class `\\s`"),
    ("DECIMAL", str.isdecimal, "`str.isdecimal` and the regex class `\\d`"),
    ("WORD", lambda c: c.isalnum() or c == "_", "The regex class `\\w`"),
]


def is_surrogate(cp):
    return 0xD800 <= cp <= 0xDFFF


def classes():
    """The property bits of every code point; surrogates, which Rust's `char` lacks, have none."""
    for cp in range(CODE_POINTS):
        c = chr(cp)
        if is_surrogate(cp):
            yield 0
        else:
            yield sum(1 << bit for bit, (_, has) in enumerate(PROPERTIES) if has(c))


def fnv1a(pieces):
    h = 0xCBF29CE484222325
    for piece in pieces:
        for byte in piece:
            h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def check_alpha_lower():
    try:
        from spacy.lang.char_classes import ALPHA_LOWER
    except ImportError:
        return
    theirs = re.compile(f"[{ALPHA_LOWER}]").match
    for cp in range(CODE_POINTS):
        c = chr(cp)
        if not is_surrogate(cp) and bool(theirs(c)) != alpha_lower(c):
            sys.exit(f"spaCy's ALPHA_LOWER differs from the rule here at U+{cp:04X}")


def ranges_of(has):
    found = []
    for cp in range(CODE_POINTS):
        if is_surrogate(cp) or not has(chr(cp)):
            continue
        if found and found[-1][1] == cp - 1:
            found[-1][1] = cp
        else:
            found.append([cp, cp])
    return found


def rows(items, width=100, indent="    "):
    line = indent
    for item in items:
        if len(line) + len(item) > width:
            yield line.rstrip()
            line = indent
        line += item + " "
    yield line.rstrip()


def table():
    bits = list(classes())
    letter_of = {combination: LETTERS[n] for n, combination in enumerate(sorted(set(bits)))}

    blocks = {}
    order = []
    for start in range(0, CODE_POINTS, BLOCK):
        text = "".join(letter_of[b] for b in bits[start : start + BLOCK])
        order.append(blocks.setdefault(text, len(blocks)))
    if len(blocks) > 256:
        sys.exit(f"{len(blocks)} different blocks do not fit the u8 index")
    runs = []
    for block in order:
        if runs and runs[-1][1] == block:
            runs[-1][0] += 1
        else:
            runs.append([1, block])

    out = [
        "//! Character classes, generated by `tests/tools/chars_table.py`; do not edit.",
        "",
        "use super::Class;",
        "",
        "/// The version of Unicode that the classes follow.",
        f'pub const UNICODE_VERSION: &str = "{unicodedata.unidata_version}";',
        "",
        "/// The number of code points of a block.",
        f"pub(super) const BLOCK: usize = {BLOCK};",
        "",
        "/// The class of each letter of `LETTERS`.",
        "#[rustfmt::skip]",
        "pub(super) const LETTER_CLASSES: &[(u8, &[Class])] = &[",
    ]
    for combination, letter in letter_of.items():
        names = [f"Class::{n}" for bit, (n, _) in enumerate(PROPERTIES) if combination >> bit & 1]
        out.append(f"    (b'{letter}', &[{', '.join(names)}]),")
    out += [
        "];",
        "",
        "/// The rows of `LETTERS` of all blocks, run-length encoded: a number of blocks, and their row.",
        "#[rustfmt::skip]",
        "pub(super) const RUNS: &[(u16, u8)] = &[",
        *rows(f"({count}, {block})," for count, block in runs),
        "];",
        "",
        "/// A letter for each code point of a block; equal blocks share a row.",
        "#[rustfmt::skip]",
        f'pub(super) static LETTERS: &[u8; {len(blocks) * BLOCK}] = b"\\',
    ]
    for text in blocks:
        out += [f"{text[i : i + 64]}\\" for i in range(0, BLOCK, 64)]
    out.append('";')
    for name, has, doc in RANGES:
        out += [
            "",
            f"/// {doc}, as sorted, disjoint, inclusive ranges.",
            "#[rustfmt::skip]",
            f"pub static {name}: &[(char, char)] = &[",
            *rows(f"('\\u{{{a:x}}}', '\\u{{{b:x}}}')," for a, b in ranges_of(has)),
            "];",
        ]
    return "\n".join(out) + "\n"


def checksums():
    lowered = (chr(cp).lower().encode() for cp in range(CODE_POINTS) if not is_surrogate(cp))
    return {
        "classes": fnv1a(b.to_bytes(2, "little") for b in classes()),
        "lowered": fnv1a(lowered),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checksum", action="store_true", help="print the sums, write nothing")
    if parser.parse_args().checksum:
        for name, value in checksums().items():
            print(f"{name} {value:#018x}")
        return
    check_alpha_lower()
    TARGET.write_text(table(), encoding="ascii")


if __name__ == "__main__":
    main()
