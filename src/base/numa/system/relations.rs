//! The records of Windows' `GetLogicalProcessorInformationEx` about NUMA nodes, and its processor groups. This is plain
//! work on bytes, so that machines with several groups can be tested on any system.
//!
//! Windows numbers processors within groups of at most 64. Here processor p of group g has the number 64 g + p, as in
//! Stockfish.

use super::Processors;

/// The most processors of a group.
pub const GROUP: usize = 64;

/// Where the parts of a record lie, in bytes, if pointers have 64 bits: `SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX` with
/// a `NUMA_NODE_RELATIONSHIP`. Each mask belongs to a group.
const SIZE: usize = 4;
const MASK_COUNT: usize = 30;
const MASKS: usize = 32;
const MASK_BYTES: usize = 16;
const GROUP_NUMBER: usize = 8;

/// The processors of each node that the records describe, in their order. If a record is malformed, the machine is not
/// understood and has no nodes.
pub fn nodes(records: &[u8]) -> Vec<Processors> {
    let mut nodes = Vec::new();
    let mut rest = records;
    while !rest.is_empty() {
        let Some((node, size)) = node(rest) else { return Vec::new() };
        nodes.push(node);
        rest = &rest[size..];
    }
    nodes
}

/// The node of the first record, and the size of the record.
fn node(records: &[u8]) -> Option<(Processors, usize)> {
    let size = u32::from_le_bytes(bytes(records, SIZE)?) as usize;
    let record = records.get(..size)?;
    // Before Windows Server 2022 a node has one mask, and the number of masks is 0.
    let count = u16::from_le_bytes(bytes(record, MASK_COUNT)?).max(1);
    let mut node = Vec::new();
    for place in (MASKS..).step_by(MASK_BYTES).take(count.into()) {
        let mask = u64::from_le_bytes(bytes(record, place)?);
        let group = u16::from_le_bytes(bytes(record, place + GROUP_NUMBER)?);
        node.extend(numbers(group, mask).filter(|&number| number < Processors::LIMIT));
    }
    Some((node.into_iter().collect(), size))
}

fn bytes<const N: usize>(record: &[u8], place: usize) -> Option<[u8; N]> {
    record.get(place..)?.first_chunk().copied()
}

/// The numbers of the processors in a group's mask.
pub fn numbers(group: u16, mask: u64) -> impl Iterator<Item = usize> {
    (0..GROUP).filter(move |&bit| mask >> bit & 1 == 1).map(move |bit| GROUP * usize::from(group) + bit)
}

/// The processors by group: for each group that has any, its number and its mask.
pub fn groups(processors: &Processors) -> Vec<(u16, u64)> {
    let mut groups: Vec<(u16, u64)> = Vec::new();
    for number in processors.iter() {
        // The numbers are below 1,024.
        let (group, bit) = ((number / GROUP) as u16, 1 << (number % GROUP));
        match groups.last_mut() {
            Some((last, mask)) if *last == group => *mask |= bit,
            _ => groups.push((group, bit)),
        }
    }
    groups
}

/// The nodes with each part of a node that lies in one group as a node of its own: a thread runs in one group.
pub fn split(nodes: &[Processors]) -> Vec<Processors> {
    let parts = nodes.iter().flat_map(groups);
    parts.map(|(group, mask)| numbers(group, mask).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record as Windows writes it, with the number of masks as it is counted since Windows Server 2022.
    fn record(node: u32, masks: &[(u16, u64)]) -> Vec<u8> {
        let mut record = vec![0; MASKS];
        record[..4].copy_from_slice(&1_u32.to_le_bytes());
        record[SIZE..8].copy_from_slice(&((MASKS + MASK_BYTES * masks.len()) as u32).to_le_bytes());
        record[8..12].copy_from_slice(&node.to_le_bytes());
        record[MASK_COUNT..].copy_from_slice(&(masks.len() as u16).to_le_bytes());
        for &(group, mask) in masks {
            record.extend(mask.to_le_bytes());
            record.extend(u64::from(group).to_le_bytes());
        }
        record
    }

    fn text(nodes: &[Processors]) -> String {
        nodes.iter().map(Processors::to_string).collect::<Vec<_>>().join(":")
    }

    #[test]
    fn nodes_are_read_from_records() {
        let full = u64::MAX;
        for (masks, found, by_group) in [
            (&[&[(0, 0b11)][..]][..], "0-1", "0-1"),
            (&[&[(0, 0xff)], &[(0, 0xff00)]], "0-7:8-15", "0-7:8-15"),
            // One node of 128 processors, with and without the nodes that Windows 10 makes of it.
            (&[&[(0, full), (1, full)]], "0-127", "0-63:64-127"),
            (&[&[(0, full)], &[(1, full)]], "0-63:64-127", "0-63:64-127"),
            // 96 processors a node.
            (
                &[&[(0, full), (1, 0xffff_ffff)], &[(2, full), (3, 0xffff_ffff)]],
                "0-95:128-223",
                "0-63:64-95:128-191:192-223",
            ),
            // A node of memory only, and processors that are offline.
            (&[&[(0, 0)], &[(1, 0b1011)]], ":64-65,67", "64-65,67"),
            (&[], "", ""),
        ] {
            let records: Vec<u8> =
                masks.iter().zip(0..).flat_map(|(masks, number)| record(number, masks)).collect();
            assert_eq!(text(&nodes(&records)), found);
            assert_eq!(text(&split(&nodes(&records))), by_group);
            let cut = records.len().saturating_sub(1);
            assert_eq!(nodes(&records[..cut]), Vec::new(), "an incomplete record");
        }
    }

    #[test]
    fn older_records_do_not_count_their_masks() {
        let mut old = record(0, &[(1, 0b110)]);
        old[MASK_COUNT] = 0;
        assert_eq!(text(&nodes(&old)), "65-66");
        assert_eq!(nodes(&[0; 64]), Vec::new(), "a record of no size");
    }

    #[test]
    fn processors_have_groups() {
        let processors: Processors = "0,63-64,1023".parse().expect("a list");
        assert_eq!(groups(&processors), [(0, 1 << 63 | 1), (1, 1), (15, 1 << 63)]);
        assert_eq!(groups(&Processors::default()), []);
    }
}
