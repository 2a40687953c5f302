//! What a decision costs within the process. One program, because linking it takes longer than measuring.

mod cold;
mod decide;
mod inputs;
mod wire;

use std::io;
use std::time::Duration;

use criterion::Criterion;

fn main() -> io::Result<()> {
    if cold::is_child()? {
        return Ok(());
    }
    let mut warm = Criterion::default().configure_from_args();
    decide::bench(&mut warm);
    wire::bench(&mut warm);
    // Criterion calls until the time is full, and here each call is a process: little time is enough.
    let short = Criterion::default().warm_up_time(Duration::from_millis(50)).sample_size(50);
    let mut cold = short.measurement_time(Duration::from_millis(500)).configure_from_args();
    cold::bench(&mut cold);
    cold.final_summary();
    Ok(())
}
