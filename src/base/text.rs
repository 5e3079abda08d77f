//! Small texts for messages.

/// A number with its noun, as in `1 thread` and `2 threads`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A text from elsewhere on one line: without control characters, and cut after `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let line: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.char_indices().nth(limit) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_has_no_plural() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "thread")), ["0 threads", "1 thread", "2 threads"]);
    }

    #[test]
    fn texts_from_elsewhere_are_one_line() {
        assert_eq!(one_line(" a\n\u{1b}[31mb\n", 300), "a  [31mb");
        assert_eq!(one_line("äöü", 3), "äöü");
        assert_eq!(one_line("äöüß", 3), "äöü...");
    }
}
