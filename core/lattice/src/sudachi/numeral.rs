//! Numerals in digits and kanji as one number: `2億3千万` is `230000000`.

/// A numeral that is read character by character.
#[derive(Debug, Default)]
pub(super) struct Numeral {
    /// The number before the last unit of 10,000 and more.
    total: Decimal,
    /// The number before the last unit below.
    subtotal: Decimal,
    /// The digits since the last unit.
    digits: Decimal,
    /// The digits since the last unit or comma.
    group: usize,
    /// A digit follows the last unit.
    has_digit: bool,
    has_comma: bool,
    /// The last character is a point.
    ends_with_point: bool,
    error: Option<Separator>,
}

/// A separator that may stand inside of a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Point,
}

/// A digit or a unit.
enum Part {
    Digit(u8),
    /// 10, 100, 1000, by the number of zeros.
    SmallUnit(usize),
    /// 10,000 and more, by the number of zeros.
    LargeUnit(usize),
}

impl Part {
    fn of(c: char) -> Option<Part> {
        Some(match c {
            '0'..='9' => Part::Digit(c as u8 - b'0'),
            '〇' => Part::Digit(0),
            '一' => Part::Digit(1),
            '二' => Part::Digit(2),
            '三' => Part::Digit(3),
            '四' => Part::Digit(4),
            '五' => Part::Digit(5),
            '六' => Part::Digit(6),
            '七' => Part::Digit(7),
            '八' => Part::Digit(8),
            '九' => Part::Digit(9),
            '十' => Part::SmallUnit(1),
            '百' => Part::SmallUnit(2),
            '千' => Part::SmallUnit(3),
            '万' => Part::LargeUnit(4),
            '億' => Part::LargeUnit(8),
            '兆' => Part::LargeUnit(12),
            _ => return None,
        })
    }
}

impl Numeral {
    /// Reads a character. Returns `false` if the numeral cannot go on with it.
    pub(super) fn push(&mut self, c: char) -> bool {
        match c {
            '.' => return self.push_point(),
            ',' => {
                if !self.is_group_whole() {
                    self.error = Some(Separator::Comma);
                    return false;
                }
                self.has_comma = true;
                self.group = 0;
                return true;
            }
            _ => {}
        }
        match Part::of(c) {
            None => return false,
            Some(Part::Digit(digit)) => {
                self.digits.push(digit);
                self.has_digit = true;
                self.group += 1;
                self.ends_with_point = false;
                return true;
            }
            Some(Part::SmallUnit(zeros)) => {
                self.digits.scale(zeros);
                if !self.subtotal.add(&mut self.digits) {
                    return false;
                }
            }
            Some(Part::LargeUnit(zeros)) => {
                if !self.subtotal.add(&mut self.digits) || self.subtotal.is_empty() {
                    return false;
                }
                self.subtotal.scale(zeros);
                if !self.total.add(&mut self.subtotal) {
                    return false;
                }
                self.subtotal = Decimal::default();
            }
        }
        self.digits = Decimal::default();
        self.has_digit = false;
        self.group = 0;
        self.has_comma = false;
        true
    }

    fn push_point(&mut self) -> bool {
        self.ends_with_point = true;
        self.error = if !self.has_digit {
            Some(Separator::Point)
        } else if self.has_comma && !self.is_group_whole() {
            Some(Separator::Comma)
        } else if !self.digits.set_point() {
            Some(Separator::Point)
        } else {
            self.has_comma = false;
            return true;
        };
        false
    }

    /// Ends the numeral. Returns `false` if the text is another.
    pub(super) fn finish(&mut self) -> bool {
        let adds = self.subtotal.add(&mut self.digits) && self.total.add(&mut self.subtotal);
        if self.ends_with_point {
            self.error = Some(Separator::Point);
            return false;
        }
        if self.has_comma && self.group != 3 {
            self.error = Some(Separator::Comma);
            return false;
        }
        adds
    }

    /// Returns the separator at which the numeral went wrong.
    pub(super) fn error(&self) -> Option<Separator> {
        self.error
    }

    /// Returns the number in digits, after a call of `finish`.
    pub(super) fn number(&mut self) -> String {
        self.total.text()
    }

    /// Returns `true` if a comma may follow.
    fn is_group_whole(&self) -> bool {
        if !self.has_digit {
            false
        } else if self.has_comma {
            self.group == 3
        } else {
            self.group <= 3 && self.digits.has_value
        }
    }
}

/// A number as digits, a point in them, and zeros behind them.
#[derive(Debug, Default)]
struct Decimal {
    digits: String,
    /// The zeros behind the digits that are not written out.
    zeros: usize,
    /// The number of digits before the point.
    point: Option<usize>,
    /// A digit is not zero.
    has_value: bool,
}

impl Decimal {
    fn is_empty(&self) -> bool {
        self.digits.is_empty()
    }

    fn push(&mut self, digit: u8) {
        self.has_value |= digit != 0;
        self.digits.push(char::from(b'0' + digit));
    }

    /// Multiplies the number, or 1 if it is empty, by a power of ten.
    fn scale(&mut self, zeros: usize) {
        if self.is_empty() {
            self.digits.push('1');
        }
        self.zeros += zeros;
    }

    /// Sets the point behind the digits. Returns `false` if there is one.
    fn set_point(&mut self) -> bool {
        if self.zeros > 0 || self.point.is_some() {
            return false;
        }
        self.point = Some(self.digits.len());
        true
    }

    /// Adds a number that is smaller than the last unit. Returns `false` for another.
    fn add(&mut self, other: &mut Decimal) -> bool {
        if other.is_empty() {
            return true;
        }
        if self.is_empty() {
            self.digits.push_str(&other.digits);
            self.zeros = other.zeros;
            self.point = other.point;
            return true;
        }
        self.settle_point();
        other.settle_point();
        let len = other.point.unwrap_or(other.digits.len() + other.zeros);
        if self.zeros < len {
            return false;
        }
        self.fill(self.zeros - len);
        if let Some(point) = other.point {
            self.point = Some(self.digits.len() + point);
        }
        self.digits.push_str(&other.digits);
        self.zeros = other.zeros;
        true
    }

    /// Moves the point by the zeros behind the digits.
    fn settle_point(&mut self) {
        let Some(point) = self.point else { return };
        let behind = self.digits.len().saturating_sub(point);
        if behind > self.zeros {
            self.point = Some(point + self.zeros);
            self.zeros = 0;
        } else {
            self.zeros -= behind;
            self.point = None;
        }
    }

    fn fill(&mut self, zeros: usize) {
        self.digits.extend(std::iter::repeat_n('0', zeros));
    }

    fn text(&mut self) -> String {
        if self.is_empty() {
            return "0".to_owned();
        }
        self.settle_point();
        if self.zeros > 0 {
            self.fill(self.zeros);
        } else if let Some(point) = self.point {
            self.digits.insert(point, '.');
            if point == 0 {
                self.digits.insert(0, '0');
            }
            let len = self.digits.trim_end_matches('0').trim_end_matches('.').len();
            self.digits.truncate(len);
        }
        std::mem::take(&mut self.digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<String, Option<Separator>> {
        let mut numeral = Numeral::default();
        if text.chars().all(|c| numeral.push(c)) && numeral.finish() {
            return Ok(numeral.number());
        }
        Err(numeral.error())
    }

    #[test]
    fn numerals_become_numbers() {
        for (text, expected) in [
            ("1000", "1000"),
            ("二〇二四", "2024"),
            ("六三四", "634"),
            ("千二百", "1200"),
            ("2億3千万", "230000000"),
            ("1.5万", "15000"),
            ("3.14", "3.14"),
            ("1.50", "1.5"),
            ("2.0", "2"),
            ("0.5", "0.5"),
            ("1,234,567", "1234567"),
            ("一億三千", "100003000"),
            ("1.2345万", "12345"),
            ("1.23456万", "12345.6"),
            ("〇〇", "00"),
        ] {
            assert_eq!(number(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_numerals() {
        for (text, error) in [
            ("1,23", Some(Separator::Comma)),
            ("1234,567", Some(Separator::Comma)),
            ("0,123", Some(Separator::Comma)),
            (",1", Some(Separator::Comma)),
            (".5", Some(Separator::Point)),
            ("1.2.3", Some(Separator::Point)),
            ("1.", Some(Separator::Point)),
            ("十十", None),
            ("万", None),
            ("1a", None),
        ] {
            assert_eq!(number(text), Err(error), "{text}");
        }
    }
}
