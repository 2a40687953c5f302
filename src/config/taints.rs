//! Taints in all the forms that HCL users have at hand.

use std::collections::BTreeSet;

use crate::domain::Taint;
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
    let taint = match decoder.present(value)? {
        Value::String(text) => text.parse(),
        _ => {
            let members = decoder.members(value, path, "a taint", &TAINT)?;
            let before = decoder.has_unknown;
            let mut text = |name| {
                let (value, path) = members.get(name);
                decoder.text(value, &path)
            };
            let (key, taint_value, effect) = (text("key"), text("value"), text("effect"));
            if decoder.has_unknown && !before {
                return None;
            }
            Taint::new(
                key.as_deref().unwrap_or_default(),
                taint_value.as_deref().unwrap_or_default(),
                effect.as_deref().unwrap_or_default(),
            )
        }
    };
    taint
        .map_err(|error| {
            let detail = format!("{path}: {error}.");
            decoder.error(path, &format!("{path} is not a taint"), &detail);
        })
        .ok()
}
