//! How long the first call of a process takes, which also parses the catalog and compiles schemas. The
//! catalog remembers what it has parsed, so each measurement is a process of its own.

use std::env;
use std::io::{self, Write};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use criterion::Criterion;
use eksaddon::catalog::Catalog;
use eksaddon::config::read_scheduling;
use eksaddon::scheduling::Scheduler;

use crate::inputs::{
    self,
    Addons::{One, Three},
};

/// The variable that tells a child what to measure.
const WHAT: &str = "EKSADDON_BENCH_COLD";

/// What a child does.
type Measure = fn() -> Duration;

/// What is measured, by name.
const MEASUREMENTS: [(&str, Measure); 5] = [
    ("parse 1 add-on", || parse(&["aws-ebs-csi-driver"])),
    ("parse 3 add-ons", || parse(&["aws-ebs-csi-driver", "eks-pod-identity-agent", "vpc-cni"])),
    ("parse all add-ons", || parse(&Catalog::embedded().addon_names().collect::<Vec<_>>())),
    ("decide 3 pools, 1 add-on", || decide(3, One)),
    ("decide 3 pools, 3 add-ons", || decide(3, Three)),
];

fn parse(names: &[&str]) -> Duration {
    let catalog = Catalog::embedded();
    let start = Instant::now();
    for name in names {
        std::hint::black_box((catalog.addon(name), catalog.knowledge(name)));
    }
    start.elapsed()
}

fn decide(pools: usize, addons: inputs::Addons) -> Duration {
    let request = read_scheduling(&inputs::config(pools, addons)).request;
    let start = Instant::now();
    std::hint::black_box(Scheduler::new(Catalog::embedded()).decide(&request));
    start.elapsed()
}

fn in_a_process_of_its_own(what: &str) -> Duration {
    let program = env::current_exe().expect("this program has a path");
    let Output { status, stdout, stderr } = Command::new(program).env(WHAT, what).output().expect("it runs");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let nanoseconds = String::from_utf8_lossy(&stdout).trim().parse().expect("nanoseconds");
    Duration::from_nanos(nanoseconds)
}

/// Whether this process is such a child; if so it has measured and said so.
pub(crate) fn is_child() -> io::Result<bool> {
    let Ok(what) = env::var(WHAT) else { return Ok(false) };
    let (_, measure) = MEASUREMENTS.iter().find(|(name, _)| *name == what).expect("a measurement");
    writeln!(io::stdout(), "{}", measure().as_nanos())?;
    Ok(true)
}

/// Measures.
pub(crate) fn bench(criterion: &mut Criterion) {
    for (name, _) in MEASUREMENTS {
        criterion.bench_function(&format!("cold/{name}"), |bencher| {
            bencher.iter_custom(|calls| (0..calls).map(|_| in_a_process_of_its_own(name)).sum());
        });
    }
}
