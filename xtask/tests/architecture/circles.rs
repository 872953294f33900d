//! Import circles between the modules of a crate.
//!
//! A module is a file or a folder of a crate's `src`; its siblings are in the same folder. An import through
//! the parent's re-exports counts too. Code compiled only for tests does not.

use std::collections::{BTreeMap, BTreeSet};

/// The modules of a folder that import each other in a circle: the folder's path, and the names in order.
pub(crate) type Circle = (String, Vec<String>);

type Graph = BTreeMap<String, BTreeSet<String>>;

/// The circles among the sources of a crate, each given by its path below `src` and its text.
pub(crate) fn circles(sources: &BTreeMap<String, String>) -> Vec<Circle> {
    let sources: BTreeMap<Vec<String>, String> =
        sources.iter().map(|(path, text)| (module_path(path), code(text))).collect();
    let tests = test_modules(&sources);
    let mut folders: BTreeMap<Vec<String>, Graph> = BTreeMap::new();
    for (module, text) in &sources {
        if tests.iter().any(|test| module.starts_with(test)) {
            continue;
        }
        for target in imports(module, text).iter().map(|path| resolved(path, &sources)) {
            let shared = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (module.get(shared), target.get(shared)) {
                let is_module = sources.keys().any(|key| key.starts_with(&target[..=shared]));
                if is_module {
                    let graph = folders.entry(module[..shared].to_vec()).or_default();
                    graph.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
    }
    folders.iter().flat_map(|(folder, graph)| components(&folder.join("/"), graph)).collect()
}

/// The module path of a file: `bopl/run/mod.rs` is `bopl`, `run`.
fn module_path(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').filter(|part| !matches!(*part, "lib" | "main" | "mod")).map(str::to_owned).collect()
}

/// The code of a source, without comments and without a test module at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Modules declared only for tests.
fn test_modules(sources: &BTreeMap<Vec<String>, String>) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (module, text) in sources {
        for declared in text.split("#[cfg(test)]").skip(1) {
            let item =
                declared.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
            if let Some(name) = item.and_then(|line| line.split_once("mod ")?.1.strip_suffix(';')) {
                found.push([module.as_slice(), &[name.to_owned()]].concat());
            }
        }
    }
    found
}

/// The paths named in a module, from the root of its crate: in `use` items, with braces expanded, and in
/// code.
fn imports(module: &[String], text: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for start in starts(text) {
        let mut end = 0;
        let mut depth = 0_usize;
        for letter in text[start..].chars() {
            match letter {
                '{' if text[start..start + end].ends_with("::") || depth > 0 => depth += 1,
                '}' if depth > 0 => depth -= 1,
                _ if depth > 0 || letter.is_alphanumeric() || matches!(letter, '_' | ':') => {}
                _ => break,
            }
            end += letter.len_utf8();
        }
        paths.extend(expanded(&text[start..start + end]));
    }
    let absolute = |path: String| {
        let mut place = module.to_vec();
        let mut rest = Vec::new();
        for part in path.split("::").map(str::trim) {
            match part {
                "crate" => place.clear(),
                "super" => drop(place.pop()),
                "self" | "*" | "" => {}
                name => rest.push(name.split_whitespace().next().unwrap_or_default().to_owned()),
            }
        }
        [place, rest].concat()
    };
    paths.into_iter().map(absolute).collect()
}

/// The positions at which a path begins with `crate::` or `super::` and does not continue another path.
fn starts(text: &str) -> Vec<usize> {
    let of = |word: &str| text.match_indices(word).map(|(at, _)| at).collect::<Vec<_>>();
    let is_start = |at: &usize| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|letter| !letter.is_alphanumeric() && !matches!(letter, '_' | ':'))
    };
    [of("crate::"), of("super::")].concat().into_iter().filter(is_start).collect()
}

/// Expands braces: `a::{b, c::{d, e}}` is `a::b`, `a::c::d`, `a::c::e`.
fn expanded(path: &str) -> Vec<String> {
    let Some((before, inside)) = path.split_once('{') else { return vec![path.to_owned()] };
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inside.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        match parts.last_mut() {
            Some(last) if letter != ',' || depth > 0 => last.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().flat_map(|part| expanded(part.trim())).map(|part| format!("{before}{part}")).collect()
}

/// The original path of a name re-exported from a module's children; other paths unchanged.
fn resolved(path: &[String], sources: &BTreeMap<Vec<String>, String>) -> Vec<String> {
    let Some((name, parent)) = path.split_last() else { return Vec::new() };
    let Some(text) = sources.get(parent) else { return path.to_vec() };
    let uses = text
        .split("\npub")
        .filter_map(|item| item.split_once("use ").filter(|(before, _)| before.len() < 20));
    for (_, item) in uses {
        let Some((item, _)) = item.split_once(';') else { continue };
        for found in expanded(&item.split_whitespace().collect::<String>()) {
            let parts: Vec<&str> = found.split("::").filter(|part| *part != "self").collect();
            if parts.len() > 1 && parts.last() == Some(&name.as_str()) {
                let inner: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
                return [parent, &inner].concat();
            }
        }
    }
    path.to_vec()
}

/// The strongly connected sets of modules.
fn components(folder: &str, graph: &Graph) -> Vec<Circle> {
    let reached = |from: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(name) = next.pop() {
            for to in graph.get(name).into_iter().flatten() {
                if seen.insert(to.clone()) {
                    next.push(to);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = graph.keys().map(|name| (name, reached(name))).collect();
    let mut found: Vec<Circle> = Vec::new();
    for (name, targets) in &all {
        let together: Vec<String> = targets
            .iter()
            .filter(|to| all.get(to).is_some_and(|back| back.contains(*name)))
            .cloned()
            .collect();
        if together.len() > 1 && found.iter().all(|circle| circle.1 != together) {
            found.push((folder.to_owned(), together));
        }
    }
    found
}
