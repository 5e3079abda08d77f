//! The board as text: the layout that users know from Stockfish's `d`.

use std::fmt;

use super::{Board, File, Rank, Square};

const RULE: &str = " +---+---+---+---+---+---+---+---+";

impl Board {
    /// The men on their squares from White's point of view, and the FEN.
    pub fn diagram(&self) -> String {
        let mut text = format!("{RULE}\n");
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let piece = self.piece_at(Square::from_coords(file, rank));
                text.push_str(" | ");
                text.push(piece.map_or(' ', |piece| piece.char()));
            }
            text.push_str(&format!(" | {}\n{RULE}\n", rank.char()));
        }
        let fen = self.fen(self.has_chess960_castling());
        text + &format!("   a   b   c   d   e   f   g   h\n\nFen: {fen}")
    }
}

/// The diagram, and below it what developers compare: the key of the position and the squares of men that give check.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.diagram())?;
        writeln!(f, "Key: {:016X}", self.key())?;
        write!(f, "Checkers:")?;
        for square in self.checkers() {
            write!(f, " {}", square.to_string().to_uppercase())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.fen(self.has_chess960_castling()))
    }
}
