//! Tests of the form of the documents: prose wraps at 120 columns, relative links lead to files, the files that texts
//! name exist, two pages stay short, and the journal keeps rows instead of stories. `docs/architecture.md` and
//! `CONTRIBUTING.md` state these rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::folder::{files_below, files_with};

/// The greatest width in columns of prose, and of comments in the source, presets and scripts.
const WIDTH: usize = 120;
/// The greatest number of lines of a page that must stay short.
const SHORT: usize = 120;
/// The greatest number of words of the journal, and of one of its pages.
const JOURNAL_WORDS: usize = 15_000;
const JOURNAL_PAGE_WORDS: usize = 1_500;
/// The folders whose documents are checked. A checkout may have other folders that are not ours, also in `fuzz`.
const FOLDERS: [&str; 7] = ["docs", "src", "tests", "configs", "scripts", "benches", "fuzz/fuzz_targets"];
/// The documents outside of these folders.
const SINGLE: [&str; 4] = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "fuzz/README.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Markdown files of the repository.
fn documents() -> Vec<PathBuf> {
    let files: Vec<PathBuf> =
        FOLDERS.iter().flat_map(|folder| files_with("md", &root().join(folder))).collect();
    assert!(files.len() > 10, "{files:?}");
    files.into_iter().chain(SINGLE.map(|name| root().join(name))).collect()
}

/// The lines of a Markdown text with their numbers from 1. Lines in code fences are left out.
fn unfenced(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        (!is_fenced && !is_fence).then_some((index + 1, line))
    })
}

/// Whether a line is longer than [`WIDTH`] although it could be wrapped. Table rows, headings, images, indented code,
/// and single words that are too long (such as a link) cannot be wrapped.
fn should_wrap(line: &str) -> bool {
    let text = line.trim_start();
    let is_exempt = ["|", "#", "!["].iter().any(|start| text.starts_with(start)) || line.starts_with("    ");
    let is_one_word = text.trim_start_matches(['-', '*', ' ']).split_whitespace().count() <= 1;
    line.chars().count() > WIDTH && !is_exempt && !is_one_word
}

/// The targets of a line's links and images.
fn links(line: &str) -> Vec<&str> {
    let ends = line.match_indices("](").map(|(start, _)| &line[start + 2..]);
    ends.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// The anchor of a heading as code hosts make it: lower case, hyphens for blanks, no punctuation.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn has_anchor(text: &str, wanted: &str) -> bool {
    unfenced(text).any(|(_, line)| line.starts_with('#') && anchor(line) == wanted)
}

/// Why a link in the document at `path` is broken; `None` if it is valid or leaves the repository.
fn broken(path: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { path.to_owned() } else { path.with_file_name("").join(file) };
    if !target.exists() {
        return Some(format!("{link} leads to no file"));
    }
    if fragment.is_empty() {
        return None;
    }
    let text = fs::read_to_string(&target).unwrap_or_default();
    (!has_anchor(&text, fragment)).then(|| format!("{link} leads to no heading"))
}

#[test]
fn prose_wraps_at_its_width() {
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a readable document");
        for (number, line) in unfenced(&text) {
            assert!(!should_wrap(line), "{}:{number}: more than {WIDTH} columns", path.display());
        }
    }
}

/// A block of code in docs/networks.md was wrapped together with its fences.
#[test]
fn fences_stand_alone_and_are_closed() {
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a readable document");
        let fences: Vec<&str> = text.lines().filter(|line| line.contains("```")).map(str::trim).collect();
        let stand_alone = |fence: &&str| fence.starts_with("```") && !fence[3..].contains([' ', '`']);
        assert!(fences.iter().all(stand_alone), "{}: {fences:?}", path.display());
        assert!(fences.len().is_multiple_of(2), "{}: a fence is not closed", path.display());
    }
}

#[test]
fn comments_of_presets_and_scripts_wrap_at_the_same_width() {
    let mut seen = 0;
    let folders = ["configs", "scripts", ".ci"].iter().flat_map(|folder| files_below(&root().join(folder)));
    for path in folders.chain([root().join("Makefile")]) {
        // A file that is not text, such as a compiled Python file, has no comments.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (index, line) in text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with('#')) {
            seen += 1;
            assert!(line.chars().count() <= WIDTH, "{}:{}: more than {WIDTH}", path.display(), index + 1);
        }
    }
    assert!(seen > 100, "{seen} lines of comment");
}

#[test]
fn comments_of_the_source_wrap_at_the_same_width() {
    let mut seen = 0;
    for path in ["src", "tests", "benches", "fuzz/fuzz_targets"]
        .iter()
        .flat_map(|folder| files_with("rs", &root().join(folder)))
    {
        let text = fs::read_to_string(&path).expect("a readable source file");
        for (index, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            seen += 1;
            let is_table = comment.trim_start_matches(['/', '!', ' ']).starts_with('|');
            let is_long = line.chars().count() > WIDTH && !is_table;
            assert!(!is_long, "{}:{}: more than {WIDTH} columns", path.display(), index + 1);
        }
    }
    assert!(seen > 1000, "{seen} lines of comment");
}

#[test]
fn relative_links_lead_to_files_and_headings() {
    let mut seen = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a readable document");
        for (number, line) in unfenced(&text) {
            for link in links(line) {
                seen += 1;
                let fault = broken(&path, link);
                assert_eq!(fault, None, "{}:{number}", path.display());
            }
        }
    }
    assert!(seen > 50, "{seen} links");
}

/// The names of files in a text that begin with `folder` and end in `ending`, such as `docs/networks.md`.
fn names<'a>(text: &'a str, folder: &'a str, ending: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
    text.match_indices(folder).filter_map(move |(start, _)| {
        let rest = &text[start..];
        let word = &rest[..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())];
        word.find(ending).map(|end| &word[..end + ending.len()])
    })
}

/// Comments and documents refer readers to these files. The journal named a source file that had been renamed.
#[test]
fn files_that_the_source_and_the_documents_name_exist() {
    let folders = || FOLDERS.iter().map(|folder| root().join(folder));
    let sources =
        ["rs", "toml"].map(|extension| folders().flat_map(move |folder| files_with(extension, &folder)));
    let files: Vec<PathBuf> = sources.into_iter().flatten().chain(documents()).collect();
    for (folder, ending) in [("docs/", ".md"), ("src/", ".rs")] {
        let mut seen = 0;
        for path in &files {
            let text = fs::read_to_string(path).expect("a readable source file");
            for name in names(&text, folder, ending) {
                seen += 1;
                assert!(root().join(name).exists(), "{}: there is no {name}", path.display());
            }
        }
        assert!(seen > 10, "{seen} names in {folder}");
    }
}

#[test]
fn short_pages_are_short() {
    for name in ["README.md", "docs/strength.md"] {
        let lines = fs::read_to_string(root().join(name)).expect("a readable document").lines().count();
        assert!(lines <= SHORT, "{name} has {lines} lines, more than {SHORT}");
    }
}

/// A clone should stay small.
#[test]
fn pictures_are_small() {
    let files = files_below(&root().join("docs/images"));
    let bytes: u64 = files.iter().map(|path| fs::metadata(path).expect("a picture").len()).sum();
    assert!((1..=150_000).contains(&bytes), "the pictures have {bytes} bytes");
}

/// The words of a text. The bars and rules of tables are none, so that a table does not count for more than prose.
fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// A table of answers would be worth nothing if its tests were gone.
#[test]
fn each_test_that_documents_name_exists() {
    let sources = [("rs", "src"), ("rs", "tests"), ("py", "scripts")];
    let files = sources.iter().flat_map(|(ending, folder)| files_with(ending, &root().join(folder)));
    let source: String = files
        .chain([root().join("scripts/check-board")])
        .map(|path| fs::read_to_string(path).expect("a readable source file"))
        .collect();
    for (page, least) in [("tests/integration/faults.md", 60), ("scripts/board_checks/README.md", 15)] {
        let text = fs::read_to_string(root().join(page)).expect("a readable document");
        let quoted = text.split('`').skip(1).step_by(2);
        let is_name =
            |name: &&str| name.contains('_') && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let names: BTreeSet<&str> = quoted.filter(is_name).collect();
        assert!(names.len() >= least, "{page} names {} tests", names.len());
        for name in names {
            let is_there = ["fn", "def"].iter().any(|word| source.contains(&format!("{word} {name}(")));
            assert!(is_there, "{page}: there is no {name}");
        }
    }
}

/// An experiment leaves one row: the journal had grown to 48,000 words, and one page of it to 17,000.
#[test]
fn the_journal_stays_short() {
    let mut sum = 0;
    for path in files_with("md", &root().join("docs/journal")) {
        let count = words(&fs::read_to_string(&path).expect("a readable document"));
        assert!(
            count <= JOURNAL_PAGE_WORDS,
            "{} has {count} words, more than {JOURNAL_PAGE_WORDS}",
            path.display()
        );
        sum += count;
    }
    assert!(
        (1_000..=JOURNAL_WORDS).contains(&sum),
        "the journal has {sum} words, not at most {JOURNAL_WORDS}"
    );
}

#[test]
fn the_checks_find_what_they_look_for() {
    let long = "word ".repeat(30);
    assert!(should_wrap(&long) && should_wrap(&format!("- {long}")));
    assert!(!should_wrap(&format!("| {long} |")) && !should_wrap(&format!("    {long}")));
    assert!(!should_wrap(&format!("- <https://example.org/{}>", "a".repeat(120))));
    assert!(!should_wrap(&"ü ".repeat(60)), "columns are counted, not bytes");
    assert_eq!(unfenced("a\n```sh\nb\n```\nc").collect::<Vec<_>>(), [(1, "a"), (5, "c")]);
    assert_eq!(links("[a](b.md#c) and ![d](e/f.svg)"), ["b.md#c", "e/f.svg"]);
    let readme = root().join("README.md");
    assert_eq!(broken(&readme, "docs/architecture.md#glossary"), None);
    assert_eq!(broken(&readme, "https://example.org/nowhere"), None);
    assert!(broken(&readme, "nowhere.md").is_some());
    assert!(broken(&readme, "docs/architecture.md#nowhere").is_some());
    assert_eq!(anchor("### 10+0.1 seconds, `64 MiB`"), "1001-seconds-64-mib");
    assert_eq!(words("| -3 ± 9 | two words |\n|---|---|\n"), 4);
    let text = "`lib/b-c.rs`, lib/d/e.rs. lib/f and lib/g.md";
    assert_eq!(names(text, "lib/", ".rs").collect::<Vec<_>>(), ["lib/b-c.rs", "lib/d/e.rs"]);
}
