//! Parameters as Rust source: the text of `src/eval/tables.rs`.
//!
//! The same parameters always give the same text, so that a fit shows in version control as
//! the values that it changed.

use std::fmt::Write;

use super::parameters::{BISHOP_PAIR, Parameters, TEMPO, deviation, material};
use crate::board::Role;
use crate::eval::frame::RELATIONS;

const HEADER: &str = "\
//! The values of the evaluation in centipawns: written by `enfilade fit`, not by hand.
//!
//! Each comes as midgame and endgame. Square tables show the board as White sees it, the eighth
//! rank on top, with the own king on files e to h; `docs/evaluation.md` tells which games they
//! were fitted to.
";

/// The source of a table module with the values of `parameters`, rounded to centipawns.
pub fn text(parameters: &Parameters) -> String {
    let mut text = String::from(HEADER);
    write(&mut text, parameters).expect("writing to a string does not fail");
    text
}

fn write(text: &mut String, parameters: &Parameters) -> std::fmt::Result {
    let pair = |term| parameters.get(term).map(|value: f64| value.round() as i32);
    let [midgame, endgame] = pair(TEMPO);
    writeln!(text, "\n/// The side to move's bonus.")?;
    writeln!(text, "pub const TEMPO: [i32; 2] = [{midgame}, {endgame}];")?;
    let [midgame, endgame] = pair(BISHOP_PAIR);
    writeln!(text, "\n/// The bonus for two bishops or more.")?;
    writeln!(text, "pub const BISHOP_PAIR: [i32; 2] = [{midgame}, {endgame}];")?;
    writeln!(text, "\n/// Material by role; a king has none.\n#[rustfmt::skip]")?;
    writeln!(text, "pub const MATERIAL: [[i32; 2]; 6] = [")?;
    for role in Role::ALL {
        let [midgame, endgame] = pair(material(role));
        writeln!(text, "    [{midgame}, {endgame}], // {}", name(role))?;
    }
    writeln!(text, "];\n\n/// By relation of the kings' wings, role, phase and square.\n#[rustfmt::skip]")?;
    writeln!(text, "pub const SQUARES: [[[[i16; 64]; 2]; 6]; {RELATIONS}] = [")?;
    for relation in 0..RELATIONS {
        let wings = if relation == 0 { "the same wing" } else { "opposite wings" };
        writeln!(text, "    [ // kings on {wings}")?;
        for role in Role::ALL {
            writeln!(text, "        [ // {}", name(role))?;
            for phase in 0..2 {
                write_board(text, |square| pair(deviation(relation, role, square))[phase])?;
            }
            writeln!(text, "        ],")?;
        }
        writeln!(text, "    ],")?;
    }
    writeln!(text, "];")
}

fn write_board(text: &mut String, value: impl Fn(usize) -> i32) -> std::fmt::Result {
    writeln!(text, "            [")?;
    for rank in (0..8).rev() {
        let row: Vec<String> = (0..8).map(|file| format!("{:4},", value(8 * rank + file))).collect();
        writeln!(text, "               {}", row.concat())?;
    }
    writeln!(text, "            ],")
}

fn name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_in_use_are_as_they_would_be_written() {
        assert_eq!(text(&Parameters::of_the_engine()), include_str!("../eval/tables.rs"));
    }
}
