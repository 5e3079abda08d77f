//! Systems without large pages for the table: anonymous mappings. Miri uses this too: it knows no advice about mappings.

use std::io;

use memmap2::{MmapMut, MmapRaw};

use crate::numa::Binding;
use crate::tt::memory::PageKind;

/// A mapping. It is kept raw, so that no reference to its bytes ever exists beside those to the clusters.
pub struct Pages(MmapRaw);

impl Pages {
    /// The system provides memory when it is touched.
    pub fn provide(&self, _bytes: usize) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }
}

pub fn ordinary(bytes: usize) -> io::Result<(Pages, PageKind)> {
    Ok((Pages(MmapRaw::from(MmapMut::map_anon(bytes)?)), PageKind::Standard))
}

pub fn reserved(_bytes: usize, _binding: &Binding) -> Option<(Pages, PageKind)> {
    None
}

pub fn locked(_bytes: usize, _binding: &Binding) -> Option<(Pages, PageKind)> {
    None
}
