//! The layer rule: imports run strictly downward, so that the table in `docs/architecture.md` stays true. Every edge
//! between modules is listed here. The files of a module do not import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::folder::files_with;

/// Each module of the library with the modules that it uses. It may use no others.
const ALLOWED: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("confidence", &[]),
    ("console", &[]),
    ("crew", &[]),
    ("params", &[]),
    ("plot", &[]),
    ("processor", &[]),
    ("random", &[]),
    ("file", &[]),
    ("numa", &[]),
    ("board", &["random"]),
    ("eval", &["types", "file", "board"]),
    ("tt", &["types", "file", "numa", "board"]),
    ("history", &["board"]),
    ("tablebase", &["types", "board"]),
    ("time", &["params"]),
    ("run", &["types", "params", "random", "numa", "board", "eval", "tt", "history", "tablebase", "time"]),
    (
        "search",
        &["types", "params", "random", "numa", "board", "eval", "tt", "history", "tablebase", "time", "run"],
    ),
    ("classic", &["types", "board", "eval", "tt", "run", "search"]),
    ("pool", &["types", "crew", "random", "numa", "board", "run", "search"]),
    (
        "engine",
        &[
            "types",
            "params",
            "random",
            "numa",
            "board",
            "eval",
            "tt",
            "history",
            "tablebase",
            "time",
            "run",
            "search",
            "pool",
        ],
    ),
    ("config", &["params", "file", "numa", "eval", "history", "tablebase", "run", "pool", "engine"]),
    ("scaling", &["types", "confidence", "plot", "processor", "board", "run", "engine"]),
    ("selfplay", &["types", "params", "random", "file", "board", "eval", "tt", "run", "engine"]),
    ("analyse", &["types", "file", "numa", "board", "run", "engine", "config"]),
    ("datagen", &["types", "crew", "plot", "random", "file", "board", "tt", "engine", "selfplay"]),
    ("fleet", &["random", "file", "board", "engine", "selfplay", "analyse", "datagen"]),
    ("train", &["crew", "plot", "random", "file", "board", "eval", "selfplay", "datagen"]),
    ("tune", &["confidence", "crew", "params", "plot", "random", "file", "tt", "run", "engine", "selfplay"]),
    (
        "duel",
        &[
            "types",
            "confidence",
            "crew",
            "plot",
            "processor",
            "random",
            "board",
            "run",
            "pool",
            "engine",
            "selfplay",
        ],
    ),
    ("uci", &["types", "console", "board", "eval", "tt", "run", "engine", "config", "selfplay"]),
    (
        "cli",
        &[
            "types",
            "console",
            "crew",
            "file",
            "board",
            "eval",
            "tt",
            "tablebase",
            "run",
            "search",
            "classic",
            "pool",
            "engine",
            "config",
            "scaling",
            "selfplay",
            "analyse",
            "datagen",
            "fleet",
            "train",
            "tune",
            "duel",
            "uci",
        ],
    ),
];

/// The library modules that a source text names by `crate::` outside of comments, also in `use` groups like
/// `crate::{a::B, c::D}`.
fn imports(text: &str) -> Vec<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let identifier = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = Vec::new();
    for (position, _) in code.match_indices("crate::") {
        let rest = &code[position + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut start = 0;
            for (index, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    ',' if depth == 0 => {
                        found.push(identifier(&group[start..index]));
                        start = index + 1;
                    }
                    '}' if depth == 0 => {
                        found.push(identifier(&group[start..index]));
                        break;
                    }
                    '}' => depth -= 1,
                    _ => {}
                }
            }
        } else {
            found.push(identifier(rest));
        }
    }
    found
}

fn module_of(path: &Path, source: &Path) -> String {
    let relative = path.strip_prefix(source).expect("a file below src");
    let first = relative.components().next().expect("a file name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_string()
}

#[test]
fn imports_run_downward() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut used = BTreeSet::new();
    for path in files_with("rs", &source) {
        let module = module_of(&path, &source);
        if module == "lib" || module == "main" {
            continue;
        }
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{module} has no layer: give it one here and in docs/architecture.md"));
        let text = fs::read_to_string(&path).expect("a readable source file");
        for import in imports(&text) {
            let is_module = ALLOWED.iter().any(|(name, _)| *name == import);
            assert!(
                !is_module || import == module || allowed.contains(&import.as_str()),
                "{}: {module} may not use {import}",
                path.display()
            );
            used.insert((module.clone(), import));
        }
    }
    // An edge that is allowed but not used could come back unnoticed.
    for (module, allowed) in ALLOWED {
        for lower in *allowed {
            let edge = (module.to_string(), lower.to_string());
            assert!(used.contains(&edge), "{module} does not use {lower} any more: it need not be allowed");
        }
    }
}

#[test]
fn the_drawing_itself_runs_downward() {
    for (index, (module, allowed)) in ALLOWED.iter().enumerate() {
        for lower in *allowed {
            let position = ALLOWED.iter().position(|(name, _)| name == lower);
            assert!(position.is_some_and(|position| position < index), "{module} -> {lower}");
        }
    }
}

#[test]
fn a_wrong_import_would_be_found() {
    assert_eq!(imports("use crate::search::Worker;"), ["search"]);
    assert_eq!(imports("use crate::{board::{Board, Move}, uci};"), ["board", "uci"]);
    assert!(imports("// crate::uci is not used").is_empty());
}

/// The search neither prints nor reads: it reports through its observer. All printing goes through `console`, so an
/// error of the output never fails a command's work. Only `cli` reads standard input and arguments and draws bars.
#[test]
fn one_module_prints() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in files_with("rs", &source) {
        let text = fs::read_to_string(&path).expect("a readable source file");
        let text = text.replace("console::stdout()", "");
        let module = module_of(&path, &source);
        let prints = ["print!(", "println!(", "stdout()", "stderr()", "enable_steady_tick"];
        let reads = ["stdin()"];
        let tools = ["use clap", "use indicatif"];
        let has = |calls: &[&'static str]| calls.iter().copied().find(|call| text.contains(call));
        let found = (module != "console").then(|| has(&prints)).flatten();
        let found =
            found.or_else(|| (module != "cli").then(|| has(&reads).or_else(|| has(&tools))).flatten());
        assert_eq!(found, None, "{}", path.display());
    }
}

/// Another test program would be linked with the whole library again. A file that no module declares would not run.
#[test]
fn the_tests_are_one_program_and_no_file_is_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for path in files_with("rs", &folder) {
        if path == folder.join("integration/main.rs") {
            continue;
        }
        let module = if path.ends_with("mod.rs") { path.parent().expect("a folder") } else { &path };
        let name = module.file_stem().expect("a name").to_string_lossy();
        let parent = module.parent().expect("a folder");
        let declarations = ["main.rs", "mod.rs"].map(|file| fs::read_to_string(parent.join(file)));
        let is_declared =
            declarations.iter().flatten().any(|text| text.lines().any(|line| line == format!("mod {name};")));
        assert!(is_declared, "{} is no module of tests/integration/main.rs", path.display());
    }
}

/// The code of a module without its tests: a file, or a module within a file.
#[derive(Default)]
struct Module {
    /// The file below `src`, without `.rs`.
    file: String,
    imports: Vec<Import>,
    /// Paths in the code, such as `see::value` or `crate::board::Board`.
    paths: Vec<Vec<String>>,
    /// All words of the code except those of imports.
    words: BTreeSet<String>,
}

struct Import {
    path: Vec<String>,
    /// The name of the imported item in the module.
    name: String,
    /// Whether it is a `pub use`, through which other modules may import the item.
    is_public: bool,
}

/// The modules of the library by their paths. The path of `src/lib.rs` is empty.
type Modules = BTreeMap<Vec<String>, Module>;

fn library() -> Modules {
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

/// Adds to `found` the file that defines the item `path` of the module `from`, and the faces by which the item comes: a
/// face that holds code of its own could close a circle. Items of other crates have no such files.
fn find_files<'a>(modules: &'a Modules, from: &[String], path: &[String], found: &mut BTreeSet<&'a str>) {
    let (mut module, mut rest) = (from.to_vec(), path);
    match path[0].as_str() {
        "crate" => (module, rest) = (Vec::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|first| first == "super") {
                module.pop();
                rest = &rest[1..];
            }
        }
        first => {
            let is_child = modules.contains_key(&[from, &[first.to_owned()]].concat());
            let is_imported = modules[from].imports.iter().any(|import| import.name == first);
            if !is_child && !is_imported {
                return;
            }
        }
    }
    for (index, name) in rest.iter().enumerate() {
        let child = [&module[..], std::slice::from_ref(name)].concat();
        if modules.contains_key(&child) {
            module = child;
            continue;
        }
        let import = modules[&module].imports.iter().find(|import| import.name == *name);
        if import.is_none_or(|import| import.is_public) {
            found.insert(&modules[&module].file);
        }
        if let Some(import) = import
            && import.path[0] != *name
        {
            find_files(modules, &module, &[&import.path, &rest[index + 1..]].concat(), found);
        }
        return;
    }
    found.insert(&modules[&module].file);
}

/// The files of the library, each with the files that it uses. A `pub use` alone does not count as use.
fn uses(modules: &Modules) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, module) in modules {
        let used = files.entry(&module.file).or_default();
        let imports =
            module.imports.iter().filter(|import| !import.is_public || module.words.contains(&import.name));
        for named in imports.map(|import| &import.path).chain(&module.paths) {
            find_files(modules, path, named, used);
        }
        used.remove(module.file.as_str());
    }
    files
}

/// The files that `file` uses directly or indirectly.
fn reach<'a>(files: &BTreeMap<&'a str, BTreeSet<&'a str>>, file: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        open.extend(files[file].iter().copied().filter(|&used| found.insert(used)));
    }
    found
}

#[test]
fn files_use_each_other_in_no_circle() {
    let modules = library();
    let files = uses(&modules);
    assert!(files["search/alpha_beta"].contains("search/worker"), "imports are found");
    assert!(files["board/make"].contains("board/position"), "also where they come by another file");
    assert!(files["run/job"].contains("run/leaf/mod"), "and the face by which they come");
    assert!(files["run/leaf/mod"].is_empty(), "a face uses nothing");
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        files.keys().map(|&file| (file, reach(&files, file))).collect();
    for (file, others) in &reached {
        let circle: Vec<&str> =
            others.iter().copied().filter(|other| reached[other].contains(file)).collect();
        let within = |from: &&str| {
            let used: Vec<&str> = files[from].iter().copied().filter(|used| circle.contains(used)).collect();
            format!("{from} uses {}", used.join(", "))
        };
        let edges: Vec<String> = circle.iter().map(within).collect();
        assert!(circle.is_empty(), "a circle of files:\n{}", edges.join("\n"));
    }
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
