//! What an option is: its names, its kind, how its value is stored, and how it takes effect.

use std::fmt;
use std::path::Path;

use super::Setup;
use super::range::Spin;

/// An option of UCI, a key of a preset, or both.
#[derive(Debug)]
pub struct OptionEntry {
    /// The name in UCI; `None` for a setting that only presets have.
    pub name: Option<&'static str>,
    /// The key in a preset, behind the name of its table and a dot if it has one; `None` for an option that presets do
    /// not have.
    pub key: Option<&'static str>,
    /// What values it takes, and where they are stored.
    pub kind: OptionKind,
    /// What a `setoption` does after the value was stored.
    pub effect: Effect,
    /// What it is for, in Markdown, with the unit of its value.
    pub help: &'static str,
}

/// The values that an option takes, and where they are stored.
#[derive(Debug)]
pub enum OptionKind {
    /// On or off.
    Check {
        /// The present value.
        get: fn(&Setup) -> bool,
        /// Stores a value.
        set: fn(&mut Setup, bool),
    },
    /// A whole number.
    Spin {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// The present value.
        get: fn(&Setup) -> usize,
        /// Stores a value within the range.
        set: fn(&mut Setup, usize),
    },
    /// One of some names, whatever its case.
    Combo {
        /// What the names are names of.
        of: &'static str,
        /// The names, in the order in which a GUI lists them.
        names: fn() -> Vec<&'static str>,
        /// The present value.
        get: fn(&Setup) -> &'static str,
        /// Stores the value whose name stands at this index.
        set: fn(&mut Setup, usize),
    },
    /// A text of a certain form, which may be empty.
    Text {
        /// The form, in Markdown.
        form: &'static str,
        /// The present value.
        get: fn(&Setup) -> String,
        /// Reads a value. The error says what is wrong with it.
        read: fn(&str) -> Result<Store, String>,
    },
    /// A file, or none.
    File {
        /// The present value.
        get: fn(&Setup) -> Option<&Path>,
        /// Reads a value. The error says what is wrong with it.
        read: fn(Option<&Path>) -> Result<Store, String>,
    },
    /// A command without a value.
    Button,
    /// A table of a preset.
    Table(Table),
}

/// The tables of a preset that no option of UCI stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// How helper threads differ from the main one.
    Stagger,
    /// Parameters of the search.
    Params,
}

/// What a `setoption` does after the value was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The engine goes by the new value from its next command on.
    Next,
    /// The dialogue is copied to another file.
    Log,
    /// The threads are started anew.
    Threads,
    /// The threads are bound anew.
    Binding,
    /// The table is allocated anew.
    ResizeTable,
    /// The table is emptied.
    ClearTable,
    /// The table is saved.
    SaveTable,
    /// The table is loaded.
    LoadTable,
    /// The user is told what tablebases were found.
    Tablebases,
}

/// Stores a value that was read and checked.
pub type Store = Box<dyn FnOnce(&mut Setup) + Send>;

/// A value of an option, read and checked.
pub struct Change {
    /// The option.
    pub entry: &'static OptionEntry,
    store: Store,
}

impl Change {
    /// A change of `entry` that is made by `store`.
    pub fn new(entry: &'static OptionEntry, store: impl FnOnce(&mut Setup) + Send + 'static) -> Change {
        Change { entry, store: Box::new(store) }
    }

    /// Stores the value.
    pub fn apply(self, setup: &mut Setup) {
        (self.store)(setup);
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Change").field(&self.entry.title()).finish()
    }
}

impl OptionEntry {
    /// The name by which messages call it: that of UCI, if it has one.
    pub fn title(&self) -> &'static str {
        self.name.or(self.key).unwrap_or_default()
    }

    /// The numbers from `min` to `max`, under the name of this option.
    pub fn range(&self, min: i64, max: i64) -> Spin {
        Spin { name: self.title(), min, max }
    }
}

/// Where a name stands among others, whatever its case.
pub fn index_of(name: &str, names: &[&str]) -> Option<usize> {
    names.iter().position(|known| known.eq_ignore_ascii_case(name))
}
