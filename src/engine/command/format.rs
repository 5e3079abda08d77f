//! Formats numbers, scores and lines of play for people.

use crate::chess::board::{Board, Game, Move};
use crate::chess::pgn::writer;
use crate::chess::types::{Score, WinModel};

/// The score of a search of `board` from White's point of view: normalized pawns (see [`WinModel`]) with a sign, moves
/// to the mate after `#`, or `+TB` for a tablebase win.
pub(crate) fn score(score: Score, board: &Board) -> String {
    let sign = board.turn().fold_wb(1, -1);
    let score = WinModel::FITTED.normalized(score, board.material());
    match score.mate_moves() {
        Some(0) => "mate".to_owned(),
        Some(moves) => format!("#{}", sign * moves),
        None if score.is_tablebase() => if sign * score.value() < 0 { "-TB" } else { "+TB" }.to_owned(),
        None => format!("{:+.2}", f64::from(sign * score.value()) / 100.0),
    }
}

/// A line of play in algebraic notation with move numbers, at most `plies` plies of it.
pub(crate) fn san_line(game: &Game, line: &[Move], plies: usize) -> String {
    writer::line(game.board(), line.iter().take(plies)).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_from_whites_point_of_view() {
        let white = Board::startpos();
        let black = white.after(white.parse_uci("e2e4").unwrap());
        let pawn = Score::new(WinModel::FITTED.center(white.material()).round() as i32);
        assert_eq!(score(pawn, &white), "+1.00");
        assert_eq!(score(pawn, &black), "-1.00");
        assert_eq!(score(Score::mate_in(3), &black), "#-2");
        assert_eq!(score(Score::mated_in(0), &white), "mate");
        assert_eq!(score(Score::TABLEBASE_WIN - 9, &white), "+TB");
        assert_eq!(score(Score::TABLEBASE_WIN, &black), "-TB");
    }

    #[test]
    fn lines_of_both_colors_have_move_numbers() {
        let mut game = Game::startpos();
        let mut line = Vec::new();
        let mut ahead = game.clone();
        for text in ["e2e4", "e7e5", "g1f3"] {
            line.push(ahead.play_uci(text).unwrap());
        }
        assert_eq!(san_line(&game, &line, 9), "1. e4 e5 2. Nf3");
        assert_eq!(san_line(&game, &line, 2), "1. e4 e5");
        game.play(line[0]);
        assert_eq!(san_line(&game, &line[1..], 9), "1... e5 2. Nf3");
    }
}
