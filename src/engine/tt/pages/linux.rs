//! Linux: anonymous mappings, which cost nothing before they are touched; advice to make large pages of them; and the
//! administrator's reserve.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::{Advice, MmapMut, MmapOptions, MmapRaw};

use crate::base::machine;
use crate::base::numa::Binding;
use crate::engine::tt::cluster::Cluster;
use crate::engine::tt::page_kind::{PageKind, in_pages};
use crate::engine::tt::parts;

/// A mapping. It is kept raw, so that no reference to its bytes ever exists beside those to the clusters.
pub struct Mapping(MmapRaw);

impl Mapping {
    /// Linux provides memory when it is touched.
    pub fn provide(&self, _bytes: usize) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }
}

/// Memory that Linux provides when it is touched.
pub fn ordinary(bytes: usize) -> io::Result<(Mapping, PageKind)> {
    let map = MmapRaw::from(MmapMut::map_anon(bytes)?);
    let is_granted = map.advise(Advice::HugePage).is_ok();
    // With the setting "never", the system accepts the advice and ignores it.
    let is_off = machine::are_transparent_pages_off();
    Ok((Mapping(map), if is_granted && !is_off { PageKind::Huge } else { PageKind::Standard }))
}

/// The kinds of reserved pages with the binary logarithms of their sizes, the best first.
const RESERVED: [(PageKind, u8); 2] = [(PageKind::ReservedGibibyte, 30), (PageKind::ReservedHuge, 21)];

/// Mapping of the administrator's reserve; `None` if there are not enough.
pub fn reserved(bytes: usize, binding: &Binding) -> Option<(Mapping, PageKind)> {
    RESERVED.iter().find_map(|&(kind, page_bits)| {
        let length = in_pages(bytes, page_bits, binding.nodes().len())?;
        Some((Mapping(map_reserved(length, page_bits, binding)?), kind))
    })
}

/// Maps reserved pages and fills them; `None` if one is missing. Before version 5.14, Linux could provide pages only by
/// touching them, so no reserved pages are used there.
fn map_reserved(length: usize, page_bits: u8, binding: &Binding) -> Option<MmapRaw> {
    let map = MmapRaw::from(MmapOptions::new().huge(Some(page_bits)).len(length).map_anon().ok()?);
    let is_had = AtomicBool::new(true);
    let size = size_of::<Cluster>();
    parts::for_each(length / size, binding, |part| {
        let (offset, length) = (part.start * size, part.len() * size);
        if map.advise_range(Advice::PopulateWrite, offset, length).is_err() {
            is_had.store(false, Ordering::Relaxed);
        }
    });
    is_had.into_inner().then_some(map)
}

/// Linux locks no pages for this.
pub fn locked(_bytes: usize, _binding: &Binding) -> Option<(Mapping, PageKind)> {
    None
}
