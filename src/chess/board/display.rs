//! The board as text, for the `d` command: the layout that users know from Stockfish.

use std::fmt;

use super::{Board, File, Rank, Square};

const RULE: &str = " +---+---+---+---+---+---+---+---+";

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{RULE}")?;
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let piece = self.piece_at(Square::from_coords(file, rank));
                write!(f, " | {}", piece.map_or(' ', |piece| piece.char()))?;
            }
            writeln!(f, " | {}\n{RULE}", rank.char())?;
        }
        writeln!(f, "   a   b   c   d   e   f   g   h\n")?;
        writeln!(f, "Fen: {}", self.fen(self.has_chess960_castling()))?;
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
