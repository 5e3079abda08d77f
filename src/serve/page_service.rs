//! The page, as the router sees it: files by their paths, and answers about positions.

use std::borrow::Cow;

use super::{page, position};

/// Where the page and its answers come from.
#[derive(Clone, Copy)]
pub(super) struct PageService {
    /// The content type and the bytes of the file at a path.
    pub file: fn(&str) -> Option<(&'static str, Cow<'static, [u8]>)>,
    /// A status of HTTP and JSON for a question in JSON.
    pub position: fn(&str) -> (u16, String),
}

impl PageService {
    /// The page of this program.
    pub const BUILT_IN: PageService = PageService {
        file: |path| page::asset(path).map(|asset| (asset.content_type, asset.bytes)),
        position: position::answer,
    };
}
