//! The classic searches from which the production search descends, written to be read: plain NegaMax, the selective
//! search that trusts estimates of half the depth, and plain alpha-beta with principal variations.
//!
//! They are oracles. None of them has a table, a history or a judgment of its own. So each returns what its definition
//! says, and the tests compare the production search with them. All of them follow the same rules of the game: mate and
//! stalemate, and below the root draws by the fifty-move rule and by insufficient material. They do not see
//! repetitions, because those belong to a game and not to a position. When the two are compared, the production search
//! must not look for repetitions either.

pub mod compare;
mod half_depth;
mod leaf;
mod negamax;
mod node_counter;
mod pv_alpha_beta;
mod rules;
mod searcher;

pub use leaf::{LeafValue, StaticLeaf};
pub use node_counter::{LimitReached, NodeLimit};
pub use searcher::{ClassicResult, ClassicSearcher};
