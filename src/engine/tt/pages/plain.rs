//! Systems without large pages for the table: anonymous mappings. Miri uses this too, because it knows no advice about
//! mappings.

use std::io;

use memmap2::{MmapMut, MmapRaw};

use crate::base::numa::Binding;
use crate::engine::tt::page_kind::PageKind;

/// A mapping. It is kept raw, so that no reference to its bytes ever exists beside those to the clusters.
pub struct PlainMapping(MmapRaw);

impl PlainMapping {
    /// The system provides memory when it is touched.
    pub fn provide(&self, _bytes: usize) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }
}

pub fn ordinary(bytes: usize) -> io::Result<(PlainMapping, PageKind)> {
    Ok((PlainMapping(MmapRaw::from(MmapMut::map_anon(bytes)?)), PageKind::Standard))
}

pub fn reserved(_bytes: usize, _binding: &Binding) -> Option<(PlainMapping, PageKind)> {
    None
}

pub fn locked(_bytes: usize, _binding: &Binding) -> Option<(PlainMapping, PageKind)> {
    None
}
