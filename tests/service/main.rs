//! The real binary, started and called as Terraform does it: rules A1 to A9.
//!
//! Nothing here depends on what the provider offers, only on how it speaks.
#![cfg(unix)]

mod calls;
mod client;
mod computing;
mod launch;
mod life;
mod start;
