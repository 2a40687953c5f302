//! Configurations to measure with, as Terraform would send them.

use eksaddon::catalog::Catalog;
use eksaddon::tf::{DataSource, Type, Value, msgpack};
use serde_json::{Value as Json, json};

/// The add-ons of a configuration.
#[derive(Clone, Copy)]
pub(crate) enum Addons {
    /// aws-ebs-csi-driver, the one with a Deployment and several DaemonSets; it is rendered for one pool.
    One,
    /// That one, eks-pod-identity-agent and vpc-cni.
    Three,
    /// Those three, and every taint of every pool is written out.
    ThreeOnAllPools,
    /// Five with Deployments, and every taint of every pool is written out.
    FiveOnAllPools,
    /// All of the catalog, and every taint of every pool is written out.
    AllOnAllPools,
}

/// The configuration with so many pools.
pub(crate) fn config(pools: usize, addons: Addons) -> Value {
    let node_pools: serde_json::Map<_, _> =
        (0..pools).map(|at| (format!("pool-{at:04}"), pool(at))).collect();
    Value::mapping([
        ("kubernetes_version", Value::string("1.33")),
        ("node_pools", dynamic(&Json::Object(node_pools))),
        ("addons", dynamic(&asked(addons))),
    ])
}

fn asked(addons: Addons) -> Json {
    let every = |names: &mut dyn Iterator<Item = &str>| {
        let policy = || json!({ "toleration_policy": "pools" });
        Json::Object(names.map(|name| (name.to_owned(), policy())).collect())
    };
    match addons {
        Addons::FiveOnAllPools => {
            let five =
                ["aws-ebs-csi-driver", "aws-efs-csi-driver", "cert-manager", "coredns", "metrics-server"];
            return every(&mut five.into_iter());
        }
        Addons::AllOnAllPools => return every(&mut Catalog::embedded().addon_names()),
        Addons::One | Addons::Three | Addons::ThreeOnAllPools => {}
    }
    let values = json!({ "controller": { "replicaCount": 2 } });
    let ebs = match addons {
        Addons::One | Addons::Three => {
            json!({ "run_on": ["pool-0000"], "node_affinity": "preferred", "configuration_values": values })
        }
        _ => json!({ "toleration_policy": "pools", "configuration_values": values }),
    };
    let values = json!({ "env": { "ENABLE_PREFIX_DELEGATION": "true" } });
    let cni = json!({ "addon_version": ">= 1.19", "pod_identity": true, "configuration_values": values });
    match addons {
        Addons::One => json!({ "aws-ebs-csi-driver": ebs }),
        _ => {
            json!({ "aws-ebs-csi-driver": ebs, "eks-pod-identity-agent": {}, "vpc-cni": cni })
        }
    }
}

/// Pools that differ in taint and label; the odd ones are Karpenter's, and so have no nodes yet.
fn pool(at: usize) -> Json {
    json!({
        "taints": [format!("dedicated=team-{at:04}:NoSchedule")],
        "labels": { "team": format!("team-{at:04}") },
        "provisioner": if at % 2 == 1 { "karpenter" } else { "managed" },
        "architectures": if at % 3 == 2 { json!(["amd64", "arm64"]) } else { json!(["amd64"]) },
    })
}

/// The bytes in which Terraform sends a configuration to a data source.
pub(crate) fn bytes(config: &Value, source: &dyn DataSource) -> (Vec<u8>, Type) {
    let ty = source.schema().block.implied_type();
    let bytes = msgpack::encode(config, &ty).expect("the configuration fits the schema");
    (bytes, ty)
}

/// A value of a `dynamic` attribute: the objects and tuples that HCL makes of literals.
fn dynamic(json: &Json) -> Value {
    Value::Dynamic(Box::new(typed(json)))
}

fn typed(json: &Json) -> (Type, Value) {
    match json {
        Json::Null => (Type::Dynamic, Value::Null),
        Json::Bool(flag) => (Type::Bool, Value::Bool(*flag)),
        Json::Number(number) => {
            (Type::Number, Value::Number(number.to_string().parse().expect("JSON numbers are numbers")))
        }
        Json::String(text) => (Type::String, Value::string(text.as_str())),
        Json::Array(elements) => {
            let (types, values) = elements.iter().map(typed).unzip();
            (Type::Tuple(types), Value::Sequence(values))
        }
        Json::Object(members) => {
            let typed = || members.iter().map(|(name, json)| (name.clone(), typed(json)));
            let types = typed().map(|(name, (ty, _))| (name, ty)).collect();
            (Type::Object(types), Value::mapping(typed().map(|(name, (_, value))| (name, value))))
        }
    }
}
