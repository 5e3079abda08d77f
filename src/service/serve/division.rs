//! How the threads are divided among the searches.

/// What a search asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// Whether the search comes before all that do not wait for a person.
    pub is_first: bool,
    /// The most threads that it may have, from 1.
    pub most: usize,
}

/// Divides `threads` among searches, of which the most urgent stands first. The searches that come first get equal
/// parts; if there are more of them than threads, the first ones get one thread each. What they leave goes to the
/// others in the same way.
pub(super) fn divide(threads: usize, wishes: &[Wish]) -> Vec<usize> {
    let mut parts = vec![0; wishes.len()];
    let mut left = threads;
    for is_first in [true, false] {
        let class = (0..wishes.len()).filter(|&i| wishes[i].is_first == is_first).take(left);
        let mut open: Vec<usize> = class.collect();
        // Nobody gets more than asked for, and what remains is divided again among the rest.
        while left > 0 && !open.is_empty() {
            let (each, mut extra) = (left / open.len(), left % open.len());
            for &i in &open {
                let part = each + usize::from(extra > 0);
                extra = extra.saturating_sub(1);
                let given = part.min(wishes[i].most - parts[i]);
                parts[i] += given;
                left -= given;
            }
            open.retain(|&i| parts[i] < wishes[i].most);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(threads: usize, wishes: &[(bool, usize)]) -> Vec<usize> {
        let wishes: Vec<Wish> = wishes.iter().map(|&(is_first, most)| Wish { is_first, most }).collect();
        divide(threads, &wishes)
    }

    #[test]
    fn one_search_gets_all_threads() {
        assert_eq!(parts(16, &[(true, 16)]), [16]);
        assert_eq!(parts(16, &[(false, 16)]), [16]);
        assert!(parts(16, &[]).is_empty());
    }

    #[test]
    fn equal_searches_get_equal_parts() {
        assert_eq!(parts(16, &[(true, 16), (true, 16)]), [8, 8]);
        assert_eq!(parts(16, &[(true, 16); 3]), [6, 5, 5]);
        assert_eq!(parts(2, &[(true, 2); 4]), [1, 1, 0, 0]);
        assert_eq!(parts(16, &[(true, 2), (true, 16)]), [2, 14]);
    }

    #[test]
    fn batch_searches_get_what_is_left() {
        assert_eq!(parts(16, &[(true, 16), (false, 16)]), [16, 0]);
        assert_eq!(parts(16, &[(true, 4), (false, 16), (false, 16)]), [4, 6, 6]);
        assert_eq!(parts(2, &[(true, 1), (false, 2), (false, 2)]), [1, 1, 0]);
    }

    #[test]
    fn never_more_than_all_threads_are_given() {
        for threads in 1..20 {
            for count in 0..25 {
                let wishes: Vec<(bool, usize)> = (0..count).map(|i| (i % 3 == 0, 1 + i % 5)).collect();
                let parts = parts(threads, &wishes);
                let wanted: usize = wishes.iter().map(|(_, most)| most).sum();
                assert_eq!(parts.iter().sum::<usize>(), threads.min(wanted), "{threads} {count}");
                assert!(parts.iter().zip(&wishes).all(|(part, (_, most))| part <= most));
            }
        }
    }
}
