//! Says which network the program embeds: the repository's, or the one that EVALFILE names in the environment. It also
//! records the commit and the platform for `enfilade --version`. On Windows it gives the main thread a stack like
//! Linux's.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const OWN: &str = "src/engine/eval/network/enfilade.nnue";

/// The main thread's stack on Linux, in bytes. On Windows it would be an eighth of that, and the linker sets it.
const STACK: u32 = 8 << 20;

fn main() {
    embed_network();
    record_commit();
    println!("cargo::rustc-env=ENFILADE_TARGET={}", env::var("TARGET").unwrap_or_default());
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

/// The commit is what ENFILADE_COMMIT says, else that of the repository here. A debug build records none, because each
/// commit would build it anew.
fn record_commit() {
    println!("cargo::rerun-if-env-changed=ENFILADE_COMMIT");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = env::var("ENFILADE_COMMIT").ok().or_else(|| is_release.then(commit_here).flatten());
    println!("cargo::rustc-env=ENFILADE_COMMIT={}", commit.unwrap_or_default());
}

/// The commit of the repository, with a mark if the source differs from it.
fn commit_here() -> Option<String> {
    // The package may lie within the repository of something else.
    if !Path::new(".git").exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // This file changes with each commit and each checkout.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
        println!("cargo::rerun-if-changed=src");
    }
    git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
}
