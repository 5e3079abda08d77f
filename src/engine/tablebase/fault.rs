//! The faults of tables. They are only found when tables are probed. They are remembered, so that a damaged file is not
//! opened again and again, and each is reported once.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use shakmaty_syzygy::{Metric, ProbeError, SyzygyError};

use crate::chess::board::{Board, Color, Role};

/// The faults found so far, shared by all threads.
#[derive(Default)]
pub(super) struct Faults {
    // Relaxed: this is only a hint that saves taking the lock. The lock alone synchronizes the set.
    is_any: AtomicBool,
    found: RwLock<KnownFaults>,
    /// Whether a missing table has been reported, by kind of table and by the number of men of the probed position.
    /// Only one is reported for each number of men, because an incomplete set may lack hundreds of tables. Relaxed: at
    /// worst two threads report one table each.
    missing: [[AtomicBool; MEN]; 2],
}

/// The number of entries by men. A position of 8 men may be probed if a capture leads to one of 7 men.
const MEN: usize = 9;

#[derive(Default)]
struct KnownFaults {
    /// The material of positions that have no answer because of a damaged table, their own or that of a position after
    /// captures.
    materials: HashSet<(Metric, u64)>,
    said: HashSet<String>,
}

impl Faults {
    /// Whether a damaged table has prevented an answer for this material before.
    #[inline]
    pub fn hide(&self, metric: Metric, board: &Board) -> bool {
        self.is_any.load(Ordering::Relaxed)
            && self.found.read().materials.contains(&(metric, material(board)))
    }

    /// Remembers why `board` had no answer, and reports it if it is new. `None` stands for a panic.
    pub fn note(&self, metric: Metric, board: &Board, error: Option<SyzygyError>, complain: &dyn Fn(&str)) {
        let text = match error {
            Some(SyzygyError::Castling | SyzygyError::TooManyPieces) => return,
            Some(SyzygyError::MissingTable { metric, material }) => {
                let men = board.occupied().count().min(MEN - 1);
                let named = &self.missing[usize::from(metric == Metric::Dtz)][men];
                if !named.load(Ordering::Relaxed) {
                    named.store(true, Ordering::Relaxed);
                    complain(&format!(
                        "Syzygy: there is no {} table of {material}; others that positions of {men} men need are not named",
                        letters(metric)
                    ));
                }
                return;
            }
            Some(SyzygyError::ProbeFailed { metric, material, error }) => {
                let reason = match *error {
                    ProbeError::Read { error } => error.to_string(),
                    ProbeError::Magic { .. } => "not a Syzygy table of this kind".to_owned(),
                    ProbeError::CorruptedTable { .. } => "damaged".to_owned(),
                };
                format!("the {} table of {material} cannot be used: {reason}", letters(metric))
            }
            None => {
                let material =
                    shakmaty_syzygy::Material::from_board(shakmaty::Position::board(&board.to_chess()));
                format!(
                    "the {} table of {material}, or a table that it refers to, is damaged",
                    letters(metric)
                )
            }
        };
        let mut found = self.found.write();
        found.materials.insert((metric, material(board)));
        self.is_any.store(true, Ordering::Relaxed);
        if found.said.insert(text.clone()) {
            drop(found);
            complain(&format!("Syzygy: {text}; the search goes on without it"));
        }
    }
}

fn letters(metric: Metric) -> &'static str {
    match metric {
        Metric::Wdl => "WDL",
        Metric::Dtz => "DTZ",
    }
}

/// The number of men of each kind, 4 bits each.
fn material(board: &Board) -> u64 {
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    Color::ALL
        .into_iter()
        .flat_map(|color| roles.map(|role| board.pieces(color, role).count() as u64))
        .fold(0, |key, count| key << 4 | count)
}
