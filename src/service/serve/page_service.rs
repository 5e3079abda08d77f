//! The page, as the router sees it: files by their paths, and answers about positions and games.

use super::page::{self, Asset};
use super::position;
use crate::engine::tablebase::Tablebases;

/// Where the page and its answers come from.
#[derive(Clone, Copy)]
pub(super) struct PageService {
    /// The file at a path.
    pub file: fn(&str) -> Option<Asset>,
    /// A status of HTTP and JSON for a question in JSON about a topic; `None` if there is no such topic.
    pub answer: fn(&str, &str, &Tablebases) -> Option<(u16, String)>,
}

impl PageService {
    /// The page of this program.
    pub const BUILT_IN: PageService = PageService { file: page::asset, answer: position::answer };
}
