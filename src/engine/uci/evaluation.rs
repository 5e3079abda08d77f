//! The static evaluation for people: a board with the value of each piece, and the evaluation of the position.

use std::fmt::Write;

use crate::chess::board::{Board, Color, Square};
use crate::chess::types::{Score, WinModel};
use crate::engine::eval::network::Network;
use crate::engine::eval::{evaluate_with, worths};

const RULE: &str = "+-------+-------+-------+-------+-------+-------+-------+-------+";

/// The evaluation of a position, and the value of the piece on each square, in normalized centipawns (see [`WinModel`])
/// from White's point of view: White's pieces have positive values.
#[derive(Clone, Debug)]
pub struct Appraisal {
    /// The evaluation.
    pub score: i32,
    /// The values of all pieces but the kings.
    pub pieces: Vec<(Square, i32)>,
}

impl Appraisal {
    /// Evaluates a position by `network`.
    pub fn of(network: &Network, board: &Board) -> Appraisal {
        let sign = |color: Color| color.fold_wb(1, -1);
        let normalized =
            |score: i32| WinModel::FITTED.normalized(Score::new(score), board.material()).value();
        let worths = worths(network, board);
        let piece = |square: Square| {
            let (worth, color) = worths[square as usize].zip(board.color_at(square))?;
            Some((square, sign(color) * normalized(worth)))
        };
        let score = sign(board.turn()) * normalized(evaluate_with(network, board).value());
        Appraisal { score, pieces: Square::ALL.into_iter().filter_map(piece).collect() }
    }
}

/// Draws the board from White's point of view, and the evaluation below it, as users of Stockfish's `eval` expect. The
/// number under a piece is its value: how much of the evaluation its side would lose without it. Values are in pawns
/// (normalized: see [`WinModel`]). White's values are positive, Black's are negative.
pub fn text(network: &Network, board: &Board) -> String {
    let pawns = |centipawns: i32| f64::from(centipawns) / 100.0;
    let Appraisal { score, pieces } = Appraisal::of(network, board);
    let mut text = format!("Each piece's worth in pawns, by a network of {}:\n\n{RULE}\n", network.shape());
    for rank in (0..8).rev() {
        let squares = || (0..8).map(move |file| Square::new(8 * rank + file));
        for square in squares() {
            let piece = board.piece_at(square).map_or(' ', |piece| piece.char());
            let _ = write!(text, "|   {piece}   ");
        }
        text.push_str("|\n");
        for square in squares() {
            let worth = pieces.iter().find(|(place, _)| *place == square);
            let worth = worth.map(|(_, worth)| cell(pawns(*worth)));
            let _ = write!(text, "|{:^7}", worth.unwrap_or_default());
        }
        let _ = writeln!(text, "|\n{RULE}");
    }
    let score = pawns(score);
    let in_check = if board.in_check() { "; the side to move is in check" } else { "" };
    let _ = write!(text, "\nFinal evaluation  {score:+.2} (white side{in_check})");
    text
}

/// A number of pawns in at most seven characters, the width of a square.
fn cell(pawns: f64) -> String {
    let precise = format!("{pawns:+.2}");
    if precise.len() <= 7 { precise } else { format!("{pawns:+.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of ten pawns and more, such as a queen's, made their rows wider than the others.
    #[test]
    fn all_rows_have_the_same_width() {
        assert_eq!([1.234, -12.3, 123.456, -1234.56].map(cell), ["+1.23", "-12.30", "+123.46", "-1235"]);
        let text = text(&Network::embedded(), &Board::startpos());
        let table: Vec<&str> = text.lines().filter(|line| line.starts_with(['|', '+'])).collect();
        assert_eq!(table.len(), 2 * 8 + 9);
        assert!(table.iter().all(|line| line.len() == RULE.len()), "{text}");
    }

    #[test]
    fn every_piece_but_a_king_has_a_value() {
        let board = Board::from_fen("4k3/8/8/3q4/8/8/P7/3QK3 b - - 0 1").unwrap().0;
        let text = text(&Network::embedded(), &board);
        let is_number = |word: &&str| word.starts_with(['+', '-']) && word.parse::<f64>().is_ok();
        let numbers = text.split_whitespace().filter(is_number).count();
        assert_eq!(numbers, 3 + 1, "{text}");
        assert!(text.lines().last().unwrap().ends_with("(white side)"), "{text}");
    }
}
