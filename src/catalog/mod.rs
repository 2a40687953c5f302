//! The project's own catalog: which add-ons there are, their versions, and what each version accepts.
//!
//! It is a snapshot of the EKS API, embedded as texts that a person can read (`catalog/` at the top of
//! the repository). A text is parsed when its add-on is first asked for: start-up pays nothing.

mod addon;
mod embedded;
mod format;
pub mod knowledge;
#[cfg(test)]
mod knowledge_facts;
#[cfg(test)]
mod knowledge_tests;
pub mod refresh;
mod schema;
mod source;
mod surface;
#[cfg(test)]
mod tests;

use std::sync::{LazyLock, OnceLock};

use crate::domain::KubernetesVersion;

pub use addon::{Addon, VersionFacts};
pub use format::FormatError;
pub use knowledge::Knowledge;
pub use source::Source;
pub use surface::{Acceptance, Surface};

/// All add-ons of the snapshot.
pub struct Catalog {
    source: Source,
    /// Sorted by name.
    entries: Vec<Entry>,
    /// Sorted by name.
    knowledge: Vec<KnowledgeEntry>,
}

/// What is known of one add-on's components: its text, and what it says once someone has asked.
struct KnowledgeEntry {
    name: &'static str,
    text: &'static str,
    knowledge: OnceLock<Knowledge>,
}

/// One add-on: its text, and what it says once someone has asked.
struct Entry {
    name: &'static str,
    text: &'static str,
    addon: OnceLock<Addon>,
}

impl Catalog {
    /// The catalog that is compiled in.
    ///
    /// # Panics
    /// When the embedded texts are broken, which the tests of this module exclude.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog {
            source: Source::read(embedded::SOURCE).expect("catalog/SOURCE is readable (tested)"),
            entries: embedded::ADDONS
                .iter()
                .map(|&(name, text)| Entry { name, text, addon: OnceLock::new() })
                .collect(),
            knowledge: embedded::COMPONENTS
                .iter()
                .map(|&(name, text)| KnowledgeEntry { name, text, knowledge: OnceLock::new() })
                .collect(),
        });
        &CATALOG
    }

    /// Where the facts come from, and of which day they are.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The names of all add-ons, sorted.
    pub fn addon_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.entries.iter().map(|entry| entry.name)
    }

    /// The add-on of that name. The first call for a name parses its text.
    ///
    /// # Panics
    /// When the embedded text is broken, which the tests of this module exclude.
    #[must_use]
    pub fn addon(&self, name: &str) -> Option<&Addon> {
        let index = self.entries.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
        let Entry { text, addon, .. } = &self.entries[index];
        Some(addon.get_or_init(|| format::read(text).expect("embedded catalog texts are readable (tested)")))
    }

    /// Every Kubernetes version that any version of any add-on supports, ascending.
    #[must_use]
    pub fn kubernetes_versions(&self) -> &[KubernetesVersion] {
        &self.source.kubernetes
    }

    /// What the project knows of an add-on's components, if it does. The first call parses its text.
    ///
    /// # Panics
    /// When the embedded text is broken, which the tests of this module exclude.
    #[must_use]
    pub fn knowledge(&self, name: &str) -> Option<&Knowledge> {
        let index = self.knowledge.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
        let KnowledgeEntry { text, knowledge, .. } = &self.knowledge[index];
        let read = || Knowledge::parse(text).expect("embedded component texts are readable (tested)");
        Some(knowledge.get_or_init(read))
    }
}
