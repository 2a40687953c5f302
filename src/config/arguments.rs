//! The arguments inside the dynamic attributes, declared once: the check for unknown keys, the nearest
//! name and the documentation's tables all come from here.

/// An argument of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// Its type in HCL's words.
    pub ty: &'static str,
    /// Its default as written in HCL; empty if there is none.
    pub default: &'static str,
    /// What it does, in Markdown; empty for keys that are accepted and passed over.
    pub text: &'static str,
}

impl Argument {
    /// Whether it is accepted for the sake of another reader of the same map.
    #[must_use]
    pub fn is_passed_over(&self) -> bool {
        self.text.is_empty()
    }
}

const fn argument(
    name: &'static str,
    ty: &'static str,
    default: &'static str,
    text: &'static str,
) -> Argument {
    Argument { name, ty, default, text }
}

const fn passed_over(name: &'static str) -> Argument {
    argument(name, "any", "", "")
}

/// The arguments of a taint.
pub const TAINT: [Argument; 3] = [
    argument("key", "string", "", "The key, such as `nvidia.com/gpu`."),
    argument("value", "string", "\"\"", "The value."),
    argument(
        "effect",
        "string",
        "",
        "`NoSchedule`, `PreferNoSchedule` or `NoExecute`, or as the EKS API spells them: `NO_SCHEDULE`, \
         `PREFER_NO_SCHEDULE`, `NO_EXECUTE`.",
    ),
];

/// The arguments of a Fargate selector.
pub const SELECTOR: [Argument; 2] = [
    argument("namespace", "string", "", "The namespace of the pods; `*` and `?` are wildcards."),
    argument("labels", "map(string)", "{}", "Labels that the pods must have."),
];

/// The arguments of a node pool.
pub const NODE_POOL: [Argument; 8] = [
    argument(
        "taints",
        "list, set or map of taints",
        "[]",
        "Taints of the nodes, as objects `{ key, value, effect }` or as strings `\"key=value:Effect\"`.",
    ),
    argument(
        "startup_taints",
        "list, set or map of taints",
        "[]",
        "Taints that something removes once a node is up. Components that nodes need to become ready must \
         tolerate them.",
    ),
    argument(
        "labels",
        "map(string)",
        "{}",
        "Labels of the nodes. `kubernetes.io/os`, `kubernetes.io/arch`, `eks.amazonaws.com/compute-type` and, for \
         Karpenter, `karpenter.sh/nodepool` are implied.",
    ),
    argument("compute_type", "string", "\"ec2\"", "`ec2`, `fargate`, `auto` (EKS Auto Mode) or `hybrid`."),
    argument(
        "selectors",
        "list of selectors",
        "null",
        "For `fargate`: the profile's selectors, as objects `{ namespace, labels }`. Without them it is unknown \
         what runs there.",
    ),
    argument("os", "string", "\"linux\"", "`linux` or `windows`."),
    argument("architectures", "set(string)", "[\"amd64\"]", "`amd64`, `arm64` or both."),
    argument(
        "provisioner",
        "string",
        "\"managed\"",
        "`managed`, or `karpenter` for nodes that do not exist before Karpenter runs: a Deployment must then fit \
         another pool too.",
    ),
];

const RUN_ON: Argument = argument(
    "run_on",
    "set(string)",
    "null",
    "Names of pools, which may end in `*`, that Deployments must be able to run on. With `node_affinity = \
     \"required\"` it limits DaemonSets too. Without it, nothing is added where the defaults fit a pool, and the \
     only eligible pool is taken where they fit none.",
);
const NODE_AFFINITY: Argument = argument(
    "node_affinity",
    "string",
    "\"none\"",
    "`none`, `preferred` or `required`: whether pods are drawn to `run_on` by the pools' labels.",
);
const TOLERATION_POLICY: Argument = argument(
    "toleration_policy",
    "string",
    "\"auto\"",
    "`auto`: DaemonSets reach every pool they can run on with the least change to the defaults, Deployments \
     those of `run_on`. `all`: DaemonSets tolerate everything. `pools`: every component tolerates the taints of \
     every pool that it can run on. `none`: your values are only checked.",
);
const TOLERATE: Argument = argument(
    "tolerate",
    "list, set or map of taints",
    "[]",
    "Taints to tolerate at every toleration path, whatever the pools are.",
);

/// The arguments of a component.
pub const COMPONENT: [Argument; 4] = [RUN_ON, NODE_AFFINITY, TOLERATION_POLICY, TOLERATE];

/// The arguments of an add-on.
pub const ADDON: [Argument; 23] = [
    argument(
        "addon_version",
        "string",
        "\"default\"",
        "An exact version, `\"default\"`, `\"latest\"`, or a constraint such as `\">= 1.19, < 2\"`: the default if \
         it satisfies, else the newest that does.",
    ),
    argument("most_recent", "bool", "false", "`true` means `addon_version = \"latest\"`."),
    argument(
        "configuration_values",
        "string or object",
        "{}",
        "Your other values: JSON or YAML text, or an object. What is rendered is merged into them; your values \
         win. They show in `rendered`, even if they are sensitive here.",
    ),
    RUN_ON,
    NODE_AFFINITY,
    TOLERATION_POLICY,
    TOLERATE,
    argument(
        "components",
        "map of objects",
        "{}",
        "Overrides for single components: `{ webhook = { run_on, node_affinity, toleration_policy, tolerate } }`.",
    ),
    argument("configuration_schema", "string", "null", "A JSON Schema to validate against instead."),
    argument(
        "pod_identity",
        "bool",
        "false",
        "Whether the add-on takes its credentials from EKS Pod Identity: minimum versions, the agent and the nodes \
         are checked.",
    ),
    argument(
        "pod_identity_association",
        "any",
        "null",
        "As in `aws_eks_addon`; if it is not empty, `pod_identity` is implied.",
    ),
    argument(
        "on_unschedulable",
        "string",
        "null",
        "Overrides the argument of the same name for this add-on.",
    ),
    argument("ignore_findings", "set(string)", "[]", "Codes of findings to ignore for this add-on."),
    passed_over("before_compute"),
    passed_over("preserve"),
    passed_over("tags"),
    passed_over("timeouts"),
    passed_over("service_account_role_arn"),
    passed_over("resolve_conflicts_on_create"),
    passed_over("resolve_conflicts_on_update"),
    passed_over("name"),
    passed_over("create"),
    passed_over("region"),
];
