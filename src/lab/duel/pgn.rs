//! The games of a match as PGN.

use super::contest::MatchResults;
use crate::chess::board::{Board, Game};
use crate::chess::pgn::writer::PgnWriter;
use crate::chess::types::{Score, WinModel};
use crate::engine::selfplay::play::result_by_rule;
use crate::engine::selfplay::record::{GameRecord, Ply};

/// All games that count, in their order. `names` are the names of A and B.
pub fn text(played: &MatchResults, names: &[String; 2]) -> String {
    let mut text = String::new();
    for (number, pair) in &played.pairs {
        for (index, game) in pair.games.iter().enumerate() {
            let round = format!("{}.{}", number + 1, index + 1);
            text.push_str(&written(game, &round, [&names[index], &names[1 - index]]));
        }
    }
    text
}

fn written(game: &GameRecord, round: &str, [white, black]: [&str; 2]) -> String {
    let result = game.result.text();
    let mut end = Game::new(game.start.clone());
    game.plies.iter().for_each(|ply| end.play(ply.mv));
    let termination = if result_by_rule(&end).is_some() { "normal" } else { "adjudication" };
    let fen = game.start.fen(game.start.has_chess960_castling());
    let plies = game.plies.len().to_string();
    let mut pgn = PgnWriter::default();
    for (name, value) in [
        ("Event", "enfilade duel"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", round),
        ("White", white),
        ("Black", black),
        ("Result", result),
        ("SetUp", "1"),
        ("FEN", &fen),
        ("PlyCount", &plies),
        ("Termination", termination),
    ] {
        pgn.tag(name, value);
    }
    let mut is_first = true;
    game.for_each(|board, ply| {
        pgn.mv(board, ply.mv, is_first);
        pgn.word(&comment(board, ply));
        is_first = false;
    });
    pgn.finish(result)
}

/// The score of a move as most programs write it: from the point of view of the side to move, in normalized pawns or
/// moves to the mate.
fn comment(board: &Board, ply: &Ply) -> String {
    let for_white = i32::from(ply.score);
    let score = Score::new(board.turn().fold_wb(for_white, -for_white));
    let score = WinModel::FITTED.normalized(score, board.material());
    match score.mate_moves() {
        Some(moves) => format!("{{{}M{}}}", if moves > 0 { '+' } else { '-' }, moves.abs()),
        None => format!("{{{:+.2}}}", f64::from(score.value()) / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::pair::GamePair;
    use super::*;
    use crate::engine::selfplay::book;
    use crate::engine::selfplay::record::GameResult;

    fn record(fen: &str, moves: &[(&str, i32)], result: GameResult) -> GameRecord {
        let start = Board::from_fen(fen).unwrap().0;
        let mut game = Game::new(start.clone());
        let ply = |&(text, score): &(&str, i32)| Ply::new(game.play_uci(text).unwrap(), score as i16);
        GameRecord::new(start, moves.iter().map(ply).collect(), result)
    }

    #[test]
    fn games_are_written_as_other_programs_read_them() {
        let mate = Score::mate_in(1).value();
        let won =
            record("7k/8/6K1/8/8/8/8/1Q6 b - - 0 60", &[("h8g8", 900), ("b1b8", mate)], GameResult::White);
        let black = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20";
        let drawn = record(black, &[("e8g8", -30), ("e1c1", 0)], GameResult::Draw);
        let mut played = MatchResults::default();
        played.pairs.insert(6, GamePair { games: [won, drawn], totals: Default::default() });
        let text = text(&played, &["a \"quoted\" name".to_owned(), "b".to_owned()]);
        for part in [
            "[Round \"7.1\"]\n[White \"a \\\"quoted\\\" name\"]\n[Black \"b\"]\n[Result \"1-0\"]",
            "[FEN \"7k/8/6K1/8/8/8/8/1Q6 b - - 0 60\"]\n[PlyCount \"2\"]\n[Termination \"normal\"]",
            "\n\n60... Kg8 {-",
            " 61. Qb8# {+M1} 1-0\n\n",
            "[Round \"7.2\"]\n[White \"b\"]\n[Black \"a \\\"quoted\\\" name\"]\n[Result \"1/2-1/2\"]",
            "[Termination \"adjudication\"]",
            "20... O-O {+0.",
            " 21. O-O-O {+0.00} 1/2-1/2\n",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        std::fs::write(&path, &text).unwrap();
        // The first game ended in mate, so it is not an opening.
        let ends = book::read(&path).unwrap();
        assert_eq!(ends.len(), 1);
        assert!(ends[0].fen(false).starts_with("r4rk1/8/8/8/8/8/8/2KR3R b"));
    }

    #[test]
    fn lines_are_not_longer_than_eighty_columns() {
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].map(|mv| (mv, 0));
        let start = Board::startpos().fen(false);
        let game = record(&start, &moves.repeat(9), GameResult::Draw);
        let text = written(&game, "1.1", ["a", "b"]);
        let moves = text.split_once("\n\n").unwrap().1;
        assert!(moves.lines().count() > 3 && moves.lines().all(|line| line.len() <= 80), "{moves}");
    }
}
