//! From what is asked to values: the least change to a version's defaults that makes every component
//! run where it must.
//!
//! Affinity comes first, because it decides which pools a DaemonSet reaches; then what lets pods onto
//! Fargate; then tolerations, path by
//! path, since components may share one list. What the user wrote is never taken away.

mod affinity;
mod fargate;
mod targets;
mod telling;
mod tolerations;

pub use targets::{Targets, targets};

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::domain::request::{AddonRequest, Placement};
use crate::domain::{AddonVersion, Component, Finding, Pool, ValuesPath};

/// What is rendered from.
pub struct Input<'a> {
    /// The add-on's name.
    pub addon: &'a str,
    /// The version that is rendered for.
    pub version: AddonVersion,
    /// Its components that exist under the user's values.
    pub components: &'a [Component],
    /// The namespace its pods run in.
    pub namespace: &'a str,
    /// What the user asks of it.
    pub request: &'a AddonRequest,
    /// The pools.
    pub pools: &'a BTreeMap<String, Pool>,
    /// The versions that take a path, in words, for the finding that this one does not.
    pub versions_taking: &'a dyn Fn(&ValuesPath) -> String,
}

/// What was rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The user's values and what was added.
    pub values: Json,
    /// One line for each added value: why.
    pub reasons: Vec<String>,
    /// What stood in the way.
    pub findings: Vec<Finding>,
    /// Components of which a finding that names several has told why they cannot be placed.
    pub told: BTreeSet<String>,
}

impl Input<'_> {
    /// A component by what holds for it.
    fn placement(&self, component: &Component) -> Placement {
        self.request.placement_of(&component.name)
    }
}

/// Renders one add-on.
#[must_use]
pub fn render(input: &Input<'_>) -> Rendered {
    let mut rendered = Rendered {
        values: input.request.configuration.clone(),
        reasons: Vec::new(),
        findings: Vec::new(),
        told: BTreeSet::new(),
    };
    affinity::render(input, &mut rendered);
    fargate::render(input, &mut rendered);
    tolerations::render(input, &mut rendered);
    targets::tell_together(input.addon, &mut rendered);
    rendered
}
