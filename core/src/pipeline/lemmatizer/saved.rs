//! Lemma tables from the look-up tables of a pipeline's folder.

use super::tables::{LemmaTables, RuleGroup};
use crate::codes;
use crate::lookups::{LookupTable, Lookups, MappedTable, ValueKind};
use crate::msgpack::Value;
use crate::strings::StrId;
use crate::{Error, Result};

/// The beginning of the names of look-up tables of a part of speech.
const BY_POS: &str = "lemma_lookup_";

impl LemmaTables {
    /// Returns the tables `lemma_lookup`, `lemma_rules`, `lemma_exc`, `lemma_index`,
    /// `lemma_rules_groups` and those of parts of speech, as `lemma_lookup_noun`, as far as they
    /// exist.
    ///
    /// # Errors
    ///
    /// `lemma-table`, with the name of the table, for other values than spaCy's.
    ///
    /// ```
    /// use lexpool::lookups::Lookups;
    /// use lexpool::msgpack::Value;
    /// use lexpool::pipeline::LemmaTables;
    ///
    /// let text = |text: &str| Value::Str(text.to_owned());
    /// let rules = Value::Array(vec![Value::Array(vec![text("ies"), text("y")])]);
    /// let tables = Value::Map(vec![(text("lemma_rules"), Value::Map(vec![(text("noun"), rules)]))]);
    /// let tables = LemmaTables::from_lookups(&Lookups::from_bytes(&tables.to_bytes()?)?)?;
    /// assert_eq!(tables.forms("Cities", "noun"), ["city"]);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn from_lookups(lookups: &Lookups) -> Result<LemmaTables> {
        let mut tables = LemmaTables::default();
        let entries =
            |name: &'static str| lookups.table(name).into_iter().flat_map(LookupTable::iter);
        if let Some(table) = lookups.table("lemma_lookup") {
            tables.set_lookup(lookup(table, "lemma_lookup")?)?;
        }
        for name in lookups.names() {
            let (Some(pos), Some(table)) = (name.strip_prefix(BY_POS), lookups.table(name)) else {
                continue;
            };
            tables.set_pos_lookup(StrId::of(pos), lookup(table, name)?)?;
        }
        for (pos, groups) in entries("lemma_rules_groups") {
            let groups = items(groups, "lemma_rules_groups")?.iter().map(group);
            tables.set_groups(pos, groups.collect::<Result<_>>()?);
        }
        for (pos, rules) in entries("lemma_rules") {
            let rules = items(rules, "lemma_rules")?.iter().map(|rule| {
                let parts = texts(rule, "lemma_rules")?;
                <[&str; 2]>::try_from(parts).map(Into::into).map_err(|_| {
                    wrong("lemma_rules", "pairs of an ending and its replacement", rule)
                })
            });
            tables.set_rules(pos, &rules.collect::<Result<Vec<(&str, &str)>>>()?);
        }
        for (pos, words) in entries("lemma_exc") {
            let Value::Map(words) = words else {
                return Err(wrong("lemma_exc", "a map of words", words));
            };
            let word = |(word, lemmas): &'_ (Value, Value)| {
                let word = match word {
                    Value::Str(word) => StrId::of(word),
                    Value::UInt(id) => StrId::new(*id),
                    other => return Err(wrong("lemma_exc", "words or their ids", other)),
                };
                let lemmas = texts(lemmas, "lemma_exc")?;
                Ok((word, lemmas.into_iter().map(str::to_owned).collect::<Vec<String>>()))
            };
            tables.set_exceptions(pos, words.iter().map(word).collect::<Result<_>>()?)?;
        }
        for (pos, words) in entries("lemma_index") {
            tables.set_index(pos, texts(words, "lemma_index")?);
        }
        Ok(tables)
    }
}

impl LemmaTables {
    /// Returns the tables that a mapped file has, as [`LemmaTables::from_lookups`]. A look-up table
    /// whose values are all strings stays in the file, which takes no time; others are copied.
    ///
    /// # Errors
    ///
    /// Those of [`LemmaTables::from_lookups`]; `lookups-table` if a table is damaged.
    pub fn from_mapped<'t>(
        tables: impl IntoIterator<Item = &'t MappedTable>,
    ) -> Result<LemmaTables> {
        let (mut copied, mut mapped) = (Lookups::default(), Vec::new());
        for table in tables {
            let is_lookup = table.name() == "lemma_lookup" || table.name().starts_with(BY_POS);
            if is_lookup && table.values_kind() == ValueKind::Text {
                mapped.push(table);
            } else {
                copied.add(table.name(), table.to_table()?);
            }
        }
        let mut tables = LemmaTables::from_lookups(&copied)?;
        for table in mapped {
            match table.name().strip_prefix(BY_POS) {
                Some(pos) => tables.map_pos_lookup(StrId::of(pos), table),
                None => tables.map_lookup(table),
            }
        }
        Ok(tables)
    }
}

/// Returns the words of a look-up table with their lemmas.
fn lookup<'a>(table: &'a LookupTable, name: &str) -> Result<Vec<(StrId, Vec<&'a str>)>> {
    let lemmas = table.iter().map(|(word, lemmas)| match lemmas {
        Value::Str(lemma) => Ok((word, vec![lemma.as_str()])),
        lemmas => Ok((word, texts(lemmas, name)?)),
    });
    lemmas.collect()
}

fn group(value: &Value) -> Result<RuleGroup> {
    let [Value::Str(rules), features] = items(value, "lemma_rules_groups")? else {
        let expected = "pairs of a name and a list of features";
        return Err(wrong("lemma_rules_groups", expected, value));
    };
    let features = texts(features, "lemma_rules_groups")?;
    Ok(RuleGroup {
        rules: StrId::of(rules),
        features: features.into_iter().map(StrId::of).collect(),
    })
}

fn items<'a>(value: &'a Value, table: &str) -> Result<&'a [Value]> {
    if let Value::Array(items) = value { Ok(items) } else { Err(wrong(table, "a list", value)) }
}

fn texts<'a>(value: &'a Value, table: &str) -> Result<Vec<&'a str>> {
    let text = |item: &'a Value| match item {
        Value::Str(text) => Ok(text.as_str()),
        other => Err(wrong(table, "a list of strings", other)),
    };
    items(value, table)?.iter().map(text).collect()
}

fn wrong(table: &str, expected: &str, value: &Value) -> Error {
    // A table may be large.
    let value_text: String = format!("{value:?}").chars().take(80).collect();
    Error::value(codes::LEMMA_TABLE, format!("{table}: expected {expected}, found {value_text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookups::{LookupsBuilder, MappedLookups};

    fn text(text: &str) -> Value {
        Value::Str(text.to_owned())
    }

    fn list(items: &[&str]) -> Value {
        Value::Array(items.iter().map(|item| text(item)).collect())
    }

    fn read(table: &str, key: Value, value: Value) -> Result<LemmaTables> {
        let tables = Value::Map(vec![(text(table), Value::Map(vec![(key, value)]))]);
        LemmaTables::from_lookups(&Lookups::from_bytes(&tables.to_bytes().unwrap()).unwrap())
    }

    #[test]
    fn tables_are_read_by_words_and_by_ids() {
        let id = Value::UInt(StrId::of("went").get());
        let lemmas = |tables: &LemmaTables| -> Vec<String> {
            tables.lookup(StrId::of("went")).unwrap().map(str::to_owned).collect()
        };
        assert_eq!(lemmas(&read("lemma_lookup", id.clone(), text("go")).unwrap()), ["go"]);
        assert_eq!(
            lemmas(&read("lemma_lookup", text("went"), list(&["go", "x"])).unwrap()),
            ["go", "x"]
        );
        let exceptions = Value::Map(vec![(id, list(&["go"])), (text("was"), list(&["be"]))]);
        let tables = read("lemma_exc", text("verb"), exceptions).unwrap();
        assert_eq!(tables.forms("Went", "verb"), ["go"]);
        assert_eq!(tables.forms("was", "verb"), ["be"]);
        let tables = read("lemma_index", text("noun"), list(&["bus"])).unwrap();
        assert_eq!(tables.forms("Bus", "noun"), ["Bus"]);
    }

    #[test]
    fn tables_of_other_values_are_refused_with_their_names() {
        let table = [
            ("lemma_lookup", Value::UInt(1)),
            ("lemma_lookup", Value::Array(vec![Value::Nil])),
            ("lemma_lookup", list(&[])),
            ("lemma_rules", text("s")),
            ("lemma_rules", Value::Array(vec![list(&["s"])])),
            ("lemma_exc", list(&["x"])),
            ("lemma_exc", Value::Map(vec![(Value::Nil, list(&["x"]))])),
            ("lemma_exc", Value::Map(vec![(text("x"), text("y"))])),
            ("lemma_index", Value::Map(Vec::new())),
            ("lemma_lookup_noun", Value::UInt(1)),
            ("lemma_rules_groups", text("x")),
            ("lemma_rules_groups", Value::Array(vec![text("x")])),
            ("lemma_rules_groups", Value::Array(vec![list(&["x", "y"])])),
            ("lemma_rules_groups", Value::Array(vec![Value::Array(vec![list(&[]), list(&[])])])),
        ];
        for (name, value) in table {
            let error = read(name, text("noun"), value).unwrap_err();
            assert_eq!(error.code(), "lemma-table");
            assert!(error.message().contains(name), "{error}");
        }
    }

    #[test]
    fn tables_of_a_mapped_file_are_those_of_the_copy() {
        let table = |entries: &[(&str, Value)]| {
            let mut table = LookupTable::default();
            for (word, value) in entries {
                table.set(StrId::of(word), value.clone());
            }
            table
        };
        let rules = Value::Array(vec![list(&["s", ""]), list(&["ies", "y"])]);
        let tables = [
            ("lemma_lookup", table(&[("went", text("go")), ("is", text("be"))])),
            ("lemma_lookup_noun", table(&[("mice", text("mouse"))])),
            ("lemma_lookup_verb", table(&[("ran", list(&["run", "r"])), ("sat", text("sit"))])),
            ("lemma_rules", table(&[("noun", rules)])),
            ("lemma_index", table(&[("noun", list(&["city"]))])),
            ("lemma_rules_groups", LookupTable::default()),
        ];
        let mut builder = LookupsBuilder::new("xx");
        for (name, table) in &tables {
            builder.add(name, table, None).unwrap();
        }
        let mapped = MappedLookups::from_bytes(builder.finish().unwrap()).unwrap();
        let own = LemmaTables::from_mapped(mapped.tables()).unwrap();
        let copy = LemmaTables::from_lookups(&mapped.to_lookups().unwrap()).unwrap();
        for word in ["went", "is", "mice", "ran", "sat", "cities", "other"] {
            let id = StrId::of(word);
            let all = |tables: &LemmaTables| -> Vec<Option<Vec<String>>> {
                let found = tables.lookup(id).map(|all| all.map(str::to_owned).collect());
                let by_pos = ["noun", "verb", "adj"].map(|pos| {
                    let found = tables.pos_lookup(StrId::of(pos), id);
                    found.map(|all| all.map(str::to_owned).collect())
                });
                [found].into_iter().chain(by_pos).collect()
            };
            assert_eq!(all(&own), all(&copy), "{word}");
            assert_eq!(own.forms(word, "noun"), copy.forms(word, "noun"));
        }
        assert_eq!(own.forms("Cities", "noun"), ["city"]);
        assert_eq!(own.lookup(StrId::of("went")).unwrap().collect::<Vec<_>>(), ["go"]);
    }
}
