//! Codes of matchers, tokenizer rules and drawings.

super::codes! {
    // matchers and rules
    MATCH_LIMIT = "match-limit" [Value]
        "a search reached its limit of steps or matches"
        "Bound repetitions that take any token, or search sentence by sentence."
    PHRASE_LIMIT = "phrase-limit" [Value]
        "a phrase matcher reached its limit"
        "Use several matchers, or shorter texts."
    PHRASES_CHECKSUM = "phrases-checksum" [Value]
        "the phrase file has another checksum than the one it was written with"
        "Save the matcher again."
    PHRASES_ENDIAN = "phrases-endian" [Value]
        "this machine is big-endian"
        "Phrase files are little-endian; use pickle."
    PHRASES_KEYS = "phrases-keys" [Value]
        "the keys of the phrase file are damaged"
        "Save the matcher again."
    PHRASES_MAGIC = "phrases-magic" [Value]
        "the file is not a phrase file"
        "Give a file that `PhraseMatcher.save` wrote."
    PHRASES_SECTION = "phrases-section" [Value]
        "the section table of the phrase file is not valid"
        "Save the matcher again."
    PHRASES_STRINGS = "phrases-strings" [Value]
        "the strings of the phrase file are damaged"
        "Save the matcher again."
    PHRASES_TABLE = "phrases-table" [Value]
        "a hash table of the phrase file is damaged"
        "Save the matcher again."
    PHRASES_TREE = "phrases-tree" [Value]
        "the trie of the phrase file is damaged"
        "Save the matcher again."
    PHRASES_TRUNCATED = "phrases-truncated" [Value]
        "the phrase file is truncated"
        "Save the matcher again."
    PHRASES_VERSION = "phrases-version" [Value]
        "the phrase file was written by a newer lexpool"
        "Update lexpool."
    RULE_LIMIT = "rule-limit" [Value]
        "a pattern takes more steps or states than its limit"
        "Write the pattern with fewer alternatives or bounded repetitions."
    RULE_MATCH = "rule-match" [Value]
        "a function in a tokenizer rule returned a match outside of the text"
        "Return matches in order, in the text and without overlaps."
    RULE_SYNTAX = "rule-syntax" [Value]
        "a regular expression is not valid"
        "Correct it at the character that the message names."
    TOO_MANY_DOCS = "too-many-docs" [Value]
        "too many documents for one call"
        "Match them in parts."

    // drawings
    RENDER_CSS = "render-css" [Value]
        "a color or font is not a valid CSS value"
        "Give a CSS value without quotes, semicolons and braces."
    RENDER_DIRECTION = "render-direction" [Value]
        "the direction is not known"
        "Use \"ltr\" or \"rtl\"."
    RENDER_ENTITY = "render-entity" [Value]
        "an entity to draw lies outside of the text"
        "Give 0 <= start < end <= len(text)."
    RENDER_HEAD = "render-head" [Value]
        "a head to draw lies outside of the document"
        "Give a position of a token."
    RENDER_INPUT = "render-input" [Value Type]
        "a dict to draw lacks a key, or has a wrong value"
        "Give the keys that the message names."
    RENDER_LENGTH = "render-length" [Value]
        "an option of a drawing is out of range"
        "Give 0 to 10000 pixels."
    RENDER_OPTION = "render-option" [Value Type]
        "an option of a drawing is not known or not valid"
        "Use one of the options that the message lists."
    RENDER_PHRASE = "render-phrase" [Value]
        "a phrase to collapse does not fit the document"
        "Give phrases in order, without overlaps."
    RENDER_SPAN = "render-span" [Value]
        "a span to draw does not fit the document"
        "Give 0 <= start < end <= len(tokens)."
    RENDER_SVG = "render-svg" [Value]
        "an SVG file holds one dependency drawing"
        "Pass one document and style=\"dep\"."
}
