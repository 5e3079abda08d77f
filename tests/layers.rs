//! The layer rule: imports run strictly downward, so that the drawing in
//! `docs/architecture.md` stays true.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the library with the modules that it uses; no others may be.
const ALLOWED: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("params", &[]),
    ("plot", &[]),
    ("random", &[]),
    ("file", &[]),
    ("numa", &[]),
    ("board", &[]),
    ("eval", &["types", "board"]),
    ("tt", &["types", "file", "numa", "board"]),
    ("history", &["board"]),
    ("tablebase", &["types", "board"]),
    ("time", &[]),
    ("search", &["types", "params", "random", "numa", "board", "eval", "tt", "history", "tablebase", "time"]),
    ("classic", &["types", "board", "eval", "tt", "search"]),
    ("pool", &["types", "random", "numa", "board", "search"]),
    (
        "engine",
        &["types", "params", "numa", "board", "eval", "tt", "history", "tablebase", "time", "search", "pool"],
    ),
    ("config", &["params", "numa", "eval", "history", "tablebase", "search", "pool", "engine"]),
    ("analyse", &["types", "file", "numa", "board", "config", "search", "engine"]),
    ("datagen", &["types", "random", "file", "board", "eval", "tt", "search", "engine"]),
    ("train", &["types", "plot", "random", "file", "board", "eval", "datagen"]),
    ("tune", &["types", "params", "plot", "random", "board", "tt", "search", "engine", "datagen"]),
    ("scaling", &["types", "plot", "board", "search", "pool", "engine"]),
    ("uci", &["types", "numa", "board", "eval", "tt", "tablebase", "search", "engine", "config"]),
    (
        "cli",
        &[
            "types",
            "file",
            "board",
            "eval",
            "tt",
            "tablebase",
            "search",
            "classic",
            "pool",
            "engine",
            "config",
            "analyse",
            "datagen",
            "train",
            "tune",
            "scaling",
            "uci",
        ],
    ),
];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable source folder") {
        let path = entry.expect("a directory entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The library modules that a source text names by `crate::`, outside of comments; in `use`
/// groups like `crate::{a::B, c::D}` as well.
fn imports(text: &str) -> Vec<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let identifier = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = Vec::new();
    for (position, _) in code.match_indices("crate::") {
        let rest = &code[position + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut start = 0;
            for (index, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    ',' if depth == 0 => {
                        found.push(identifier(&group[start..index]));
                        start = index + 1;
                    }
                    '}' if depth == 0 => {
                        found.push(identifier(&group[start..index]));
                        break;
                    }
                    '}' => depth -= 1,
                    _ => {}
                }
            }
        } else {
            found.push(identifier(rest));
        }
    }
    found
}

fn module_of(path: &Path, source: &Path) -> String {
    let relative = path.strip_prefix(source).expect("a file below src");
    let first = relative.components().next().expect("a file name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_string()
}

#[test]
fn imports_run_downward() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut used = BTreeSet::new();
    for path in rust_files(&source) {
        let module = module_of(&path, &source);
        if module == "lib" || module == "main" {
            continue;
        }
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{module} has no layer: give it one here and in docs/architecture.md"));
        let text = fs::read_to_string(&path).expect("a readable source file");
        for import in imports(&text) {
            let is_module = ALLOWED.iter().any(|(name, _)| *name == import);
            assert!(
                !is_module || import == module || allowed.contains(&import.as_str()),
                "{}: {module} may not use {import}",
                path.display()
            );
            used.insert((module.clone(), import));
        }
    }
    // What is allowed and not used would come back unseen.
    for (module, allowed) in ALLOWED {
        for lower in *allowed {
            let edge = (module.to_string(), lower.to_string());
            assert!(used.contains(&edge), "{module} does not use {lower} any more: it need not be allowed");
        }
    }
}

#[test]
fn the_drawing_itself_runs_downward() {
    for (index, (module, allowed)) in ALLOWED.iter().enumerate() {
        for lower in *allowed {
            let position = ALLOWED.iter().position(|(name, _)| name == lower);
            assert!(position.is_some_and(|position| position < index), "{module} -> {lower}");
        }
    }
}

#[test]
fn a_wrong_import_would_be_found() {
    assert_eq!(imports("use crate::search::Worker;"), ["search"]);
    assert_eq!(imports("use crate::{board::{Board, Move}, uci};"), ["board", "uci"]);
    assert!(imports("// crate::uci is not used").is_empty());
}

/// The search neither prints nor reads: everything goes through its observer.
#[test]
fn only_the_outermost_layer_prints() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in rust_files(&source) {
        let module = module_of(&path, &source);
        if ["uci", "cli", "main", "datagen", "train", "tune"].contains(&module.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a readable source file");
        for call in ["println!", "print!(", "eprintln!", "stdin()", "stdout()"] {
            assert!(!text.contains(call), "{} uses {call}", path.display());
        }
    }
}
