//! Runs `terraform` in a directory of its own, apart from everything its user has configured.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

/// What every configuration needs; written beside those that do not say it themselves.
const REQUIRED: &str = "\
terraform {
  required_providers {
    eksaddon = {
      source = \"eksaddon/eksaddon\"
    }
  }
}
";

/// The root of the package.
pub(crate) fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The binary under test.
pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_terraform-provider-eksaddon"))
}

/// Why `terraform` cannot be run here, if it cannot.
pub(crate) fn why_not() -> Option<String> {
    let mut command = Command::new("terraform");
    command.arg("version").env("CHECKPOINT_DISABLE", "1").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().err().map(|error| format!("`terraform` cannot be run: {error}"))
}

/// A root module with its state, and a temporary directory for what Terraform starts.
pub(crate) struct Workspace {
    directory: TempDir,
}

/// What one run of `terraform` gave.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A diagnostic of `-json`.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    pub(crate) severity: String,
    /// Summary and detail.
    pub(crate) text: String,
    /// The byte in the file at which the range begins.
    pub(crate) start: Option<usize>,
}

impl Workspace {
    /// With `main.tf` as given.
    pub(crate) fn of(main: &str) -> Self {
        let workspace = Self::empty();
        workspace.write("main.tf", main);
        workspace.write("required.tf", REQUIRED);
        workspace
    }

    /// With a copy of the files in a directory.
    pub(crate) fn copy_of(example: &Path) -> Self {
        let workspace = Self::empty();
        let mut complete = false;
        for entry in example.read_dir().expect("the example can be read") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name in Unicode");
            if path.is_file() && !name.starts_with('.') {
                let text = std::fs::read_to_string(&path).expect("text");
                complete |= text.contains("required_providers");
                workspace.write(name, &text);
            }
        }
        if !complete {
            workspace.write("required.tf", REQUIRED);
        }
        workspace
    }

    fn empty() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for name in ["module", "tmp", "home"] {
            std::fs::create_dir(directory.path().join(name)).expect("a directory");
        }
        // The names of dev_overrides need no `terraform init`, hence no registry.
        let rc = format!(
            "provider_installation {{\n  dev_overrides {{\n    \"eksaddon/eksaddon\" = {:?}\n  }}\n}}\n",
            binary().parent().expect("it lies in a directory")
        );
        std::fs::write(directory.path().join("terraform.rc"), rc).expect("written");
        Self { directory }
    }

    /// Writes a file of the root module.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.module().join(name), text).expect("written");
    }

    /// The root module.
    pub(crate) fn module(&self) -> PathBuf {
        self.directory.path().join("module")
    }

    /// What Terraform and the provider take for the system's temporary directory.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.directory.path().join("tmp")
    }

    /// `terraform` with arguments, ready to start.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("terraform");
        for (name, _) in std::env::vars_os() {
            let foreign = ["TF_", "AWS_", "PLUGIN_"];
            if name.to_str().is_some_and(|name| foreign.iter().any(|it| name.starts_with(it))) {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(self.module())
            .env("TF_CLI_CONFIG_FILE", self.directory.path().join("terraform.rc"))
            .env("TF_IN_AUTOMATION", "1")
            .env("CHECKPOINT_DISABLE", "1")
            .env("HOME", self.directory.path().join("home"))
            .env("TMPDIR", self.temporary())
            .stdin(Stdio::null());
        command
    }

    /// Runs `terraform` to its end, whatever that is.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().expect("terraform runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let left = self.temporary().read_dir().expect("a directory").count();
        assert_eq!(left, 0, "terraform {arguments:?} left something in the temporary directory");
        Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs `terraform` and gives its stdout; fails the test if it does not succeed.
    pub(crate) fn must(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "terraform {arguments:?}\n{}\n{}", run.stdout, run.stderr);
        run.stdout
    }

    /// Fails the test unless a plan has nothing to do, for outputs neither.
    pub(crate) fn must_have_nothing_to_do(&self) {
        let run = self.run(&["plan", "-no-color", "-detailed-exitcode"]);
        assert_eq!(run.code, Some(0), "the plan is not empty\n{}\n{}", run.stdout, run.stderr);
    }

    /// One output as JSON.
    pub(crate) fn output(&self, name: &str) -> Json {
        serde_json::from_str(&self.must(&["output", "-json", name])).expect("JSON")
    }

    /// Plans, and gives what Terraform says about it.
    pub(crate) fn plan_diagnostics(&self) -> Vec<Diagnostic> {
        self.plan_events().1
    }

    /// Plans, and says whether Terraform began to read something, hence found nothing to object to
    /// when it validated.
    pub(crate) fn plan_events(&self) -> (bool, Vec<Diagnostic>) {
        let text = self.run(&["plan", "-json"]).stdout;
        let lines: Vec<Json> =
            text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        let began = lines.iter().any(|line| line["type"].as_str().is_some_and(|it| it.ends_with("_start")));
        let said = lines.iter().map(|line| line["diagnostic"].clone()).filter(|it| !it.is_null());
        (began, diagnostics(said))
    }

    /// Validates, and gives what Terraform says about it.
    pub(crate) fn validate_diagnostics(&self) -> Vec<Diagnostic> {
        let json: Json = serde_json::from_str(&self.run(&["validate", "-json"]).stdout).expect("JSON");
        diagnostics(json["diagnostics"].as_array().cloned().unwrap_or_default().into_iter())
    }
}

/// All but the notice of dev_overrides.
fn diagnostics(json: impl Iterator<Item = Json>) -> Vec<Diagnostic> {
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let all = json.map(|json| Diagnostic {
        severity: text(&json["severity"]),
        text: format!("{}\n{}", text(&json["summary"]), text(&json["detail"])),
        start: json["range"]["start"]["byte"].as_u64().and_then(|byte| usize::try_from(byte).ok()),
    });
    all.filter(|it| !it.text.starts_with("Provider development overrides")).collect()
}
