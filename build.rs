//! Compiles `proto/` without protoc: protox is a compiler of its own, so `PROTOC` changes nothing.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(["proto/tfplugin6.proto", "proto/plugin.proto"], ["proto"])?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    // Ordered maps: the same schema gives the same bytes.
    let builder = || tonic_prost_build::configure().btree_map(".").build_transport(false);

    builder().build_client(false).compile_fds(files.clone())?;

    // The client is for tests/ only, which include it from here; the library does not contain it.
    let client = out.join("client");
    std::fs::create_dir_all(&client)?;
    builder().build_server(false).out_dir(client).compile_fds(files)?;
    Ok(())
}
