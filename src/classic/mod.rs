//! The classic searches that the production search descends from, written to be read: plain
//! NegaMax, the selective search that trusts estimates of half the depth, and plain alpha-beta
//! with principal variations.
//!
//! They are oracles. None of them has a table, a history or a judgement of its own, so that
//! each returns what its definition says, and the tests hold the production search against
//! them. All of them follow the same rules of the game: mate and stalemate, and below the root
//! draws by fifty moves and by dead material. Repetitions they do not see, for those belong to
//! a game and not to a position; the production search has to be told not to look for them
//! when the two are compared.

pub mod compare;
mod half_depth;
mod leaf;
mod negamax;
mod node_counter;
mod pv_alpha_beta;
mod rules;
mod searcher;

pub use leaf::{LeafValue, StaticLeaf};
pub use node_counter::{Allowance, Spent};
pub use searcher::{ClassicResult, ClassicSearcher};
