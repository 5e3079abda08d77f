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
    pub fn of(source: &GameTree) -> PageTree {
        let boards = vec![source.start.clone()];
        let chess960 = source.is_chess960;
        let mut builder = PageTreeBuilder { boards, chess960, ..PageTreeBuilder::default() };
        builder.annotate(0, &source.before);
        let mut current = 0;
        for played in &source.moves {
            current = builder.play(current, Some(played.mv));
            builder.annotate(current, &played.after);
        }
        builder.finish()
    }

    /// A line of moves from a position.
    pub fn of_line(start: &Board, moves: &[Move], chess960: bool) -> PageTree {
        let mut builder =
            PageTreeBuilder { boards: vec![start.clone()], chess960, ..PageTreeBuilder::default() };
        moves.iter().fold(0, |current, &mv| builder.play(current, Some(mv)));
        builder.finish()
    }
}

#[derive(Default)]
struct PageTreeBuilder {
    tree: PageTree,
    /// The positions by their numbers.
    boards: Vec<Board>,
    chess960: bool,
    /// The number of moves beyond the limit.
    surplus: usize,
}

impl PageTreeBuilder {
    /// Plays a move from a position, or a null move. Returns the number of the next position.
    fn play(&mut self, parent: usize, mv: Option<Move>) -> usize {
        let board = &self.boards[parent];
        let after = mv.map_or_else(|| board.after_null(), |mv| board.after(mv));
        let played = match mv {
            Some(mv) => PlayedMove::new(board, mv, &after, self.chess960),
            None => PlayedMove::null(board, &after, self.chess960),
        };
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

    fn comment(&mut self, number: usize, text: String) {
        let comments = match number {
            0 => &mut self.tree.comments,
            _ => &mut self.tree.nodes[number - 1].comments,
        };
        comments.push(text);
    }

    /// Adds what stands after a move.
    fn annotate(&mut self, number: usize, annotations: &[Annotation]) {
        let mut words: Vec<&str> = Vec::new();
        for annotation in annotations {
            if let Annotation::Word(word) = annotation {
                words.push(word);
                continue;
            }
            self.keep(number, &mut words);
            match annotation {
                Annotation::Comment(text) => self.comment(number, text.clone()),
                Annotation::Glyph(nag) => {
                    if let Some(node) = number.checked_sub(1).map(|index| &mut self.tree.nodes[index])
                        && !node.nags.contains(nag)
                    {
                        node.nags.push(*nag);
                    }
                }
                Annotation::Variation(variation) => self.add_variation(number, variation),
                Annotation::Word(_) => {}
            }
        }
        self.keep(number, &mut words);
    }

    /// Keeps words that are no moves as a comment, so that they are not lost.
    fn keep(&mut self, number: usize, words: &mut Vec<&str>) {
        if !words.is_empty() {
            self.comment(number, words.join(" "));
            words.clear();
        }
    }

    /// Adds a variation in place of the move that has led to a position. The reader limits how deep they nest.
    fn add_variation(&mut self, number: usize, variation: &GameVariation) {
        let mut texts = Vec::new();
        for annotation in &variation.before {
            if let Annotation::Comment(text) | Annotation::Word(text) = annotation {
                texts.push(text.clone());
            }
        }
        let parent = number.checked_sub(1).map(|index| self.tree.nodes[index].parent);
        let Some(mut current) = parent.filter(|_| !variation.moves.is_empty()) else {
            texts.into_iter().for_each(|text| self.comment(number, text));
            return;
        };
        for (index, played) in variation.moves.iter().enumerate() {
            if self.tree.nodes.len() >= MAX_NODES {
                self.surplus += variation.moves.len() - index;
                return;
            }
            current = self.play(current, played.mv);
            self.tree.nodes[current - 1].before.append(&mut texts);
            self.annotate(current, &played.after);
        }
    }

    fn finish(mut self) -> PageTree {
        if self.surplus > 0 {
            self.tree.warnings.push(format!("variations beyond {MAX_NODES} moves were left out"));
        }
        self.tree
    }
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
        let answer = read("1. e4 (1. d4 e5 2. Ke4 Nf6) (1. c4) 1... e5 *");
        assert_eq!(words(&answer["nodes"], "san"), ["e4", "d4", "e5", "c4", "e5"]);
        assert_eq!(parents(&answer), [0, 0, 2, 0, 1]);
        let notes = format!("{} {}", answer["repairs"], answer["warnings"]);
        assert!(notes.contains("Ke4") && notes.contains("kept as it is"), "{notes}");
        let comment = answer["nodes"][2]["comments"][0].as_str().unwrap();
        assert!(comment.contains("Ke4") && comment.contains("Nf6"), "{comment}");
        // Variations without a move, and deep ones.
        let deep = format!("1. d4 {}{} d5 *", "(1. c4 ".repeat(500), ")".repeat(500));
        for text in ["1. d4 ({x}) 1... d5 *", "1. d4 (1. e4 ({x}) {y}) 1... d5 ({z}) *", &deep] {
            let answer = read(text);
            assert!(words(&answer["nodes"], "san").contains(&"d5"), "{text}");
        }
    }

    #[test]
    fn a_side_may_pass_in_a_variation() {
        let answer = read("1. e4 e5 (1... -- 2. d4 {threatens nothing}) 2. Nf3 *");
        assert_eq!(words(&answer["nodes"], "san"), ["e4", "e5", "--", "d4", "Nf3"]);
        assert_eq!(
            (&answer["nodes"][2]["uci"], &answer["nodes"][3]["number"]),
            (&json!("0000"), &json!("2."))
        );
    }

    #[test]
    fn a_variation_that_repeats_the_main_move_joins_it() {
        let answer = read("1. e4 e5 (1... e5 2. Bc4 {here}) 2. Nf3 *");
        assert_eq!(words(&answer["nodes"], "san"), ["e4", "e5", "Bc4", "Nf3"]);
        assert_eq!(parents(&answer), [0, 1, 2, 2]);
    }
}
