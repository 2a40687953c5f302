//! Taints in all the forms that HCL users have at hand.

use std::collections::BTreeSet;

use crate::domain::{NotATaint, Taint, sentence};
use crate::tf::{Path, Value};

use super::arguments::TAINT;
use super::decoder::Decoder;

/// Reads a list, set or tuple of taints, or a map whose keys do not count. Each is an object or a
/// string.
pub(super) fn read(decoder: &mut Decoder, value: &Value, path: &Path) -> BTreeSet<Taint> {
    let elements: Vec<(&Value, Path)> = match decoder.present(value) {
        Some(Value::Mapping(entries)) if is_one_taint(entries.keys()) => {
            let detail = format!("{path}: found one taint, expected a list of them: put it in [ ].");
            decoder.error(path, &format!("{path} is not a list"), &detail);
            return BTreeSet::new();
        }
        Some(Value::Mapping(entries)) => {
            let entries = entries.iter().filter(|(_, value)| !value.is_null());
            entries.map(|(key, value)| (value, path.key(key))).collect()
        }
        _ => decoder.elements(value, path, "taints"),
    };
    elements.into_iter().filter_map(|(element, path)| read_one(decoder, element, &path)).collect()
}

/// `{ key = "a", effect = "NoSchedule" }` where a list of such objects belongs.
fn is_one_taint<'a>(mut keys: impl Iterator<Item = &'a String>) -> bool {
    keys.any(|key| key == "effect")
}

fn read_one(decoder: &mut Decoder, value: &Value, path: &Path) -> Option<Taint> {
    match decoder.present(value)? {
        Value::String(text) => text.parse().map_err(|problems| tell(decoder, path, problems)).ok(),
        _ => {
            let before = decoder.diagnostics.iter().count();
            let members = decoder.members(value, path, "a taint", &TAINT)?;
            let mut text = |name| {
                let (value, path) = members.get(name);
                let unknown = matches!(value.undressed(), Value::Unknown(_));
                let text = decoder.text(value, &path);
                // What is not known yet is not wrong; what is left out is empty.
                if unknown { None } else { Some(text.unwrap_or_default()) }
            };
            let (key, of, effect) = (text("key"), text("value"), text("effect"));
            if decoder.diagnostics.iter().count() > before {
                // A misspelt or mistyped member is told; that it is missing follows from that.
                return None;
            }
            tell(decoder, path, Taint::problems(key.as_deref(), of.as_deref(), effect.as_deref()));
            Taint::new(key.as_deref()?, of.as_deref()?, effect.as_deref()?).ok()
        }
    }
}

fn tell(decoder: &mut Decoder, path: &Path, problems: Vec<NotATaint>) {
    for problem in problems {
        decoder.error(path, &format!("{path} is not a taint"), &sentence(&format!("{path}: {problem}")));
    }
}
