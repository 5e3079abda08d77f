//! The edges between modules. Each is listed here, and none of them leads upward.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::folder::files_with;

/// Each module of the library with the modules that it uses. It may use no others.
const ALLOWED: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("confidence", &[]),
    ("console", &[]),
    ("ending", &[]),
    ("instructions", &[]),
    ("params", &[]),
    ("plot", &[]),
    ("processor", &[]),
    ("random", &[]),
    ("file", &[]),
    ("numa", &[]),
    ("machine", &["numa"]),
    ("crew", &["numa"]),
    ("board", &["random", "numa"]),
    ("drawing", &["board"]),
    ("eval", &["types", "random", "file", "board"]),
    ("tt", &["types", "random", "file", "numa", "machine", "board"]),
    ("history", &["board"]),
    ("tablebase", &["types", "board"]),
    ("time", &["params"]),
    ("run", &["types", "params", "random", "numa", "board", "eval", "tt", "history", "tablebase", "time"]),
    (
        "search",
        &["types", "params", "random", "numa", "board", "eval", "tt", "history", "tablebase", "time", "run"],
    ),
    ("classic", &["types", "board", "eval", "tt", "run", "search"]),
    ("pool", &["types", "random", "numa", "crew", "board", "run", "search"]),
    (
        "engine",
        &[
            "types",
            "params",
            "random",
            "numa",
            "board",
            "eval",
            "tt",
            "history",
            "tablebase",
            "time",
            "run",
            "search",
            "pool",
        ],
    ),
    ("config", &["params", "file", "numa", "eval", "history", "tablebase", "run", "pool", "engine"]),
    ("scaling", &["types", "confidence", "plot", "processor", "board", "run", "engine"]),
    ("doctor", &["numa", "machine", "pool", "config", "scaling"]),
    ("selfplay", &["types", "params", "random", "file", "board", "eval", "tt", "run", "engine"]),
    ("analyse", &["types", "file", "numa", "board", "drawing", "run", "engine", "config"]),
    ("datagen", &["types", "plot", "random", "file", "crew", "board", "eval", "tt", "engine", "selfplay"]),
    ("fleet", &["ending", "random", "file", "numa", "board", "engine", "selfplay", "analyse", "datagen"]),
    ("train", &["plot", "random", "file", "numa", "crew", "board", "eval", "selfplay", "datagen"]),
    ("tune", &["confidence", "params", "plot", "random", "file", "crew", "run", "engine", "selfplay"]),
    (
        "duel",
        &[
            "types",
            "confidence",
            "plot",
            "processor",
            "random",
            "file",
            "crew",
            "board",
            "run",
            "pool",
            "engine",
            "selfplay",
        ],
    ),
    (
        "uci",
        &[
            "types", "console", "file", "machine", "board", "eval", "tt", "run", "engine", "config",
            "selfplay",
        ],
    ),
    ("provider", &["ending", "file", "board", "run", "engine", "uci"]),
    (
        "serve",
        &[
            "types", "console", "file", "numa", "board", "drawing", "eval", "run", "pool", "engine",
            "config", "analyse", "uci",
        ],
    ),
    (
        "cli",
        &[
            "types",
            "console",
            "file",
            "numa",
            "machine",
            "crew",
            "board",
            "eval",
            "tt",
            "tablebase",
            "run",
            "search",
            "classic",
            "pool",
            "engine",
            "config",
            "scaling",
            "doctor",
            "selfplay",
            "analyse",
            "datagen",
            "fleet",
            "train",
            "tune",
            "duel",
            "uci",
            "provider",
            "serve",
        ],
    ),
];

/// The library modules that a source text names by `crate::` outside of comments, also in `use` groups like
/// `crate::{a::B, c::D}`.
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
    for path in files_with("rs", &source) {
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
    // An edge that is allowed but not used could come back unnoticed.
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

/// The search neither prints nor reads: it reports through its observer. All printing goes through `console`, so an
/// error of the output never fails a command's work. Only `cli` reads standard input and arguments and draws bars.
#[test]
fn one_module_prints() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in files_with("rs", &source) {
        let text = fs::read_to_string(&path).expect("a readable source file");
        let text = text.replace("console::stdout()", "");
        let module = module_of(&path, &source);
        let prints = ["print!(", "println!(", "stdout()", "stderr()", "enable_steady_tick"];
        let reads = ["stdin()"];
        let tools = ["use clap", "use indicatif"];
        let has = |calls: &[&'static str]| calls.iter().copied().find(|call| text.contains(call));
        let found = (module != "console").then(|| has(&prints)).flatten();
        let found =
            found.or_else(|| (module != "cli").then(|| has(&reads).or_else(|| has(&tools))).flatten());
        assert_eq!(found, None, "{}", path.display());
    }
}

/// Another test program would be linked with the whole library again. A file that no module declares would not run.
#[test]
fn the_tests_are_one_program_and_no_file_is_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for path in files_with("rs", &folder) {
        if path == folder.join("integration/main.rs") {
            continue;
        }
        let module = if path.ends_with("mod.rs") { path.parent().expect("a folder") } else { &path };
        let name = module.file_stem().expect("a name").to_string_lossy();
        let parent = module.parent().expect("a folder");
        let declarations = ["main.rs", "mod.rs"].map(|file| fs::read_to_string(parent.join(file)));
        let is_declared =
            declarations.iter().flatten().any(|text| text.lines().any(|line| line == format!("mod {name};")));
        assert!(is_declared, "{} is no module of tests/integration/main.rs", path.display());
    }
}
