//! Names of openings by their positions.
//!
//! Source: the opening names of lichess, <https://github.com/lichess-org/chess-openings>, commit 51b88624 of
//! 2026-07-22, under the CC0 public domain dedication. `openings.tsv` has its five files one after the other, without
//! their heads and without move numbers: code (ECO), name, moves.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::chess::board::Board;

const TABLE: &str = include_str!("openings.tsv");

/// Code and name, as they stand in the table, by the key of the position.
static NAMES: LazyLock<HashMap<u64, &str>> = LazyLock::new(|| {
    let entry = |line: &'static str| {
        let (name, moves) = line.rsplit_once('\t')?;
        let mut board = Board::startpos();
        for san in moves.split(' ') {
            board = board.after(board.parse_san(san).ok()?);
        }
        Some((board.key(), name))
    };
    TABLE.lines().filter_map(entry).collect()
});

/// The code and the name of the opening, with a tab between them. `None` if the position has no name.
pub(super) fn name(board: &Board) -> Option<&'static str> {
    // After 30 moves no position has a name. So most of a game needs no look into the table.
    (board.fullmove() <= 30).then(|| NAMES.get(&board.key()).copied()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Board {
        moves
            .split_whitespace()
            .fold(Board::startpos(), |board, san| board.after(board.parse_san(san).unwrap()))
    }

    #[test]
    fn positions_have_names_whatever_the_order_of_moves() {
        let najdorf = Some("B90\tSicilian Defense: Najdorf Variation");
        assert_eq!(name(&after("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6")), najdorf);
        assert_eq!(name(&after("e4 d6 Nf3 c5 d4 cxd4 Nxd4 Nf6 Nc3 a6")), najdorf);
        assert_eq!(name(&Board::startpos()), None);
        assert_eq!(name(&after("a4 a5 h4 h5 Ra3 Ra6")), None);
    }

    #[test]
    fn each_line_of_the_table_is_a_position() {
        for line in TABLE.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [code, title, moves] = fields[..] else { panic!("{line}") };
            assert!(code.len() == 3 && !title.is_empty(), "{line}");
            let board = after(moves);
            assert!(board.fullmove() <= 30 && name(&board).is_some(), "{line}");
        }
    }
}
