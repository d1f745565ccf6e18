"""Writes cases.tsv: what Python's `re` finds, for the patterns and texts below.

Run with the Python whose Unicode the crate pins (3.11). The table is ASCII,
with any other character as \\u{...}; its offsets are in bytes.
"""

import pathlib
import re

RULES = [
    # Cutting at the left.
    (r"^\(|^\"|^\$", 32, "Prefix", ["(a", '"', "a(", "", "$9"]),
    (r"^\+(?![0-9])|^-", 32, "Prefix", ["+1", "+", "+a", "-1"]),
    (r"^\.\.+|^\.|^,", 32, "Prefix", [".", "...", "....a", ",,"]),
    (r"^(?:d|l)['\u2019](?=[a-z])", 32, "Prefix", ["l'eau", "l'", "d\u2019un", "x'a"]),
    (r"a|^b", 32, "Prefix", ["xxa", "ba", "xb"]),
    (r"^'[0-9][0-9]|^[0-9]+\u00b0", 32, "Prefix", ["'99", "'9", "451\u00b0F"]),
    (r"^(?:a|ab)(?:c|bcd)?", 0, "Prefix", ["abcd", "ac", "ab"]),
    # Cutting at the right.
    (r"(?<=[0-9])\+$|'s$|,$", 32, "Suffix", ["1+", "+", "a's", "a,", "a,\n", "9+\n"]),
    (r"(?<=[0-9])(?:km|km\u00b2|m)$", 32, "Suffix", ["5km", "5km\u00b2", "km", "km5m"]),
    (r"(?<=[A-Z][A-Z])\.$|(?<=[a-z])\.$", 32, "Suffix", ["US.", "U.", "us.", ".", "U.S."]),
    (r"(?<=[a-z]|\{|\})\.$", 32, "Suffix", ["{.", "a.", "A."]),
    (r"(?<=[^sSxX])'$", 32, "Suffix", ["b'", "s'", "'"]),
    (r"^[0-9]{1,2}\.$| [0-9]{1,2}\.$", 32, "Suffix", ["12.", "123.", "a 1."]),
    (r"(?:[a-z]+-)+[a-z]+$|b$", 32, "Suffix", ["a-b-c", "ab", "1a-b"]),
    (r"(?<=[0-9])(?:km||m)$", 32, "Suffix", ["5", "5km", "km"]),
    (r"ab|b$", 32, "Suffix", ["xabab", "b", "ba"]),
    # Cutting between.
    (r"(?<=[a-z])-(?=[a-z])|\.\.+", 32, "Infix", ["a-b-c", "a-", "-a", "x...y..z", "a--b"]),
    (r"(?<=[a-z])(?:-|--|\u2014)(?=[a-z])", 32, "Infix", ["a-b", "a--b", "a---b", "a\u2014b"]),
    (r"(?<=[0-9])[+*](?=[0-9-])|(?<=[a-z]),(?=[a-z])", 32, "Infix", ["1+1+1", "1+-1", "a,b,1"]),
    (r"(?<=[a-z]['\u2019])(?=[a-z])", 32, "Infix", ["l'eau", "d\u2019un d'", "''a"]),
    (r"(?<=[a-z][\u0300-\u036f]),(?=[a-z])", 32, "Infix", ["a\u0301,b", "a,b", "\u0301,b"]),
    (r"[a-z]+@[a-z]+(?:-[a-z]+)*\.[a-z]+", 32, "Infix", ["x@y-z.com,a@b.c", "a@b", "a@b.c@d.e"]),
    (r"([0-9])+(\.([0-9]+))*(-([0-9])+)+", 32, "Infix", ["1.2-3-4", "1-2.3", "1.2.3"]),
    # Empty matches.
    (r"a*", 0, "Infix", ["baac", "", "aa"]),
    (r"|a", 0, "Infix", ["aa", "b"]),
    (r"a|", 0, "Infix", ["aab"]),
    (r"a*?", 0, "Infix", ["aab"]),
    (r"(?:a|b*)*", 0, "Infix", ["abc", "cab"]),
    (r"(?:a?)*?b|", 0, "Infix", ["aab"]),
    (r"(?:|a)+", 0, "Infix", ["aab"]),
    (r"(?:(?:a)??)*", 0, "Infix", ["aaab"]),
    (r"\b|:+", 32, "Infix", ["a::b", "::"]),
    (r"\B", 32, "Infix", ["", "ab", "  "]),
    # Borders.
    (r"^a|b$", 8, "Infix", ["a\nb\na\n", "ba"]),
    (r"$", 0, "Infix", ["a\n", "\n", "a\n\n", ""]),
    (r"$", 8, "Infix", ["a\n", "a\nb"]),
    (r"\Aa|b\Z", 8, "Infix", ["a\nb\na\nb", "b\n"]),
    (r"a.b", 0, "Infix", ["a\nb", "acb"]),
    (r"a.b", 16, "Infix", ["a\nb"]),
    # Keeping whole.
    (r"a$", 0, "Whole", ["a", "a\n", "a\n\n", "ba"]),
    (r"a\Z", 0, "Whole", ["a", "a\n"]),
    (r"ab", 0, "Whole", ["abc", "cab"]),
    (
        r"^(?:\w+://)?(?!10\.|127\.)(?:\d{1,3}\.){3}\d{1,3}(?:/\S*)?$",
        32,
        "Whole",
        ["1.2.3.4", "10.2.3.4", "x://127.1.1.1", "x://8.8.8.8/a", "8.8.8", "8.8.8.8 "],
    ),
    (
        r"(?:\S+@)?(?!a(?!b))[a-z]+\.[a-z]{2,4}$",
        32,
        "Whole",
        ["a.bc", "ab.cd", "x@b.cd", "x@a@b.cd", "b.abcde"],
    ),
    # Classes and escapes.
    (r"[]a]+", 0, "Infix", ["a]b"]),
    (r"[^]a]+", 0, "Infix", ["a]b-"]),
    (r"[[a&&b]+", 0, "Infix", ["[a&b]"]),
    (r"[a-]+", 0, "Infix", ["a-b"]),
    (r"[\w-]+", 32, "Infix", ["a-\u00e9 \u0301"]),
    (r"[^\W\d]+", 32, "Infix", ["a1\u00e9_-"]),
    (r"[\b\n\\]", 0, "Infix", ["\x08\n\\b"]),
    (r"\d+", 32, "Infix", ["1\u0661\u00b2\U0001d7d8"]),
    (r"\d+", 256, "Infix", ["1\u06612"]),
    (r"\s", 32, "Infix", ["\x1c\u00a0\u2003\u200b"]),
    (r"\s", 256, "Infix", ["\x1c\u00a0\t"]),
    (r"\w+", 32, "Infix", ["\u00aa\u00b2\u216b\u24b6\u0939\u093f\U00020000"]),
    (r"\x41\u00e9\U0001F600\101\0", 0, "Infix", ["A\u00e9\U0001f600A\x00"]),
    (r"a{,2}b{2}c{1,}d{2,3}?", 0, "Infix", ["aabbccddd", "bbcd", "abbcdd"]),
    (r"a{x}|{|a{,|{}", 0, "Infix", ["a{x}{", "a{,", "{}"]),
    (" a b # c\n | [ ] ", 64, "Infix", ["ab a b", " "]),
    (r"(?x) a b", 0, "Infix", ["ab a b"]),
    # Case.
    (r"k", 2, "Infix", ["kK\u212a"]),
    (r"[^k]", 2, "Infix", ["kK\u212aj"]),
    (r"k", 258, "Infix", ["kK\u212a"]),
    (r"s\u0130\u0131", 2, "Infix", ["\u017fii", "SI\u0131", "s\u0130I"]),
    (r"[a-\u03c3]+", 2, "Infix", ["\u03c2\u03a3\u00b5\u03bc\u0434"]),
    (r"(?i:a)b", 0, "Infix", ["Ab", "aB"]),
    (r"(?i)a(?-i:b)", 0, "Infix", ["Ab", "AB"]),
    # What needs backtracking.
    (r"(a|b)\1", 0, "Infix", ["aab", "abba"]),
    (r"(?P<q>['\"])x*(?P=q)", 0, "Infix", ["'xx'", "'x\""]),
    (r"(a)?(?(1)b|c)", 0, "Infix", ["abc", "c"]),
    (r"(?>a+)b|a++", 0, "Infix", ["aaab", "aa"]),
    (r"(?:(a)\1)?", 0, "Infix", ["aab"]),
]


def escaped(text: str) -> str:
    """The text in ASCII: any other character as \\u{...}."""
    plain = lambda c: " " <= c <= "~"
    return "".join(c if plain(c) else f"\\u{{{ord(c):x}}}" for c in text)


def expected(pattern: re.Pattern, role: str, text: str) -> str:
    """What Python finds, as `start-end`, or yes or no."""
    size = lambda end: len(text[:end].encode())
    if role == "Whole":
        return "yes" if pattern.match(text) else "no"
    found = pattern.finditer(text) if role == "Infix" else [pattern.search(text)]
    return " ".join(f"{size(m.start())}-{size(m.end())}" for m in found if m)


def main() -> None:
    rows = []
    for source, flags, role, texts in RULES:
        pattern = re.compile(source, flags)
        for text in texts:
            found = expected(pattern, role, text)
            rows.append("\t".join([escaped(source), str(flags), role, escaped(text), found]))
    table = pathlib.Path(__file__).with_name("cases.tsv")
    table.write_text("".join(row + "\n" for row in rows))


if __name__ == "__main__":
    main()
