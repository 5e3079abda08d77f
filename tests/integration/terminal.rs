//! What commands with a progress bar show on a terminal, and what they leave there. `script` of util-linux lends the
//! terminal.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SUITE: &str = "\
6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8#; id \"easy\";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm h4; id \"hard\";
";

/// Carries out a line of a shell on a terminal. `$0` is the binary. Returns everything that the terminal got.
fn on_terminal(line: &str, columns: usize, folder: &Path) -> String {
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", "sh -c \"$LINE\" \"$PROGRAM\"", "/dev/null"])
        .env("LINE", format!("stty cols {columns} rows 24; {line}"))
        .env("PROGRAM", env!("CARGO_BIN_EXE_enfilade"))
        .env("TERM", "xterm")
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("script of util-linux");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{line}: {shown}");
    shown
}

/// The lines that a terminal has at the end. It knows the controls that bars use.
fn remaining(shown: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0, 0);
    let mut rest = shown.chars();
    while let Some(c) = rest.next() {
        match c {
            '\r' => column = 0,
            '\n' => row += 1,
            '\u{1b}' => {
                let text = rest.as_str();
                let end = text.find(|c: char| c.is_ascii_alphabetic()).expect("a letter ends a control");
                let count = text[1..end].parse().unwrap_or(1);
                match &text[end..=end] {
                    "A" => row -= count,
                    "B" => row += count,
                    "K" => lines[row].clear(),
                    other => panic!("the control {other} in {shown:?}"),
                }
                rest = text[end + 1..].chars();
            }
            c => {
                // A full line goes on in the next one.
                if column == columns {
                    (row, column) = (row + 1, 0);
                }
                lines.resize(lines.len().max(row + 1), Vec::new());
                let length = lines[row].len().max(column + 1);
                lines[row].resize(length, ' ');
                lines[row][column] = c;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), Vec::new());
    }
    lines.into_iter().map(|line| line.into_iter().collect()).collect()
}

fn has_bar(text: &str) -> bool {
    text.contains(['█', '░'])
}

/// Nobody had looked at the bars.
#[test]
fn a_bar_leaves_nothing_on_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("suite.epd"), SUITE).unwrap();
    #[cfg(feature = "analysis")]
    fs::write(folder.path().join("games.pgn"), "1. e4 e5 2. Nf3 Nc6 *").unwrap();
    // A command, words that only its bar has, and words of its report.
    for (line, of_bar, of_report) in [
        (
            "suite suite.epd --nodes 5000 --hash 1 --jobs 1 --threads 1",
            "/2 positions",
            "nodes a second for each of 1 at a time",
        ),
        #[cfg(feature = "analysis")]
        (
            "analyse games.pgn --nodes 2000 --threads 1 --out x.pgn",
            "of 5 positions",
            "1 game analyzed, 5 positions, ",
        ),
        ("speedtest --seconds 0.1 --threads 1 --hash 1", " searches, ", "is the maximum."),
        ("doctor --seconds 0.1", " searches, ", "Recommended"),
    ] {
        for columns in [120, 80, 24] {
            let shown = on_terminal(&format!("\"$0\" {line}"), columns, folder.path());
            let left = remaining(&shown, columns);
            // At few columns there is no place for a bar beside its words.
            assert!(columns < 80 || has_bar(&shown), "{line}: {shown:?}");
            assert!(!has_bar(&left.concat()) && !left.concat().contains(of_bar), "{line}: {left:#?}");
            assert!(left.concat().contains(of_report), "{line}: {left:#?}");
        }
    }
}

#[test]
fn progress_and_json_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("suite.epd"), SUITE).unwrap();
    for line in [
        "suite suite.epd --nodes 5000 --hash 1 --jobs 1 --threads 1 --json",
        "speedtest --seconds 0.1 --threads 1 --hash 1 --json",
        "doctor --seconds 0.1 --json",
    ] {
        let shown = on_terminal(&format!("\"$0\" {line} > report.json"), 80, folder.path());
        assert!(has_bar(&shown), "{line}: {shown:?}");
        assert_eq!(remaining(&shown, 80).concat(), "", "{line}");
        let report = fs::read(folder.path().join("report.json")).unwrap();
        serde_json::from_slice::<serde_json::Value>(&report)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

#[test]
fn the_terminal_knows_lines_and_controls() {
    assert_eq!(remaining("ab\rc\r\nd", 80), ["cb", "d"]);
    assert_eq!(remaining("abcd\r\u{1b}[2Ke", 2), ["ab", "e"]);
    assert_eq!(remaining("abcd\u{1b}[1A\r\u{1b}[2K\u{1b}[1B\r\u{1b}[2K\u{1b}[1A", 2), ["", ""]);
}
