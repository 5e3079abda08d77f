//! Says which network the program embeds: the repository's, or the one that EVALFILE names in the environment. On
//! Windows it also gives the main thread a stack like Linux's.

use std::path::Path;
use std::{env, fs};

const OWN: &str = "src/engine/eval/network/enfilade.nnue";

/// The main thread's stack on Linux, in bytes. On Windows it would be an eighth of that, and the linker sets it.
const STACK: u32 = 8 << 20;

fn main() {
    embed_network();
    if env::var("CARGO_CFG_WINDOWS").is_ok() {
        let is_msvc = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|environment| environment == "msvc");
        let option = if is_msvc { "/STACK:" } else { "-Wl,--stack," };
        println!("cargo::rustc-link-arg-bins={option}{STACK}");
    }
}

fn embed_network() {
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let file = env::var("EVALFILE").ok().filter(|file| !file.is_empty()).unwrap_or_else(|| OWN.to_owned());
    println!("cargo::rerun-if-changed={file}");
    // The compiler looks for it from where the source lies, and a relative path is meant from here.
    let path = env::current_dir().map(|here| here.join(Path::new(&file)).display().to_string());
    match (path, fs::read(&file)) {
        (Ok(path), Ok(bytes)) if bytes.starts_with(b"ENFN") => println!("cargo::rustc-env=NETWORK={path}"),
        (Err(error), _) | (_, Err(error)) => println!("cargo::error=EVALFILE: cannot read {file}: {error}"),
        _ => println!(
            "cargo::error=EVALFILE: {file} is not a network of Enfilade's (no `ENFN` at its beginning)"
        ),
    }
}
