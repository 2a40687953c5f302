//! Findings as diagnostics.

use crate::domain::{Finding, Severity};
use crate::tf::{Diagnostic, Diagnostics, Path};

/// Every finding as a diagnostic at its add-on, with its code so that it can be ignored.
pub(super) fn of(findings: &[Finding]) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.extend(findings.iter().map(diagnostic));
    diagnostics
}

fn diagnostic(finding: &Finding) -> Diagnostic {
    let path = match (finding.addon.as_str(), &finding.path) {
        ("", Some(attribute)) => Path::attribute_of_root(attribute.clone()),
        ("", None) => Path::root(),
        (addon, _) => Path::attribute_of_root("addons").key(addon),
    };
    let Finding { code, summary, detail, .. } = finding;
    match finding.severity {
        // An error stops `terraform destroy` too, which refreshes first.
        Severity::Error => {
            let detail = format!(
                "{detail}\n\nFinding: {code}. To destroy in spite of it: terraform destroy -refresh=false"
            );
            Diagnostic::error(path, summary.clone(), detail)
        }
        Severity::Warning => {
            Diagnostic::warning(path, summary.clone(), format!("{detail}\n\nFinding: {code}"))
        }
    }
}
