//! When the process has to end although Terraform did not ask: signals, and Terraform's death.

use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::time::sleep;

use super::incoming::Connections;

/// How often the parent is looked at. A look is one system call without a switch of tasks.
const LOOK: Duration = Duration::from_millis(500);

/// How long nobody may be connected. Terraform connects at once and holds its connection until it
/// ends, so this is reached only where the parent tells nothing: behind a wrapper that outlives
/// Terraform, on systems without parents, or when Terraform died before the first look.
const NOBODY: Duration = Duration::from_secs(60);

/// Whoever started us, by process number.
fn parent() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    None
}

/// Waits until Terraform is gone; says how that showed.
pub(crate) async fn orphaned(mut watch: Watch, connections: Connections) -> &'static str {
    loop {
        if let Some(reason) = watch.look(parent(), connections.is_empty()) {
            return reason;
        }
        sleep(LOOK).await;
    }
}

/// Looks whether Terraform is gone. A `kill -9` of Terraform sends us nothing, but a process whose
/// parent dies gets another one.
pub(crate) struct Watch {
    parent_at_start: Option<u32>,
    alone: Duration,
}

impl Watch {
    /// To be made first of all: a parent that dies before is not noticed.
    pub(crate) fn start() -> Self {
        Self { parent_at_start: parent(), alone: Duration::ZERO }
    }

    fn look(&mut self, parent: Option<u32>, nobody_connected: bool) -> Option<&'static str> {
        self.alone = if nobody_connected { self.alone + LOOK } else { Duration::ZERO };
        if parent != self.parent_at_start {
            Some("the process that started the provider is gone")
        } else if self.alone > NOBODY {
            Some("nobody is connected to the provider")
        } else {
            None
        }
    }
}

/// What an interrupt from the keyboard means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// Nothing: the terminal sends Ctrl-C to Terraform as well, which then calls `StopProvider` and
    /// still needs us.
    Ignored,
    /// The end, as for any program: nobody else ends a provider that is being debugged.
    Ends,
}

/// Listens to signals from now on; the future waits for one that ends the process.
///
/// # Errors
/// The system refuses a handler.
#[cfg(unix)]
pub(crate) fn signals(interrupt: Interrupt) -> io::Result<impl Future<Output = &'static str>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    if interrupt == Interrupt::Ignored {
        // The same holds for a terminal that is closed: under nohup Terraform goes on, and if it does
        // not we notice. tokio keeps a handler for the life of the process, so this one swallows all.
        drop(signal(SignalKind::hangup())?);
    }
    Ok(async move {
        loop {
            tokio::select! {
                _ = terminations.recv() => return "a signal asked for the end",
                _ = interrupts.recv() => match interrupt {
                    Interrupt::Ignored => tracing::debug!("an interrupt was ignored"),
                    Interrupt::Ends => return "interrupted",
                },
            }
        }
    })
}

/// Listens to Ctrl-C from now on; the future waits for one that ends the process.
///
/// # Errors
/// The system refuses a handler.
#[cfg(not(unix))]
pub(crate) fn signals(interrupt: Interrupt) -> io::Result<impl Future<Output = &'static str>> {
    let mut interrupts = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        loop {
            interrupts.recv().await;
            if interrupt == Interrupt::Ends {
                return "interrupted";
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_parent_is_the_end_at_once() {
        let mut watch = Watch::start();
        let mine = watch.parent_at_start;
        assert_eq!(watch.look(mine, false), None);
        assert!(watch.look(mine.map_or(Some(1), |id| Some(id + 1)), false).is_some());
    }

    #[test]
    fn a_minute_without_anybody_connected_is_the_end() {
        let mut watch = Watch::start();
        let mine = watch.parent_at_start;
        let looks = (0..).take_while(|_| watch.look(mine, true).is_none()).count();
        assert_eq!(LOOK * u32::try_from(looks).expect("small"), NOBODY);
        assert_eq!(watch.look(mine, false), None);
        assert_eq!(watch.look(mine, true), None);
    }
}
