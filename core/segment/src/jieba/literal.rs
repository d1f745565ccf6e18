//! Dictionaries of numbers as Python writes them, in jieba's files of probabilities.

use lexpool_error::{Error, Result, codes};

/// A dictionary from texts to numbers or dictionaries, or a number.
#[derive(Debug)]
pub(super) enum Literal {
    Number(f64),
    Dict(Vec<(String, Literal)>),
}

/// The deepest nesting of dictionaries.
const MAX_DEPTH: usize = 4;

/// Parses the first dictionary of a file, of which `name` is shown in errors.
///
/// # Errors
///
/// `segment-dictionary`, with the line.
pub(super) fn parse(name: &'static str, text: &str) -> Result<Literal> {
    let start = text.find('{').unwrap_or(text.len());
    Parser { name, text, at: start }.value(0)
}

impl Literal {
    /// Returns the items of a dictionary.
    pub(super) fn items(&self) -> &[(String, Literal)] {
        match self {
            Literal::Dict(items) => items,
            Literal::Number(_) => &[],
        }
    }

    /// Returns the value of a key; of several the last, as in Python.
    pub(super) fn get(&self, key: &str) -> Option<&Literal> {
        self.items().iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Literal::Number(number) => Some(*number),
            Literal::Dict(_) => None,
        }
    }
}

struct Parser<'t> {
    name: &'static str,
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Literal> {
        if !self.takes('{') {
            return self.number().map(Literal::Number);
        }
        if depth == MAX_DEPTH {
            return Err(self.error("fewer dictionaries in each other"));
        }
        let mut items = Vec::new();
        while !self.takes('}') {
            let key = self.key()?;
            if !self.takes(':') {
                return Err(self.error("a colon behind the key"));
            }
            items.push((key, self.value(depth + 1)?));
            if !self.takes(',') {
                if self.takes('}') {
                    break;
                }
                return Err(self.error("a comma or the end of the dictionary"));
            }
        }
        Ok(Literal::Dict(items))
    }

    fn number(&mut self) -> Result<f64> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let number = rest[..len].parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.ok_or_else(|| self.error("a number"))?;
        self.at += len;
        Ok(number)
    }

    /// Reads a key in quotes, with escapes such as `\u4e00`.
    fn key(&mut self) -> Result<String> {
        self.skip_space();
        let Some(quote) = self.next_char().filter(|c| matches!(c, '\'' | '"')) else {
            return Err(self.error("a key in quotes"));
        };
        let mut key = String::new();
        loop {
            match self.next_char() {
                Some(c) if c == quote => return Ok(key),
                Some('\\') => {
                    let c = self.escaped();
                    key.push(c.ok_or_else(|| self.error("an escape such as \\u4e00"))?);
                }
                Some(c) => key.push(c),
                None => return Err(self.error("the end of the key")),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let digits = match self.next_char()? {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            c @ ('\'' | '"' | '\\') => return Some(c),
            _ => return None,
        };
        let code = self.text.get(self.at..self.at + digits)?;
        self.at += digits;
        char::from_u32(u32::from_str_radix(code, 16).ok()?)
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn takes(&mut self, c: char) -> bool {
        self.skip_space();
        let takes = self.text[self.at..].starts_with(c);
        if takes {
            self.at += c.len_utf8();
        }
        takes
    }

    fn error(&self, expected: &str) -> Error {
        let line = 1 + self.text[..self.at].matches('\n').count();
        let message = format!("jieba's {}, line {line}: expected {expected}", self.name);
        Error::value(codes::SEGMENT_DICTIONARY, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_dictionaries_are_read() {
        let read =
            parse("x.py", "from a import b\nP={'a': -1.5,\n 'b': {'\\u4e00': 2e+3, \"'\": 0,}}\n");
        let read = read.unwrap();
        assert_eq!(read.get("a").unwrap().number(), Some(-1.5));
        let inner = read.get("b").unwrap();
        assert_eq!(inner.get("\u{4e00}").unwrap().number(), Some(2000.0));
        assert_eq!(inner.get("'").unwrap().number(), Some(0.0));
        assert!(read.get("c").is_none());
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let nested = "{'a': ".repeat(9);
        for text in
            ["", "P = 3", "{'a'", "{'a': }", "{'a': 1 'b'}", "{1: 2}", "{'\\u12': 1}", &nested]
        {
            assert_eq!(parse("x.py", text).unwrap_err().code(), "segment-dictionary", "{text}");
        }
        let error = parse("x.py", "\n{'a': 1,\n 'b': nan}").unwrap_err();
        assert!(error.to_string().contains("x.py, line 3"), "{error}");
    }
}
