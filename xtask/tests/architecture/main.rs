//! Checks the manifests and sources against `docs/architecture.md`: its arrows, its absences, its table of
//! dependencies.
//!
//! Each law is a function from texts to a list of violations. The first tests apply the laws to the
//! repository; the last ones show each law failing on a violating text.

mod circles;

use circles::circles;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

type Names = BTreeSet<String>;

/// The dependencies of a manifest; build dependencies count as normal ones.
#[derive(Debug, Default, PartialEq, Eq)]
struct Manifest {
    normal: Names,
    tests: Names,
}

impl Manifest {
    fn parse(text: &str) -> Self {
        let mut manifest = Self::default();
        for (section, key) in entries(text) {
            // `[dependencies.csv]` is a section for one dependency.
            let (kind, name) = match section.rsplit_once("dependencies.") {
                Some((before, name)) => (format!("{before}dependencies"), name),
                None => (section.to_owned(), key),
            };
            if kind.ends_with("dev-dependencies") {
                manifest.tests.insert(name.to_owned());
            } else if kind.ends_with("dependencies") {
                manifest.normal.insert(name.to_owned());
            }
        }
        manifest
    }
}

/// Section and key of every `key… = …` line.
fn entries(manifest: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut section = "";
    manifest.lines().map(str::trim).filter_map(move |line| {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            return None;
        }
        let key = line.split(['=', '.', ' ']).next()?;
        (line.contains('=') && !line.starts_with('#')).then_some((section, key))
    })
}

/// One line of the arrows block.
#[derive(Debug, Default)]
struct Arrows {
    normal: Names,
    tests: Names,
}

/// The arrows block, bottom up: `boosters -> rows oco-core; tests: datasets`.
fn picture(page: &str) -> Vec<(String, Arrows)> {
    let lines =
        page.lines().skip_while(|line| *line != "```arrows").skip(1).take_while(|line| *line != "```");
    let arrows = lines.filter_map(|line| {
        let (name, targets) = line.split_once("->")?;
        let (normal, tests) = targets.split_once("; tests:").unwrap_or((targets, ""));
        let names = |text: &str| {
            text.split_whitespace().filter(|word| *word != "nothing").map(str::to_owned).collect()
        };
        Some((name.trim().to_owned(), Arrows { normal: names(normal), tests: names(tests) }))
    });
    arrows.collect()
}

/// The table of dependencies: the allowed users of each.
fn dependency_rows(page: &str) -> BTreeMap<String, Names> {
    let section = page.lines().skip_while(|line| *line != "## External dependencies").skip(1);
    let rows = section.filter(|line| line.starts_with("| ") && !line.starts_with("| dependency "));
    let cells = rows.filter_map(|row| {
        let mut cells = row.split('|').skip(1);
        let name = cells.next()?.trim().to_owned();
        Some((name, cells.next()?.split(',').map(|user| user.trim().to_owned()).collect()))
    });
    cells.collect()
}

/// Compares the manifests of `crates/` with the arrows, which name every crate once, below its users.
fn arrow_breaches(picture: &[(String, Arrows)], manifests: &BTreeMap<String, Manifest>) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut below = Names::new();
    for (name, arrows) in picture {
        for target in arrows.normal.iter().chain(&arrows.tests).filter(|target| !below.contains(*target)) {
            breaches.push(format!("the arrow {name} -> {target} does not point to a line above"));
        }
        match manifests.get(name) {
            None => breaches.push(format!("the picture has {name}, crates/ has not")),
            Some(manifest) => {
                let inside = |target: &&String| manifests.contains_key(*target);
                for target in
                    manifest.normal.iter().filter(inside).filter(|target| !arrows.normal.contains(*target))
                {
                    breaches.push(format!("{name} -> {target} is not in the picture"));
                }
                let may =
                    |target: &&String| arrows.normal.contains(*target) || arrows.tests.contains(*target);
                for target in manifest.tests.iter().filter(inside).filter(|target| !may(target)) {
                    breaches.push(format!("{name} -> {target} (tests) is not in the picture"));
                }
            }
        }
        if !below.insert(name.clone()) {
            breaches.push(format!("{name} stands in the picture twice"));
        }
    }
    let missing = manifests.keys().filter(|name| !below.contains(*name));
    breaches.extend(missing.map(|name| format!("crates/{name} is not in the picture")));
    breaches
}

/// Every external dependency has a row, and only the packages of this row use it.
fn row_breaches(
    rows: &BTreeMap<String, Names>,
    declared: &Names,
    packages: &BTreeMap<String, Manifest>,
) -> Vec<String> {
    let mut breaches = Vec::new();
    breaches.extend(
        declared.iter().filter(|name| !rows.contains_key(*name)).map(|name| format!("{name} has no row")),
    );
    let stale = rows.keys().filter(|name| !declared.contains(*name));
    breaches.extend(stale.map(|name| format!("the row of {name} names no dependency of the workspace")));
    for (package, manifest) in packages {
        let allowed = |name: &String, kinds: &[&str]| {
            rows.get(name).is_none_or(|users| kinds.iter().any(|kind| users.contains(*kind)))
        };
        for name in manifest.normal.iter().filter(|name| !allowed(name, &["all", package])) {
            breaches.push(format!("{package} uses {name} outside its row"));
        }
        for name in manifest.tests.iter().filter(|name| !allowed(name, &["all", "tests", package])) {
            breaches.push(format!("the tests of {package} use {name} outside its row"));
        }
    }
    breaches
}

/// Calls that make rayon start threads. Its iterators and `join` do so outside a pool, so a file that names
/// them must call `in_pool`.
const STARTS_THREADS: [&str; 5] =
    ["ThreadPoolBuilder", "rayon::spawn", "rayon::scope", "in_place_scope", "broadcast"];
const STARTS_UNLESS_IN_A_POOL: [&str; 2] = ["par_", "rayon::join"];

/// Lines of code that name a part of the standard library with effects outside the program, or that may start
/// threads.
fn outside_breaches(source: &str) -> Vec<usize> {
    let outside = ["fs", "net", "env", "time", "thread", "process"];
    let reaches = |line: &str| {
        let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        line.contains("std::") && words.into_iter().any(|word| outside.contains(&word))
            || STARTS_THREADS.iter().any(|call| line.contains(call))
    };
    let code = (1..).zip(source.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    let asks = code.clone().any(|(_, line)| line.contains("in_pool("));
    let may_start = |line: &str| STARTS_UNLESS_IN_A_POOL.iter().any(|call| line.contains(call));
    let breaches = code.filter(|(_, line)| reaches(line) || may_start(line) && !asks);
    breaches.map(|(number, _)| number).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page() -> Result<String, std::io::Error> {
    fs::read_to_string(root().join("docs/architecture.md"))
}

/// The manifests of the folders in `parent` that have one.
fn manifests(parent: &Path) -> Result<BTreeMap<String, Manifest>, std::io::Error> {
    let mut manifests = BTreeMap::new();
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        if let (Some(name), Ok(text)) = (path.file_name(), fs::read_to_string(path.join("Cargo.toml"))) {
            manifests.insert(name.to_string_lossy().into_owned(), Manifest::parse(&text));
        }
    }
    Ok(manifests)
}

/// The paths of all Rust files below a folder.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

#[test]
fn the_manifests_follow_the_picture() -> Result<(), Box<dyn Error>> {
    let (picture, crates) = (picture(&page()?), manifests(&root().join("crates"))?);
    assert!(picture.len() >= 7 && crates.len() >= 7, "{picture:?} {crates:?}");
    assert_eq!(arrow_breaches(&picture, &crates), Vec::<String>::new());
    Ok(())
}

#[test]
fn every_external_dependency_keeps_to_its_row() -> Result<(), Box<dyn Error>> {
    let workspace = fs::read_to_string(root().join("Cargo.toml"))?;
    let mut packages = manifests(&root().join("crates"))?;
    let declared = entries(&workspace).filter(|(section, _)| *section == "workspace.dependencies");
    let declared: Names =
        declared.map(|(_, key)| key.to_owned()).filter(|key| !packages.contains_key(key)).collect();
    assert!(declared.contains("serde"), "{declared:?}");
    packages.append(&mut manifests(&root())?);
    assert_eq!(row_breaches(&dependency_rows(&page()?), &declared, &packages), Vec::<String>::new());
    Ok(())
}

#[test]
fn xtask_depends_on_nothing() -> Result<(), Box<dyn Error>> {
    assert_eq!(manifests(&root())?.get("xtask"), Some(&Manifest::default()));
    Ok(())
}

#[test]
fn the_mathematical_crates_reach_nothing_outside_and_boosters_in_two_files() -> Result<(), Box<dyn Error>> {
    // Saved learners, and the pool requested by a caller.
    let allowed = ["src/saved.rs", "src/threads.rs"];
    for name in ["rows", "projections", "oco-core", "weak-learners", "boosters"] {
        let files = sources(&root().join("crates").join(name).join("src"))?;
        assert!(!files.is_empty(), "{name}");
        let is_allowed = |path: &PathBuf| name == "boosters" && allowed.iter().any(|end| path.ends_with(end));
        for path in files.iter().filter(|path| !is_allowed(path)) {
            let lines = outside_breaches(&fs::read_to_string(path)?);
            assert!(lines.is_empty(), "{} reaches outside in lines {lines:?}", path.display());
        }
    }
    Ok(())
}

/// Deserialising a dependency's type skips its constructor, so each such dependency needs a review. A
/// generator of rand_chacha is valid with any seed, stream and position. Trees of smartcore are written,
/// never loaded: their nodes pass the check of our own trees. A matrix of nalgebra would accept any values
/// and extents.
#[test]
fn foreign_types_that_serde_may_make_are_these() -> Result<(), Box<dyn Error>> {
    let workspace = fs::read_to_string(root().join("Cargo.toml"))?;
    assert_eq!(with_serde(&workspace), ["rand_chacha", "smartcore"]);
    for folder in fs::read_dir(root().join("crates"))?.chain(fs::read_dir(root())?) {
        if let Ok(manifest) = fs::read_to_string(folder?.path().join("Cargo.toml")) {
            assert_eq!(with_serde(&manifest), Vec::<String>::new());
        }
    }
    Ok(())
}

/// The dependencies of a manifest with an enabled serde feature.
fn with_serde(manifest: &str) -> Vec<String> {
    let entries = manifest.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (name, rest) = line.split_once('=')?;
        let (_, features) = rest.split_once("features = [")?;
        features.contains("serde").then(|| name.trim().to_owned())
    });
    entries.collect()
}

#[test]
fn smartcore_is_named_in_one_source_file() -> Result<(), Box<dyn Error>> {
    let mut naming = Vec::new();
    for name in manifests(&root().join("crates"))?.keys() {
        for path in sources(&root().join("crates").join(name).join("src"))? {
            if fs::read_to_string(&path)?.contains("smartcore::") {
                naming.push(path.strip_prefix(root())?.to_path_buf());
            }
        }
    }
    assert_eq!(naming, [Path::new("crates/weak-learners/src/batch/weighted_tree.rs")]);
    Ok(())
}

/// One place counts threads, so that `threads`, `--threads` and `RAYON_NUM_THREADS` mean the same everywhere.
#[test]
fn threads_are_counted_in_one_place() -> Result<(), Box<dyn Error>> {
    let counting = ["ThreadPoolBuilder", "available_parallelism"];
    let mut found = Vec::new();
    for path in sources(&root().join("crates"))?.into_iter() {
        let relative = path.strip_prefix(root())?.to_path_buf();
        if !relative.components().any(|part| part.as_os_str() == "src") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        if code.into_iter().any(|line| counting.iter().any(|name| line.contains(name))) {
            found.push(relative);
        }
    }
    assert_eq!(found, [Path::new("crates/boosters/src/threads.rs")]);
    Ok(())
}

#[test]
fn no_modules_import_each_other_in_a_circle() -> Result<(), Box<dyn Error>> {
    let mut found = BTreeMap::<String, Vec<circles::Circle>>::new();
    for name in manifests(&root().join("crates"))?.keys() {
        let folder = root().join("crates").join(name).join("src");
        let mut texts = BTreeMap::new();
        for path in sources(&folder)? {
            let relative = path.strip_prefix(&folder)?.to_string_lossy().replace('\\', "/");
            texts.insert(relative, fs::read_to_string(&path)?);
        }
        for (folder, modules) in circles(&texts) {
            found.entry(name.clone()).or_default().push((folder, modules));
        }
    }
    assert!(found.is_empty(), "import circles: {found:#?}");
    Ok(())
}

#[test]
fn an_import_circle_is_found_through_folders_and_re_exports() {
    let found = |files: &[(&str, &str)]| {
        circles(&files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    };
    let circle = |folder: &str, modules: [&str; 2]| (folder.to_owned(), modules.map(str::to_owned).to_vec());
    let (a, b) =
        (("a.rs", "use crate::b::Y;\npub struct X;"), ("b.rs", "use super::{a::X, c};\npub struct Y;"));
    assert_eq!(found(&[a, b]), [circle("", ["a", "b"])]);
    assert_eq!(found(&[a, ("b.rs", "// crate::a::X\npub struct Y;")]), []);
    assert_eq!(found(&[a, ("b.rs", "pub struct Y;\n#[cfg(test)]\nmod tests { use crate::a::X; }")]), []);
    let nested = [
        ("f/mod.rs", "mod a;\nmod b;"),
        ("f/a.rs", "use super::b::Y;"),
        ("f/b/mod.rs", "fn f(x: crate::f::a::X) {}"),
    ];
    assert_eq!(found(&nested), [circle("f", ["a", "b"])]);
    let exported = [
        ("lib.rs", "mod a;\nmod b;\npub use a::X;"),
        ("a.rs", "use crate::b::Y;"),
        ("b.rs", "use crate::X;"),
    ];
    assert_eq!(found(&exported), [circle("", ["a", "b"])]);
    let for_tests = [
        ("lib.rs", "mod a;\n#[cfg(test)]\nmod b;"),
        ("a.rs", "use crate::b::Y;"),
        ("b.rs", "use crate::a::X;"),
    ];
    assert_eq!(found(&for_tests), []);
}

const PAGE: &str = "```arrows\na -> nothing\nb -> a; tests: c\n```\n## External dependencies\n
| dependency | used by | why |\n|---|---|---|\n| serde | all | x |\n| csv | b, tests | x |\n| ureq | b | x |\n";

fn some_manifests(a: &str, b: &str) -> BTreeMap<String, Manifest> {
    [("a", a), ("b", b)].map(|(name, text)| (name.to_owned(), Manifest::parse(text))).into()
}

#[test]
fn an_arrow_against_the_picture_is_found() {
    let breaches = |page: &str, a: &str, b: &str| arrow_breaches(&picture(page), &some_manifests(a, b));
    let good = PAGE.replace("; tests: c", "");
    assert!(breaches(&good, "", "[dependencies]\na.workspace = true\nserde = \"1\"").is_empty());
    for kind in ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"]
    {
        for entry in [format!("[{kind}]\nb.workspace = true"), format!("[{kind}.b]\npath = \"../b\"")] {
            assert_eq!(breaches(&good, &entry, "").len(), 1, "{entry}");
        }
    }
    assert_eq!(breaches(PAGE, "", ""), ["the arrow b -> c does not point to a line above"]);
    assert_eq!(
        breaches(&good.replace("b -> a", "b -> a\nc -> a"), "", "").len(),
        1,
        "a crate that is not there"
    );
    assert_eq!(breaches(&good.replace("b -> a\n", ""), "", "").len(), 1, "a crate without a line");
    assert_eq!(
        breaches(&good.replace("b -> a", "b -> a\nb -> a"), "", "").len(),
        1,
        "a crate with two lines"
    );
}

#[test]
fn a_tests_arrow_allows_tests_and_no_more() {
    let page = "```arrows\na -> nothing\nb -> nothing; tests: a\n```\n";
    let breaches = |b: &str| arrow_breaches(&picture(page), &some_manifests("", b));
    assert!(breaches("[dev-dependencies]\na.workspace = true").is_empty());
    assert_eq!(breaches("[dependencies]\na.workspace = true"), ["b -> a is not in the picture"]);
}

#[test]
fn a_dependency_outside_its_row_is_found() {
    let declared = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Names>();
    let breaches = |names: &[&str], a: &str| {
        row_breaches(&dependency_rows(PAGE), &declared(names), &some_manifests(a, ""))
    };
    let all = ["csv", "serde", "ureq"];
    assert!(breaches(&all, "[dependencies]\nserde = \"1\"\n[dev-dependencies]\ncsv = \"1\"").is_empty());
    assert_eq!(breaches(&all, "[dependencies]\ncsv = \"1\""), ["a uses csv outside its row"]);
    assert_eq!(breaches(&all, "[dependencies]\nureq = \"3\""), ["a uses ureq outside its row"]);
    assert_eq!(
        breaches(&all, "[dev-dependencies]\nureq = \"3\""),
        ["the tests of a use ureq outside its row"]
    );
    assert_eq!(breaches(&["csv", "rand", "serde", "ureq"], ""), ["rand has no row"]);
    assert_eq!(breaches(&all[..2], ""), ["the row of ureq names no dependency of the workspace"]);
}

#[test]
fn a_feature_of_serde_is_found() {
    let manifest = "serde = { version = \"1\", features = [\"derive\"] }\nrand = \"1\"\n# a = { features = [\"serde\"] }\n\
        nalgebra = { version = \"0.35\", features = [\"std\", \"serde-serialize\"] }\nb.workspace = true\n";
    assert_eq!(with_serde(manifest), ["nalgebra"]);
}

#[test]
fn code_that_reaches_outside_is_found() {
    assert_eq!(
        outside_breaches("use std::{env, io};\nlet f = std::fs::read(path);\nuse std::time::Instant;"),
        [1, 2, 3]
    );
    assert_eq!(outside_breaches("let pool = rayon::ThreadPoolBuilder::new();\nrayon::join(f, g);"), [1, 2]);
    assert_eq!(outside_breaches("rayon::in_place_scope(f);\npool.broadcast(f);"), [1, 2]);
    let unasked =
        "use c::in_pool;\n// if in_pool(n, m)\nlet s = v.into_par_iter().map(f);\nv.par_chunks_mut(2);";
    assert_eq!(outside_breaches(unasked), [3, 4]);
    assert!(outside_breaches(&unasked.replace("// if", "if")).is_empty());
    assert!(outside_breaches("use std::fmt;\n// std::fs is not for us\nlet time = 1;").is_empty());
}
