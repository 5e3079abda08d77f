//! Systems of which nothing is known: no thread is bound.

use super::Processors;

pub const IS_KNOWN: bool = false;

pub fn nodes(_allowed: &Processors) -> Vec<Processors> {
    Vec::new()
}

pub fn bind(_processors: &Processors) -> bool {
    false
}

pub fn granted(_wanted: &Processors) -> Processors {
    Processors::default()
}

pub fn given() -> Option<Processors> {
    None
}

pub fn bindable(nodes: Vec<Processors>) -> Vec<Processors> {
    nodes
}

pub fn spread_by_hand() -> Vec<Processors> {
    Vec::new()
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
