//! A decimal number of any size: Terraform's numbers are wider than a 64-bit integer or float.

use std::fmt;
use std::str::FromStr;

/// Longest run of padding zeros that [`Number`] writes before it turns to scientific notation.
const PLAIN_ZEROS: i64 = 60;

/// `± digits × 10^exponent`, normalised: no leading or trailing zero in `digits`, and zero is `0e0`.
///
/// Two numbers are equal exactly when they have the same value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// The text is not a decimal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotANumber(pub String);

impl Number {
    /// The exact value of a finite float; `None` for infinities and NaN.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        // A float is mantissa × 2^e, so it has exactly as many decimals as it has fractional bits.
        let bits = value.to_bits();
        let biased = i64::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
        let mantissa = (bits & ((1 << 52) - 1)) | if biased == 0 { 0 } else { 1 << 52 };
        let fractional_bits = 1075 - biased.max(1) - i64::from(mantissa.trailing_zeros().min(52));
        let decimals = usize::try_from(fractional_bits.max(0)).unwrap_or(0);
        format!("{value:.decimals$}").parse().ok()
    }

    /// The value as `i64` when it is a whole number that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.plain_integer()?.parse().ok()
    }

    /// The value as `u64` when it is a whole number that fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.plain_integer()?.parse().ok()
    }

    /// The value as a float when no digit is lost.
    #[must_use]
    pub fn as_exact_f64(&self) -> Option<f64> {
        let float: f64 = self.to_string().parse().ok()?;
        (Self::from_f64(float).as_ref() == Some(self)).then_some(float)
    }

    fn plain_integer(&self) -> Option<String> {
        (0..=20).contains(&self.exponent).then(|| self.to_string())
    }

    fn from_parts(negative: bool, digits: &str, exponent: i64) -> Self {
        let digits = digits.trim_start_matches('0');
        let trimmed = digits.trim_end_matches('0');
        if trimmed.is_empty() {
            return Self { negative: false, digits: "0".into(), exponent: 0 };
        }
        let dropped = i64::try_from(digits.len() - trimmed.len()).unwrap_or(0);
        Self { negative, digits: trimmed.into(), exponent: exponent.saturating_add(dropped) }
    }
}

impl FromStr for Number {
    type Err = NotANumber;

    /// Reads `[-+]digits[.digits][(e|E)[-+]digits]`, the union of what JSON and Terraform write.
    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let bad = || NotANumber(text.to_owned());
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().map_err(|_| bad())?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let shift = i64::try_from(fraction.len()).map_err(|_| bad())?;
        Ok(Self::from_parts(negative, &digits, exponent.saturating_sub(shift)))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::from_parts(value < 0, &value.unsigned_abs().to_string(), 0)
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self::from_parts(false, &value.to_string(), 0)
    }
}

impl fmt::Display for Number {
    /// Plain decimals as far as that stays short, then scientific notation; always valid JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let length = i64::try_from(self.digits.len()).unwrap_or(i64::MAX);
        let point = length.saturating_add(self.exponent);
        match self.exponent {
            0..=PLAIN_ZEROS => {
                let zeros = usize::try_from(self.exponent).unwrap_or(0);
                write!(f, "{sign}{}{}", self.digits, "0".repeat(zeros))
            }
            ..0 if point > 0 => {
                let (whole, fraction) = self.digits.split_at(usize::try_from(point).unwrap_or(0));
                write!(f, "{sign}{whole}.{fraction}")
            }
            ..0 if point > -PLAIN_ZEROS => {
                let zeros = usize::try_from(-point).unwrap_or(0);
                write!(f, "{sign}0.{}{}", "0".repeat(zeros), self.digits)
            }
            _ => {
                let (first, rest) = self.digits.split_at(1);
                let dot = if rest.is_empty() { "" } else { "." };
                write!(f, "{sign}{first}{dot}{rest}e{:+}", point.saturating_sub(1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str) {
        assert_eq!(input.parse::<Number>().map(|n| n.to_string()), Ok(expect.to_owned()), "{input}");
    }

    #[test]
    fn one_value_has_one_text() {
        check("0", "0");
        check("-0.000", "0");
        check("1.50", "1.5");
        check("150e-2", "1.5");
        check("+12", "12");
        check("1e3", "1000");
        check("0.001", "0.001");
        check("-12345678901234567890123", "-12345678901234567890123");
        check("1e400", "1e+400");
        check("125e-402", "1.25e-400");
    }

    #[test]
    fn text_that_is_no_number_is_refused() {
        for text in ["", "-", ".", "1e", "0x10", "1.2.3", "NaN", "1 2", "e5"] {
            assert!(text.parse::<Number>().is_err(), "{text}");
        }
    }

    #[test]
    fn floats_are_exact_or_refused() {
        for float in [0.0, 0.5, -2.25, 1e300, 5e-324, f64::MAX, 0.1, 9007199254740993.0] {
            let number = Number::from_f64(float).expect("finite");
            assert_eq!(number.as_exact_f64(), Some(float), "{float}");
        }
        assert_eq!("0.1".parse::<Number>().expect("number").as_exact_f64(), None);
        assert_eq!(Number::from_f64(f64::NAN), None);
    }

    #[test]
    fn integers_know_their_width() {
        assert_eq!(Number::from(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(Number::from(u64::MAX).as_i64(), None);
        assert_eq!(Number::from(i64::MIN).as_i64(), Some(i64::MIN));
        assert_eq!("1.5".parse::<Number>().expect("number").as_i64(), None);
    }
}
