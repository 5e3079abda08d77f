//! Reads imports and paths from the tokens of the source files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::folder::files_with;

/// The code of a module without its tests: a file, or a module within a file.
#[derive(Default)]
pub struct Module {
    /// The file below `src`, without `.rs`.
    pub file: String,
    pub imports: Vec<Import>,
    /// Paths in the code, such as `see::value` or `crate::board::Board`.
    pub paths: Vec<Vec<String>>,
    /// All words of the code except those of imports.
    pub words: BTreeSet<String>,
}

pub struct Import {
    pub path: Vec<String>,
    /// The name of the imported item in the module.
    pub name: String,
    /// Whether it is a `pub use`, through which other modules may import the item.
    pub is_public: bool,
}

/// The modules of the library by their paths. The path of `src/lib.rs` is empty.
pub type Modules = BTreeMap<Vec<String>, Module>;

/// Reads all source files of the library.
pub fn library() -> Modules {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = Modules::new();
    for path in files_with("rs", &source) {
        let relative = path.strip_prefix(&source).expect("a file below src").with_extension("");
        let mut parts: Vec<String> =
            relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let file = parts.join("/");
        if file == "main" {
            continue;
        }
        if file == "lib" || parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        let text = fs::read_to_string(&path).expect("a readable source file");
        read_module(text.parse().expect("Rust"), &file, &parts, &mut modules);
    }
    modules
}

/// Reads the code of the module at `path` and of the modules within it.
fn read_module(code: TokenStream, file: &str, path: &[String], modules: &mut Modules) {
    // A module may be declared twice, for two kinds of machines.
    modules.entry(path.to_vec()).or_insert_with(|| Module { file: file.to_owned(), ..Module::default() });
    read_code(code, path, modules);
}

fn read_code(code: TokenStream, path: &[String], modules: &mut Modules) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let word = |index: usize| match tokens.get(index) {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    };
    let is_joint = |index: usize| {
        let is_colon = |index| matches!(tokens.get(index), Some(TokenTree::Punct(p)) if p.as_char() == ':');
        is_colon(index) && is_colon(index + 1)
    };
    let mut is_test = false;
    let mut index = 0;
    while index < tokens.len() {
        match (&tokens[index], word(index).as_deref()) {
            (TokenTree::Group(group), _) => {
                let text = group.stream().to_string();
                let is_attribute = group.delimiter() == Delimiter::Bracket && text.starts_with("cfg");
                is_test |= is_attribute && text.contains("test");
                read_code(group.stream(), path, modules);
                index += 1;
            }
            (_, Some("use")) => {
                let end = (index..tokens.len()).find(|&end| tokens[end].to_string() == ";");
                let end = end.expect("an import ends");
                let is_public = index.checked_sub(1).is_some_and(|before| {
                    word(before).as_deref() == Some("pub") || tokens[before].to_string().starts_with('(')
                });
                let mut imports = Vec::new();
                read_import(&tokens[index + 1..end], &[], &mut imports);
                let module = modules.get_mut(path).expect("the module that is read");
                let imports = imports.into_iter().filter(|_| !is_test);
                module.imports.extend(imports.map(|(path, name)| Import { path, name, is_public }));
                is_test = false;
                index = end + 1;
            }
            (_, Some("mod")) => {
                // In a macro, the name may be a parameter.
                let at = if word(index + 1).is_some() { index + 1 } else { index + 2 };
                index = at + 1;
                if let (Some(name), Some(TokenTree::Group(group))) = (word(at), tokens.get(index)) {
                    if !is_test {
                        let file = modules[path].file.clone();
                        read_module(group.stream(), &file, &[path, &[name]].concat(), modules);
                    }
                    index += 1;
                }
                is_test = false;
            }
            (_, Some(first)) => {
                let mut segments = vec![first.to_owned()];
                index += 1;
                while is_joint(index)
                    && let Some(next) = word(index + 2)
                {
                    segments.push(next);
                    index += 3;
                }
                let module = modules.get_mut(path).expect("the module that is read");
                module.words.extend(segments.iter().cloned());
                // `pub(in super::super)` names no item.
                if segments.len() > 1 && segments.iter().any(|segment| segment != "super") {
                    module.paths.push(segments);
                }
            }
            _ => index += 1,
        }
    }
}

/// The paths that an import names after `prefix`, and the names of the items in the module.
fn read_import(tokens: &[TokenTree], prefix: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let mut path = prefix.to_vec();
    let mut words = tokens.iter().filter_map(|token| match token {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    });
    if let Some(TokenTree::Group(group)) = tokens.last() {
        path.extend(words);
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        for part in inner.split(|token| token.to_string() == ",").filter(|part| !part.is_empty()) {
            read_import(part, &path, found);
        }
        return;
    }
    path.extend(words.by_ref().take_while(|word| word != "as"));
    let alias = words.next();
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = alias.or_else(|| path.last().cloned()).unwrap_or_default();
    found.push((path, name));
}

#[test]
fn imports_of_all_shapes_are_read() {
    let mut modules = Modules::new();
    let code = "
        use super::sibling::{self, Thing as Other, deep::{Deeper, child}};
        pub(crate) use face::Shown;
        mod face { use super::Shown; }
        #[cfg(test)]
        mod tests { use crate::upper::Everything; }
        fn work() { crate::lower::work(sibling::VALUE, value.method()) }";
    read_module(code.parse().expect("Rust"), "a/b", &["a".to_owned(), "b".to_owned()], &mut modules);
    assert_eq!(modules.len(), 2, "without the tests");
    let module = &modules[&["a".to_owned(), "b".to_owned()][..]];
    let imports: Vec<(String, &str, bool)> = module
        .imports
        .iter()
        .map(|import| (import.path.join("::"), import.name.as_str(), import.is_public))
        .collect();
    assert_eq!(
        imports,
        [
            ("super::sibling".to_owned(), "sibling", false),
            ("super::sibling::Thing".to_owned(), "Other", false),
            ("super::sibling::deep::Deeper".to_owned(), "Deeper", false),
            ("super::sibling::deep::child".to_owned(), "child", false),
            ("face::Shown".to_owned(), "Shown", true),
        ]
    );
    let paths: Vec<String> = module.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["crate::lower::work", "sibling::VALUE"]);
}
