//! The analysis board: one page with its style and its scripts, which are modules of JavaScript. It loads nothing from
//! other hosts, and it has no script or style within the page, so that a strict content security policy fits.
//!
//! Its board, its pieces and the common part of its style are those of the reports of `analyse`.

use std::borrow::Cow;

use crate::chess::board::Board;
use crate::chess::drawing;

/// One file of the page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asset {
    /// The value of the header `Content-Type`.
    pub content_type: &'static str,
    /// The content.
    pub bytes: Cow<'static, [u8]>,
}

impl Asset {
    fn of(content_type: &'static str, text: impl Into<Cow<'static, str>>) -> Asset {
        let bytes = match text.into() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        Asset { content_type, bytes }
    }
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Names the files beside this one, each with its text.
macro_rules! files {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!($name))),*] };
}

/// The page's modules by their names, besides that of the boards.
const MODULES: &[(&str, &str)] = files![
    "actions.js",
    "address.js",
    "analysis.js",
    "annotation.js",
    "arrows.js",
    "autosave.js",
    "boardshow.js",
    "clipboard.js",
    "collection.js",
    "connection.js",
    "dialogs.js",
    "display.js",
    "editor.js",
    "engine.js",
    "evaluation.js",
    "figures.js",
    "game.js",
    "games.js",
    "gestures.js",
    "gliding.js",
    "graph.js",
    "importing.js",
    "info.js",
    "keys.js",
    "known.js",
    "library.js",
    "lines.js",
    "main.js",
    "menu.js",
    "message.js",
    "movelist.js",
    "moving.js",
    "notes.js",
    "pgn.js",
    "phases.js",
    "pieces.js",
    "positions.js",
    "preview.js",
    "report.js",
    "review.js",
    "reviewing.js",
    "saved.js",
    "search.js",
    "settings.js",
    "shapes.js",
    "sharing.js",
    "sound.js",
    "speller.js",
    "spoken.js",
    "squares.js",
    "status.js",
    "store.js",
    "svg.js",
    "tables.js",
    "tags.js",
    "threat.js",
    "token.js",
    "tree.js",
    "undo.js",
];

/// The sets of pieces that a user can choose besides the usual one. All are our own drawings.
const PIECES: &[(&str, &str)] = files!["pieces-flat.svg", "pieces-letters.svg"];

/// The file at a path: `/` is the page, all others begin with `/page/`.
pub fn asset(path: &str) -> Option<Asset> {
    if path == "/" {
        return Some(Asset::of(HTML, index()));
    }
    let name = path.strip_prefix("/page/")?;
    match name {
        "drawing.css" => Some(Asset::of(CSS, with_themes(drawing::STYLE))),
        "page.css" => Some(Asset::of(CSS, with_themes(include_str!("page.css")))),
        "board.js" => Some(Asset::of(SCRIPT, drawing::SCRIPT)),
        "icon.svg" => Some(Asset::of(SVG, icon())),
        _ => {
            let find = |files: &[(&str, &'static str)]| {
                files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
            };
            let script = find(MODULES).map(|text| Asset::of(SCRIPT, text));
            script.or_else(|| find(PIECES).map(|text| Asset::of(SVG, text)))
        }
    }
}

/// The page, with the usual start position on its board. It names all modules, so that a browser asks for them at the
/// same time, and not for one after the other.
fn index() -> String {
    let board = drawing::svg(&Board::startpos(), None, Some("board"));
    let modules = MODULES.iter().map(|(name, _)| *name).chain(["board.js"]);
    let links: String =
        modules.map(|name| format!("<link rel=\"modulepreload\" href=\"page/{name}\">\n")).collect();
    include_str!("index.html")
        .replace("{modules}\n", &links)
        .replace("{pieces}", drawing::PIECES)
        .replace("{board}", &board)
}

/// A style sheet whose colors also follow the user's choice of a theme. It begins with the light colors, and goes on
/// with the dark ones for devices that prefer them.
fn with_themes(style: &str) -> String {
    let colors = |before: &str| {
        let start = style.find(before).expect("a style sheet begins with its colors") + before.len();
        style[start..].split('}').next().unwrap_or_default()
    };
    let light = colors(":root{");
    let dark = colors("@media (prefers-color-scheme:dark){:root{");
    format!(
        "{style}:root[data-theme=light]{{color-scheme:light;{light}}}\n:root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )
}

/// The icon is the knight, without the element that names it.
fn icon() -> String {
    let start = drawing::PIECES.find("<symbol id=\"N\"").expect("the knight is drawn");
    let knight = &drawing::PIECES[start..];
    let knight =
        &knight[knight.find('>').map_or(0, |end| end + 1)..knight.find("</symbol>").unwrap_or(knight.len())];
    include_str!("icon.svg").replace("{knight}", knight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::types::Score;

    fn text(path: &str) -> String {
        let asset = asset(path).unwrap_or_else(|| panic!("{path} is missing"));
        String::from_utf8(asset.bytes.into_owned()).unwrap()
    }

    /// The quoted texts after each occurrence of `before`.
    fn quoted<'a>(text: &'a str, before: &str, quote: char) -> Vec<&'a str> {
        text.split(before).skip(1).filter_map(|rest| rest.split(quote).next()).collect()
    }

    #[test]
    fn everything_that_the_page_loads_exists() {
        let index = text("/");
        let mut open: Vec<String> = [
            "<script type=\"module\" src=\"",
            "<link rel=\"stylesheet\" href=\"",
            "type=\"image/svg+xml\" href=\"",
        ]
        .into_iter()
        .flat_map(|before| quoted(&index, before, '"'))
        .map(|path| format!("/{path}"))
        .collect();
        assert_eq!(open.len(), 4);
        let mut seen = Vec::new();
        while let Some(path) = open.pop() {
            let text = text(&path);
            assert!(!text.is_empty());
            let imports = quoted(&text, " from './", '\'').into_iter().map(|name| format!("/page/{name}"));
            open.extend(imports.filter(|path| !seen.contains(path)).collect::<Vec<_>>());
            seen.push(path);
        }
        seen.sort_unstable();
        seen.dedup();
        let scripts = seen.iter().filter(|path| path.ends_with(".js")).count();
        assert_eq!(scripts, MODULES.len() + 1, "a module that nothing imports: {seen:?}");
    }

    #[test]
    fn the_page_needs_no_other_host_and_nothing_within_the_page() {
        let paths = ["/".to_owned(), "/page/page.css".to_owned(), "/page/drawing.css".to_owned()];
        let scripts = MODULES.iter().map(|(name, _)| format!("/page/{name}"));
        let scripts = scripts.chain(["/page/board.js".to_owned()]);
        for path in paths.into_iter().chain(scripts) {
            let text = text(&path).replace("http://www.w3.org/2000/svg", "");
            for outside in [
                "http:", "https:", "@import", "url(", " style=", "<style", "onclick", "eval(", "'style'",
                "data:",
            ] {
                assert!(!text.contains(outside), "{path}: {outside}");
            }
        }
        assert!(!text("/").contains("<script>"));
    }

    /// A wrong name in a script would only show in a browser.
    #[test]
    fn the_elements_that_the_scripts_name_are_on_the_page() {
        let index = text("/");
        for (name, script) in MODULES {
            for before in ["getElementById('", "element('"] {
                for id in quoted(script, before, '\'') {
                    assert!(index.contains(&format!("id=\"{id}\"")), "{name}: {id}");
                }
            }
        }
    }

    #[test]
    fn the_page_has_the_board_of_the_reports() {
        let index = text("/");
        assert_eq!(index.matches(" data-square=").count(), 64);
        assert!(
            index.contains("<symbol id=\"K\"")
                && !["{board}", "{pieces}", "{modules}"].iter().any(|place| index.contains(place))
        );
        let icon = text("/page/icon.svg");
        assert!(icon.contains("<path") && !icon.contains("symbol") && !icon.contains("{knight}"), "{icon}");
    }

    #[test]
    fn each_set_of_pieces_that_can_be_chosen_draws_all_pieces() {
        let index = text("/");
        let choice =
            index.split("<select name=\"pieces\">").nth(1).and_then(|rest| rest.split("</select>").next());
        let sets = quoted(choice.expect("the settings have the sets"), "value=\"", '"');
        let (usual, others) = sets.split_first().expect("there is a set");
        assert_eq!(*usual, "carved");
        assert_eq!(others.len(), PIECES.len());
        for name in others {
            let set = text(&format!("/page/pieces-{name}.svg"));
            for piece in ["K", "Q", "R", "B", "N", "P"] {
                assert_eq!(set.matches(&format!("<symbol id=\"{piece}\"")).count(), 1, "{name}: {piece}");
            }
        }
    }

    #[test]
    fn a_theme_has_the_colors_of_the_device() {
        for path in ["/page/page.css", "/page/drawing.css"] {
            let text = text(path);
            let themes = quoted(&text, ":root[data-theme=", '}');
            assert_eq!(themes.len(), 2, "{path}");
            assert!(themes[0].starts_with("light]{color-scheme:light;--"), "{}", themes[0]);
            assert!(themes[1].starts_with("dark]{color-scheme:dark;--"), "{}", themes[1]);
            assert_ne!(themes[0].split_once(";--"), themes[1].split_once(";--"));
        }
    }

    #[test]
    fn the_page_knows_which_scores_are_tablebase_wins() {
        let range = [Score::TABLEBASE_BOUND, Score::TABLEBASE_WIN].map(|score| score.value());
        let [least, most] = range.map(|value| format!("{}_{:03}", value / 1000, value % 1000));
        assert!(text("/page/search.js").contains(&format!("TABLE_WINS = [{least}, {most}]")));
    }

    #[test]
    fn other_paths_have_no_file() {
        for path in
            ["", "/page", "/page/", "/index.html", "/page/../page/main.js", "/page/mod.rs", "//page/main.js"]
        {
            assert_eq!(asset(path), None, "{path}");
        }
    }
}
