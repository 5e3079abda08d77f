//! Amounts of memory for people.

/// A number of bytes in the largest unit of which there are ten or more.
pub(super) fn amount(bytes: u64) -> String {
    let mebibytes = bytes >> 20;
    if mebibytes >= 10 << 10 { format!("{} GiB", mebibytes >> 10) } else { format!("{mebibytes} MiB") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_a_fitting_unit() {
        for (mebibytes, text) in [(3, "3 MiB"), (9_999, "9999 MiB"), (16_384, "16 GiB"), (0, "0 MiB")] {
            assert_eq!(amount(mebibytes << 20), text);
        }
    }
}
