//! The presets of the repository's folder `configs`. The program holds their text, so that a name is enough, wherever
//! the program was installed and from whatever folder it is started.

/// A preset that the program holds.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInPreset {
    /// The name: that of the file without its ending.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal),+) => {
        &[$(BuiltInPreset { name: $name, text: include_str!(concat!("../../../configs/", $name, ".toml")) }),+]
    };
}

/// All built-in presets, in the order of their names.
pub const BUILT_IN: &[BuiltInPreset] = built_in![
    "analysis-server",
    "laptop",
    "lichess-bot",
    "python-chess",
    "reproducible",
    "tournament-16",
    "tournament-256",
    "tournament-64"
];

impl BuiltInPreset {
    /// The preset with this name.
    pub fn find(name: &str) -> Option<&'static BuiltInPreset> {
        BUILT_IN.iter().find(|preset| preset.name == name)
    }

    /// What the preset is for: the first sentence of its comments.
    pub fn purpose(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("# "));
        let paragraph = lines.collect::<Vec<_>>().join(" ");
        let end = paragraph.find([':', '.']).unwrap_or(paragraph.len());
        paragraph[..end].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_says_what_it_is_for() {
        let purpose = |name| BuiltInPreset::find(name).unwrap().purpose();
        assert_eq!(purpose("tournament-64"), "A tournament on a server with 64 cores");
        for preset in BUILT_IN {
            let length = preset.purpose().chars().count();
            assert!((10..=75).contains(&length), "{}: {}", preset.name, preset.purpose());
        }
    }
}
