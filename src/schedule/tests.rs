//! Components on pools, case by case.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::{Placement, Reason, place, report};
use crate::domain::affinity::REQUIRED;
use crate::domain::component::{Component, Fact, Setting, Switch, Tolerations, UserList};
use crate::domain::pool::{Architecture, ComputeType, Os, Provisioner, Selector};
use crate::domain::{Kind, Pool};

/// A component with these tolerations and these expressions in one required term.
fn component(kind: Kind, tolerations: Json, expressions: Json) -> Component {
    let affinity = if expressions.as_array().is_some_and(Vec::is_empty) {
        json!({})
    } else {
        json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}})
    };
    Component {
        name: "it".into(),
        kind,
        exists: Fact::Known(Vec::new()),
        host_network: Switch::fixed(false),
        before_ready: false,
        removes_taints: Vec::new(),
        fargate: None,
        tolerations: Tolerations {
            setting: Setting::default(),
            default: Fact::Known(tolerations.as_array().cloned().unwrap_or_default()),
            always: Vec::new(),
            user_list: UserList::Replaces,
            tolerate_all: None,
            keep_defaults: Switch::fixed(true),
        },
        affinity: Setting::default(),
        default_affinity: Fact::Known(affinity),
        node_selector: Setting::default(),
        fixed_node_selector: BTreeMap::from([("kubernetes.io/os".into(), "linux".into())]),
        by_default: std::sync::OnceLock::new(),
    }
}

fn check(component: &Component, pool: &Pool, expect: Option<bool>, part: &str) {
    let reason = place(component, &component.scheduling(&json!({})), "kube-system", pool);
    assert_eq!(reason.schedulable(), expect, "{reason}");
    assert!(reason.to_string().contains(part), "{reason}");
}

fn pool(taints: &[&str]) -> Pool {
    let mut pool = Pool::new("p");
    pool.taints = taints.iter().map(|text| text.parse().expect("a taint")).collect();
    pool
}

#[test]
fn taints_filter_unless_tolerated() {
    let daemon = component(Kind::DaemonSet, json!([{"key": "a", "operator": "Exists"}]), json!([]));
    check(&daemon, &pool(&[]), Some(true), "no taint in the way");
    check(&daemon, &pool(&["a=b:NoSchedule"]), Some(true), "tolerates a=b:NoSchedule");
    check(&daemon, &pool(&["a=b:NoSchedule", "c:NoExecute"]), Some(false), "does not tolerate c:NoExecute");
    check(&daemon, &pool(&["c:PreferNoSchedule"]), Some(true), "no taint in the way");
    check(&daemon, &pool(&["node.kubernetes.io/unschedulable:NoSchedule"]), Some(true), "tolerates");
    check(&daemon, &pool(&["node.kubernetes.io/not-ready:NoSchedule"]), Some(false), "not-ready");
    let deployment = component(Kind::Deployment, json!([]), json!([]));
    check(&deployment, &pool(&["node.kubernetes.io/unschedulable:NoSchedule"]), Some(false), "unschedulable");
}

#[test]
fn start_up_taints_concern_what_must_run_before_a_node_is_ready() {
    let mut daemon = component(Kind::DaemonSet, json!([]), json!([]));
    let mut starting = pool(&[]);
    starting.startup_taints = BTreeSet::from(["x:NoSchedule".parse().expect("a taint")]);
    check(&daemon, &starting, Some(true), "no taint");
    daemon.before_ready = true;
    check(&daemon, &starting, Some(false), "x:NoSchedule");
}

#[test]
fn labels_exclude_and_what_is_not_stated_is_unknown() {
    let zone = json!([{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]);
    let daemon = component(Kind::DaemonSet, json!([]), zone);
    check(&daemon, &pool(&[]), None, "topology.kubernetes.io/zone");
    check(&daemon, &pool(&["a:NoSchedule"]), Some(false), "does not tolerate");
    let mut stated = pool(&[]);
    stated.labels.insert("topology.kubernetes.io/zone".into(), "b".into());
    check(&daemon, &stated, Some(false), "requires topology.kubernetes.io/zone In [a]");
    let mut windows = pool(&[]);
    windows.os = Os::Windows;
    check(&daemon, &windows, Some(false), "kubernetes.io/os=linux");
}

#[test]
fn a_daemonset_runs_on_the_architectures_that_it_fits_and_a_deployment_on_any() {
    let arm = json!([{"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]);
    let mut both = pool(&[]);
    both.architectures = BTreeSet::from([Architecture::Amd64, Architecture::Arm64]);
    check(&component(Kind::Deployment, json!([]), arm.clone()), &both, Some(true), "no taint");
    let daemon = component(Kind::DaemonSet, json!([]), arm.clone());
    check(&daemon, &both, Some(true), "not on its amd64 nodes: requires kubernetes.io/arch In [arm64]");
    check(&daemon, &pool(&[]), Some(false), "requires kubernetes.io/arch In [arm64]");
    // What keeps it off the nodes that it fits is said first.
    both.taints = BTreeSet::from(["a:NoSchedule".parse().expect("a taint")]);
    check(&daemon, &both, Some(false), "does not tolerate a:NoSchedule");
    let tolerant = component(Kind::DaemonSet, json!([{"operator": "Exists"}]), arm);
    check(&tolerant, &both, Some(true), "not on its amd64 nodes");
}

#[test]
fn fargate_goes_by_selectors_and_runs_no_daemonsets() {
    let mut fargate = pool(&[]);
    fargate.compute_type = ComputeType::Fargate;
    let deployment = component(Kind::Deployment, json!([]), json!([]));
    check(&component(Kind::DaemonSet, json!([]), json!([])), &fargate, Some(false), "no DaemonSets");
    check(&deployment, &fargate, None, "selectors");
    let selector = |namespace: &str| Selector { namespace: namespace.into(), labels: BTreeMap::new() };
    fargate.selectors = Some(vec![selector("batch"), selector("kube-*")]);
    check(&deployment, &fargate, Some(true), "a selector");
    fargate.selectors = Some(vec![selector("batch")]);
    check(&deployment, &fargate, Some(false), "\"kube-system\"");
    fargate.selectors = Some(vec![Selector {
        labels: BTreeMap::from([("a".into(), "b".into())]),
        ..selector("kube-system")
    }]);
    check(&deployment, &fargate, None, "selectors");
    fargate.selectors = Some(vec![selector("kube-system")]);
    let not_fargate =
        json!([{"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["fargate"]}]);
    check(&component(Kind::Deployment, json!([]), not_fargate), &fargate, Some(false), "NotIn [fargate]");
}

#[test]
fn unknown_defaults_make_an_unknown_answer_only_where_they_matter() {
    let mut daemon = component(Kind::DaemonSet, json!([]), json!([]));
    daemon.tolerations.default = Fact::Unknown;
    check(&daemon, &pool(&[]), Some(true), "no taint");
    check(&daemon, &pool(&["a:NoSchedule"]), None, "default tolerations of this version");
}

#[test]
fn karpenter_nodes_have_their_label() {
    let only = json!([{"key": "karpenter.sh/nodepool", "operator": "In", "values": ["p"]}]);
    let deployment = component(Kind::Deployment, json!([]), only);
    check(&deployment, &pool(&[]), Some(false), "karpenter.sh/nodepool");
    let mut karpenter = pool(&[]);
    karpenter.provisioner = Provisioner::Karpenter;
    check(&deployment, &karpenter, Some(true), "no taint");
}

fn placement(component: &str, pool: &str, reason: Reason) -> Placement {
    let (addon, component, node_pool) = ("a".into(), component.into(), pool.into());
    let required = reason.is_eligible();
    Placement { addon, component, kind: Kind::DaemonSet, node_pool, reason, required }
}

#[test]
fn the_report_is_a_table_with_numbered_reasons() {
    let taint: crate::domain::Taint = "x:NoSchedule".parse().expect("a taint");
    let placements = [
        placement("one", "p", Reason::Admitted),
        placement("one", "q", Reason::Untolerated(vec![taint])),
        placement("two", "p", Reason::DaemonSetOnFargate),
        placement("two", "q", Reason::Tolerates(Vec::new())),
    ];
    let versions = BTreeMap::from([("a".to_owned(), "v1.0.0-eksbuild.1".to_owned())]);
    let expect = "\
on pool   p      q
a v1.0.0-eksbuild.1
  ds/one  yes    NO [1]
  ds/two  - [2]  yes

yes: runs there   NO: must, but cannot   no: cannot, need not   -: not made for it   ?: not known
[1] does not tolerate x:NoSchedule
[2] Fargate runs no DaemonSets
";
    assert_eq!(report(&placements, &versions), expect);
    assert_eq!(report(&[], &versions), "");
}

#[test]
fn a_report_too_wide_for_the_terminal_names_its_columns_by_letters() {
    let names: Vec<_> = (10..40).map(|it| format!("pool-with-a-long-name-{it}")).collect();
    let placements: Vec<_> = names.iter().map(|pool| placement("one", pool, Reason::Admitted)).collect();
    let text = report(&placements, &BTreeMap::new());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(
        text.contains("A: pool-with-a-long-name-10\n") && text.contains("AD: pool-with-a-long-name-39\n"),
        "{text}"
    );
}

#[test]
fn a_report_for_six_pools_fits_a_terminal() {
    let taint = |it| format!("example.com/team={it}:NoSchedule").parse().expect("a taint");
    let taints: Vec<_> = (0..12).map(taint).collect();
    let pools =
        ["karpenter-controller", "system-critical", "gpu-a100", "batch-spot", "windows-2022", "fargate"];
    let reason = |pool: &str| {
        if pool.starts_with('g') { Reason::Untolerated(taints.clone()) } else { Reason::Admitted }
    };
    let placements: Vec<_> = ["eks-pod-identity-agent-hybrid-bottlerocket", "two"]
        .iter()
        .flat_map(|component| pools.map(|pool| placement(component, pool, reason(pool))))
        .collect();
    let text = report(&placements, &BTreeMap::new());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}
