//! The table `[params]` of a preset: parameters of the search by name. `enfilade tune` writes such a table.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::engine::params::Params;

/// Values for some parameters of the search. Each name is known, and each value lies within its range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides(Vec<(String, i32)>);

impl Overrides {
    /// Sets the parameters.
    pub fn apply(&self, params: &mut Params) {
        for (name, value) in &self.0 {
            assert!(params.set(name, *value), "{name} was checked on reading");
        }
    }
}

impl<'de> Deserialize<'de> for Overrides {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Overrides, D::Error> {
        deserializer.deserialize_map(OverridesVisitor)
    }
}

struct OverridesVisitor;

impl<'de> Visitor<'de> for OverridesVisitor {
    type Value = Overrides;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of the search's parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Overrides, A::Error> {
        let mut overrides = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(OverrideValue(&name))?;
            overrides.push((name, value));
        }
        Ok(Overrides(overrides))
    }
}

/// Reads the value of the parameter with this name. It checks the value here and not after the whole table, so that an
/// error names the line of the value.
struct OverrideValue<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for OverrideValue<'_> {
    type Value = i32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<i32, D::Error> {
        let Some(declaration) = Params::ALL.iter().find(|declaration| declaration.name == self.0) else {
            return Err(D::Error::custom(format!("no parameter of the search is called `{}`", self.0)));
        };
        let value = i64::deserialize(deserializer)?;
        let range = declaration.min..=declaration.max;
        i32::try_from(value).ok().filter(|value| range.contains(value)).ok_or_else(|| {
            D::Error::custom(format!("{value} is not within {} to {}", declaration.min, declaration.max))
        })
    }
}
