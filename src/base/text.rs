//! Small texts for messages.

/// Digits in groups of three: 12,345,678.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with what it counts, as in "1 game" and "1,234 games".
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
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
        assert_eq!([999, 1_234, 12_345_678].map(grouped), ["999", "1,234", "12,345,678"]);
    }

    #[test]
    fn texts_from_elsewhere_are_one_line() {
        assert_eq!(one_line(" a\n\u{1b}[31mb\n", 300), "a  [31mb");
        assert_eq!(one_line("äöü", 3), "äöü");
        assert_eq!(one_line("äöüß", 3), "äöü...");
    }
}
