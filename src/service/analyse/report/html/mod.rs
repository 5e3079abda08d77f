//! Writes the games as HTML: an index, and a page for each game that needs no other file.
//!
//! All text from the games may be hostile, because strangers wrote the names and events. It is always escaped, and it
//! only occurs in text and in quoted attributes. If that should fail, the page's content security policy still protects
//! the reader: it allows only this program's own script and style, which it knows by their hashes, and loads nothing
//! else.

mod annotations;
mod clock;
mod graph;
mod index;
mod lines;
mod moves;
mod page;
mod parts;
mod phases;
mod totals;
mod words;

pub use index::{check_own_index, game_path, index_foot, index_head, index_path, row};
pub use page::game;
pub use totals::Totals;

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use sha2::{Digest, Sha256};

    use super::super::super::assessment::tests::assessment;
    use super::super::setting::Setting;
    use super::super::setting::tests::setting;
    use super::parts::{INDEX_SCRIPT, INDEX_SCRIPT_HASH, SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH};
    use super::*;
    use crate::chess::drawing;

    #[test]
    fn the_security_policy_has_the_hashes_of_style_and_script() {
        let hash = |parts: [&str; 2]| BASE64_STANDARD.encode(Sha256::digest(parts.concat().as_bytes()));
        let parts = [[drawing::STYLE, STYLE], [drawing::SCRIPT, SCRIPT], [INDEX_SCRIPT, ""]];
        assert_eq!([STYLE_HASH, SCRIPT_HASH, INDEX_SCRIPT_HASH].map(str::to_owned), parts.map(hash));
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
        let index = format!("{}{}{}", index_head(&setting()), row(&report), index_foot(&Totals::default()));
        assert!(index.contains("<a href=\"game-000001.html\">1</a>"));
        assert!(index.matches("<script").count() == 1 && index.ends_with("</html>\n"));
    }

    #[test]
    fn a_game_without_evaluations_has_a_page() {
        for text in ["1. e4 e5 *", "*"] {
            let found = vec![None; if text == "*" { 1 } else { 3 }];
            let page = game(&assessment(text, &found), &setting());
            assert!(!page.contains("id=\"graph\"") && page.contains("<td>–</td>"));
        }
    }

    #[test]
    fn a_page_has_what_the_author_wrote() {
        let text = "1. e4 $1 {Best by test.} (1. d4 d5) e5 *";
        let page = game(&assessment(text, &[Some((0, "e4")), Some((900, "e5")), None]), &setting());
        // The author's judgment stands in place of ours.
        assert!(page.contains("<b class=\"blunder\">e4!</b>") && !page.contains("e4??!"), "{page}");
        assert!(page.contains("Best by test.") && page.contains("data-move=\"d2d4\""), "{page}");
        assert!(
            page.contains("{ [%eval") && page.contains("Best by test. }"),
            "the PGN is there to copy: {page}"
        );
    }

    #[test]
    fn a_tablebase_win_is_no_number_of_pawns() {
        let text = "[FEN \"8/4P3/8/1k6/8/8/8/4K3 w - - 0 1\"]\n\n1. e8=Q+ *";
        let page = game(&assessment(text, &[Some((31_000, "e8=Q+")), Some((-30_999, "Kc4"))]), &setting());
        assert!(page.contains("<span class=\"eval\">+TB</span>"), "{page}");
        // Programs that read the PGN need a number.
        assert!(page.contains("[%eval 309.99]") && page.matches("310.00").count() == 1, "{page}");
    }

    #[test]
    fn a_link_opens_the_game_on_a_board() {
        let report = assessment("1. e4 e5 *", &[None, None, None]);
        assert!(!game(&report, &setting()).contains("id=\"to-board\""));
        let linked = Setting { board: Some("http://host:7643/".to_owned()), ..setting() };
        assert!(game(&report, &linked).contains("href=\"http://host:7643/#moves=e2e4,e7e5\""));
        let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *";
        let page = game(&assessment(text, &[None, None]), &linked);
        assert!(page.contains("#fen=4k3/8/8/8/8/8/4P3/4K3+w+-+-+0+1&amp;moves=e2e4"), "{page}");
    }

    #[test]
    fn totals_are_sums_over_the_games_of_a_player() {
        let mut totals = Totals::default();
        let tags = "[White \"A\"]\n[Black \"B\"]\n[Opening \"King's Pawn\"]\n[Result \"1-0\"]\n\n";
        let report = assessment(&format!("{tags}1. e4 1-0"), &[Some((0, "e4")), Some((900, "e5"))]);
        totals.add(&report);
        assert!(!index_foot(&totals).contains("By player"), "one game has all of it on its own page");
        totals.add(&report);
        let foot = index_foot(&totals);
        let row = "<td class=\"text\"><bdi>A</bdi></td><td class=\"text\">White</td><td class=\"extra\">2</td><td>2/2</td>";
        assert!(foot.contains(row), "{foot}");
        assert!(foot.contains(
            "<bdi>B</bdi></td><td class=\"text\">Black</td><td class=\"extra\">2</td><td>0/2</td>"
        ));
        assert!(foot.contains("King&#39;s Pawn"), "{foot}");
    }
}
