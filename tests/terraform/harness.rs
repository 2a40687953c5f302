//! A small test harness that speaks like libtest.
//!
//! libtest cannot make a test of every directory that it finds, and has no word for "skipped because
//! Terraform is not here". Crates that can would switch on features of clap and thereby test another
//! binary than the one that ships.

use std::cell::RefCell;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A test: it fails by a panic.
pub(crate) struct Test {
    name: String,
    body: Box<dyn Fn() + Send + Sync>,
}

/// A test of that name.
pub(crate) fn test(name: impl Into<String>, body: impl Fn() + Send + Sync + 'static) -> Test {
    Test { name: name.into(), body: Box::new(body) }
}

/// What the command line asks for. Arguments of libtest that mean nothing here are passed over, because
/// `cargo test -- --nocapture` hands them to every target.
#[derive(Default)]
struct Options {
    filters: Vec<String>,
    skip: Vec<String>,
    exact: bool,
    list: bool,
    only_ignored: bool,
    threads: Option<usize>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let (name, mut value) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let mut value = || value.take().or_else(|| arguments.next()).unwrap_or_default();
            match name.as_str() {
                "--exact" => options.exact = true,
                "--list" => options.list = true,
                "--ignored" => options.only_ignored = true,
                "--skip" => options.skip.push(value()),
                "--test-threads" => options.threads = value().parse().ok(),
                "--format" | "--color" | "--logfile" | "--shuffle-seed" | "-Z" => drop(value()),
                flag if flag.starts_with('-') => {}
                _ => options.filters.push(name),
            }
        }
        options
    }

    fn wants(&self, name: &str) -> bool {
        let matches = |pattern: &String| if self.exact { name == pattern } else { name.contains(pattern) };
        (self.filters.is_empty() || self.filters.iter().any(matches)) && !self.skip.iter().any(matches)
    }
}

/// Runs the tests that the command line asks for; `why_not` is the reason to skip them all.
pub(crate) fn run(tests: Vec<Test>, why_not: Option<String>) -> ExitCode {
    let options = Options::read(std::env::args().skip(1));
    let all = tests.len();
    let tests: Vec<_> = tests.into_iter().filter(|test| options.wants(&test.name)).collect();
    if options.list {
        // No test is ignored for good, so there is nothing to list under --ignored.
        let listed = tests.iter().filter(|_| !options.only_ignored);
        listed.for_each(|test| say(&format!("{}: test", test.name)));
        return ExitCode::SUCCESS;
    }
    let tests = if options.only_ignored { Vec::new() } else { tests };
    say(&format!("\nrunning {} tests", tests.len()));
    let filtered = all - tests.len();
    if let Some(why) = why_not {
        for test in &tests {
            eprintln!("{}: skipped, {why}", test.name);
            say(&format!("test {} ... ignored, {why}", test.name));
        }
        summary("ok", [0, 0, tests.len(), filtered]);
        return ExitCode::SUCCESS;
    }
    let failures = run_all(&tests, options.threads);
    for (name, message) in &failures {
        say(&format!("\n---- {name} ----\n{message}"));
    }
    let passed = tests.len() - failures.len();
    let word = if failures.is_empty() { "ok" } else { "FAILED" };
    summary(word, [passed, failures.len(), 0, filtered]);
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn summary(word: &str, [passed, failed, ignored, filtered]: [usize; 4]) {
    say(&format!(
        "\ntest result: {word}. {passed} passed; {failed} failed; {ignored} ignored; {filtered} filtered out\n"
    ));
}

/// Names and messages of those that fail, in order.
fn run_all(tests: &[Test], threads: Option<usize>) -> Vec<(String, String)> {
    thread_local! {
        static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
    }
    // Messages of tests that run side by side would mix on stderr.
    panic::set_hook(Box::new(|info| MESSAGE.set(info.to_string())));
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
            let failed = panic::catch_unwind(AssertUnwindSafe(&test.body)).is_err();
            say(&format!("test {} ... {}", test.name, if failed { "FAILED" } else { "ok" }));
            if failed {
                let failure = (test.name.clone(), MESSAGE.take());
                failures.lock().expect("nobody panics with it").push(failure);
            }
        }
    };
    let parallel = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.unwrap_or(parallel).clamp(1, tests.len().max(1)) {
            scope.spawn(work);
        }
    });
    let _ = panic::take_hook();
    let mut failures = failures.into_inner().expect("nobody panics with it");
    failures.sort();
    failures
}

/// One line on stdout, whole even if several threads speak.
fn say(line: &str) {
    // A reader that hangs up, such as `head`, is no failure.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}
