//! Writes the games as HTML: an index, and a page for each game that needs no other file.
//!
//! All text from the games may be hostile, because strangers wrote the names and events. It is always escaped, and it
//! only occurs in text and in quoted attributes. If that should fail, the page's content security policy still protects
//! the reader: it allows only this program's own script and style, which it knows by their hashes, and loads nothing
//! else.

mod graph;
mod index;
mod page;
mod parts;

pub use index::{game_path, index_foot, index_head, index_path, row};
pub use page::game;

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use sha2::{Digest, Sha256};

    use super::super::super::assessment::tests::assessment;
    use super::super::setting::tests::setting;
    use super::parts::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH};
    use super::*;
    use crate::chess::drawing;

    #[test]
    fn the_security_policy_has_the_hashes_of_style_and_script() {
        let hash = |parts: [&str; 2]| BASE64_STANDARD.encode(Sha256::digest(parts.concat().as_bytes()));
        let [style, script] = [[drawing::STYLE, STYLE], [drawing::SCRIPT, SCRIPT]].map(hash);
        assert_eq!([STYLE_HASH, SCRIPT_HASH], [style.as_str(), script.as_str()]);
    }

    const HOSTILE: &str = "<script>alert(1)</script>\\\"><img src=x onerror='alert(2)'>&\u{202e}";

    #[test]
    fn text_of_the_game_is_escaped() {
        let tags = ["Event", "Site", "Date", "Round", "White", "Black", "WhiteElo", "Opening"];
        let tags: String = tags.iter().map(|name| format!("[{name} \"{HOSTILE}\"]\n")).collect();
        let text = format!("{tags}\n1. e4 {{{HOSTILE}}} e5 *");
        let report = assessment(&text, &[Some((0, "e4")), Some((900, "e5")), Some((0, "Nf3"))]);
        for page in [game(&report, &setting()), row(&report)] {
            assert!(
                !page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{202e}'),
                "{page}"
            );
            assert!(
                page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=&#39;"),
                "{page}"
            );
        }
    }

    #[test]
    fn a_page_loads_no_other_files() {
        let report = assessment("1. e4 e5 *", &[Some((0, "e4")), Some((900, "e5")), Some((0, "Nf3"))]);
        let page = game(&report, &setting());
        for outside in ["http:", "https:", " src=", "url(", "@import", "fetch(", " style=", " onclick="] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("data-ply=").count(), 3);
        assert_eq!(page.matches(" data-square=").count(), 64 * page.matches("<svg class=\"board\"").count());
        assert!(page.contains("<b class=\"blunder\">e4??</b>"), "{page}");
        let index = format!("{}{}{}", index_head(&setting()), row(&report), index_foot());
        assert!(index.contains("<a href=\"game-000001.html\">1</a>"));
        assert!(!index.contains("<script") && index.ends_with("</html>\n"));
    }

    #[test]
    fn a_game_without_evaluations_has_a_page() {
        for text in ["1. e4 e5 *", "*"] {
            let found = vec![None; if text == "*" { 1 } else { 3 }];
            let page = game(&assessment(text, &found), &setting());
            assert!(!page.contains("id=\"graph\"") && page.contains("<td>–</td>"));
        }
    }
}
