//! Runs the work of one call so that neither a stop nor a panic is lost on the user (A8, D5).

use std::any::Any;
use std::future::Future;

use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};

use crate::tf::{Diagnostic, Path};

/// Tells work in flight to end. Work that begins afterwards is not concerned, as in HashiCorp's SDK.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(watch::Sender<()>);

impl Stop {
    /// Ends what is in flight.
    pub(crate) fn now(&self) {
        self.0.send_replace(());
    }
}

/// Why work gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// Terraform asked for the end.
    Stopped,
    /// A bug of the provider; what the panic said.
    Panicked(String),
}

/// Runs `work` in a thread that serves nothing else: work may compute for minutes, and on a thread of
/// the runtime nobody would look at sockets, clocks and signals meanwhile; a provider whose Terraform
/// was killed would live on. A panic ends this work alone, and a stop is answered even while the work
/// computes. Whether stopped or not asked for any more, work that waits is dropped; work that computes
/// goes on unheard until it waits, is done or the process ends.
///
/// # Errors
/// A stop or a panic before the result.
pub(crate) async fn run<R: Send + 'static>(
    stop: &Stop,
    work: impl Future<Output = R> + Send + 'static,
) -> Result<R, Interruption> {
    let mut stopped = stop.0.subscribe();
    // Held as long as somebody waits for the result: the end of this call ends the work.
    let (_wanted, unwanted) = oneshot::channel::<()>();
    let runtime = Handle::current();
    let thread = tokio::task::spawn_blocking(move || {
        runtime.block_on(async move {
            tokio::select! {
                // First to be looked at, so that what nobody wants any more does not even begin.
                biased;
                _ = unwanted => None,
                result = work => Some(result),
            }
        })
    });
    tokio::select! {
        result = thread => match result {
            Ok(result) => result.ok_or(Interruption::Stopped),
            Err(error) => Err(match error.try_into_panic() {
                Ok(payload) => Interruption::Panicked(text_of(payload.as_ref())),
                // Only the end of the runtime cancels work that we still wait for.
                Err(_) => Interruption::Stopped,
            }),
        },
        _ = stopped.changed() => Err(Interruption::Stopped),
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

impl Interruption {
    /// What the user is told.
    pub(crate) fn diagnostic(self, rpc: &str) -> Diagnostic {
        match self {
            Self::Stopped => Diagnostic::error(
                Path::root(),
                "Stopped",
                format!("Terraform asked the provider to stop before {rpc} was done."),
            ),
            Self::Panicked(text) => bug(format!("{rpc} panicked: {text}")),
        }
    }
}

/// A diagnostic for what can only be the provider's own fault.
pub(crate) fn bug(what: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(
        Path::root(),
        "Bug in the eksaddon provider",
        format!(
            "{what}\n\nThis is a bug in {} {}, not in your configuration. Please report it in the provider's \
             issue tracker with the configuration that leads to it; TF_LOG_PROVIDER=trace shows more.",
            env!("CARGO_PKG_NAME"),
            env!("CARGO_PKG_VERSION"),
        ),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn work_that_is_done_is_not_touched() {
        let stop = Stop::default();
        // A stop of before does not concern it.
        stop.now();
        assert_eq!(run(&stop, async { 7 }).await, Ok(7));
    }

    #[tokio::test]
    async fn a_panic_is_told_in_its_own_words() {
        let number = 3;
        let result = run(&Stop::default(), async move { assert!(number > 5, "{number} is too small") }).await;
        assert_eq!(result, Err(Interruption::Panicked("3 is too small".into())));
        let detail = Interruption::Panicked("xyz".into()).diagnostic("ReadDataSource").detail;
        assert!(
            detail.starts_with("ReadDataSource panicked: xyz\n") && detail.contains("report"),
            "{detail}"
        );
    }

    #[tokio::test]
    async fn a_stop_ends_work_that_waits() {
        let stop = Stop::default();
        let (dropped, gone) = tokio::sync::oneshot::channel::<()>();
        let work = async move {
            let _held = dropped;
            std::future::pending::<()>().await;
        };
        let (result, ()) = tokio::join!(run(&stop, work), async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            stop.now();
        });
        assert_eq!(result, Err(Interruption::Stopped));
        // The work itself was dropped, not only its answer.
        assert!(gone.await.is_err());
    }

    #[test]
    fn work_that_nobody_waits_for_is_dropped_or_never_begins() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).enable_time().build();
        let runtime = runtime.expect("a runtime");
        let (dropped, gone) = oneshot::channel::<()>();
        let (began, begins) = oneshot::channel::<()>();
        runtime.block_on(async {
            let stop = Stop::default();
            let mut waiting = Box::pin(run(&stop, async move {
                let _held = dropped;
                std::future::pending::<()>().await;
            }));
            // The one thread is taken, so this is in the queue when its caller goes away.
            let mut queued = Box::pin(run(&stop, async move { began.send(()) }));
            let both = async { tokio::join!(&mut waiting, &mut queued) };
            assert!(tokio::time::timeout(Duration::from_millis(5), both).await.is_err());
            // In this order: once the thread is free it would begin what somebody still waits for.
            drop(queued);
            drop(waiting);
            assert!(gone.await.is_err());
            assert!(begins.await.is_err());
        });
    }

    /// On a runtime of one thread: were the work on it, the clock would stand still.
    #[tokio::test]
    async fn a_stop_is_answered_while_work_computes() {
        let (stop, end) = (Stop::default(), Arc::new(AtomicBool::new(false)));
        let computing = Arc::clone(&end);
        let work = async move {
            while !computing.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        };
        let (result, ()) = tokio::join!(run(&stop, work), async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            stop.now();
        });
        assert_eq!(result, Err(Interruption::Stopped));
        end.store(true, Ordering::Relaxed);
    }
}
