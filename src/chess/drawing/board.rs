//! Draws boards and chances as SVG.

use std::fmt::Write;

use crate::chess::board::{Board, File, Move, Rank, Square};

/// A board from White's side with the last move marked. The page's script changes the board with `id`.
pub fn svg(board: &Board, last: Option<Move>, id: Option<&str>) -> String {
    let mut text = String::from("<svg class=\"board\"");
    if let Some(id) = id {
        let _ = write!(text, " id=\"{id}\"");
    }
    let _ = write!(text, " viewBox=\"0 0 800 800\" role=\"img\" aria-label=\"{}\">", board.fen(false));
    let marked = last.map_or_else(Vec::new, |mv| vec![mv.from(), mv.king_target()]);
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            let square = Square::from_coords(file, rank);
            let color = if square.is_light() { "l" } else { "d" };
            let mark = if marked.contains(&square) { " last" } else { "" };
            let (x, y) = (100 * u32::from(file), 100 * (7 - u32::from(rank)));
            let piece = board.piece_at(square);
            let letter = piece.map(|piece| piece.char().to_string()).unwrap_or_default();
            let _ = write!(
                text,
                "<g class=\"sq {color}{mark}\" data-square=\"{square}\" data-piece=\"{letter}\" transform=\"translate({x} {y})\">\
                 <rect width=\"100\" height=\"100\"/>"
            );
            // On an empty square the script can put a piece later.
            match piece {
                Some(piece) => {
                    let side = piece.color.fold_wb("w", "b");
                    let _ = write!(text, "<use class=\"{side}\" href=\"#{}\"", letter.to_uppercase());
                    text.push_str(" width=\"100\" height=\"100\"/>");
                }
                None if id.is_some() => text.push_str("<use width=\"100\" height=\"100\"/>"),
                None => {}
            }
            text.push_str("</g>");
        }
    }
    text.push_str(&coordinates("usual", |index| index));
    if id.is_some() {
        text.push_str(&coordinates("flipped", |index| 7 - index));
    }
    text.push_str("</svg>");
    text
}

/// The letters of the files and the numbers of the ranks. `place` gives the position of an index.
fn coordinates(class: &str, place: fn(u32) -> u32) -> String {
    let mut text = format!("<g class=\"coords {class}\">");
    for index in 0..8 {
        let file = char::from(b'a' + index as u8);
        let _ = write!(text, "<text x=\"{}\" y=\"794\">{file}</text>", 100 * place(index) + 86);
        let _ = write!(text, "<text x=\"4\" y=\"{}\">{}</text>", 100 * place(index) + 20, 8 - index);
    }
    text.push_str("</g>");
    text
}

/// A bar with the chances of White's win, of a draw and of Black's win, in permille. Without them it is empty.
pub fn chances(wdl: Option<[u32; 3]>) -> String {
    let [win, draw, loss] = wdl.unwrap_or_default();
    let part = |class: &str, x: u32, width: u32| {
        format!("<rect class=\"{class}\" x=\"{x}\" width=\"{width}\" height=\"20\"/>")
    };
    let parts = [part("cw", 0, win), part("cd", win, draw), part("cb", win + draw, loss)].concat();
    format!(
        "<svg class=\"chances\" id=\"chances\" viewBox=\"0 0 1000 20\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"Chances to win, draw and lose\">{parts}</svg>"
    )
}
