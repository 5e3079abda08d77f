//! The wings of the library, and the rooms of each wing. No import leads upward.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::folder::files_with;

/// A floor of a wing: rooms that do not use each other.
type Floor = &'static [&'static str];

/// The wings from the bottom upward, each with its floors from the bottom upward. A room may use the rooms of lower
/// floors, and all rooms of lower wings.
const WINGS: &[(&str, &[Floor])] = &[
    (
        "base",
        &[
            &["text"],
            &[
                "confidence",
                "console",
                "ending",
                "file",
                "instructions",
                "numa",
                "plot",
                "prefetch",
                "processor",
                "random",
            ],
            &["crew", "machine"],
        ],
    ),
    ("chess", &[&["types", "board"], &["drawing", "pgn"]]),
    (
        "engine",
        &[
            &["params", "eval", "history", "tablebase", "tt"],
            &["time"],
            &["run"],
            &["search"],
            &["classic", "pool"],
            &["facade"],
            &["config", "selfplay"],
            &["uci"],
            &["command"],
            &["suite"],
        ],
    ),
    ("lab", &[&["scaling", "datagen", "duel", "tune"], &["doctor", "train"], &["data", "recipe"]]),
    ("service", &[&["analyse"], &["fleet", "provider", "serve"]]),
    ("program", &[]),
];

/// The wing and the room of each path in a source text that begins with `crate::`, outside of comments.
fn imports(text: &str) -> Vec<(String, String)> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let name =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = Vec::new();
    for (position, _) in code.match_indices("crate::") {
        let rest = &code[position + "crate::".len()..];
        let wing = name(rest);
        let room = rest[wing.len()..].strip_prefix("::").map(name).unwrap_or_default();
        found.push((wing, room));
    }
    found
}

/// The wing and the room of a file below `source`. The face of a wing belongs to no room.
fn place_of(path: &Path, source: &Path) -> Option<(String, String)> {
    let parts: Vec<_> =
        path.strip_prefix(source).expect("a file below src").with_extension("").iter().map(name_of).collect();
    match &parts[..] {
        [wing, room, ..] if room != "mod" => Some((wing.clone(), room.clone())),
        _ => None,
    }
}

fn name_of(part: &std::ffi::OsStr) -> String {
    part.to_string_lossy().into_owned()
}

/// The place of a wing from below.
fn height(wing: &str) -> usize {
    WINGS.iter().position(|(name, _)| *name == wing).unwrap_or_else(|| panic!("there is no wing {wing}"))
}

/// The floor of a room from below.
fn floor(wing: &str, room: &str) -> usize {
    let (_, floors) = WINGS[height(wing)];
    floors.iter().position(|floor| floor.contains(&room)).unwrap_or_else(|| {
        panic!("{wing}::{room} has no floor: give it one here and in docs/architecture.md")
    })
}

/// Why a room may not use another one; `None` if it may.
fn fault((wing, room): (&str, &str), (used_wing, used_room): (&str, &str)) -> Option<&'static str> {
    if height(used_wing) > height(wing) {
        return Some("the wing lies above");
    }
    let is_same_wing = used_wing == wing && used_room != room && wing != "program";
    (is_same_wing && floor(wing, used_room) >= floor(wing, room)).then_some("the room does not lie below")
}

#[test]
fn imports_run_downward() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = BTreeSet::new();
    for path in files_with("rs", &source) {
        let Some((wing, room)) = place_of(&path, &source) else { continue };
        seen.insert((wing.clone(), room.clone()));
        let text = fs::read_to_string(&path).expect("a readable source file");
        for (used_wing, used_room) in imports(&text) {
            let reason = fault((&wing, &room), (&used_wing, &used_room));
            let shown = path.display();
            assert_eq!(reason, None, "{shown}: {wing}::{room} uses {used_wing}::{used_room}");
        }
    }
    for (wing, floors) in WINGS {
        for room in floors.iter().copied().flatten() {
            assert!(seen.contains(&(wing.to_string(), room.to_string())), "{wing}::{room} is gone");
        }
    }
}

#[test]
fn a_wrong_import_would_be_found() {
    let found = imports("use crate::engine::search::Worker;\nuse crate::lab;");
    let place = |wing: &str, room: &str| (wing.to_owned(), room.to_owned());
    assert_eq!(found, [place("engine", "search"), place("lab", "")]);
    assert!(imports("// crate::program is not used").is_empty());
    assert!(fault(("engine", "tt"), ("lab", "train")).is_some());
    assert!(fault(("engine", "tt"), ("engine", "run")).is_some());
    assert!(fault(("engine", "classic"), ("engine", "pool")).is_some());
    assert_eq!(fault(("engine", "run"), ("engine", "tt")), None);
    assert_eq!(fault(("lab", "data"), ("chess", "board")), None);
}

/// The search neither prints nor reads: it reports through its observer. All printing goes through `console`, so an
/// error of the output never fails a command's work. Only commands read standard input and arguments, and draw bars.
#[test]
fn one_module_prints() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in files_with("rs", &source) {
        let text = fs::read_to_string(&path).expect("a readable source file");
        let text = text.replace("console::stdout()", "");
        let is_console = path == source.join("base/console.rs");
        let prints = ["print!(", "println!(", "stdout()", "stderr()", "enable_steady_tick"];
        let reads = ["stdin()"];
        let tools = ["use clap", "use indicatif"];
        let has = |calls: &[&'static str]| calls.iter().copied().find(|call| text.contains(call));
        let found = (!is_console).then(|| has(&prints)).flatten();
        let found = found.or_else(|| {
            (!is_of_a_command(&path, &source)).then(|| has(&reads).or_else(|| has(&tools))).flatten()
        });
        assert_eq!(found, None, "{}", path.display());
    }
}

/// Whether a file belongs to a command.
fn is_of_a_command(path: &Path, source: &Path) -> bool {
    let rooms = ["engine/command", "engine/suite", "lab/data", "program"];
    let stem = path.file_stem().expect("a name").to_string_lossy();
    rooms.iter().any(|room| path.starts_with(source.join(room)))
        || stem.ends_with("command")
        || stem.ends_with("arguments")
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
