//! What a user is told: errors and warnings, each once.

use super::Path;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Terraform stops.
    Error,
    /// Terraform goes on.
    Warning,
}

/// One message of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One line: what is wrong.
    pub summary: String,
    /// What was found, what was expected and what to do.
    pub detail: String,
    /// Where in the configuration; the root if nowhere in particular.
    pub path: Path,
}

impl Diagnostic {
    /// An error.
    pub fn error(path: Path, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { severity: Severity::Error, summary: summary.into(), detail: detail.into(), path }
    }

    /// A warning.
    pub fn warning(path: Path, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, summary: summary.into(), detail: detail.into(), path }
    }
}

/// Diagnostics in the order they were found, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a diagnostic unless the same one is there already.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if !self.0.contains(&diagnostic) {
            self.0.push(diagnostic);
        }
    }

    /// Whether any of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_diagnostic_is_kept_once() {
        let mut all = Diagnostics::default();
        let warning = Diagnostic::warning(Path::attribute_of_root("a"), "s", "d");
        all.push(warning.clone());
        all.push(warning.clone());
        assert_eq!(all.iter().count(), 1);
        assert!(!all.has_errors());
        all.push(Diagnostic::error(Path::attribute_of_root("a"), "s", "d"));
        assert_eq!(all.iter().count(), 2);
        assert!(all.has_errors());
    }
}
