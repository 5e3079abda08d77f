//! How scores are shown to users. This depends on the root position of the search.

use crate::chess::board::Game;
use crate::chess::types::{Score, Wdl, WinModel};

/// The properties of a root position that decide how its scores are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    material: i32,
    is_drawn: bool,
}

impl Outlook {
    /// The outlook of the current position of `game`.
    pub fn of(game: &Game) -> Outlook {
        Outlook { material: game.board().material(), is_drawn: game.is_drawn() }
    }

    /// The score as it is shown to users: see [`WinModel::normalized`].
    pub fn normalized(self, score: Score) -> Score {
        WinModel::FITTED.normalized(score, self.material)
    }

    /// The chances of win, draw and loss for a score. A drawn position has only the chance of a draw. The model knows
    /// only scores, so it would give such a position a few wins and losses.
    pub fn wdl(self, score: Score) -> Wdl {
        if self.is_drawn && !score.is_decisive() { Wdl::DRAW } else { Wdl::of(score, self.material) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fen: &str) -> Outlook {
        Outlook::of(&Game::from_fen(fen).unwrap().0)
    }

    #[test]
    fn a_drawn_game_is_a_draw_with_certainty() {
        for fen in [
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "8/8/4k3/8/8/3NK3/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/4r3/R3K3 w - - 100 80",
        ] {
            assert_eq!(of(fen).wdl(Score::ZERO), Wdl::DRAW, "{fen}");
        }
        let mut game = Game::startpos();
        let mut chances = || {
            for mv in ["g1f3", "g8f6", "f3g1", "f6g8"] {
                game.play_uci(mv).unwrap();
            }
            Outlook::of(&game).wdl(Score::ZERO)
        };
        let found: Vec<bool> = (0..4).map(|_| chances() == Wdl::DRAW).collect();
        assert_eq!(found, [false, false, false, true], "the fifth time");
    }

    #[test]
    fn an_unfinished_game_has_win_draw_and_loss_chances() {
        assert_ne!(of("4k3/8/8/8/8/8/4r3/R3K3 w - - 99 80").wdl(Score::ZERO), Wdl::DRAW);
        let mated = of("rnb1kbnr/pppp1ppp/4p3/8/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 100 90");
        assert_eq!(mated.wdl(Score::mated_in(0)), Wdl { win: 0, draw: 0, loss: 1000 });
    }
}
