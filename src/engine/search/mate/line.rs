//! From a proof to the lines that are shown: the attacker plays the shortest known mate, and the defender holds out
//! longest.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::expansion::Child;
use super::numbers::{Numbers, ProofSide};
use super::question::MatePosition;
use super::solver::{NodeCounting, Solver};
use crate::chess::board::{Board, FIFTY_MOVES, Move};

/// A proven mate, and a line that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MateLine {
    /// Plies from the root within which the mate comes, whatever the defender does. The line has no more plies than
    /// this.
    pub plies: usize,
    pub moves: Vec<Move>,
}

/// The most positions of a proof that are visited to measure the length of its mate.
const MEASURED_POSITIONS: usize = 20_000;

/// Plies to the mate, by key and number of plies left.
#[derive(Default)]
struct MateLengths(HashMap<(u64, u8), usize>);

impl MateLengths {
    fn get(&self, position: MatePosition<'_>) -> Option<usize> {
        if is_mated(position.board) {
            Some(0)
        } else {
            self.0.get(&(position.key(), position.remaining)).copied()
        }
    }
}

impl Solver {
    /// The lines of a proof, best for the side to move first: one for the attacker, up to `count` for the defender.
    /// Empty if some facts are no longer in the table and could not be proven again before the end of the search.
    pub fn lines(&mut self, counting: &mut impl NodeCounting, count: usize) -> Vec<MateLine> {
        let root = self.question.root.clone();
        let position = MatePosition { board: &root, remaining: self.question.limit, ply: 0 };
        let mut first = self.proven_children(counting, position).unwrap_or_default();
        let mut lengths = MateLengths::default();
        let count = match self.question.side_to_move(&root) {
            ProofSide::Attacker => 1,
            ProofSide::Defender => {
                // All moves are measured, because the mate that the table knows for a move may not be its shortest one.
                let mut length = |child: &Child| {
                    let plies = self.measure(counting, position.after(&root.after(child.mv)), &mut lengths);
                    Reverse(plies.unwrap_or(usize::from(child.known.mate_in)))
                };
                first.sort_by_cached_key(&mut length);
                count
            }
        };
        first.truncate(count);
        let all = first.len();
        let lines: Vec<MateLine> =
            first.iter().filter_map(|child| self.line(counting, position, child, &mut lengths)).collect();
        let is_whole = lines.len() == all && lines.iter().all(|line| self.is_mate(line));
        if is_whole { lines } else { Vec::new() }
    }

    /// The line that begins with a proven root move, and the plies that the proof needs at most.
    fn line(
        &mut self,
        counting: &mut impl NodeCounting,
        root: MatePosition<'_>,
        first: &Child,
        lengths: &mut MateLengths,
    ) -> Option<MateLine> {
        let mut moves = vec![first.mv];
        let mut board = root.board.after(first.mv);
        let plies = self.measure(counting, root.after(&board), lengths);
        while !is_mated(&board) {
            let played = moves.len();
            let position = MatePosition {
                board: &board,
                remaining: root.remaining - played as u8,
                ply: root.ply + played,
            };
            let children = self.proven_children(counting, position)?;
            let length = |child: &Child| lengths.get(position.after(&board.after(child.mv)));
            let best = match self.question.side_to_move(&board) {
                ProofSide::Attacker => children.first(),
                // The first of those that hold out longest.
                ProofSide::Defender => {
                    children.iter().rev().max_by_key(|child| (length(child), child.known.mate_in))
                }
            };
            let mv = best?.mv;
            moves.push(mv);
            board = board.after(mv);
        }
        let proven = 1 + plies.unwrap_or(usize::from(first.known.mate_in));
        Some(MateLine { plies: proven.max(moves.len()), moves })
    }

    /// Plies to the mate if the attacker plays its best known move and the defender holds out longest. The number in
    /// the table may be larger: when a shorter mate is found later, the positions before it are not updated. `None` if
    /// the proof is too large to go through.
    fn measure(
        &mut self,
        counting: &mut impl NodeCounting,
        position: MatePosition<'_>,
        lengths: &mut MateLengths,
    ) -> Option<usize> {
        if is_mated(position.board) {
            return Some(0);
        }
        if let Some(plies) = lengths.get(position) {
            return Some(plies);
        }
        if lengths.0.len() >= MEASURED_POSITIONS {
            return None;
        }
        let children = self.proven_children(counting, position)?;
        let replies = match self.question.side_to_move(position.board) {
            ProofSide::Attacker => 1,
            ProofSide::Defender => children.len(),
        };
        let mut longest = 0;
        for child in &children[..replies] {
            let board = position.board.after(child.mv);
            longest = longest.max(self.measure(counting, position.after(&board), lengths)?);
        }
        lengths.0.insert((position.key(), position.remaining), longest + 1);
        Some(longest + 1)
    }

    /// The moves of a proven position that lead to mate, best first. Facts that are no longer in the table are proven
    /// again.
    fn proven_children(
        &mut self,
        counting: &mut impl NodeCounting,
        position: MatePosition<'_>,
    ) -> Option<Vec<Child>> {
        let side = self.question.side_to_move(position.board);
        let mut proven = self.proven(position);
        if proven.is_none() {
            self.pause_at = u64::MAX;
            self.visit(counting, position, Numbers::UNLIMITED);
            proven = self.proven(position);
        }
        let mut children = proven?;
        match side {
            ProofSide::Attacker => children.sort_by_key(|child| child.known.mate_in),
            ProofSide::Defender => children.sort_by_key(|child| Reverse(child.known.mate_in)),
        }
        Some(children)
    }

    /// The proven moves, if they prove the position.
    fn proven(&self, position: MatePosition<'_>) -> Option<Vec<Child>> {
        let mut children = self.question.children(&self.table, position);
        let all = children.len();
        children.retain(|child| child.known.numbers.is_proven());
        let is_proof = match self.question.side_to_move(position.board) {
            ProofSide::Attacker => !children.is_empty(),
            ProofSide::Defender => all > 0 && children.len() == all,
        };
        is_proof.then_some(children)
    }

    /// Whether the line is legal and ends in mate, without a draw on the way.
    fn is_mate(&self, line: &MateLine) -> bool {
        let mut seen: Vec<u64> = vec![self.question.root.key()];
        let mut board = self.question.root.clone();
        for &mv in &line.moves {
            if !board.is_legal(mv) {
                return false;
            }
            board = board.after(mv);
            let is_over = board.legal_moves().is_empty();
            let is_repeated = seen.contains(&board.key()) || self.question.drawn.contains(&board.key());
            if is_repeated || (board.halfmove_clock() >= FIFTY_MOVES && !is_over) {
                return false;
            }
            seen.push(board.key());
        }
        is_mated(&board) && board.turn() != self.question.attacker
    }
}

fn is_mated(board: &Board) -> bool {
    board.in_check() && board.legal_moves().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Game;

    /// Counts the nodes and never ends.
    #[derive(Default)]
    struct Count(u64);

    impl NodeCounting for Count {
        fn enter(&mut self, _ply: usize) {
            self.0 += 1;
        }

        fn count(&self) -> u64 {
            self.0
        }

        fn is_over(&self) -> bool {
            false
        }
    }

    fn game(fen: &str, moves: &str) -> Game {
        let (mut game, _) = Game::from_fen(fen).unwrap();
        for text in moves.split_whitespace() {
            game.play_uci(text).unwrap();
        }
        game
    }

    /// The lines by which the side to move mates within `plies` plies. If `plies` is even, the side to move is mated
    /// instead.
    fn solved(game: &Game, plies: u8) -> Vec<String> {
        solved_by(game, &game.board().legal_moves(), plies)
    }

    /// The lines of [`solved`] if only these moves are allowed.
    fn solved_by(game: &Game, moves: &[Move], plies: u8) -> Vec<String> {
        let turn = game.board().turn();
        let attacker = if plies % 2 == 1 { turn } else { !turn };
        let mut solver = Solver::new(game, moves.to_vec(), attacker, plies);
        let mut count = Count::default();
        assert!(solver.search(&mut count, u64::MAX).numbers.is_solved());
        let text = |line: &MateLine| {
            let moves: Vec<String> = line.moves.iter().map(|mv| mv.to_uci(true).to_string()).collect();
            format!("{}: {}", line.plies, moves.join(" "))
        };
        solver.lines(&mut count, 2).iter().map(text).collect()
    }

    const ROOK: &str = "7k/8/5K2/8/8/8/8/6R1 w - -";

    #[test]
    fn the_fifty_move_rule_draws_unless_the_last_move_mates() {
        let mate = ["3: f6f7 h8h7 g1h1"];
        for (clock, expected) in [(0, &mate[..]), (97, &mate), (98, &[]), (99, &[])] {
            assert_eq!(solved(&game(&format!("{ROOK} {clock} 80"), ""), 3), expected, "clock {clock}");
        }
        assert_eq!(solved(&game("k7/8/1K6/8/8/8/8/7R w - - 99 120", ""), 1), ["1: h1h8"]);
    }

    #[test]
    fn a_third_occurrence_of_a_position_is_a_draw() {
        let cycle = "f6f7 h8h7 f7f6 h7h8 ";
        let after = |cycles: usize| solved(&game(&format!("{ROOK} 0 1"), &cycle.repeat(cycles)), 3);
        assert_eq!(after(1), ["3: f6f7 h8h7 g1h1"]);
        assert!(after(2).is_empty());
    }

    #[test]
    fn stalemate_and_insufficient_material_are_no_mate() {
        assert!(solved(&game("7k/8/6QK/8/8/8/8/8 b - - 0 1", ""), 2).is_empty());
        assert!(solved(&game("7k/8/5K1N/8/8/8/8/8 w - - 0 1", ""), 7).is_empty());
    }

    #[test]
    fn castling_mates_in_chess960() {
        assert_eq!(solved(&game("5k2/8/8/8/8/8/4R1R1/5K1R w H - 0 1", ""), 1), ["1: f1h1"]);
    }

    #[test]
    fn a_pawn_mates_in_passing() {
        let game = game("5K2/4p3/2qk4/2nP4/3r4/6B1/B7/3R4 b - - 0 1", "");
        let push = game.parse_uci("e7e5").unwrap();
        assert_eq!(solved_by(&game, &[push], 2), ["2: e7e5 d5e6"]);
        assert!(solved(&game, 2).is_empty());
    }

    #[test]
    fn the_side_that_is_mated_has_a_line_for_each_move() {
        assert_eq!(solved(&game("7k/5K2/8/8/8/8/6R1/8 b - - 0 1", ""), 2), ["2: h8h7 g2h2"]);
        assert!(solved(&game("8/8/8/8/8/2k5/1q6/K7 w - - 0 1", ""), 2).is_empty(), "mated already");
    }

    #[test]
    fn a_proof_lost_from_the_table_is_found_again() {
        let game = game(&format!("{ROOK} 0 1"), "");
        let mut solver = Solver::new(&game, game.board().legal_moves().to_vec(), game.board().turn(), 5);
        let mut count = Count::default();
        assert!(solver.search(&mut count, u64::MAX).numbers.is_proven());
        solver.table = super::super::table::ProofTable::new();
        let lines = solver.lines(&mut count, 1);
        assert!(
            lines.len() == 1 && lines[0].moves.len() <= lines[0].plies && lines[0].plies <= 5,
            "{lines:?}"
        );
    }
}
