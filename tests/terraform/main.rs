//! The real `terraform` with the real binary, as a user runs them.
//!
//! No test here calls the provider's code. What is not about Terraform belongs into a smaller test.

mod cli;
mod examples;
mod harness;
mod killed;
mod mistakes;
mod quickstart;
mod schema;
mod shapes;
mod stability;
mod unknown;

use std::process::ExitCode;

fn main() -> ExitCode {
    let tests = [
        examples::tests(),
        killed::tests(),
        mistakes::tests(),
        quickstart::tests(),
        schema::tests(),
        shapes::tests(),
        stability::tests(),
        unknown::tests(),
    ];
    harness::run(tests.into_iter().flatten().collect(), cli::why_not())
}
