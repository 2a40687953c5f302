//! Configuration values: paths into them, and how Helm lays a user's values over a chart's defaults.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value as Json};

/// A path of object keys into an add-on's values, such as `node.tolerations`; `[0]` is an item of a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValuesPath(Vec<String>);

impl ValuesPath {
    /// The path of these keys.
    pub fn new(keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(keys.into_iter().map(Into::into).collect())
    }

    /// The keys, outermost first.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }

    /// The value there; null counts as absent. Helm deletes a chart's default by it, so that where there is
    /// one, [`Self::is_null`] must be asked too.
    #[must_use]
    pub fn get<'a>(&self, values: &'a Json) -> Option<&'a Json> {
        self.find(values).filter(|found| !found.is_null())
    }

    /// Whether null stands there in so many words.
    #[must_use]
    pub fn is_null(&self, values: &Json) -> bool {
        self.find(values).is_some_and(Json::is_null)
    }

    fn find<'a>(&self, values: &'a Json) -> Option<&'a Json> {
        self.0.iter().try_fold(values, |json, key| match json {
            Json::Array(items) => items.get(index(key)?),
            json => json.as_object()?.get(key),
        })
    }

    /// Writes a value there, making the objects on the way. What stands in the way and is no object
    /// is replaced; callers check the user's values against the schema first.
    pub fn set(&self, values: &mut Json, value: Json) {
        let mut target = values;
        for key in &self.0 {
            if let (Json::Array(items), Some(index)) = (&*target, index(key))
                && index < items.len()
            {
                target = &mut target[index];
                continue;
            }
            if !target.is_object() {
                *target = Json::Object(Map::new());
            }
            let Json::Object(object) = target else { unreachable!("made an object above") };
            target = object.entry(key.clone()).or_insert(Json::Null);
        }
        *target = value;
    }
}

impl From<&str> for ValuesPath {
    /// Splits at dots.
    fn from(dotted: &str) -> Self {
        Self::new(dotted.split('.'))
    }
}

impl fmt::Display for ValuesPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, key) in self.0.iter().enumerate() {
            let dot = if place == 0 || index(key).is_some() { "" } else { "." };
            write!(f, "{dot}{key}")?;
        }
        Ok(())
    }
}

/// The index that `[0]` names.
fn index(key: &str) -> Option<usize> {
    key.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// A chart's defaults under a user's values (Helm `coalesce.go`): objects merge deeply, a null
/// deletes the default (and stays where there is none), everything else replaces it. Lists never merge.
#[must_use]
pub fn coalesce(defaults: &Json, user: Option<&Json>) -> Json {
    match (defaults, user) {
        (_, None) => defaults.clone(),
        (Json::Object(defaults), Some(Json::Object(user))) => {
            let mut merged = defaults.clone();
            for (key, value) in user {
                match value {
                    Json::Null => {
                        merged.remove(key);
                    }
                    value => {
                        let under = merged.remove(key).unwrap_or(Json::Null);
                        merged.insert(key.clone(), coalesce(&under, Some(value)));
                    }
                }
            }
            Json::Object(merged)
        }
        (_, Some(user)) => user.clone(),
    }
}

/// The user's values and an addition to them: objects merge deeply, an addition's list is appended to the
/// user's without what is there already, and any other value of the user's wins. Null is not a value.
///
/// Nothing of the user's is ever lost, merging twice is merging once, and the order in which several
/// additions come in does not matter to what is kept of the user's.
#[must_use]
pub fn merge(user: Json, addition: Json) -> Json {
    match (user, addition) {
        (Json::Null, addition) => addition,
        (Json::Object(mut user), Json::Object(addition)) => {
            for (key, value) in addition {
                let own = user.remove(&key).unwrap_or(Json::Null);
                user.insert(key, merge(own, value));
            }
            Json::Object(user)
        }
        (Json::Array(mut user), Json::Array(addition)) => {
            // By their text, so that thousands of elements do not mean millions of comparisons.
            let mut known: BTreeSet<String> = user.iter().map(ToString::to_string).collect();
            user.extend(addition.into_iter().filter(|element| known.insert(element.to_string())));
            Json::Array(user)
        }
        (user, _) => user,
    }
}

/// Whether a template's merge (`mustMerge`) counts a value as not set.
#[must_use]
pub fn is_empty(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::Bool(flag) => !flag,
        Json::Number(number) => number.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        Json::Array(elements) => elements.is_empty(),
        Json::Object(members) => members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_read_and_write() {
        let path = ValuesPath::from("node.tolerations");
        let mut values = json!({"node": {"a": 1, "tolerations": null}});
        assert_eq!(path.get(&values), None);
        path.set(&mut values, json!([1]));
        assert_eq!(values, json!({"node": {"a": 1, "tolerations": [1]}}));
        assert_eq!(path.get(&values), Some(&json!([1])));
        let item = ValuesPath::new(["list", "[1]", "a"]);
        assert_eq!(item.to_string(), "list[1].a");
        let mut values = json!({"list": [{}, {"a": null}]});
        assert!(item.is_null(&values) && !path.is_null(&values));
        item.set(&mut values, json!(7));
        assert_eq!(values, json!({"list": [{}, {"a": 7}]}));
        let mut scalar = json!("x");
        path.set(&mut scalar, json!(true));
        assert_eq!(scalar, json!({"node": {"tolerations": true}}));
    }

    #[test]
    fn helm_merges_objects_replaces_lists_and_deletes_by_null() {
        let defaults = json!({"a": {"x": [1], "y": 2}, "b": 3});
        let check = |user: Json, expect: Json| assert_eq!(coalesce(&defaults, Some(&user)), expect, "{user}");
        check(json!({}), defaults.clone());
        check(json!({"a": {"x": [9]}}), json!({"a": {"x": [9], "y": 2}, "b": 3}));
        check(json!({"a": {"x": null}}), json!({"a": {"y": 2}, "b": 3}));
        check(
            json!({"b": null, "c": {"d": null, "e": 1}}),
            json!({"a": {"x": [1], "y": 2}, "c": {"d": null, "e": 1}}),
        );
        check(json!({"a": []}), json!({"a": [], "b": 3}));
        assert_eq!(coalesce(&defaults, None), defaults);
    }
}
