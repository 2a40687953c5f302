//! Facts of every add-on's components, one by one, as the sources have them.

use serde_json::{Value as Json, json};

use super::knowledge_tests::components;
use super::{Addon, Catalog};
use crate::domain::component::{Fact, Setting};
use crate::domain::{Component, Kind, Taint, ValuesPath};

/// Values under which an add-on has all its components, by path.
pub(super) fn component_values(addon: &str) -> Vec<(ValuesPath, Json)> {
    let values = match addon {
        "adot" => vec![
            ("collector.cloudwatch.enabled", json!(true)),
            ("collector.serviceAccount.create", json!(false)),
            ("collector.serviceAccount.name", json!("it")),
            ("collector.containerLogs.pipelines.logs.cloudwatchLogs.enabled", json!(true)),
            ("collector.otlpIngest.pipelines.traces.xray.enabled", json!(true)),
            ("collector.prometheusMetrics.pipelines.metrics.emf.enabled", json!(true)),
        ],
        "amazon-cloudwatch-observability" => vec![
            ("otelContainerInsights.enabled", json!(true)),
            ("agents", json!([{"name": "one"}, {"name": "two", "mode": "deployment"}, {}])),
        ],
        "aws-ebs-csi-driver" => {
            vec![("a1CompatibilityDaemonSet", json!(true)), ("additionalDaemonSets.gpu", json!({}))]
        }
        "aws-secrets-store-csi-driver-provider" => {
            vec![("secrets-store-csi-driver.windows.enabled", json!(true))]
        }
        "eks-pod-identity-agent" => vec![
            ("daemonsets.hybrid.create", json!(true)),
            ("daemonsets.hybrid-bottlerocket.create", json!(true)),
        ],
        _ => Vec::new(),
    };
    values.into_iter().map(|(path, value)| (ValuesPath::from(path), value)).collect()
}

fn all(addon: &str, version: &str, values: &Json) -> Vec<Component> {
    let catalog = Catalog::embedded();
    let (Some(addon), Some(knowledge)) = (catalog.addon(addon), catalog.knowledge(addon)) else {
        panic!("{addon} is described")
    };
    let version = version.parse().expect("a version");
    assert!(Addon::version(addon, &version).is_some(), "{version}");
    components(addon, knowledge, &version, values)
}

fn one(addon: &str, version: &str, name: &str, values: &Json) -> Component {
    let mut found = all(addon, version, values).into_iter().filter(|it| it.name == name);
    found.next().unwrap_or_else(|| panic!("{addon} {version} has no {name}"))
}

/// The names of what exists under these values, and of what may.
fn names(addon: &str, version: &str, values: &Json) -> Vec<String> {
    let found = all(addon, version, values).into_iter().filter(|it| it.exists(values) != Some(false));
    found.map(|it| it.name).collect()
}

fn path(setting: &Setting) -> String {
    setting.path.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// Tolerations in short: `key:effect`, `*` for any key, `?` for a list that is unknown.
fn short(list: &Fact<Vec<Json>>) -> String {
    let Fact::Known(list) = list else { return "?".to_owned() };
    let entry = |json: &Json| {
        let text = |key: &str| json.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        let (key, effect) = (text("key"), text("effect"));
        let key = if key.is_empty() { "*".to_owned() } else { key };
        if effect.is_empty() { key } else { format!("{key}:{effect}") }
    };
    list.iter().map(entry).collect::<Vec<_>>().join(" ")
}

/// What the default affinity excludes of `eks.amazonaws.com/compute-type`, in any term.
fn excludes(component: &Component) -> String {
    let Fact::Known(affinity) = component.affinity_object(&json!({})) else { return "?".to_owned() };
    let terms = "/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
    let terms = affinity.pointer(terms).and_then(Json::as_array).cloned().unwrap_or_default();
    let expressions = terms.iter().flat_map(|term| term["matchExpressions"].as_array().into_iter().flatten());
    let of = |it: &&Json| it["key"] == "eks.amazonaws.com/compute-type" && it["operator"] == "NotIn";
    let values = expressions.filter(of).flat_map(|it| it["values"].as_array().into_iter().flatten());
    values.filter_map(Json::as_str).collect::<Vec<_>>().join(" ")
}

const D: Kind = Kind::Deployment;
const DS: Kind = Kind::DaemonSet;
const CRITICAL: &str = "CriticalAddonsOnly";
const CRITICAL_300: &str = "CriticalAddonsOnly *:NoExecute";

/// Add-on, component, version, kind, toleration path, default tolerations, excluded compute types.
type Row = (&'static str, &'static str, &'static str, Kind, &'static str, &'static str, &'static str);

fn check(rows: &[Row]) {
    for &(addon, name, version, kind, list, default, excluded) in rows {
        let component = one(addon, version, name, &json!({}));
        let found = (
            component.kind,
            path(&component.tolerations.setting),
            short(&component.toleration_list(&json!({}))),
            excludes(&component),
        );
        let expect = (kind, list.to_owned(), default.to_owned(), excluded.to_owned());
        assert_eq!(found, expect, "{addon} {version} {name}");
    }
}

#[test]
#[rustfmt::skip]
fn networking_and_security() {
    const DNS: &str = "coredns";
    const BOTH: &str = "CriticalAddonsOnly node-role.kubernetes.io/control-plane:NoSchedule \
                        node-role.kubernetes.io/master:NoSchedule";
    const MASTER: &str = "CriticalAddonsOnly node-role.kubernetes.io/master:NoSchedule";
    const PLANE: &str = "CriticalAddonsOnly node-role.kubernetes.io/control-plane:NoSchedule";
    check(&[
        (DNS, DNS, "v1.8.7-eksbuild.7", D, "", MASTER, ""),
        (DNS, DNS, "v1.8.7-eksbuild.8", D, "", BOTH, ""),
        (DNS, DNS, "v1.9.3-eksbuild.2", D, "", MASTER, ""),
        (DNS, DNS, "v1.9.3-eksbuild.3", D, "tolerations", MASTER, ""),
        (DNS, DNS, "v1.9.3-eksbuild.9", D, "tolerations", BOTH, ""),
        (DNS, DNS, "v1.9.3-eksbuild.15", D, "tolerations", PLANE, ""),
        (DNS, DNS, "v1.10.1-eksbuild.4", D, "tolerations", MASTER, ""),
        (DNS, DNS, "v1.10.1-eksbuild.5", D, "tolerations", PLANE, ""),
        (DNS, DNS, "v1.14.3-eksbuild.14", D, "tolerations", PLANE, ""),
        ("kube-proxy", "kube-proxy", "v1.25.16-eksbuild.21", DS, "", "*", "fargate"),
        ("kube-proxy", "kube-proxy", "v1.25.16-eksbuild.22", DS, "", "*", "fargate auto"),
        ("kube-proxy", "kube-proxy", "v1.31.2-eksbuild.2", DS, "", "*", "fargate"),
        ("kube-proxy", "kube-proxy", "v1.31.2-eksbuild.3", DS, "", "*", "fargate auto"),
        ("kube-proxy", "kube-proxy", "v1.36.0-eksbuild.2", DS, "", "*", "fargate auto"),
        ("vpc-cni", "aws-node", "v1.12.6-eksbuild.2", DS, "", "*", "fargate"),
        ("vpc-cni", "aws-node", "v1.13.0-eksbuild.1", DS, "tolerations", "*", "fargate"),
        ("eks-pod-identity-agent", "eks-pod-identity-agent", "v1.0.0-eksbuild.1", DS, "tolerations", "", "fargate"),
        ("eks-pod-identity-agent", "eks-pod-identity-agent", "v1.1.0-eksbuild.1", DS, "tolerations", "?", "fargate"),
        ("aws-guardduty-agent", "aws-guardduty-agent", "v1.0.0-eksbuild.1", DS, "", "", "?"),
        ("aws-guardduty-agent", "aws-guardduty-agent", "v1.16.0-eksbuild.2", DS, "", "", "?"),
        ("cert-manager", "controller", "v1.17.1-eksbuild.1", D, "tolerations", CRITICAL, "hybrid"),
        ("cert-manager", "webhook", "v1.21.1-eksbuild.1", D, "webhook.tolerations", CRITICAL, "hybrid"),
        ("cert-manager", "cainjector", "v1.21.1-eksbuild.1", D, "cainjector.tolerations", CRITICAL, "hybrid"),
        ("external-dns", "external-dns", "v0.21.0-eksbuild.8", D, "tolerations", CRITICAL, "hybrid"),
    ]);
}

#[test]
#[rustfmt::skip]
fn storage() {
    const EFS: &str = "aws-efs-csi-driver";
    const S3: &str = "aws-mountpoint-s3-csi-driver";
    const FSX: &str = "aws-fsx-csi-driver";
    const SNAPSHOT: &str = "snapshot-controller";
    const SECRETS: &str = "aws-secrets-store-csi-driver-provider";
    const AGENT: &str = "CriticalAddonsOnly efs.csi.aws.com/agent-not-ready";
    check(&[
        (EFS, "controller", "v1.7.0-eksbuild.1", D, "controller.tolerations", "", ""),
        (EFS, "controller", "v1.7.1-eksbuild.1", D, "controller.tolerations", CRITICAL, ""),
        (EFS, "controller", "v1.7.2-eksbuild.1", D, "controller.tolerations", AGENT, ""),
        (EFS, "node", "v2.1.0-eksbuild.1", DS, "node.tolerations", "*", "fargate"),
        (EFS, "node", "v2.1.1-eksbuild.1", DS, "node.tolerations", "*", "fargate hybrid"),
        (S3, "node", "v1.5.1-eksbuild.1", DS, "", CRITICAL_300, ""),
        (S3, "node", "v1.8.0-eksbuild.1", DS, "node.tolerations", CRITICAL_300, "fargate"),
        (S3, "node", "v1.15.0-eksbuild.1", DS, "node.tolerations", CRITICAL_300, "fargate hybrid"),
        (S3, "node", "v2.0.0-eksbuild.1", DS, "node.tolerations", "*", "fargate hybrid"),
        (S3, "controller", "v2.0.0-eksbuild.1", D, "", "", ""),
        (S3, "controller", "v2.1.0-eksbuild.1", D, "controller.tolerations", "", ""),
        (FSX, "controller", "v1.3.0-eksbuild.1", D, "controller.tolerations", CRITICAL_300, ""),
        (FSX, "node", "v1.6.0-eksbuild.2", DS, "node.tolerations", "*", "fargate hybrid"),
        (FSX, "node", "v1.7.0-eksbuild.1", DS, "node.tolerations", "*", "fargate"),
        (SNAPSHOT, SNAPSHOT, "v7.0.1-eksbuild.1", D, "", "?", "?"),
        (SNAPSHOT, SNAPSHOT, "v8.0.0-eksbuild.1", D, "tolerations", "", ""),
        (SNAPSHOT, SNAPSHOT, "v8.1.0-eksbuild.1", D, "tolerations", CRITICAL_300, ""),
        (SECRETS, SECRETS, "v2.1.1-eksbuild.1", DS, "tolerations", "*", ""),
        (SECRETS, SECRETS, "v2.2.1-eksbuild.1", DS, "tolerations", "*", "fargate"),
        (SECRETS, "secrets-store-csi-driver", "v3.0.1-eksbuild.1", DS, "secrets-store-csi-driver.linux.tolerations", "*", "fargate"),
        ("aws-ebs-csi-driver", "node", "v1.10.0-eksbuild.1", DS, "", CRITICAL_300, "fargate"),
        ("aws-ebs-csi-driver", "node", "v1.64.0-eksbuild.1", DS, "node.tolerations", "*", "fargate auto hybrid"),
    ]);
    assert_eq!(names(S3, "v1.15.0-eksbuild.1", &json!({})), ["node"]);
    assert_eq!(names(SECRETS, "v3.1.2-eksbuild.1", &json!({})), [SECRETS, "secrets-store-csi-driver"]);
    let alone = json!({"secrets-store-csi-driver": {"install": false}});
    assert_eq!(names(SECRETS, "v3.1.2-eksbuild.1", &alone), [SECRETS]);
}

#[test]
#[rustfmt::skip]
fn observability() {
    const CW: &str = "amazon-cloudwatch-observability";
    const NMA: &str = "eks-node-monitoring-agent";
    const PNE: &str = "prometheus-node-exporter";
    const THREE: &str = "fargate auto hybrid";
    check(&[
        (NMA, NMA, "v1.2.0-eksbuild.1", DS, "", "*", THREE),
        (NMA, NMA, "v1.3.0-eksbuild.2", DS, "monitoringAgent.tolerations", "*", THREE),
        (NMA, NMA, "v1.5.2-eksbuild.1", DS, "monitoringAgent.tolerations", "*", THREE),
        (NMA, NMA, "v1.6.1-eksbuild.1", DS, "nodeAgent.tolerations", "*", THREE),
        (NMA, "dcgm-server", "v1.7.0-eksbuild.1", DS, "dcgmAgent.tolerations", "", THREE),
        (CW, "agent", "v1.6.0-eksbuild.1", DS, "", "", ""),
        (CW, "agent", "v1.7.0-eksbuild.1", DS, "tolerations", "*", ""),
        (CW, "agent", "v1.9.0-eksbuild.1", DS, "tolerations", "*", "fargate"),
        (CW, "agent", "v3.7.0-eksbuild.1", DS, "agent.tolerations", "*", "fargate"),
        (CW, "manager", "v1.6.0-eksbuild.1", D, "", "", ""),
        (CW, "manager", "v2.6.0-eksbuild.1", D, "tolerations", "*", ""),
        (CW, "manager", "v3.0.0-eksbuild.1", D, "", "", ""),
        (CW, "manager", "v3.7.0-eksbuild.1", D, "manager.tolerations", "", ""),
        (CW, "fluent-bit", "v6.5.0-eksbuild.1", DS, "containerLogs.fluentBit.tolerations", "*", "fargate"),
        (CW, "dcgm-exporter", "v4.2.1-eksbuild.1", DS, "dcgmExporter.tolerations", "*", "fargate"),
        (CW, "neuron-monitor", "v1.5.0-eksbuild.1", DS, "", "", ""),
        (CW, "node-exporter", "v6.0.0-eksbuild.1", DS, "tolerations", "*", "fargate"),
        (CW, "kube-state-metrics", "v6.1.0-eksbuild.1", D, "kubeStateMetrics.tolerations", "*", ""),
        (CW, "fluent-bit-windows", "v6.5.0-eksbuild.1", DS, "containerLogs.fluentBit.tolerations", "*", ""),
        (PNE, PNE, "v1.8.2-eksbuild.2", DS, "tolerations", CRITICAL, "fargate hybrid"),
        (PNE, PNE, "v1.9.0-eksbuild.3", DS, "tolerations", "*:NoSchedule", "fargate hybrid"),
        ("metrics-server", "metrics-server", "v0.7.2-eksbuild.1", D, "tolerations", CRITICAL, ""),
        ("kube-state-metrics", "kube-state-metrics", "v2.19.1-eksbuild.5", D, "tolerations", CRITICAL, "hybrid"),
        ("adot", "operator", "v0.29.0-eksbuild.1", D, "", "?", "?"),
        ("adot", "operator", "v0.156.0-eksbuild.1", D, "tolerations", "?", "?"),
        ("adot", "collector-container-logs", "v0.88.0-eksbuild.1", DS, "", "?", "?"),
    ]);
}

#[test]
fn cloudwatch_has_what_its_values_ask_for() {
    let of = |version: &str, values: Json| names("amazon-cloudwatch-observability", version, &values);
    let base = [
        "manager",
        "agent",
        "agent-windows",
        "agent-windows-container-insights",
        "fluent-bit",
        "fluent-bit-windows",
        "dcgm-exporter",
        "neuron-monitor",
    ];
    assert_eq!(of("v6.5.0-eksbuild.1", json!({})), base);
    assert_eq!(of("v1.1.1-eksbuild.1", json!({})), ["manager", "agent", "fluent-bit"]);
    let otel = json!({"otelContainerInsights": {"enabled": true}, "containerLogs": {"enabled": false},
        "dcgmExporter": {"enabled": false}, "neuronMonitor": {"enabled": false}, "nodeExporter": {"enabled": false}});
    let expect = ["manager", "agent", "cluster-scraper", "agent-windows", "agent-windows-container-insights"];
    assert_eq!(of("v6.5.0-eksbuild.1", otel), [expect.as_slice(), &["kube-state-metrics"]].concat());
    assert!(of("v6.1.0-eksbuild.1", json!({})).contains(&"cluster-scraper".to_owned()));
    let two = json!({"agents": [{"name": "one"}, {"mode": "statefulset"}]});
    let expect = ["manager", "agent-one", "agent-1", "agent-windows"];
    assert_eq!(of("v6.5.0-eksbuild.1", two.clone())[..4], expect);
    let kind = |name| one("amazon-cloudwatch-observability", "v6.5.0-eksbuild.1", name, &two).kind;
    assert_eq!((kind("agent-one"), kind("agent-1")), (DS, D));
}

#[test]
fn cloudwatch_inherits_the_root_list() {
    let list = |version: &str, name: &str, values: Json| {
        let component = one("amazon-cloudwatch-observability", version, name, &values);
        let place = component.tolerations.setting.writing_path(&values).map(ToString::to_string);
        (short(&component.toleration_list(&values)), place.unwrap_or_default())
    };
    let (own, root) = (json!([{"key": "own"}]), json!([{"key": "root"}]));
    let both = json!({"tolerations": root, "agent": {"tolerations": own}, "manager": {"tolerations": null}});
    let new = "v6.5.0-eksbuild.1";
    let pair = |list: &str, place: &str| (list.to_owned(), place.to_owned());
    assert_eq!(list(new, "agent", both.clone()), pair("own", "agent.tolerations"));
    assert_eq!(list(new, "agent-windows", both.clone()), pair("own", "agent.tolerations"));
    assert_eq!(list(new, "fluent-bit", both.clone()), pair("root", "tolerations"));
    assert_eq!(list(new, "manager", both.clone()), pair("root", "tolerations"));
    assert_eq!(list(new, "manager", json!({"tolerations": root})), pair("", "manager.tolerations"));
    assert_eq!(list(new, "manager", json!({"manager": {"tolerations": null}})), pair("*", "tolerations"));
    assert_eq!(list(new, "agent", json!({"agent": {"tolerations": []}})), pair("", "agent.tolerations"));
    assert_eq!(list("v3.6.0-eksbuild.2", "agent", json!({"tolerations": root})), pair("root", "tolerations"));
    assert_eq!(list("v3.6.0-eksbuild.2", "manager", json!({"tolerations": root})), pair("", ""));
    let entries = json!({"tolerations": root, "agent": {"tolerations": own},
        "agents": [{"name": "a"}, {"name": "b", "tolerations": []}, {"name": "c", "tolerations": [{"key": "c"}]}]});
    assert_eq!(list(new, "agent-a", entries.clone()), pair("own", "agent.tolerations"));
    assert_eq!(list(new, "agent-b", entries.clone()), pair("", "agents[1].tolerations"));
    assert_eq!(list(new, "agent-c", entries.clone()), pair("c", "agents[2].tolerations"));
    let none = json!({"tolerations": root, "agents": [{"name": "a"}]});
    assert_eq!(list(new, "agent-a", none), pair("root", "tolerations"));
    assert_eq!(list("v3.0.0-eksbuild.1", "agent-a", entries).1, "tolerations");
}

#[test]
fn mountpoint_appends_and_can_drop_its_defaults() {
    let list = |version: &str, node: Json| {
        let values = json!({"node": node});
        short(&one("aws-mountpoint-s3-csi-driver", version, "node", &values).toleration_list(&values))
    };
    let new = "v2.7.0-eksbuild.1";
    let own = json!([{"key": "own"}]);
    assert_eq!(list(new, json!({"tolerations": own})), "*");
    let defaults = "CriticalAddonsOnly s3.csi.aws.com/agent-not-ready *:NoExecute";
    assert_eq!(list(new, json!({"tolerateAllTaints": false, "tolerations": own})), format!("{defaults} own"));
    let dropped = json!({"tolerateAllTaints": false, "defaultTolerations": false, "tolerations": own});
    assert_eq!(list(new, dropped.clone()), "own");
    assert_eq!(list("v2.5.0-eksbuild.1", dropped), format!("{defaults} own"));
}

#[test]
fn instance_types_are_those_of_the_version() {
    let runs_on = |addon: &str, name: &str, version: &str, instance: &str| {
        let affinity = one(addon, version, name, &json!({})).affinity_object(&json!({}));
        let Fact::Known(affinity) = affinity else { panic!("known") };
        affinity.to_string().contains(&format!("\"{instance}\""))
    };
    let nma = |version: &str, instance: &str| {
        runs_on("eks-node-monitoring-agent", "dcgm-server", version, instance)
    };
    assert!(nma("v1.0.0-eksbuild.1", "p5.48xlarge") && !nma("v1.3.0-eksbuild.2", "p5en.48xlarge"));
    assert!(nma("v1.4.0-eksbuild.2", "p5en.48xlarge") && !nma("v1.6.1-eksbuild.1", "g7e.2xlarge"));
    assert!(nma("v1.6.2-eksbuild.1", "g7e.2xlarge") && nma("v1.6.7-eksbuild.1", "g7.2xlarge"));
    let dcgm = |version: &str, instance: &str| {
        runs_on("amazon-cloudwatch-observability", "dcgm-exporter", version, instance)
    };
    assert!(dcgm("v4.3.0-eksbuild.1", "g5g.xlarge") && !dcgm("v4.3.1-eksbuild.1", "g5g.xlarge"));
    assert!(dcgm("v4.5.0-eksbuild.1", "ml.g5g.xlarge") && dcgm("v4.10.3-eksbuild.1", "p6-b200.48xlarge"));
    assert!(!dcgm("v5.2.3-eksbuild.1", "p6-b200.48xlarge") && dcgm("v5.3.0-eksbuild.1", "p6-b200.48xlarge"));
    let neuron = |version: &str, instance: &str| {
        runs_on("amazon-cloudwatch-observability", "neuron-monitor", version, instance)
    };
    assert!(!neuron("v3.6.0-eksbuild.2", "trn2u.48xlarge") && neuron("v3.7.0-eksbuild.1", "trn2u.48xlarge"));
}

#[test]
fn what_lies_beside_scheduling() {
    let dns = one("coredns", "v1.8.0-eksbuild.1", "coredns", &json!({}));
    let fargate = dns.fargate.expect("kept off Fargate by default");
    assert!(!fargate.is_on(&json!({})) && fargate.is_on(&json!({"computeType": "Fargate"})));
    let meets = |addon: &str, version: &str, name: &str, key: &str| {
        let taint: Taint = format!("{key}:NoExecute").parse().expect("a taint");
        one(addon, version, name, &json!({})).meets_at_startup(&taint)
    };
    let (proxy, new) = ("kube-proxy", "v1.36.0-eksbuild.2");
    assert!(meets(proxy, new, proxy, "node.cilium.io/agent-not-ready"));
    let efs = |version, key| meets("aws-efs-csi-driver", version, "node", key);
    assert!(efs("v1.7.2-eksbuild.1", "efs.csi.aws.com/agent-not-ready"));
    assert!(!efs("v1.7.1-eksbuild.1", "efs.csi.aws.com/agent-not-ready"));
    assert!(!efs("v1.7.2-eksbuild.1", "node.cilium.io/agent-not-ready"));
    let knowledge = |name| Catalog::embedded().knowledge(name).expect("described");
    let minimum = |name| knowledge(name).pod_identity.as_ref().map(|it| it.minimum.is_some());
    assert_eq!(minimum("aws-mountpoint-s3-csi-driver"), Some(false));
    assert_eq!(minimum("aws-efs-csi-driver"), Some(true));
    assert_eq!(minimum("coredns"), None);
    let names = Catalog::embedded().addon_names();
    let preinstalled: Vec<_> = names.filter(|name| knowledge(name).preinstalled).collect();
    assert_eq!(preinstalled, ["coredns", "kube-proxy", "vpc-cni"]);
}
