"""Writes cases.tsv: the matches of Python's `re` for the patterns and texts below.

Run with the Python whose Unicode the crate pins (3.11). The table is ASCII,
with any other character as \\u{...}; its offsets are in bytes.
"""

import pathlib
import re

RULES = [
    # Prefixes.
    (r"^\(|^\"|^\$", 32, "search", ["(a", '"', "a(", "", "$9"]),
    (r"^\+(?![0-9])|^-", 32, "search", ["+1", "+", "+a", "-1"]),
    (r"^\.\.+|^\.|^,", 32, "search", [".", "...", "....a", ",,"]),
    (r"^(?:d|l)['\u2019](?=[a-z])", 32, "search", ["l'eau", "l'", "d\u2019un", "x'a"]),
    (r"a|^b", 32, "search", ["xxa", "ba", "xb"]),
    (r"^'[0-9][0-9]|^[0-9]+\u00b0", 32, "search", ["'99", "'9", "451\u00b0F"]),
    (r"^(?:a|ab)(?:c|bcd)?", 0, "search", ["abcd", "ac", "ab"]),
    # Suffixes.
    (r"(?<=[0-9])\+$|'s$|,$", 32, "search", ["1+", "+", "a's", "a,", "a,\n", "9+\n"]),
    (r"(?<=[0-9])(?:km|km\u00b2|m)$", 32, "search", ["5km", "5km\u00b2", "km", "km5m"]),
    (r"(?<=[A-Z][A-Z])\.$|(?<=[a-z])\.$", 32, "search", ["US.", "U.", "us.", ".", "U.S."]),
    (r"(?<=[a-z]|\{|\})\.$", 32, "search", ["{.", "a.", "A."]),
    (r"(?<=[^sSxX])'$", 32, "search", ["b'", "s'", "'"]),
    (r"^[0-9]{1,2}\.$| [0-9]{1,2}\.$", 32, "search", ["12.", "123.", "a 1."]),
    (r"(?:[a-z]+-)+[a-z]+$|b$", 32, "search", ["a-b-c", "ab", "1a-b"]),
    (r"(?<=[0-9])(?:km||m)$", 32, "search", ["5", "5km", "km"]),
    (r"ab|b$", 32, "search", ["xabab", "b", "ba"]),
    # Infixes.
    (r"(?<=[a-z])-(?=[a-z])|\.\.+", 32, "finditer", ["a-b-c", "a-", "-a", "x...y..z", "a--b"]),
    (r"(?<=[a-z])(?:-|--|\u2014)(?=[a-z])", 32, "finditer", ["a-b", "a--b", "a---b", "a\u2014b"]),
    (r"(?<=[0-9])[+*](?=[0-9-])|(?<=[a-z]),(?=[a-z])", 32, "finditer", ["1+1+1", "1+-1", "a,b,1"]),
    (r"(?<=[a-z]['\u2019])(?=[a-z])", 32, "finditer", ["l'eau", "d\u2019un d'", "''a"]),
    (r"(?<=[a-z][\u0300-\u036f]),(?=[a-z])", 32, "finditer", ["a\u0301,b", "a,b", "\u0301,b"]),
    (r"[a-z]+@[a-z]+(?:-[a-z]+)*\.[a-z]+", 32, "finditer", ["x@y-z.com,a@b.c", "a@b", "a@b.c@d.e"]),
    (r"([0-9])+(\.([0-9]+))*(-([0-9])+)+", 32, "finditer", ["1.2-3-4", "1-2.3", "1.2.3"]),
    # Empty matches.
    (r"a*", 0, "finditer", ["baac", "", "aa"]),
    (r"|a", 0, "finditer", ["aa", "b"]),
    (r"a|", 0, "finditer", ["aab"]),
    (r"a*?", 0, "finditer", ["aab"]),
    (r"(?:a|b*)*", 0, "finditer", ["abc", "cab"]),
    (r"(?:a?)*?b|", 0, "finditer", ["aab"]),
    (r"(?:|a)+", 0, "finditer", ["aab"]),
    (r"(?:(?:a)??)*", 0, "finditer", ["aaab"]),
    (r"\b|:+", 32, "finditer", ["a::b", "::"]),
    (r"\B", 32, "finditer", ["", "ab", "  "]),
    # Borders.
    (r"^a|b$", 8, "finditer", ["a\nb\na\n", "ba"]),
    (r"$", 0, "finditer", ["a\n", "\n", "a\n\n", ""]),
    (r"$", 8, "finditer", ["a\n", "a\nb"]),
    (r"\Aa|b\Z", 8, "finditer", ["a\nb\na\nb", "b\n"]),
    (r"a.b", 0, "finditer", ["a\nb", "acb"]),
    (r"a.b", 16, "finditer", ["a\nb"]),
    # Whole tokens.
    (r"a$", 0, "match", ["a", "a\n", "a\n\n", "ba"]),
    (r"a\Z", 0, "match", ["a", "a\n"]),
    (r"ab", 0, "match", ["abc", "cab"]),
    (
        r"^(?:\w+://)?(?!10\.|127\.)(?:\d{1,3}\.){3}\d{1,3}(?:/\S*)?$",
        32,
        "match",
        ["1.2.3.4", "10.2.3.4", "x://127.1.1.1", "x://8.8.8.8/a", "8.8.8", "8.8.8.8 "],
    ),
    (
        r"(?:\S+@)?(?!a(?!b))[a-z]+\.[a-z]{2,4}$",
        32,
        "match",
        ["a.bc", "ab.cd", "x@b.cd", "x@a@b.cd", "b.abcde"],
    ),
    # Classes and escapes.
    (r"[]a]+", 0, "finditer", ["a]b"]),
    (r"[^]a]+", 0, "finditer", ["a]b-"]),
    (r"[[a&&b]+", 0, "finditer", ["[a&b]"]),
    (r"[a-]+", 0, "finditer", ["a-b"]),
    (r"[\w-]+", 32, "finditer", ["a-\u00e9 \u0301"]),
    (r"[^\W\d]+", 32, "finditer", ["a1\u00e9_-"]),
    (r"[\b\n\\]", 0, "finditer", ["\x08\n\\b"]),
    (r"\d+", 32, "finditer", ["1\u0661\u00b2\U0001d7d8"]),
    (r"\d+", 256, "finditer", ["1\u06612"]),
    (r"\s", 32, "finditer", ["\x1c\u00a0\u2003\u200b"]),
    (r"\s", 256, "finditer", ["\x1c\u00a0\t"]),
    (r"\w+", 32, "finditer", ["\u00aa\u00b2\u216b\u24b6\u0939\u093f\U00020000"]),
    (r"\x41\u00e9\U0001F600\101\0", 0, "finditer", ["A\u00e9\U0001f600A\x00"]),
    (r"a{,2}b{2}c{1,}d{2,3}?", 0, "finditer", ["aabbccddd", "bbcd", "abbcdd"]),
    (r"a{x}|{|a{,|{}", 0, "finditer", ["a{x}{", "a{,", "{}"]),
    (" a b # c\n | [ ] ", 64, "finditer", ["ab a b", " "]),
    (r"(?x) a b", 0, "finditer", ["ab a b"]),
    # Case.
    (r"k", 2, "finditer", ["kK\u212a"]),
    (r"[^k]", 2, "finditer", ["kK\u212aj"]),
    (r"k", 258, "finditer", ["kK\u212a"]),
    (r"s\u0130\u0131", 2, "finditer", ["\u017fii", "SI\u0131", "s\u0130I"]),
    (r"[a-\u03c3]+", 2, "finditer", ["\u03c2\u03a3\u00b5\u03bc\u0434"]),
    (r"(?i:a)b", 0, "finditer", ["Ab", "aB"]),
    (r"(?i)a(?-i:b)", 0, "finditer", ["Ab", "AB"]),
    # Patterns that need backtracking.
    (r"(a|b)\1", 0, "finditer", ["aab", "abba"]),
    (r"(?P<q>['\"])x*(?P=q)", 0, "finditer", ["'xx'", "'x\""]),
    (r"(a)?(?(1)b|c)", 0, "finditer", ["abc", "c"]),
    (r"(?>a+)b|a++", 0, "finditer", ["aaab", "aa"]),
    (r"(?:(a)\1)?", 0, "finditer", ["aab"]),
]


def escaped(text: str) -> str:
    """Returns the text in ASCII, any other character as \\u{...}."""
    plain = lambda c: " " <= c <= "~"
    return "".join(c if plain(c) else f"\\u{{{ord(c):x}}}" for c in text)


def expected(pattern: re.Pattern, function: str, text: str) -> str:
    """Returns Python's matches as `start-end`, or yes or no."""
    size = lambda end: len(text[:end].encode())
    if function == "match":
        return "yes" if pattern.match(text) else "no"
    found = pattern.finditer(text) if function == "finditer" else [pattern.search(text)]
    return " ".join(f"{size(m.start())}-{size(m.end())}" for m in found if m)


def main() -> None:
    rows = []
    for source, flags, function, texts in RULES:
        pattern = re.compile(source, flags)
        for text in texts:
            found = expected(pattern, function, text)
            rows.append("\t".join([escaped(source), str(flags), function, escaped(text), found]))
    table = pathlib.Path(__file__).with_name("cases.tsv")
    table.write_text("".join(row + "\n" for row in rows))


if __name__ == "__main__":
    main()
