//! What reports say about the engine and the settings of the analysis.

use super::super::job::Basis;
use crate::engine::facade::NAME;

/// The part of a report that is the same for all games of an analysis.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The program's name and version.
    pub engine: String,
    /// Everything else that the answers depend on.
    pub basis: Basis,
    /// The address of an analysis board that can open the games.
    pub board: Option<String>,
}

impl Setting {
    /// The setting of this program.
    pub fn new(basis: &Basis, board: Option<String>) -> Setting {
        Setting { engine: NAME.to_owned(), basis: basis.clone(), board }
    }

    /// The text of the tag `Annotator`: program, limits and table.
    pub fn annotator(&self) -> String {
        format!("{}, {}", self.engine, self.basis.effort.text())
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::super::job::tests::basis;
    use super::*;

    /// The setting in the reports of the tests.
    pub fn setting() -> Setting {
        Setting { engine: "Enfilade test".to_owned(), basis: basis(100), board: None }
    }

    #[test]
    fn the_annotator_is_the_program_and_the_effort() {
        assert_eq!(Setting::new(&basis(7), None).annotator(), format!("{NAME}, 7 nodes, table of 1 MiB"));
    }
}
