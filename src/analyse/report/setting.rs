//! The engine and the settings of the analysis, as reports show them.

use super::super::job::{Basis, Effort};

/// The program's name and version.
pub const ENGINE: &str = concat!("Enfilade ", env!("CARGO_PKG_VERSION"));

/// The engine and the settings of the analysis, as reports show them.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The program's name and version.
    pub engine: String,
    /// Everything else that the answers depend on.
    pub basis: Basis,
}

impl Setting {
    /// The setting of this program.
    pub fn new(basis: &Basis) -> Setting {
        Setting { engine: ENGINE.to_owned(), basis: basis.clone() }
    }

    /// The text of the tag `Annotator`: program, limits and table.
    pub fn annotator(&self) -> String {
        format!("{}, {}", self.engine, self.basis.effort.text())
    }
}

impl Effort {
    /// A text with the limits, the number of lines and the table size.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.nodes.map(|nodes| format!("{nodes} nodes")));
        parts.extend(self.depth.map(|depth| format!("depth {depth}")));
        parts.extend(self.movetime.map(|time| format!("{time} ms")));
        if self.lines > 1 {
            parts.push(format!("{} lines", self.lines));
        }
        parts.push(format!("table of {} MiB", self.hash));
        parts.join(", ")
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::super::job::tests::basis;
    use super::*;

    /// The setting in the reports of the tests.
    pub fn setting() -> Setting {
        Setting { engine: "Enfilade test".to_owned(), basis: basis(100) }
    }

    #[test]
    fn efforts_in_words() {
        let effort = Effort { nodes: Some(200_000), depth: Some(9), movetime: Some(50), lines: 3, hash: 16 };
        assert_eq!(effort.text(), "200000 nodes, depth 9, 50 ms, 3 lines, table of 16 MiB");
        assert_eq!(Setting::new(&basis(7)).annotator(), format!("{ENGINE}, 7 nodes, table of 1 MiB"));
    }
}
