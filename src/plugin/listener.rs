//! Where Terraform connects: a Unix socket, or a port where there are none.

#[cfg(any(not(unix), test))]
#[cfg_attr(unix, allow(dead_code, reason = "on Unix its own tests are its only user"))]
mod tcp;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use tcp::{Listener, Socket};
#[cfg(unix)]
pub(crate) use unix::{Listener, Socket};
