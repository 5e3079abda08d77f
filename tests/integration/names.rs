//! Each type name has one meaning in the whole library.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use crate::folder::files_with;

/// The keywords that declare a type.
const KEYWORDS: [&str; 5] = ["enum", "struct", "trait", "type", "union"];

/// Adds the types that `code` declares in modules to `names`, except those of tests. It does not look into an `impl`,
/// because an associated type, such as `Output` of `Add`, is no declaration of a new name.
fn read(code: TokenStream, names: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut is_test = false;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            // An attribute, such as `cfg(test)`, applies to the next declaration.
            TokenTree::Group(group) if is_attribute(&tokens, index) => {
                let text = group.stream().to_string();
                is_test |= text.starts_with("cfg") && text.contains("test") && !text.contains("not");
            }
            TokenTree::Group(group) if is_module(&tokens, index) && !is_test => read(group.stream(), names),
            TokenTree::Ident(keyword) if KEYWORDS.iter().any(|known| *keyword == known) => {
                if let (Some(TokenTree::Ident(name)), false) = (tokens.get(index + 1), is_test) {
                    names.insert(name.to_string());
                }
            }
            _ => {}
        }
        let is_end = matches!(token, TokenTree::Punct(end) if end.as_char() == ';')
            || matches!(token, TokenTree::Group(_)) && !is_attribute(&tokens, index);
        is_test &= !is_end;
    }
}

fn is_attribute(tokens: &[TokenTree], index: usize) -> bool {
    let before = index.checked_sub(1).map(|before| tokens[before].to_string());
    before.is_some_and(|before| before == "#" || before == "!")
}

fn is_module(tokens: &[TokenTree], index: usize) -> bool {
    index >= 2 && tokens[index - 2].to_string() == "mod"
}

fn names(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    read(code.parse().expect("Rust"), &mut names);
    names
}

#[test]
fn each_type_name_has_one_meaning() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files_with("rs", &source) {
        let file = path.strip_prefix(&source).expect("a file below src").display().to_string();
        for name in names(&fs::read_to_string(&path).expect("a readable source file")) {
            files.entry(name).or_default().push(file.clone());
        }
    }
    assert!(files.contains_key("Board") && files.contains_key("Observer"), "types are found");
    let several: Vec<_> = files.iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(several.is_empty(), "names with several meanings: {several:#?}");
}

#[test]
fn types_of_modules_are_found_and_no_others() {
    let code = "
        #[derive(Clone)]
        pub struct First { field: Other }
        pub(crate) mod inner { enum Second {} union Third { a: u8 } }
        type Fourth = [u8; 2];
        impl Add for First { type Output = First; }
        #[cfg(test)]
        mod tests { struct Hidden; }
        trait Fifth { type Item; }
        #[cfg(not(test))]
        struct Sixth;
        fn work() { struct Local; }";
    let expected = ["Fifth", "First", "Fourth", "Second", "Sixth", "Third"];
    assert_eq!(names(code).into_iter().collect::<Vec<_>>(), expected);
}
