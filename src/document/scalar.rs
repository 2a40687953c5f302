//! Plain scalars of YAML: the core schema of YAML 1.2 (chapter 10.3.2), and what 1.1 reads otherwise.

use serde_json::{Number, Value};

/// A plain scalar that has no spelling in JSON: `.inf`, `.nan`, a based number of more than 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotANumber;

/// Reads a plain scalar by the core schema.
///
/// 1. `null`, `Null`, `NULL`, `~` and nothing at all are null.
/// 2. `true`, `True`, `TRUE` and the same of false are booleans.
/// 3. `[-+]?[0-9]+` is a decimal integer (leading zeros mean nothing), `0o[0-7]+` and `0x[0-9a-fA-F]+`
///    are integers of base 8 and 16.
/// 4. `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?` is a number, and so are the infinities
///    (`[-+]?\.(inf|Inf|INF)`) and `\.(nan|NaN|NAN)`, which JSON lacks.
/// 5. All else is a text.
pub(super) fn resolve(text: &str) -> Result<Value, NotANumber> {
    match text {
        "null" | "Null" | "NULL" | "~" | "" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => return Err(NotANumber),
        _ => {}
    }
    if matches!(unsigned(text), ".inf" | ".Inf" | ".INF") {
        return Err(NotANumber);
    }
    let based = [("0o", 8), ("0x", 16)];
    let based = based.iter().find_map(|(prefix, base)| Some((text.strip_prefix(prefix)?, *base)));
    let number = match based {
        Some((digits, base)) if !digits.is_empty() && digits.chars().all(|c| c.is_digit(base)) => {
            let number = u128::from_str_radix(digits, base).map_err(|_| NotANumber)?;
            Some(number.to_string())
        }
        _ => decimal(text),
    };
    match number {
        Some(number) => number.parse::<Number>().map(Value::Number).map_err(|_| NotANumber),
        None => Ok(Value::String(text.to_owned())),
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A decimal number of rules 3 and 4 in JSON's spelling: no plus, no leading zeros, no bare point.
fn decimal(text: &str) -> Option<String> {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let (mantissa, exponent) = match unsigned(text).split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned(text), None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let power =
        exponent.is_none_or(|exponent| !unsigned(exponent).is_empty() && all_digits(unsigned(exponent)));
    if !digits || !power {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let power = exponent.map(|exponent| format!("e{exponent}")).unwrap_or_default();
    Some(format!("{sign}{whole}{point}{fraction}{power}"))
}

/// Whether a plain scalar is a boolean of YAML 1.1 and a text of 1.2
/// (yaml.org/type/bool.html). `nO` is a text in both.
pub(super) fn is_yaml11_boolean(text: &str) -> bool {
    const WORDS: [&str; 16] =
        ["y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"];
    WORDS.contains(&text)
}

/// Whether YAML 1.1 reads a plain scalar as another value (yaml.org/type/int.html): `0777` and `0b11`
/// in another base, `1_000` and `1:30` (base 60) as numbers at all; and `0o17` is a text there.
pub(super) fn is_yaml11_number(text: &str) -> bool {
    let digits = unsigned(text);
    let octal = digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|b| matches!(b, b'0'..=b'7' | b'_'));
    let binary = digits
        .strip_prefix("0b")
        .is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|b| matches!(b, b'0' | b'1' | b'_')));
    let new_octal = text.strip_prefix("0o").is_some_and(|rest| !rest.is_empty() && all_digits(rest));
    let grouped = digits.contains('_')
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'_' | b'.'));
    octal || binary || new_octal || grouped || is_sexagesimal(digits)
}

/// `[1-9][0-9]*(:[0-5]?[0-9])+`
fn is_sexagesimal(digits: &str) -> bool {
    let mut parts = digits.split(':');
    let first = parts.next().unwrap_or("");
    let sixty =
        |part: &str| all_digits(part) && (part.len() == 1 || part.len() == 2 && part.as_bytes()[0] <= b'5');
    let leads = !first.is_empty() && !first.starts_with('0') && all_digits(first);
    leads && digits.contains(':') && parts.all(sixty)
}
