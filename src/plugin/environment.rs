//! The process environment as a value: `main` reads it once, everything else is handed it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// Environment variables by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Keeps the variables that are text; the others cannot be meant for this program.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let text =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Self(variables.into_iter().filter_map(text).collect())
    }

    /// The value of a variable; empty counts as absent, as in Terraform and go-plugin.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Where sockets may be put, best first: go-plugin's own variable, then the temporary directory,
    /// then `/tmp`, which is short enough where the others are not.
    #[must_use]
    pub fn socket_directories(&self) -> Vec<PathBuf> {
        let named = ["PLUGIN_UNIX_SOCKET_DIR", "TMPDIR"].into_iter().filter_map(|name| self.get(name));
        named.chain(["/tmp"]).map(PathBuf::from).collect()
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Environment {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_is_absent_and_the_plugin_variable_wins() {
        let environment = Environment::from_iter([("TMPDIR", "/t"), ("PLUGIN_UNIX_SOCKET_DIR", "")]);
        assert_eq!(environment.get("PLUGIN_UNIX_SOCKET_DIR"), None);
        assert_eq!(environment.socket_directories(), ["/t", "/tmp"].map(PathBuf::from));
        let environment = Environment::from_iter([("PLUGIN_UNIX_SOCKET_DIR", "/p")]);
        assert_eq!(environment.socket_directories(), ["/p", "/tmp"].map(PathBuf::from));
    }
}
