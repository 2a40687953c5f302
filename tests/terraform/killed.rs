//! A Terraform that is killed takes the provider with it.

use crate::harness::Test;

#[cfg(not(target_os = "linux"))]
pub(crate) fn tests() -> Vec<Test> {
    // Which processes remain is read from /proc.
    Vec::new()
}

#[cfg(target_os = "linux")]
pub(crate) fn tests() -> Vec<Test> {
    vec![crate::harness::test("killed::leaves_no_process_and_no_socket", linux::check)]
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::Path;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use crate::cli::{Workspace, binary, package};

    /// Longest wait for what is to happen soon, on a machine that does much else.
    const SOON: Duration = Duration::from_secs(20);

    pub(super) fn check() {
        let workspace = Workspace::copy_of(&package().join("examples/scenarios/quickstart"));
        // A plan may be over before it is killed; then the next one is.
        let killed = (0..20).any(|_| kill_in_time(&workspace));
        assert!(killed, "no plan was caught at work");
        let gone = || {
            let left = workspace.temporary().read_dir().expect("a directory").count();
            left == 0 && providers(&workspace.temporary()) == 0
        };
        assert!(within(SOON, gone), "a provider or its socket outlives Terraform");
    }

    /// Kills a plan once the provider has its socket; says whether there was still something to kill.
    fn kill_in_time(workspace: &Workspace) -> bool {
        let mut command = workspace.command(&["plan"]);
        let mut terraform =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("terraform runs");
        let serving = within(SOON, || {
            let ended = terraform.try_wait().expect("a child").is_some();
            ended || workspace.temporary().read_dir().expect("a directory").next().is_some()
        });
        assert!(serving, "the provider makes no socket in the temporary directory");
        // On Unix this is SIGKILL.
        let _ = terraform.kill();
        terraform.wait().expect("a child").code().is_none()
    }

    fn within(limit: Duration, condition: impl FnMut() -> bool) -> bool {
        let start = Instant::now();
        std::iter::repeat_with(condition)
            .inspect(|done| {
                if !done {
                    std::thread::sleep(Duration::from_micros(200));
                }
            })
            .take_while(|_| start.elapsed() < limit)
            .any(|done| done)
    }

    /// How many processes run the binary with this temporary directory, hence for this test.
    fn providers(temporary: &Path) -> usize {
        let variable = format!("TMPDIR={}", temporary.display());
        let ours = |process: &Path| {
            let environment = std::fs::read(process.join("environ")).unwrap_or_default();
            std::fs::read_link(process.join("exe")).is_ok_and(|exe| exe == binary())
                && environment.split(|byte| *byte == 0).any(|it| it == variable.as_bytes())
        };
        let processes = Path::new("/proc").read_dir().expect("Linux has it");
        processes.filter(|process| process.as_ref().is_ok_and(|it| ours(&it.path()))).count()
    }
}
