//! What a user's toleration list does to the defaults that it replaces, and what in it does nothing.

use serde_json::Value as Json;

use crate::domain::component::{Fact, UserList};
use crate::domain::taint::not_ready;
use crate::domain::toleration::TolerationOperator;
use crate::domain::{Code, Component, Effect, Finding, Kind, Severity, Toleration};

/// A list of the user's, where it stands and whose it is.
pub(super) struct List<'a> {
    pub(super) addon: &'a str,
    pub(super) component: &'a Component,
    pub(super) path: &'a str,
    pub(super) entries: &'a [Json],
    /// `empty` or `null`: what it is when it has no entries.
    pub(super) nothing: &'static str,
}

/// Checks one list. `waited_for` says that nodes cannot become ready without the component.
pub(super) fn check(list: &List<'_>, waited_for: bool) -> Vec<Finding> {
    let default = match &list.component.tolerations.default {
        Fact::Known(default) if list.component.tolerations.user_list == UserList::Replaces => {
            default.as_slice()
        }
        _ => &[],
    };
    let read =
        |entries: &[Json]| entries.iter().filter_map(|json| Toleration::read(json).0).collect::<Vec<_>>();
    let (own, default) = (read(list.entries), read(default));
    if same(&own, &default) && !own.is_empty() {
        return vec![list.finding(Severity::Warning, Code::Redundant, "changes nothing", SAME_AS_DEFAULT)];
    }
    lost(list, &own, &default, waited_for).into_iter().chain(redundant(list)).collect()
}

const SAME_AS_DEFAULT: &str =
    "is what the version has by default. Leave it out, so that later defaults take effect.";

fn same(one: &[Toleration], other: &[Toleration]) -> bool {
    let within = |list: &[Toleration], all: &[Toleration]| list.iter().all(|it| all.contains(it));
    within(one, other) && within(other, one)
}

/// Whether nothing keeps pods away or drives them off: one entry, or one for each effect that does so.
fn tolerates_every_taint(list: &[Toleration]) -> bool {
    [Effect::NoSchedule, Effect::NoExecute].iter().all(|effect| {
        list.iter().any(|it| {
            it.key.is_empty()
                && it.operator == TolerationOperator::Exists
                && it.effect.is_none_or(|own| own == *effect)
                && it.toleration_seconds.is_none()
        })
    })
}

/// The list replaces the defaults: what goes with them that hurts.
fn lost(list: &List<'_>, own: &[Toleration], default: &[Toleration], waited_for: bool) -> Option<Finding> {
    let name = &list.component.name;
    let daemon = list.component.kind == Kind::DaemonSet;
    if daemon && tolerates_every_taint(default) && !tolerates_every_taint(own) {
        let not_ready = not_ready();
        if list.component.before_ready && !own.iter().any(|it| it.tolerates(&not_ready)) {
            let severity = if waited_for { Severity::Error } else { Severity::Warning };
            let detail = format!(
                "replaces the default operator: Exists and does not tolerate {not_ready}. A node keeps that taint \
                 until it is ready, and {}. Add the toleration, or leave the list out.",
                if waited_for {
                    format!("does not become ready without {name}: it waits for ever")
                } else {
                    format!("{name} does not start there before")
                }
            );
            return Some(list.finding(
                severity,
                Code::DefaultsLost,
                "loses the default for nodes that are not ready",
                &detail,
            ));
        }
        let detail = format!(
            "replaces the default operator: Exists, so {name} no longer runs on nodes with any other taint, also \
             those that come later. Leave the list out, or add {{\"operator\": \"Exists\"}}."
        );
        return Some(list.finding(
            Severity::Warning,
            Code::DefaultsLost,
            "loses the default for every taint",
            &detail,
        ));
    }
    (own.is_empty() && list.entries.is_empty() && !default.is_empty()).then(|| {
        let lost: Vec<_> = default.iter().map(|it| it.to_json().to_string()).collect();
        let detail = format!(
            "is {}, which removes the defaults {}. Leave it out to keep them.",
            list.nothing,
            lost.join(", ")
        );
        list.finding(Severity::Warning, Code::DefaultsLost, "removes all defaults", &detail)
    })
}

/// Entries that another one of the list covers: one finding for all of them.
fn redundant(list: &List<'_>) -> Option<Finding> {
    let read: Vec<_> = list.entries.iter().map(|json| Toleration::read(json).0).collect();
    let covered = |index: usize| {
        let it = read[index].as_ref()?;
        let by = read.iter().enumerate().find(|(other, by)| {
            let Some(by) = by else { return false };
            // Of two that are alike the first stays.
            index != *other && by.covers(it) && (!it.covers(by) || *other < index)
        })?;
        Some(format!("[{index}] is covered by [{}]", by.0))
    };
    let all: Vec<_> = (0..read.len()).filter_map(covered).collect();
    (!all.is_empty()).then(|| {
        let detail = format!("has entries that do nothing: {}. Remove them.", all.join(", "));
        list.finding(Severity::Warning, Code::Redundant, "has redundant entries", &detail)
    })
}

impl List<'_> {
    fn finding(&self, severity: Severity, code: Code, what: &str, detail: &str) -> Finding {
        let Self { addon, component, path, .. } = self;
        let make = if severity == Severity::Error { Finding::error } else { Finding::warning };
        let (summary, detail) = (format!("{addon}: {path} {what}"), format!("{path} {detail}"));
        make(code, addon, summary, detail).component(&component.name).path(path)
    }
}
