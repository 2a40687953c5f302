//! The generated messages and services of `proto/`.

// Generated code follows its generator's style, not ours.
#![allow(missing_docs, unreachable_pub, dead_code, clippy::all)]

/// Terraform's plugin protocol, version 6.
pub mod tfplugin6 {
    include!(concat!(env!("OUT_DIR"), "/tfplugin6.rs"));
}

/// go-plugin's own services.
pub mod go_plugin {
    include!(concat!(env!("OUT_DIR"), "/plugin.rs"));
}
