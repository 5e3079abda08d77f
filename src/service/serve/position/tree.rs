//! A game as a tree: its main line with all variations, comments and glyphs.

use serde::Serialize;

use super::written::PlayedMove;
use crate::chess::board::{Board, Move};
use crate::chess::pgn::{Annotation, GameTree, GameVariation};

/// The greatest number of moves in a game with its variations.
const MAX_NODES: usize = 20_000;

/// The moves of a game. Each move follows its parent; the first move after a parent is the main one.
#[derive(Serialize, Debug, Default)]
pub(super) struct PageTree {
    /// The comments before the first move.
    pub comments: Vec<String>,
    pub nodes: Vec<PageNode>,
    /// What was left out.
    pub warnings: Vec<String>,
}

/// A move of the tree.
#[derive(Serialize, Debug)]
pub(super) struct PageNode {
    /// The number of the position before the move: 0 is the start, `n` the position after move `n`.
    parent: usize,
    #[serde(flatten)]
    played: PlayedMove,
    /// The comments before the move, at the beginning of a variation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    /// The comments after the move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    /// The numeric annotation glyphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nags: Vec<u8>,
}

impl PageTree {
    /// The tree of a game as its author wrote it.
    pub fn of(game: &GameTree) -> PageTree {
        let mut builder = PageTreeBuilder {
            boards: vec![game.start.clone()],
            chess960: game.is_chess960,
            ..PageTreeBuilder::default()
        };
        builder.annotate(0, &game.before);
        let mut current = 0;
        for played in &game.moves {
            current = builder.play(current, played.mv);
            builder.annotate(current, &played.after);
        }
        builder.finish()
    }

    /// A line of moves from a position.
    pub fn of_line(start: &Board, moves: &[Move], chess960: bool) -> PageTree {
        let mut builder =
            PageTreeBuilder { boards: vec![start.clone()], chess960, ..PageTreeBuilder::default() };
        moves.iter().fold(0, |current, &mv| builder.play(current, mv));
        builder.finish()
    }
}

#[derive(Default)]
struct PageTreeBuilder {
    tree: PageTree,
    /// The positions by their numbers.
    boards: Vec<Board>,
    chess960: bool,
    /// The numbers of parts that were left out, and of variations beyond the limit.
    wrong: usize,
    first_wrong: Option<String>,
    surplus: usize,
}

impl PageTreeBuilder {
    /// Plays a move from a position. Returns the number of the next position.
    fn play(&mut self, parent: usize, mv: Move) -> usize {
        let board = &self.boards[parent];
        let after = board.after(mv);
        let played = PlayedMove::new(board, mv, &after, self.chess960);
        let known = self.tree.nodes[parent.min(self.tree.nodes.len())..]
            .iter()
            .position(|node| node.parent == parent && node.played.spelled.uci == played.spelled.uci);
        if let Some(index) = known {
            return parent + index + 1;
        }
        self.tree.nodes.push(PageNode {
            parent,
            played,
            before: Vec::new(),
            comments: Vec::new(),
            nags: Vec::new(),
        });
        self.boards.push(after);
        self.tree.nodes.len()
    }

    fn node(&mut self, number: usize) -> Option<&mut PageNode> {
        self.tree.nodes.get_mut(number.checked_sub(1)?)
    }

    fn comment(&mut self, number: usize, text: &str) {
        let comments = match number {
            0 => &mut self.tree.comments,
            _ => &mut self.tree.nodes[number - 1].comments,
        };
        comments.push(text.to_owned());
    }

    /// Adds what stands behind a move. The position after the move has this number.
    fn annotate(&mut self, current: usize, annotations: &[Annotation]) {
        for annotation in annotations {
            match annotation {
                Annotation::Comment(text) => self.comment(current, text),
                Annotation::Glyph(nag) => {
                    if let Some(node) = self.node(current).filter(|node| !node.nags.contains(nag)) {
                        node.nags.push(*nag);
                    }
                }
                Annotation::Variation(variation) => match self.node(current).map(|node| node.parent) {
                    Some(parent) => self.vary(parent, current, variation),
                    // A variation replaces a move, and here is none.
                    None => self.leave_out(None),
                },
                Annotation::Word(word) => self.leave_out(Some(format!("\"{word}\" is not understood"))),
            }
        }
    }

    /// Adds a variation of moves from the position `parent`, instead of the move to the position `main`.
    fn vary(&mut self, parent: usize, main: usize, variation: &GameVariation) {
        let mut before = texts(&variation.before);
        let mut current = parent;
        for played in &variation.moves {
            let Some(mv) = played.mv else {
                self.leave_out(Some("a null move cannot be shown".to_owned()));
                break;
            };
            if self.tree.nodes.len() >= MAX_NODES {
                self.surplus += 1;
                break;
            }
            current = self.play(current, mv);
            if let Some(node) = self.node(current) {
                node.before.append(&mut before);
            }
            self.annotate(current, &played.after);
        }
        before.iter().for_each(|text| self.comment(main, text));
    }

    /// Counts a part that is left out.
    fn leave_out(&mut self, reason: Option<String>) {
        self.wrong += 1;
        if self.first_wrong.is_none() {
            self.first_wrong = reason;
        }
    }

    fn finish(mut self) -> PageTree {
        if self.wrong > 0 {
            let count = if self.wrong == 1 { "a part".to_owned() } else { format!("{} parts", self.wrong) };
            let reason = self.first_wrong.map(|reason| format!(": {reason}")).unwrap_or_default();
            self.tree.warnings.push(format!("{count} of the variations left out{reason}"));
        }
        if self.surplus > 0 {
            self.tree.warnings.push(format!("variations beyond {MAX_NODES} moves were left out"));
        }
        self.tree
    }
}

/// The comments of a list.
fn texts(annotations: &[Annotation]) -> Vec<String> {
    let text = |annotation: &Annotation| match annotation {
        Annotation::Comment(text) => Some(text.clone()),
        _ => None,
    };
    annotations.iter().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::{good, words};

    fn read(text: &str) -> Value {
        good("game", &json!({ "text": text }))
    }

    fn parents(answer: &Value) -> Vec<u64> {
        answer["nodes"].as_array().unwrap().iter().map(|node| node["parent"].as_u64().unwrap()).collect()
    }

    #[test]
    fn variations_comments_and_glyphs_are_kept() {
        let answer = read(
            "{first} 1. e4! {[%clk 0:01:00] good} (1. d4 {calm} 1... d5 (1... Nf6 $5 {Indian}) 2. c4) \
             1... e5 $2 $10 ({or} 1... c5 2. Nf3) 2. Nf3 *",
        );
        assert_eq!(words(&answer["nodes"], "san"), ["e4", "d4", "d5", "Nf6", "c4", "e5", "c5", "Nf3", "Nf3"]);
        assert_eq!(parents(&answer), [0, 0, 2, 2, 3, 1, 1, 7, 6]);
        assert_eq!(answer["comments"], json!(["first"]));
        let node = |index: usize| &answer["nodes"][index];
        assert_eq!(node(0)["comments"], json!(["[%clk 0:01:00] good"]));
        assert_eq!((&node(0)["nags"], &node(5)["nags"]), (&json!([1]), &json!([2, 10])));
        assert_eq!((&node(3)["nags"], &node(3)["comments"]), (&json!([5]), &json!(["Indian"])));
        assert_eq!((&node(6)["before"], &node(6)["number"]), (&json!(["or"]), &json!("1...")));
        assert_eq!(answer["warnings"], json!([]));
    }

    #[test]
    fn a_wrong_variation_does_not_take_the_game_with_it() {
        let answer = read("1. e4 (1. d4 e5 2. Ke4 (2. c4) Nf6) (1. c4) 1... e5 *");
        assert_eq!(words(&answer["nodes"], "san"), ["e4", "d4", "e5", "c4", "e5"]);
        assert_eq!(parents(&answer), [0, 0, 2, 0, 1]);
        assert_eq!(
            answer["warnings"],
            json!(["the rest of a variation was left out: 2. Ke4 is not legal here"])
        );
        // Variations where there is no move that they could replace.
        for text in ["(1. e4) 1. d4 *", "1. d4 ((1. e4) 1. c4) d5 *", "1. d4 (1. e4 ({x}) {y}) d5 ({z}) *"] {
            let answer = read(text);
            assert!(words(&answer["nodes"], "san").contains(&"d4"), "{text}");
        }
    }

    #[test]
    fn a_variation_that_repeats_the_main_move_joins_it() {
        let answer = read("1. e4 e5 (1... e5 2. Bc4 {here}) 2. Nf3 *");
        assert_eq!(words(&answer["nodes"], "san"), ["e4", "e5", "Bc4", "Nf3"]);
        assert_eq!(parents(&answer), [0, 1, 2, 2]);
    }
}
