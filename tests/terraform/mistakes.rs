//! Mistakes of users, and what they are told: what was found, what was expected, the nearest valid name,
//! at the right place, each once.

mod addons;
mod pools;
mod roots;
mod values;

use crate::cli::{Diagnostic, Workspace};
use crate::harness::{Test, test};

/// A configuration with one mistake.
pub(crate) struct Mistake {
    name: &'static str,
    main: String,
    seen: Seen,
    /// The text at which the diagnostic points: Terraform can show an attribute, or a key of its map.
    at: &'static str,
    /// Parts of summary and detail.
    says: &'static [&'static str],
}

/// Who notices first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Validation, with which a plan begins: a mistake of form.
    ByValidate,
    /// The rest of the plan: it takes the catalog, or the values of variables, to see it.
    ByPlan,
}

/// A mistake inside `node_pools`.
fn in_pools(
    name: &'static str,
    node_pools: &str,
    at: &'static str,
    says: &'static [&'static str],
) -> Mistake {
    in_arguments(name, &format!("  node_pools = {node_pools}\n  addons     = {{ vpc-cni = {{}} }}"), at, says)
}

/// A mistake inside `addons`, beside one pool `system` without taints.
fn in_addons(name: &'static str, addons: &str, at: &'static str, says: &'static [&'static str]) -> Mistake {
    in_arguments(name, &format!("  node_pools = {{ system = {{}} }}\n  addons     = {addons}"), at, says)
}

/// A mistake among the arguments, beside `kubernetes_version`.
fn in_arguments(
    name: &'static str,
    arguments: &str,
    at: &'static str,
    says: &'static [&'static str],
) -> Mistake {
    in_main(name, data(&format!("  kubernetes_version = \"1.33\"\n{arguments}")), at, says)
}

fn in_main(name: &'static str, main: String, at: &'static str, says: &'static [&'static str]) -> Mistake {
    Mistake { name, main, seen: Seen::ByValidate, at, says }
}

fn data(arguments: &str) -> String {
    format!("data \"eksaddon_scheduling\" \"this\" {{\n{arguments}\n}}\n")
}

impl Mistake {
    fn seen_by_plan(self) -> Self {
        Self { seen: Seen::ByPlan, ..self }
    }
}

pub(crate) fn tests() -> Vec<Test> {
    let all = [addons::all(), pools::all(), roots::all(), values::all()];
    let run = |mistake: Mistake| test(format!("mistakes::{}", mistake.name), move || check(&mistake));
    let mut tests: Vec<_> = all.into_iter().flatten().map(run).collect();
    tests.push(test("mistakes::all_of_form_at_once", all_of_form_at_once));
    tests.push(test("mistakes::all_of_the_catalog_at_once", all_of_the_catalog_at_once));
    tests
}

fn check(mistake: &Mistake) {
    let Mistake { main, seen, at, says, .. } = mistake;
    let (began, said) = Workspace::of(main).plan_events();
    once_each(&said);
    let errors = errors(said);
    let [error] = errors.as_slice() else { panic!("expected one error, found {errors:#?}") };
    assert_eq!(began, *seen == Seen::ByPlan, "the wrong one notices:\n{}", error.text);
    for part in *says {
        assert!(error.text.contains(part), "no {part:?} in:\n{}", error.text);
    }
    let place = error.start.and_then(|start| main.get(start..)).unwrap_or_default();
    assert!(place.starts_with(at), "points at {:?}\n{}", place.lines().next(), error.text);
}

fn errors(mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    all.retain(|it| it.severity == "error");
    all
}

/// No diagnostic stands twice, and all read as sentences.
fn once_each(all: &[Diagnostic]) {
    for (index, it) in all.iter().enumerate() {
        assert!(all[..index].iter().all(|other| other.text != it.text), "said twice:\n{}", it.text);
        for slip in ["?.", "..\n", ". .", "::", "Some(", "None", "\n\n\n", "  "] {
            assert!(!it.text.contains(slip), "{slip:?} in:\n{}", it.text);
        }
    }
}

/// Fails unless there is exactly one error for each part, in any order.
fn one_for_each(said: Vec<Diagnostic>, parts: &[&str]) {
    once_each(&said);
    let errors = errors(said);
    for part in parts {
        let found = errors.iter().filter(|it| it.text.contains(part)).count();
        assert_eq!(found, 1, "{part:?} in {errors:#?}");
    }
    assert_eq!(errors.len(), parts.len(), "{errors:#?}");
}

fn all_of_form_at_once() {
    let workspace = Workspace::of(&data(
        r#"
  kubernetes_version = "1.33"
  on_unschedulable   = "eror"
  node_pools = {
    system = { taint = ["a:NoSchedule"] }
    gpu    = { taints = ["nvidia.com/gpu:NoSchedul", "my key:NoSchedule"] }
  }
  addons = {
    aws-ebs-csi-driver = { runs_on = ["system"], toleration_policy = [], run_on = ["sytem"], addon_version = "lates" }
    vpc-cni            = { configuration_values = "{" }
  }
"#,
    ));
    let parts = [
        "\"eror\"",
        "\"taint\"",
        "\"NoSchedul\"",
        "\"my key\"",
        "\"runs_on\"",
        "toleration_policy: found a list",
        "\"sytem\"",
        "\"lates\"",
        "neither JSON nor YAML",
    ];
    one_for_each(workspace.validate_diagnostics(), &parts);
    one_for_each(workspace.plan_diagnostics(), &parts);
}

fn all_of_the_catalog_at_once() {
    let workspace = Workspace::of(&data(
        r#"
  kubernetes_version = "1.33"
  node_pools         = { system = {} }
  addons = {
    amazon-coredns         = {}
    aws-ebs-csi-driver     = { configuration_values = { tolerations = [], contoller = {} } }
    eks-pod-identity-agent = { addon_version = "v1.2.99-eksbuild.1" }
    vpc-cni                = { configuration_values = { tolerations = [{ key = "a", operator = "Exist" }] } }
  }
"#,
    ));
    assert!(errors(workspace.validate_diagnostics()).is_empty());
    let parts = [
        "Did you mean \"coredns\"",
        "tolerations: unknown key",
        "did you mean \"controller\"",
        "v1.2.99-eksbuild.1",
        "\"Exist\"",
    ];
    one_for_each(workspace.plan_diagnostics(), &parts);
}
