//! The observer of a search that writes UCI: `info` lines with their parts in the order that clients parse, and one
//! `bestmove` at the end.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::outlook::Outlook;
use super::output::Output;
use crate::chess::board::{Game, Move};
use crate::chess::types::{Bound, Wdl};
use crate::engine::run::{Line, Observer, Outcome};

/// The format of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// Whether castling is written as the king taking its rook.
    pub chess960: bool,
    /// Whether the chances of win, draw and loss follow each score.
    pub show_wdl: bool,
}

/// Reports one search.
pub(crate) struct Reporter {
    output: Arc<Output>,
    style: Style,
    outlook: Outlook,
    // Release when set, Acquire when read. It is set under the lock of the output. So a thread that sees the search as
    // finished prints its own lines after the `bestmove`.
    finished: AtomicBool,
    /// The first move and the nodes of the best line that was reported last, whatever its bound; `None` before the
    /// first line.
    shown: Mutex<Option<(Option<Move>, u64)>>,
}

impl Reporter {
    /// A reporter for a search of the position of `game`.
    pub fn new(output: Arc<Output>, style: Style, game: &Game) -> Reporter {
        let outlook = Outlook::of(game);
        Reporter { output, style, outlook, finished: AtomicBool::new(false), shown: Mutex::new(None) }
    }

    /// Whether `bestmove` has been printed.
    pub fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }
}

impl Observer for Reporter {
    fn line(&self, line: &Line) {
        if line.multi_pv == 1 {
            let before = self.shown.lock().replace((line.pv.first().copied(), line.nodes));
            // A position without moves has one line, which says the result. Nothing can change it.
            if line.pv.is_empty() && before.is_some() {
                return;
            }
        }
        self.output.print(&info(line, self.style, self.outlook));
    }

    fn current_move(&self, depth: i32, mv: Move, number: usize) {
        let mv = mv.to_uci(self.style.chess960);
        self.output.print(&format!("info depth {depth} currmove {mv} currmovenumber {number}"));
    }

    fn message(&self, text: &str) {
        self.output.info_string(text);
    }

    fn finished(&self, outcome: &Outcome) {
        // Clients take the score from the last `info` line before `bestmove`, and fail if there is none. So this line
        // must exist after a search of a few nodes and in a position without legal moves. It must agree with the move
        // if the vote of the threads has overruled the last line. Testers also take the number of searched nodes from
        // this line.
        // Where there is no move, the line of the result is the only one, and says all.
        let shown = *self.shown.lock();
        let is_told = shown == Some((outcome.best_move, outcome.nodes))
            || (outcome.best_move.is_none() && shown.is_some());
        if !is_told {
            for line in &outcome.lines {
                self.output.print(&info(line, self.style, self.outlook));
            }
        }
        let mut text = String::from("bestmove ");
        match outcome.best_move {
            Some(mv) => write!(text, "{}", mv.to_uci(self.style.chess960)),
            None => write!(text, "(none)"),
        }
        .expect("writing to a string");
        if let Some(mv) = outcome.ponder_move {
            write!(text, " ponder {}", mv.to_uci(self.style.chess960)).expect("writing to a string");
        }
        self.output.print_after(&text, || self.finished.store(true, Ordering::Release));
    }

    fn is_lost(&self) -> bool {
        self.output.is_broken()
    }
}

/// Writes one line of play as an `info` line.
fn info(line: &Line, style: Style, outlook: Outlook) -> String {
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}",
        line.depth,
        line.seldepth,
        line.multi_pv,
        outlook.normalized(line.score)
    );
    text.push_str(match line.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    if style.show_wdl {
        let Wdl { win, draw, loss } = outlook.wdl(line.score);
        write!(text, " wdl {win} {draw} {loss}").expect("writing to a string");
    }
    write!(
        text,
        " nodes {} nps {} hashfull {} tbhits {} time {}",
        line.nodes,
        nodes_per_second(line.nodes, line.time),
        line.hashfull,
        line.tablebase_hits,
        line.time.as_millis()
    )
    .expect("writing to a string");
    for (i, mv) in line.pv.iter().enumerate() {
        text.push_str(if i == 0 { " pv " } else { " " });
        write!(text, "{}", mv.to_uci(style.chess960)).expect("writing to a string");
    }
    text
}

/// Nodes per second as a whole number. A time under a millisecond counts as one millisecond. Otherwise a search that
/// has just begun would show an absurd speed.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1000);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::{Board, Square};
    use crate::chess::types::{Score, WinModel};

    fn start() -> Outlook {
        Outlook::of(&Game::startpos())
    }

    fn line(pv: &[&str]) -> Line {
        let mut board = Board::startpos();
        let mut moves = Vec::new();
        for text in pv {
            let mv = board.parse_uci(text).unwrap();
            board = board.after(mv);
            moves.push(mv);
        }
        Line {
            multi_pv: 1,
            depth: 9,
            seldepth: 14,
            score: Score::new(31),
            bound: Bound::Exact,
            nodes: 5000,
            tablebase_hits: 3,
            hashfull: 12,
            time: Duration::from_millis(20),
            searched: moves.len(),
            pv: moves,
        }
    }

    #[test]
    fn info_fields_are_in_their_usual_order() {
        let mut line = line(&["e2e4", "e7e5"]);
        let shown = WinModel::FITTED.normalized(line.score, 78).value();
        assert_eq!(
            info(&line, Style::default(), start()),
            format!(
                "info depth 9 seldepth 14 multipv 1 score cp {shown} nodes 5000 nps 250000 hashfull 12 tbhits 3 \
                 time 20 pv e2e4 e7e5"
            )
        );
        line.bound = Bound::Upper;
        let text = info(&line, Style { show_wdl: true, chess960: false }, start());
        assert!(text.contains(" upperbound wdl "), "{text}");
    }

    #[test]
    fn a_position_without_moves_has_no_pv() {
        let line = Line { depth: 0, score: Score::mated_in(0), ..line(&[]) };
        let text = info(&line, Style { show_wdl: true, chess960: false }, start());
        assert!(
            text.starts_with("info depth 0 seldepth 14 multipv 1 score mate 0 wdl 0 0 1000 nodes"),
            "{text}"
        );
        assert!(text.ends_with(" time 20"), "{text}");
    }

    #[test]
    fn castling_moves_are_written_by_the_chess960_mode() {
        let castle = Move::castle(Square::E1, Square::H1);
        let line = Line { pv: vec![castle], ..line(&[]) };
        assert!(info(&line, Style::default(), start()).ends_with("pv e1g1"));
        assert!(info(&line, Style { chess960: true, show_wdl: false }, start()).ends_with("pv e1h1"));
    }

    #[test]
    fn nodes_per_second_never_overflow() {
        assert_eq!(nodes_per_second(0, Duration::ZERO), 0);
        assert_eq!(nodes_per_second(7, Duration::ZERO), 7000);
        assert_eq!(nodes_per_second(u64::MAX, Duration::ZERO), u64::MAX);
        assert_eq!(nodes_per_second(1_000_000, Duration::from_secs(3)), 333_333);
    }
}
