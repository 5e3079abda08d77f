//! The commands of README.md, carried out with small limits in a folder that has the files they name. A unit test of
//! `program` checks that the program knows each command of all documents.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cli::SUITE;

/// How to make a command of README.md cheap: words to put in the place of others, and further arguments.
struct Cheap {
    command: &'static str,
    words: &'static [(&'static str, &'static str)],
    further: &'static [&'static str],
}

static CHEAP: [Cheap; 8] = [
    Cheap { command: "search", words: &[], further: &["--depth", "3", "--hash", "1"] },
    Cheap { command: "doctor", words: &[], further: &["--quick"] },
    Cheap { command: "bench", words: &[], further: &["--depth", "1", "--hash", "1"] },
    Cheap { command: "suite", words: &[("1000", "5")], further: &["--hash", "1"] },
    Cheap { command: "perft", words: &[("6", "2")], further: &[] },
    Cheap { command: "eval", words: &[("FEN", FEN)], further: &[] },
    Cheap { command: "compare", words: &[("FEN", FEN), ("4", "2")], further: &[] },
    Cheap {
        command: "duel",
        words: &[
            ("threads=8,nodes=32000", "threads=8,nodes=80,hash=1"),
            ("threads=1,nodes=16000", "threads=1,nodes=40,hash=1"),
            ("20", "2"),
        ],
        further: &[],
    },
];

const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

/// These do not end by themselves. Other tests start them.
const SERVERS: [&str; 2] = ["serve", "lichess"];

/// The arguments of the commands of this program in the fences of README.md.
fn commands() -> Vec<Vec<String>> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(readme).expect("README.md");
    let fences = text.split("```").skip(1).step_by(2).flat_map(str::lines);
    let lines = fences.filter_map(|line| line.strip_prefix("enfilade "));
    let words = |line: &str| {
        let typed = line.split('#').next().unwrap_or_default();
        typed.split_whitespace().map(|word| word.trim_matches('"').to_owned()).collect()
    };
    lines.map(words).collect()
}

#[test]
fn the_commands_of_the_readme_do_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wac.epd"), SUITE).unwrap();
    let mut seen = Vec::new();
    for mut words in commands().into_iter().filter(|words| !SERVERS.contains(&words[0].as_str())) {
        let command = CHEAP.iter().find(|cheap| cheap.command == words[0]);
        let cheap = command.unwrap_or_else(|| panic!("CHEAP does not say how to try {words:?}"));
        for (word, other) in cheap.words {
            let place = words.iter_mut().find(|typed| typed.as_str() == *word);
            *place.unwrap_or_else(|| panic!("{word} is not in the command {}", cheap.command)) =
                (*other).to_owned();
        }
        let output = Command::new(env!("CARGO_BIN_EXE_enfilade"))
            .args(words.iter().map(String::as_str).chain(cheap.further.iter().copied()))
            .current_dir(folder.path())
            .output()
            .expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !output.stdout.is_empty(), "{words:?}: {said}");
        seen.push(cheap.command);
    }
    assert_eq!(seen, CHEAP.iter().map(|cheap| cheap.command).collect::<Vec<_>>());
    assert!(folder.path().join("machine.toml").exists(), "doctor --write");
}
