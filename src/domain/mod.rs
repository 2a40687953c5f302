//! The words of the field: taints, tolerations, pools, add-ons, versions, findings.
//!
//! Pure: no wire types, no AWS, no clock. Everything is ordered, so that the same input gives the
//! same bytes.

pub mod affinity;
#[cfg(test)]
mod affinity_tests;
pub mod component;
pub mod finding;
mod nearest;
pub mod pool;
pub mod request;
pub mod syntax;
pub mod taint;
mod tolerance;
pub mod toleration;
#[cfg(test)]
mod toleration_tests;
pub mod values;
pub mod version;

pub use affinity::NodeAffinity;
pub use component::{Component, Fact, Kind};
pub use finding::{Code, Finding, Severity};
pub use nearest::{nearest, sentence};
pub use pool::Pool;
pub use request::{AddonRequest, Request};
pub use taint::{Effect, NotATaint, Taint};
pub use tolerance::{Tolerance, TolerationList};
pub use toleration::Toleration;
pub use values::ValuesPath;
pub use version::{AddonVersion, Build, Constraint, KubernetesVersion, VersionRun};
