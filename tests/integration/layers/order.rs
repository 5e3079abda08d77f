//! The files of the library use each other in no circle.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Modules, library};

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
    assert!(files["engine/search/alpha_beta"].contains("engine/search/worker"), "imports are found");
    assert!(
        files["chess/board/make"].contains("chess/board/position"),
        "also where they come by another file"
    );
    assert!(files["engine/run/job"].contains("engine/run/leaf/mod"), "and the face by which they come");
    assert!(files["engine/run/leaf/mod"].is_empty(), "a face uses nothing");
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
