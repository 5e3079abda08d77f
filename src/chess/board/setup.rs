//! A position as users give it: a FEN, behind which operations of EPD may stand.

use super::epd::EpdRecord;
use super::{CastlingRules, FenError, Game};

/// The opcodes of the standard, besides `c0` to `c9` and `v0` to `v9`, and some that programs add.
const OPCODES: [&str; 36] = [
    "acd",
    "acn",
    "acs",
    "am",
    "bm",
    "ce",
    "dm",
    "draw_accept",
    "draw_claim",
    "draw_offer",
    "draw_reject",
    "eco",
    "fmvn",
    "hmvc",
    "id",
    "nic",
    "noop",
    "pm",
    "pv",
    "rc",
    "resign",
    "sm",
    "tcgs",
    "tcri",
    "tcsi",
    "bs",
    "bt",
    "eval",
    "wv",
    "bv",
    "title",
    "author",
    "source",
    "refs",
    "theme",
    "best",
];

/// The position of a FEN, behind which operations of EPD may stand, and what was changed or left out in the text.
///
/// # Errors
///
/// The fault of the FEN. Words behind a position that are no operations of the standard are a fault too.
pub fn position(text: &str, rules: CastlingRules) -> Result<(Game, Vec<String>), FenError> {
    let error = match Game::from_fen_under(text, rules) {
        Ok((game, repairs)) => return Ok((game, repairs.iter().map(ToString::to_string).collect())),
        Err(error) => error,
    };
    let record = EpdRecord::parse_under(text, rules)
        .ok()
        .filter(|record| record.opcodes().count() > 0 && record.opcodes().all(is_known))
        .ok_or(error)?;
    let mut notes: Vec<String> = record.repairs.iter().map(ToString::to_string).collect();
    notes.push(format!(
        "operations of EPD were left out: {}",
        record.opcodes().collect::<Vec<_>>().join(", ")
    ));
    Ok((record.game, notes))
}

fn is_known(opcode: &str) -> bool {
    let opcode = opcode.to_ascii_lowercase();
    let is_numbered = opcode.len() == 2
        && opcode.starts_with(['c', 'v'])
        && opcode.ends_with(|digit: char| digit.is_ascii_digit());
    is_numbered || OPCODES.contains(&opcode.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_left_out_and_other_words_are_refused() {
        let read =
            |rest: &str| position(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - {rest}"), CastlingRules::Standard);
        let (game, notes) = read("bm e4; c0 \"x\"; ID \"y\";").unwrap();
        assert_eq!(game.board().fullmove(), 1);
        assert_eq!(notes, ["operations of EPD were left out: bm, c0, ID"]);
        assert!(read("3 20").unwrap().1.is_empty());
        for rest in ["what is this", "bm e4; what 1;", "x y", "0 1 2"] {
            assert!(read(rest).is_err(), "{rest}");
        }
    }
}
