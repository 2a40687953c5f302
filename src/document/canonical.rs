//! One spelling for each value, so that equal values have equal bytes.

use serde_json::Value;

/// The most zeros that a whole number gets appended instead of an exponent.
const MOST_ZEROS: i64 = 40;

/// The most zeros that a fraction gets between the point and its first digit.
const MOST_LEADING_ZEROS: i64 = 6;

/// A value as JSON in one normal form: keys sorted, no spaces, and one spelling for each number.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&normal(number.as_str())),
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(value, out);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        // Null, booleans and texts have one spelling: that of serde_json.
        other => out.push_str(&other.to_string()),
    }
}

/// A JSON number in normal form: `1.0` is `1`, `1e3` is `1000`, `1.50` is `1.5`, `-0` is `0`.
///
/// No digit is lost. The form depends on the value alone: plain digits as long as few zeros pad them,
/// else one digit before the point and an exponent, so that `1e999999999` stays as short as it was.
fn normal(text: &str) -> String {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let zeros = all.len() - digits.len();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return "0".to_owned();
    }
    // An exponent beyond 64 bits stays as it is written: there is nothing to compute with it.
    let scale = exponent.parse::<i64>().ok().and_then(|exponent| {
        exponent.checked_add(i64::try_from(zeros).ok()?)?.checked_sub(i64::try_from(fraction.len()).ok()?)
    });
    match scale {
        Some(scale) => format!("{sign}{}", spelled(digits, scale)),
        None => text.to_owned(),
    }
}

/// The digits times ten to the power of `scale`. They neither begin nor end with a zero.
fn spelled(digits: &str, scale: i64) -> String {
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    // How many digits stand before the point.
    let point = length.saturating_add(scale);
    if (0..=MOST_ZEROS).contains(&scale) {
        return format!("{digits}{}", zeros(scale));
    }
    if scale < 0 && point > 0 {
        let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
        return format!("{whole}.{fraction}");
    }
    if scale < 0 && point > -MOST_LEADING_ZEROS {
        return format!("0.{}{digits}", zeros(-point));
    }
    let (first, rest) = digits.split_at(1);
    let separator = if rest.is_empty() { "" } else { "." };
    format!("{first}{separator}{rest}e{}", point.saturating_sub(1))
}
