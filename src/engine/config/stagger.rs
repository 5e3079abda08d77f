//! The table `[stagger]` of a preset: the name of a policy, and the lists of this policy.
//!
//! A serde enum would read the whole table before it knows which keys are allowed. Then the line of a wrong key is
//! lost. For a policy without lists serde would not even notice the wrong key.

use std::ops::{Range, RangeInclusive};

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::file::Fault;
use crate::engine::pool::Stagger;

/// A `[stagger]` table after reading: a policy, or the fault among its keys.
#[derive(Deserialize)]
#[serde(from = "Typed")]
pub struct StaggerTable(Result<Stagger, Fault>);

impl StaggerTable {
    /// The policy.
    ///
    /// # Errors
    /// If a key does not belong to the policy, a list is missing, or two lists differ in length.
    pub fn policy(self) -> Result<Stagger, Fault> {
        self.0
    }
}

/// The table as typed. Any list may stand beside any policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    /// A policy of this name, with lists that do not count.
    #[serde(deserialize_with = "policy")]
    policy: Spanned<Stagger>,
    #[serde(default, deserialize_with = "sizes")]
    sizes: Option<List<u32>>,
    #[serde(default, deserialize_with = "phases")]
    phases: Option<List<u32>>,
    #[serde(default, deserialize_with = "plies")]
    plies: Option<List<i32>>,
}

/// A list of at least one number, each within its range.
type List<T> = Spanned<Vec<T>>;

impl From<Typed> for StaggerTable {
    fn from(typed: Typed) -> StaggerTable {
        StaggerTable(typed.policy())
    }
}

impl Typed {
    fn policy(self) -> Result<Stagger, Fault> {
        let policy = self.policy.get_ref();
        let keys: &[&str] = match policy {
            Stagger::None => &[],
            Stagger::Blocks { .. } => &["sizes", "phases"],
            Stagger::Offset { .. } => &["plies"],
        };
        let lists = [
            ("sizes", self.sizes.as_ref().map(Spanned::span)),
            ("phases", self.phases.as_ref().map(Spanned::span)),
            ("plies", self.plies.as_ref().map(Spanned::span)),
        ];
        for (key, span) in lists {
            if let Some(span) = span
                && !keys.contains(&key)
            {
                let message = format!("`{key}` is not a key of the policy `{}`", policy.name());
                return Err(Fault { span, message });
            }
        }
        let missing = |key: &str| Fault {
            span: self.policy.span(),
            message: format!("`{}` needs `{key}`", policy.name()),
        };
        Ok(match policy {
            Stagger::None => Stagger::None,
            Stagger::Blocks { .. } => {
                let sizes = self.sizes.ok_or_else(|| missing("sizes"))?;
                let phases = self.phases.ok_or_else(|| missing("phases"))?;
                same_length(&sizes, &phases)?;
                Stagger::Blocks { sizes: sizes.into_inner(), phases: phases.into_inner() }
            }
            Stagger::Offset { .. } => {
                Stagger::Offset { plies: self.plies.ok_or_else(|| missing("plies"))?.into_inner() }
            }
        })
    }
}

/// Reads the name of a policy. It is checked here and not after the whole table: the keys of a policy that is gone are
/// unknown too, and its name says more.
fn policy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Spanned<Stagger>, D::Error> {
    let name = Spanned::<String>::deserialize(deserializer)?;
    let policy = Stagger::all().into_iter().find(|policy| policy.name() == name.get_ref());
    policy.map(|policy| Spanned::new(name.span(), policy)).ok_or_else(|| {
        let names = Stagger::all().map(|policy| policy.name()).join(", ");
        D::Error::custom(format!("unknown policy `{}`, expected one of {names}", name.get_ref()))
    })
}

fn same_length(sizes: &List<u32>, phases: &List<u32>) -> Result<(), Fault> {
    let (expected, found): (usize, usize) = (sizes.get_ref().len(), phases.get_ref().len());
    if expected == found {
        return Ok(());
    }
    let span: Range<usize> = phases.span();
    Err(Fault { span, message: format!("`phases` is a list of {found}, and `sizes` of {expected}") })
}

/// Reads a list. It checks the numbers here and not after the whole table, so that an error names the line of the list.
fn list<'de, D: Deserializer<'de>, T: Copy + TryFrom<i64>>(
    deserializer: D,
    range: &RangeInclusive<i64>,
) -> Result<Option<List<T>>, D::Error> {
    let list = Spanned::<Vec<i64>>::deserialize(deserializer)?;
    let span = list.span();
    let numbers = list.into_inner().into_iter().map(|number| {
        let inside = Some(number).filter(|number| range.contains(number));
        inside.and_then(|number| T::try_from(number).ok()).ok_or(number)
    });
    match numbers.collect::<Result<Vec<T>, i64>>() {
        Ok(numbers) if numbers.is_empty() => Err(D::Error::custom("a list without a number")),
        Ok(numbers) => Ok(Some(Spanned::new(span, numbers))),
        Err(number) => {
            Err(D::Error::custom(format!("{number} is not within {} to {}", range.start(), range.end())))
        }
    }
}

fn sizes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<List<u32>>, D::Error> {
    list(deserializer, &Stagger::SIZES)
}

fn phases<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<List<u32>>, D::Error> {
    list(deserializer, &Stagger::PHASES)
}

fn plies<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<List<i32>>, D::Error> {
    list(deserializer, &Stagger::PLIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Stagger, Fault> {
        toml::from_str::<StaggerTable>(text).expect("no fault within a key").0
    }

    #[test]
    fn every_policy_is_read_back_unchanged() {
        for stagger in Stagger::all() {
            let text = toml::to_string(&stagger).unwrap();
            assert!(text.starts_with(&format!("policy = \"{}\"\n", stagger.name())), "{text}");
            assert_eq!(parse(&text), Ok(stagger));
        }
    }

    #[test]
    fn the_order_of_the_keys_does_not_matter() {
        let blocks = Stagger::Blocks { sizes: vec![1, 2], phases: vec![0, 3] };
        for text in [
            "policy = \"blocks\"\nsizes = [1, 2]\nphases = [0, 3]\n",
            "phases = [0, 3]\nsizes = [1, 2]\npolicy = \"blocks\"\n",
        ] {
            assert_eq!(parse(text).as_ref(), Ok(&blocks));
        }
    }
}
