//! The wire: everything between Terraform's process and a [`tf::Provider`](crate::tf::Provider).
//!
//! In reading order: [`environment`] and [`handshake`] decide whether and how to serve; `listener`,
//! `tls` and `incoming` make connections, each known to come from the Terraform that started us;
//! `router` sends a call to `service` (the provider) or `control` (go-plugin); [`mod@serve`] holds them
//! together until `lifetime` or Terraform says it is over.
//!
//! Nothing here knows what the provider does, and nothing outside knows gRPC.

mod control;
mod convert;
pub mod environment;
pub mod handshake;
mod incoming;
mod lifetime;
mod listener;
pub mod log;
mod proto;
mod reattach;
mod router;
pub mod serve;
mod service;
mod tls;

pub use environment::Environment;
pub use handshake::Refusal;
pub use serve::{ServeError, serve, serve_for_debugging};
pub use tls::TlsError;
