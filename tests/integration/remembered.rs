//! The static evaluation of single positions, remembered, for searches that are written to be simple. The evaluation
//! takes longer than a move, and many lines lead to one position.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use enfilade::chess::board::Board;
use enfilade::chess::types::{Score, Window};
use enfilade::engine::classic::LeafValue;
use enfilade::engine::eval::network::Network;
use enfilade::engine::eval::{self, Evaluator};

/// One of so many evaluations is compared with the plain one, which takes far longer. The tests of the
/// network compare all of a hundred thousand.
const COMPARED: u64 = 64;

/// Remembers the evaluation of each position with each clock. Clones share their memory.
#[derive(Clone)]
pub struct RememberedEvaluation(Rc<RefCell<Memory>>);

struct Memory {
    evaluator: Evaluator,
    known: HashMap<(u64, u32), Score>,
}

impl Default for RememberedEvaluation {
    fn default() -> RememberedEvaluation {
        let evaluator = Evaluator::new(Network::embedded());
        RememberedEvaluation(Rc::new(RefCell::new(Memory { evaluator, known: HashMap::new() })))
    }
}

impl RememberedEvaluation {
    /// The evaluation of `board` for the side to move.
    pub fn of(&self, board: &Board) -> Score {
        let Memory { evaluator, known } = &mut *self.0.borrow_mut();
        *known.entry((board.key(), board.halfmove_clock())).or_insert_with(|| {
            evaluator.reset(board);
            let score = evaluator.evaluate(board);
            if board.key().is_multiple_of(COMPARED) {
                assert_eq!(score, eval::evaluate(board), "{}", board.fen(false));
            }
            score
        })
    }
}

impl LeafValue for RememberedEvaluation {
    fn value(&mut self, board: &Board, _ply: usize, _window: Window) -> Score {
        self.of(board)
    }
}
