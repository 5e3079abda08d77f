//! Makes the tables of `docs/options.md` and `docs/server.md` from the table of options. The text around them is
//! written by hand.
//!
//! `UPDATE_DOCS=1 cargo test --lib config::document` writes them into the documents.

use std::fs;
use std::path::Path;

use super::Setup;
use super::entry::{OptionEntry, OptionKind, OptionScope, TableOption};
use super::options::OPTIONS;
use crate::engine::pool::Stagger;
use crate::engine::run::leaf::Kind;

/// The mark before a table. The table's title follows it.
const BEGIN: &str = "<!-- begin: ";
/// The mark after a table.
const END: &str = "<!-- end -->";

/// The table of UCI options.
fn options() -> String {
    let row = |entry: &OptionEntry| {
        let key = entry.key.map(code).unwrap_or_default();
        Some([&[code(entry.name?), key][..], &cells(entry)].concat())
    };
    table(&["option", "preset key", "type", "range", "default", "meaning"], row)
}

/// The table of settings that only presets have.
fn keys() -> String {
    let row = |entry: &OptionEntry| {
        let key = entry.key.filter(|_| entry.name.is_none())?;
        let key = if let OptionKind::Table(_) = entry.kind { format!("[{key}]") } else { key.to_owned() };
        Some([&[code(&key)][..], &cells(entry)].concat())
    };
    table(&["preset key", "type", "range", "default", "meaning"], row)
}

/// The table of options that a client of a server may set.
fn session_options() -> String {
    let row = |entry: &OptionEntry| {
        let name = entry.name.filter(|_| entry.scope == OptionScope::Session)?;
        Some(vec![code(name), entry.help.to_owned()])
    };
    table(&["option", "meaning"], row)
}

/// A table with one row for each option for which `row` returns cells.
fn table(head: &[&str], row: impl Fn(&OptionEntry) -> Option<Vec<String>>) -> String {
    let cell = |text: &String| if text.is_empty() { " |".to_owned() } else { format!(" {text} |") };
    let line = |cells: &[String]| format!("|{}\n", cells.iter().map(cell).collect::<String>());
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    let head = line(&head.iter().map(ToString::to_string).collect::<Vec<_>>());
    let rows = OPTIONS.iter().filter_map(row).map(|cells| line(&cells));
    [head, rule].into_iter().chain(rows).collect()
}

/// The cells of an option: type, range, default and meaning.
fn cells(entry: &OptionEntry) -> [String; 4] {
    let default = Setup::default();
    let list = |names: &[&str]| names.iter().map(code).collect::<Vec<_>>().join(", ");
    let text = |text: String| if text.is_empty() { "empty".to_owned() } else { code(&text) };
    let [kind, range, default] = match entry.kind {
        OptionKind::Check { get, .. } => ["check".to_owned(), list(&["true", "false"]), code(get(&default))],
        OptionKind::Spin { min, max, get, .. } => {
            ["spin".to_owned(), format!("{min} to {max}"), get(&default).to_string()]
        }
        OptionKind::Combo { names, get, .. } => ["combo".to_owned(), list(&names()), code(get(&default))],
        OptionKind::Text { form, get, .. } => ["string".to_owned(), form.to_owned(), text(get(&default))],
        OptionKind::File { get, .. } => {
            let path = get(&default).map(|path| path.display().to_string()).unwrap_or_default();
            ["string".to_owned(), "a path".to_owned(), text(path)]
        }
        OptionKind::Button => ["button".to_owned(), String::new(), String::new()],
        OptionKind::Table(TableOption::Stagger) => {
            let policies = Stagger::all().map(|policy| policy.name());
            let range = format!("`policy`: {}; the lists of the policy", list(&policies));
            ["table".to_owned(), range, code(Stagger::default().name())]
        }
        OptionKind::Table(TableOption::Params) => {
            let range = "names of parameters: whole numbers in the parameter's range".to_owned();
            ["table".to_owned(), range, "the parameter's default".to_owned()]
        }
    };
    [kind, range, default, entry.help.to_owned()]
}

fn code(text: impl ToString) -> String {
    format!("`{}`", text.to_string())
}

/// Replaces the table under `title` in `document`.
fn with_table(document: &str, title: &str, table: &str) -> String {
    let start = document.find(&format!("{BEGIN}{title}")).unwrap_or_else(|| panic!("no place for {title}"));
    let start = start + document[start..].find('\n').expect("a line for the mark") + 1;
    let end = start + document[start..].find(END).unwrap_or_else(|| panic!("{title} has no end"));
    format!("{}\n{table}\n{}", &document[..start], &document[end..])
}

#[test]
fn the_documents_are_up_to_date() {
    check("docs/options.md", &[("options", options()), ("keys", keys())]);
    check("docs/server.md", &[("options of a session", session_options())]);
}

/// Checks that a document has these tables under their titles, or writes them.
fn check(name: &str, tables: &[(&str, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let present = fs::read_to_string(&path).expect("a readable document");
    let document =
        tables.iter().fold(present.clone(), |document, (title, table)| with_table(&document, title, table));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &document).expect("a document that can be written");
    } else if document != present {
        let stale = present.lines().zip(document.lines()).find(|(old, new)| old != new);
        panic!(
            "{name} is stale: run UPDATE_DOCS=1 cargo test --lib config::document\n\
             the first line that differs, old and new: {stale:#?}"
        );
    }
}

/// The explanations of the leaf searches are written by hand.
#[test]
fn every_leaf_search_is_explained() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/options.md");
    let text = fs::read_to_string(path).expect("a readable document");
    let (_, rows) = text.split_once("## Leaf searches").expect("a chapter on leaf searches");
    let names: Vec<&str> =
        rows.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(names, Kind::ALL.map(Kind::name));
}

#[test]
fn a_new_table_replaces_the_old_one() {
    let old = "a\n<!-- begin: x, made by y -->\nold\n<!-- end -->\nb\n<!-- begin: z -->\n<!-- end -->\n";
    let new = with_table(old, "x", "| new |\n");
    assert_eq!(
        new,
        "a\n<!-- begin: x, made by y -->\n\n| new |\n\n<!-- end -->\nb\n<!-- begin: z -->\n<!-- end -->\n"
    );
    assert_eq!(with_table(&new, "x", "| new |\n"), new);
}
