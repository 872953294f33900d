//! `supply`: where the dependencies come from, and under which licences.
//!
//! `deny.toml` says what is allowed. cargo-deny reads it too, and advisories, where it is installed. This
//! step needs no more than cargo.

use std::fs;
use std::process::Stdio;

use crate::cargo::{Failure, cargo, finish, line, root};

/// The workspace, and the packages of ours outside it, with a lock file each. What a benchmark of a peer is
/// built of is the peer's.
const MANIFESTS: [&str; 4] = [
    "Cargo.toml",
    "crates/neural-policies/Cargo.toml",
    "crates/fuzzing/guided/Cargo.toml",
    "xtask/interfaces/Cargo.toml",
];
/// The registry that cargo has by itself begins so; others name another host.
const REGISTRY: &str = "registry+https://github.com/rust-lang/";

pub(crate) fn run() -> Result<u8, Failure> {
    let policy = Policy::parse(&read("deny.toml")?);
    let mut complaints = Vec::new();
    for manifest in MANIFESTS {
        let packages = licences(manifest)?;
        let lock = read(&manifest.replace("Cargo.toml", "Cargo.lock"))?;
        complaints.extend(policy.refused(&packages).into_iter().chain(not_of_the_registry(&lock)));
        println!("{manifest}: {} packages, {} locked", packages.len(), lock.matches("[[package]]").count());
    }
    if !complaints.is_empty() {
        eprintln!("{}", complaints.join("\n"));
        return Ok(1);
    }
    deny()
}

/// What cargo-deny says of both manifests, where it is installed.
fn deny() -> Result<u8, Failure> {
    let quiet = |arguments: &[&str]| {
        let mut command = cargo(["deny"]);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !quiet(&["--version"]) {
        println!("left out: advisories, which cargo-deny checks (`cargo install cargo-deny --locked`)");
        return Ok(0);
    }
    let mut kinds = vec!["bans", "licenses", "sources"];
    match quiet(&["fetch", "db"]) {
        true => kinds.push("advisories"),
        false => println!("left out: advisories, whose database cannot be had here"),
    }
    for manifest in MANIFESTS {
        let mut check =
            cargo(["deny", "--manifest-path", manifest, "--config", "deny.toml", "--all-features", "check"]);
        let code = finish(check.arg("--hide-inclusion-graph").args(&kinds))?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

fn read(name: &str) -> Result<String, Failure> {
    let path = root().join(name);
    fs::read_to_string(&path).map_err(|source| Failure::Read { path, source })
}

/// Every package that any feature, target or test builds, with its licence.
fn licences(manifest: &str) -> Result<Vec<(String, String)>, Failure> {
    let mut tree = cargo(["tree", "--locked", "--manifest-path", manifest, "--workspace", "--all-features"]);
    tree.args(["--target", "all", "--edges", "all", "--prefix", "none", "--format", "{p}\t{l}"]);
    let failed = |command, source| Failure::Process { command, source };
    let output = tree.stderr(Stdio::inherit()).output().map_err(|source| failed(line(&tree), source))?;
    if !output.status.success() {
        return Err(failed(line(&tree), std::io::Error::other(output.status.to_string())));
    }
    Ok(packages(&String::from_utf8_lossy(&output.stdout)))
}

/// The lines `name v1.2.3<tab>licence` of a tree, once each.
fn packages(tree: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (package, licence) = line.split_once('\t')?;
        let words: Vec<&str> = package.split(' ').take(2).collect();
        // A package whose dependencies stand above is marked.
        Some((words.join(" "), licence.trim_end_matches(" (*)").to_owned()))
    };
    let mut found: Vec<_> = tree.lines().filter_map(line).collect();
    found.sort();
    found.dedup();
    found
}

/// The packages of a lock file that do not come from the registry, or whose bytes have no checksum. Those of
/// the workspace have no source.
fn not_of_the_registry(lock: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            let value = package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
            value.map(|value| value.trim_matches('"'))
        };
        let name = field("name").unwrap_or("?");
        match field("source") {
            None => {}
            Some(source) if !source.starts_with(REGISTRY) => {
                complaints.push(format!("{name}: from {source}"));
            }
            Some(_) if field("checksum").is_some_and(|sum| sum.len() == 64) => {}
            Some(_) => complaints.push(format!("{name}: no checksum")),
        }
    }
    complaints
}

/// The licences of `deny.toml`.
struct Policy {
    allowed: Vec<String>,
    /// A package, and a licence that it may have.
    exceptions: Vec<(String, String)>,
}

impl Policy {
    fn parse(text: &str) -> Self {
        let without_comments: String =
            text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join(" ");
        let array = |name: &str| {
            let start = without_comments.find(&format!(" {name} = ["));
            let rest = start.map_or("", |at| &without_comments[at + name.len() + 5..]);
            // Of an array of arrays up to the end of the last one.
            let end = if name == "exceptions" { "}]" } else { "]" };
            rest.split_once(end).map_or("", |(inside, _)| inside)
        };
        let quoted =
            |text: &str| -> Vec<String> { text.split('"').skip(1).step_by(2).map(Into::into).collect() };
        let exceptions = array("exceptions").split('}').filter_map(|one| match quoted(one).as_slice() {
            [name, licence] => Some((name.clone(), licence.clone())),
            _ => None,
        });
        Self { allowed: quoted(array("allow")), exceptions: exceptions.collect() }
    }

    fn refused(&self, packages: &[(String, String)]) -> Vec<String> {
        let is_refused = |(package, licence): &&(String, String)| {
            let name = package.split(' ').next().unwrap_or_default();
            let allows = |term: &str| {
                let excepted = |(of, licence): &(String, String)| of == name && licence == term;
                self.allowed.iter().any(|allowed| allowed == term) || self.exceptions.iter().any(excepted)
            };
            !is_allowed(licence, &allows)
        };
        let said = |(package, licence): &(String, String)| match licence.as_str() {
            "" => format!("{package}: no licence is named"),
            licence => format!("{package}: {licence} is not allowed by deny.toml"),
        };
        packages.iter().filter(is_refused).map(said).collect()
    }
}

/// Whether a licence expression can be met: AND binds closer than OR, and a slash is an old OR.
fn is_allowed(expression: &str, allows: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    any(&tokens, &mut at, allows) && at == tokens.len()
}

fn any(tokens: &[&str], at: &mut usize, allows: &dyn Fn(&str) -> bool) -> bool {
    let mut met = all(tokens, at, allows);
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all(tokens, at, allows);
    }
    met
}

fn all(tokens: &[&str], at: &mut usize, allows: &dyn Fn(&str) -> bool) -> bool {
    let mut met = term(tokens, at, allows);
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        met &= term(tokens, at, allows);
    }
    met
}

fn term(tokens: &[&str], at: &mut usize, allows: &dyn Fn(&str) -> bool) -> bool {
    let first = tokens.get(*at).copied().unwrap_or_default();
    *at += 1;
    if first == "(" {
        let met = any(tokens, at, allows);
        *at += 1;
        return met;
    }
    if tokens.get(*at) == Some(&"WITH") {
        let exception = tokens.get(*at + 1).copied().unwrap_or_default();
        *at += 2;
        return allows(&format!("{first} WITH {exception}"));
    }
    allows(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> Policy {
        Policy::parse(
            "# allow = [\"GPL-3.0\"]\n[licenses]\nallow = [\n    \"MIT\",\n    # a comment\n    \"Apache-2.0\",\n    \
             \"Apache-2.0 WITH LLVM-exception\",\n]\nexceptions = [{ crate = \"one\", allow = [\"MPL-2.0\"] }]\n",
        )
    }

    #[test]
    fn licences_are_those_of_the_file() {
        assert_eq!(policy().allowed, ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"]);
        assert_eq!(policy().exceptions, [("one".to_owned(), "MPL-2.0".to_owned())]);
        let own = Policy::parse(&read("deny.toml").unwrap());
        assert!(own.allowed.len() == 10, "{:?}", own.allowed);
        let excepted: Vec<&str> = own.exceptions.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(excepted, ["colored", "libfuzzer-sys"]);
    }

    #[test]
    fn an_expression_is_met_or_not() {
        let refused = |name: &str, licence: &str| {
            !policy().refused(&[(format!("{name} v1.0.0"), licence.into())]).is_empty()
        };
        for met in [
            "MIT",
            "GPL-3.0 OR MIT",
            "Unlicense/MIT",
            "MIT AND Apache-2.0",
            "(MIT OR GPL-3.0) AND Apache-2.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
            "GPL-3.0 AND BSD-2-Clause OR MIT",
        ] {
            assert!(!refused("two", met), "{met}");
        }
        for not in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "MIT WITH LLVM-exception",
            "(MIT OR GPL-3.0) AND ISC",
            "MPL-2.0",
            "MIT MIT",
        ] {
            assert!(refused("two", not), "{not}");
        }
        assert!(!refused("one", "MPL-2.0") && refused("one", "MPL-2.0 AND GPL-3.0"));
    }

    #[test]
    fn a_package_from_elsewhere_or_without_a_checksum_is_named() {
        let sum = "0".repeat(64);
        let lock = format!(
            "[[package]]\nname = \"ours\"\n\n[[package]]\nname = \"a\"\nsource = \"{REGISTRY}\"\nchecksum = \"{sum}\"\n\n\
             [[package]]\nname = \"b\"\nsource = \"{REGISTRY}\"\n\n[[package]]\nname = \"c\"\nsource = \"git+https://c\"\n"
        );
        assert_eq!(not_of_the_registry(&lock), ["b: no checksum", "c: from git+https://c"]);
    }

    #[test]
    fn a_package_of_a_tree_counts_once() {
        let tree = "a v1.0.0 (/path)\tMIT\n\nb v2.0.0 (proc-macro)\tISC\nb v2.0.0\tISC (*)\nb v2.1.0\tISC\n";
        let of = |name: &str, licence: &str| (name.to_owned(), licence.to_owned());
        assert_eq!(packages(tree), [of("a v1.0.0", "MIT"), of("b v2.0.0", "ISC"), of("b v2.1.0", "ISC")]);
    }
}
