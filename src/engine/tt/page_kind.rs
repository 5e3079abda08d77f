//! The kinds of pages that a table can lie in.

use std::fmt;

/// The kind of pages that a table lies in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageKind {
    /// Pages of 1 GiB from the administrator's reserve.
    ReservedGibibyte,
    /// Pages of 2 MiB from the administrator's reserve.
    ReservedHuge,
    /// The system was asked for 2 MiB pages and grants such requests.
    Huge,
    /// Windows' large pages, locked in memory.
    Locked,
    /// Pages of the system's usual size.
    Standard,
}

impl PageKind {
    /// Whether the memory comes from the administrator's reserve.
    pub(super) fn is_reserved(self) -> bool {
        matches!(self, PageKind::ReservedGibibyte | PageKind::ReservedHuge)
    }

    /// Whether all pages have their places once they are mapped, and none of them waits for its first touch.
    pub(super) fn is_placed(self) -> bool {
        self.is_reserved() || self == PageKind::Locked
    }
}

impl fmt::Display for PageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PageKind::ReservedGibibyte => "reserved 1 GiB pages",
            PageKind::ReservedHuge => "reserved 2 MiB pages",
            PageKind::Huge => "2 MiB pages",
            PageKind::Locked => "large pages",
            PageKind::Standard => "standard pages",
        })
    }
}

/// The length of a table of `bytes` in whole pages of 2^`page_bits` bytes. `None` if that wastes more than one part in
/// 16, or if `nodes` nodes cannot have equal shares.
#[cfg(not(loom))]
#[cfg_attr(
    not(any(target_os = "linux", windows, test)),
    expect(dead_code, reason = "there are no large pages")
)]
pub(super) fn in_pages(bytes: usize, page_bits: u8, nodes: usize) -> Option<usize> {
    /// With several nodes, each must have at least this many pages of a table. Otherwise the pages are too large, and
    /// the nodes would have unequal shares. (Stockfish's rule for pages of 1 GiB, pull request 6681 of 2026.)
    const PAGES_OF_NODE: usize = 8;

    let length = bytes.checked_next_multiple_of(1 << page_bits)?;
    let is_even = nodes < 2 || length >> page_bits >= PAGES_OF_NODE * nodes;
    (is_even && length - bytes <= bytes / 16).then_some(length)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn large_pages_are_used_only_by_tables_that_nearly_fill_them() {
        let (mebibyte, gibibyte) = (1_usize << 20, 1_usize << 30);
        for (bytes, page_bits, length) in [
            (gibibyte, 30, Some(gibibyte)),
            (gibibyte - mebibyte, 30, Some(gibibyte)),
            (gibibyte + mebibyte, 30, None),
            (64 * mebibyte, 30, None),
            (16 * gibibyte + 1, 30, Some(17 * gibibyte)),
            (17 * mebibyte, 21, Some(18 * mebibyte)),
            (15 * mebibyte, 21, None),
            (mebibyte, 21, None),
            (2 * mebibyte, 21, Some(2 * mebibyte)),
            (usize::MAX, 30, None),
        ] {
            for nodes in [0, 1] {
                assert_eq!(
                    in_pages(bytes, page_bits, nodes),
                    length,
                    "{bytes} bytes in pages of 2^{page_bits}"
                );
            }
        }
        assert_eq!(in_pages(15 * gibibyte, 30, 2), None);
        assert_eq!(in_pages(16 * gibibyte, 30, 2), Some(16 * gibibyte));
    }
}
