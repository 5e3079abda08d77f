//! The layer rule: imports run strictly downward, so that the wings of `docs/architecture.md` stay true (`edges`). The
//! files of a module do not import each other in a circle (`order`).

mod edges;
mod order;
mod tokens;
