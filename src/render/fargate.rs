//! The setting that lets an add-on's pods onto Fargate, where they can run nowhere else.

use serde_json::Value as Json;

use crate::domain::request::TolerationPolicy;
use crate::schedule::{self, Reason};

use super::targets::targets;
use super::{Input, Rendered};

/// Sets it for every component all of whose targets are Fargate profiles that it keeps the pods off.
pub(super) fn render(input: &Input<'_>, rendered: &mut Rendered) {
    for component in input.components {
        let policy = input.placement(component).toleration_policy;
        let Some(fargate) = component.fargate.as_ref().filter(|_| policy != TolerationPolicy::None) else {
            continue;
        };
        let placed = schedule::place_all(
            component,
            &component.scheduling(&rendered.values),
            input.namespace,
            input.pools,
        );
        let targets = targets(input, component, &placed).pools;
        let kept_off = placed.iter().find(|it| {
            matches!(it.reason, Reason::KeptOffFargate(_))
                && targets.iter().any(|pool| pool.name == it.pool.name)
        });
        let path = fargate.setting.writing_path(&rendered.values).cloned();
        if let (Some(it), Some(path)) = (kept_off, path) {
            path.set(&mut rendered.values, Json::String(fargate.value.clone()));
            rendered.reasons.push(format!(
                "{path}: {} is to run on Fargate (pool {:?}), and any other value keeps it off",
                component.name, it.pool.name
            ));
        }
    }
}
