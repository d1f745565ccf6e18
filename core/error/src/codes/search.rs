//! Codes of matchers, tokenizer rules and drawings.

super::codes! {
    // matchers and rules
    MATCH_LIMIT = "match-limit" [Value]
        "a search reached its limit of steps or matches"
        "Bound repetitions that take any token, add conditions, or search sentence by sentence."
    PHRASE_LIMIT = "phrase-limit" [Value]
        "a phrase matcher reached its limit"
        "Divide the phrases among several matchers, or search the text in parts."
    PHRASES_ATTR = "phrases-attr" [Value]
        "the phrase file names an unknown attribute"
        "Save the matcher again (`PhraseMatcher.save`); the file was changed or damaged."
    PHRASES_KEYS = "phrases-keys" [Value]
        "the keys of the phrase file are damaged"
        "Save the matcher again (`PhraseMatcher.save`); the file was changed or damaged."
    PHRASES_STRINGS = "phrases-strings" [Value]
        "the strings of the phrase file are damaged"
        "Save the matcher again (`PhraseMatcher.save`); the file was changed or damaged."
    PHRASES_TABLE = "phrases-table" [Value]
        "a hash table of the phrase file is damaged"
        "Save the matcher again (`PhraseMatcher.save`); the file was changed or damaged."
    PHRASES_TREE = "phrases-tree" [Value]
        "the trie of the phrase file is damaged"
        "Save the matcher again (`PhraseMatcher.save`); the file was changed or damaged."
    RULE_LIMIT = "rule-limit" [Value]
        "a pattern takes more steps or states than its limit"
        "Write the pattern with fewer alternatives, or with bounded repetitions."
    RULE_MATCH = "rule-match" [Value]
        "a function in a tokenizer rule returned a match outside of the text"
        "Return matches in order, in the text and without overlaps."
    RULE_SYNTAX = "rule-syntax" [Value]
        "a regular expression is not valid"
        "Correct it at the character that the message names."
    TOO_MANY_DOCS = "too-many-docs" [Value]
        "too many documents for one call"
        "Match the documents in several calls."

    // drawings
    RENDER_CSS = "render-css" [Value]
        "a color or font is not a valid CSS value"
        "Give a single CSS value, without quotes, semicolons and braces."
    RENDER_DIRECTION = "render-direction" [Value]
        "the direction is not known"
        "Use \"ltr\" or \"rtl\"."
    RENDER_ENTITY = "render-entity" [Value]
        "an entity to draw lies outside of the text"
        "Give 0 <= start < end <= len(text)."
    RENDER_HEAD = "render-head" [Value]
        "a head to draw lies outside of the document"
        "Give the position of a token as each head."
    RENDER_INPUT = "render-input" [Value Type]
        "a dict to draw lacks a key, or has a wrong value"
        "Give the keys that the message names, with values of the right types."
    RENDER_LENGTH = "render-length" [Value]
        "a length in the options of a drawing is out of range"
        "Give a length from 0 to 10000 pixels."
    RENDER_LIMIT = "render-limit" [Value]
        "too many arcs of a drawing cross each other"
        "Draw fewer words, or arcs that cross less."
    RENDER_OPTION = "render-option" [Value Type]
        "an option of a drawing is not known or not valid"
        "Use the options that the message lists, with values of the right types."
    RENDER_PHRASE = "render-phrase" [Value]
        "a phrase to collapse does not fit the document"
        "Give phrases in order, without overlaps."
    RENDER_SPAN = "render-span" [Value]
        "a span to draw does not fit the document"
        "Give 0 <= start < end <= len(tokens)."
    RENDER_SVG = "render-svg" [Value]
        "an SVG file holds one dependency drawing"
        "Pass one document and `style=\"dep\"`."
}
