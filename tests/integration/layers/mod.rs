//! The layer rule: imports run strictly downward, so that the table in `docs/architecture.md` stays true (`edges`). The
//! files of a module do not import each other in a circle (`order`).

mod edges;
mod order;
mod tokens;
