//! Universal parts of speech of Japanese words, by their tags in `UniDic` and the tag that follows,
//! as spaCy assigns them.

/// The tag of whitespace.
pub(super) const SPACE: &str = "空白";

/// A word whose part of speech is looked for.
#[derive(Clone, Copy)]
pub(super) struct TaggedWord<'w> {
    pub(super) text: &'w str,
    pub(super) tag: &'w str,
    /// The tag of the next token; `None` at the end.
    pub(super) next: Option<&'w str>,
}

/// Returns the part of speech of a word, and that of the next word if this word decides it.
pub(super) fn resolve(word: TaggedWord<'_>) -> (&'static str, Option<&'static str>) {
    let TaggedWord { text, tag, next } = word;
    if let Some(pos) = by_text(tag, text) {
        return (pos, None);
    }
    let pair = next.and_then(|next| by_pair(tag, next)).unwrap_or((None, None));
    (pair.0.unwrap_or_else(|| by_tag(tag)), pair.1)
}

/// Returns the part of speech of words that differ from others with the tag.
fn by_text(tag: &str, text: &str) -> Option<&'static str> {
    Some(match (tag, text) {
        (SPACE, " ") => "SPACE",
        (SPACE, "\u{3000}") => "X",
        ("助詞-副助詞", "たり") => "PART",
        ("連体詞", "あの" | "かの" | "この" | "その" | "どの" | "彼の" | "此の" | "其の") => {
            "DET"
        }
        ("連体詞", "ある" | "あらゆる" | "こんな" | "そんな" | "どんな") => {
            "PRON"
        }
        _ => return None,
    })
}

/// Returns what the tags of two neighbours say of each.
fn by_pair(tag: &str, next: &str) -> Option<(Option<&'static str>, Option<&'static str>)> {
    Some(match (tag, next) {
        ("形容詞-非自立可能", "助詞-終助詞") => (Some("AUX"), None),
        ("名詞-普通名詞-形状詞可能", "助動詞") => (Some("ADJ"), None),
        ("名詞-普通名詞-サ変可能" | "名詞-普通名詞-サ変形状詞可能", "動詞-非自立可能") => {
            (Some("VERB"), Some("AUX"))
        }
        (
            "名詞-普通名詞-副詞可能"
            | "副詞"
            | "形容詞-一般"
            | "形容詞-非自立可能"
            | "接頭辞"
            | "助詞-係助詞"
            | "助詞-副助詞"
            | "助詞-格助詞"
            | "補助記号-読点",
            "動詞-非自立可能",
        ) => (None, Some("VERB")),
        ("形容詞-一般", "接尾辞-名詞的-一般") => (None, Some("PART")),
        ("助詞-格助詞" | "連体詞", "形状詞-助動詞語幹") => (None, Some("NOUN")),
        ("動詞-一般" | "動詞-非自立可能" | "助動詞", "助詞-副助詞") => {
            (None, Some("PART"))
        }
        _ => return None,
    })
}

/// Returns the part of speech of most words with a tag; `X` for a tag that spaCy has not.
fn by_tag(tag: &str) -> &'static str {
    match tag {
        SPACE => "SPACE",
        "記号-一般" | "記号-文字" | "接頭辞" => "NOUN",
        "感動詞-フィラー" | "感動詞-一般" => "INTJ",
        "形状詞-一般" | "形状詞-タリ" | "形容詞-一般" | "形容詞-非自立可能" => {
            "ADJ"
        }
        "形状詞-助動詞語幹"
        | "助動詞"
        | "接尾辞-形容詞的"
        | "動詞-非自立可能"
        | "名詞-助動詞語幹" => "AUX",
        "助詞-格助詞" | "助詞-係助詞" | "助詞-副助詞" => "ADP",
        "助詞-終助詞" | "接尾辞-形状詞的" | "接尾辞-動詞的" => "PART",
        "助詞-準体助詞" | "助詞-接続助詞" => "SCONJ",
        "接続詞" => "CCONJ",
        "代名詞" => "PRON",
        "動詞-一般" => "VERB",
        "副詞" => "ADV",
        "連体詞" => "DET",
        "名詞-数詞" => "NUM",
        "補助記号-ＡＡ-一般" | "補助記号-一般" | "絵文字・記号等" => "SYM",
        "補助記号-ＡＡ-顔文字"
        | "補助記号-括弧開"
        | "補助記号-括弧閉"
        | "補助記号-句点"
        | "補助記号-読点" => "PUNCT",
        "外国語" => "PROPN",
        _ if tag.starts_with("名詞-固有名詞-") => "PROPN",
        _ if tag.starts_with("名詞-普通名詞-") || tag.starts_with("接尾辞-名詞的-") => {
            "NOUN"
        }
        _ => "X",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_counts_before_the_next_tag_and_that_before_the_own_tag() {
        let of = |text, tag, next| resolve(TaggedWord { text, tag, next });
        assert_eq!(of("その", "連体詞", Some("形状詞-助動詞語幹")), ("DET", None));
        assert_eq!(of("大きな", "連体詞", Some("形状詞-助動詞語幹")), ("DET", Some("NOUN")));
        let verb = Some("動詞-非自立可能");
        assert_eq!(of("勉強", "名詞-普通名詞-サ変可能", verb), ("VERB", Some("AUX")));
        assert_eq!(of("勉強", "名詞-普通名詞-サ変可能", None), ("NOUN", None));
        assert_eq!(of("東京", "名詞-固有名詞-地名-一般", None), ("PROPN", None));
        assert_eq!(of("?", "新しい", None), ("X", None));
    }
}
