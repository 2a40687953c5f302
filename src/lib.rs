//! terraform-provider-eksaddon: EKS add-ons that get scheduled, decided at plan time.
//!
//! Data flows one way. `plugin` takes bytes from Terraform and makes `tf` values of them. `config` makes a
//! `domain::Request` of a value, or says everything that is wrong with it. `scheduling` decides the request
//! with the facts of the `catalog`: `resolve` chooses versions, `render` adds what the defaults lack,
//! `validate` checks the outcome, `schedule` says where everything runs. `provider` turns that back into
//! values and diagnostics.
//!
//! The modules stand in reading order.

pub mod domain;

pub mod document;

pub mod catalog;

pub mod resolve;

pub mod schedule;

pub mod render;

pub mod validate;

pub mod scheduling;

pub mod tf;

pub mod config;

pub mod provider;

pub mod plugin;
