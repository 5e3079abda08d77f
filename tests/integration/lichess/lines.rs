//! Reads uploaded lines as strictly as the broker of lichess (lichess-org/lila-engine, 2026), which ends an upload at
//! the first word that it does not know.

use enfilade::chess::board::Game;

/// A line with a score.
#[derive(Debug, Default)]
pub struct Info {
    pub multi_pv: usize,
    pub depth: u32,
    pub nodes: u64,
    pub score: String,
    pub is_bound: bool,
    pub pv: Vec<String>,
}

/// Reads a line. `None` for lines without a score, and for empty ones.
///
/// # Panics
/// If the broker would refuse the line.
pub fn read(line: &str) -> Option<Info> {
    let mut words = line.split_ascii_whitespace().peekable();
    match words.next() {
        Some("info") => {}
        Some("bestmove") | None => return None,
        Some(other) => panic!("{other} in {line:?}"),
    }
    let mut info = Info { multi_pv: 1, ..Info::default() };
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).expect(line);
        match word {
            "multipv" => info.multi_pv = usize::try_from(number()).expect(line),
            "depth" => info.depth = u32::try_from(number()).expect(line),
            "nodes" => info.nodes = number(),
            "seldepth" | "time" | "currmovenumber" | "hashfull" | "nps" | "tbhits" => drop(number()),
            "score" => {
                let kind = words.next().expect(line);
                let value: i64 = words.next().and_then(|word| word.parse().ok()).expect(line);
                assert!(kind == "cp" || kind == "mate", "{line}");
                info.score = format!("{kind} {value}");
                while words.next_if(|word| *word == "lowerbound" || *word == "upperbound").is_some() {
                    info.is_bound = true;
                }
            }
            "pv" => info.pv = words.by_ref().map(str::to_owned).collect(),
            "string" => return None,
            other => panic!("{other} in {line:?}"),
        }
    }
    assert!((1..=5).contains(&info.multi_pv), "{line}");
    (!info.score.is_empty()).then_some(info)
}

/// The lines with a score of an upload. Each variation must be legal from the position, with castling as the king
/// taking its rook. The last line of the upload must be a `bestmove`.
#[track_caller]
pub fn checked(lines: &[String], game: &Game) -> Vec<Info> {
    let infos: Vec<Info> = lines.iter().filter_map(|line| read(line)).collect();
    for info in &infos {
        let mut game = game.clone();
        for text in &info.pv {
            let mv = game.play_uci(text).unwrap_or_else(|error| panic!("{error} in {info:?}"));
            assert_eq!(mv.to_uci(true).to_string(), *text, "{info:?}");
        }
    }
    let last = lines.last().expect("lines");
    assert!(last.starts_with("bestmove "), "{last}");
    infos
}
