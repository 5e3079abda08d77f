//! The description of an option: its names, its kind, how its value is stored, and how a change takes effect.

use std::fmt;
use std::path::Path;

use super::Setup;
use super::range::Spin;

/// A UCI option, a key of a preset, or both.
#[derive(Debug)]
pub struct OptionEntry {
    /// The UCI name; `None` for a setting that only presets have.
    pub name: Option<&'static str>,
    /// The key in a preset, such as `multipv`, or `uci.ponder` for a key within a table; `None` for an option that
    /// presets do not have.
    pub key: Option<&'static str>,
    /// The values that the option takes, and where they are stored.
    pub kind: OptionKind,
    /// What `setoption` does after it has stored the value.
    pub effect: Effect,
    /// Whom a change concerns.
    pub scope: OptionScope,
    /// The meaning of the option and the unit of its value, in Markdown.
    pub help: &'static str,
}

/// Whom a change of an option concerns where many clients share one process (`enfilade serve`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionScope {
    /// The client that sets it.
    Session,
    /// All clients, or files of the server. No client may set it.
    Server,
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
    /// One name of a list. Upper and lower case are equal.
    Combo {
        /// What the names denote.
        of: &'static str,
        /// The names, in the order in which a GUI lists them.
        names: fn() -> Vec<&'static str>,
        /// The present value.
        get: fn(&Setup) -> &'static str,
        /// Stores the value with this index in the list of names.
        set: fn(&mut Setup, usize),
    },
    /// A text of a certain form. It may be empty.
    Text {
        /// The form, in Markdown.
        form: &'static str,
        /// The present value.
        get: fn(&Setup) -> String,
        /// Reads a value. The error says what is wrong with it.
        read: fn(&str) -> Result<Store, String>,
    },
    /// The path of a file, or none.
    File {
        /// The present value.
        get: fn(&Setup) -> Option<&Path>,
        /// Reads a value. The error says what is wrong with it.
        read: fn(Option<&Path>) -> Result<Store, String>,
    },
    /// A command without a value.
    Button,
    /// A table of a preset.
    Table(TableOption),
}

/// The tables of a preset that have no UCI option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableOption {
    /// How helper threads differ from the main thread.
    Stagger,
    /// The parameters of the search.
    Params,
}

/// What `setoption` does after it has stored the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The engine uses the new value from its next command on.
    Next,
    /// The dialogue is logged to another file.
    Log,
    /// The threads are restarted.
    Threads,
    /// The threads are bound again.
    Binding,
    /// The table is allocated again.
    ResizeTable,
    /// The table is cleared.
    ClearTable,
    /// The table is saved.
    SaveTable,
    /// The table is loaded.
    LoadTable,
    /// The user is told which tablebases were found.
    Tablebases,
}

/// A function that stores a checked value.
pub type Store = Box<dyn FnOnce(&mut Setup) + Send>;

/// A new value of an option. The value has been checked.
pub struct Change {
    /// The option.
    pub entry: &'static OptionEntry,
    store: Store,
}

impl Change {
    /// A change of `entry`; `store` stores the new value.
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
    /// The name of the option in messages: the UCI name if there is one, otherwise the key.
    pub fn title(&self) -> &'static str {
        self.name.or(self.key).unwrap_or_default()
    }

    /// The range from `min` to `max` with the name of this option.
    pub fn range(&self, min: i64, max: i64) -> Spin {
        Spin { name: self.title(), min, max }
    }
}

/// The index of `name` in `names`. Upper and lower case are equal.
pub fn index_of(name: &str, names: &[&str]) -> Option<usize> {
    names.iter().position(|known| known.eq_ignore_ascii_case(name))
}
