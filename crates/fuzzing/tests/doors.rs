//! The list of doors: every public constructor that can refuse has a target, or a reason why it has none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crates whose constructors take rows, sets and parameters.
const CRATES: [&str; 6] = ["rows", "projections", "oco-core", "weak-learners", "off-policy", "boosters"];

/// Constructors without a target of their own: what they add to one that has a target.
const WITHOUT: [(&str, &str); 27] = [
    ("rows::Candidates::select", "of `Candidates`, a saved type with a target"),
    ("rows::CandidatesBuilder::build", "the checks of `Candidates`, a saved type with a target"),
    ("weak_learners::BinnedCandidates::new", "a saved type with a target"),
    ("weak_learners::BinnedCandidates::with_bins", "as `new`, and the bins of `BinnedContexts::with_bins`"),
    ("weak_learners::BinnedCandidates::with_indicators", "the check of `BinnedContexts::with_indicators`"),
    ("off_policy::CandidateLog::new", "a saved type with a target"),
    ("off_policy::CandidateLog::with_schema", "a saved type with a target"),
    ("off_policy::CandidateLog::with_propensities", "the check of `CandidateLog::new`"),
    ("off_policy::CandidateLog::select", "`Candidates::select`, and columns"),
    ("boosters::OnlineAgnosticBooster::new", "`with_ogd` calls it"),
    ("boosters::OnlineRealizableBooster::new", "`with_ogd` calls it"),
    ("boosters::StatisticalBooster::new", "`theorem_8` and `theorem_10` call it"),
    ("boosters::BoostedRewards::fit", "a training of seconds on a checked log"),
    ("boosters::CandidateBoosting::new", "of a checked log; its checkpoint has a target"),
    ("boosters::CandidateBoosting::doubly_robust", "as `new`; the check of `PolicyBoosting::doubly_robust`"),
    ("boosters::CandidateEnsemble::of", "a saved type with a target"),
    ("boosters::CandidateRegression::new", "of a checked log; its checkpoint has a target"),
    ("boosters::PolicyEnsemble::with_schema", "a comparison of two shapes; a saved type with a target"),
    ("boosters::PolicyModel::with_columns", "a saved type with a target"),
    ("boosters::RewardRegression::logistic_of_rank", "`logistic` on the rows of a rank"),
    ("boosters::EarlyStoppingBuilder::build", "the checks of `ValidationBuilder::build`"),
    ("boosters::PolicyBoosting::of_rank", "`new` on the rows of a rank"),
    ("boosters::PolicyBoosting::from_ensemble_of_rank", "`from_ensemble` on the rows of a rank"),
    ("boosters::PolicyBoosting::doubly_robust_of_rank", "`doubly_robust` on the rows of a rank"),
    ("boosters::PolicyBoosting::doubly_robust_from_ensemble", "`doubly_robust` and `from_ensemble`"),
    ("boosters::PolicyBoosting::doubly_robust_from_ensemble_of_rank", "the same on the rows of a rank"),
    ("boosters::PolicyModel::load", "a file: `boosters::saved::load` has targets"),
];

/// The public functions of a source that return `Result<Self` or build something, by type and name.
fn constructors(source: &str, krate: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut owner = String::new();
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: Vec<&str> = source.lines().collect();
    for (k, line) in lines.iter().enumerate() {
        if line.starts_with("impl") {
            // Up to the line with the brace: `impl<K> Trait for Type<K> where …`.
            let head = lines[k..].iter().take(8).copied().collect::<Vec<_>>().join(" ");
            owner = implemented(head.split('{').next().unwrap_or_default());
        }
        let Some(rest) = line.strip_prefix("    pub fn ") else { continue };
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let signature: String = lines[k..].iter().take(12).copied().collect();
        let signature = signature.split('{').next().unwrap_or_default();
        let of_self = signature.contains("-> Result<Self");
        let builds = name == "build" && signature.contains("-> Result<");
        if of_self || builds {
            found.insert(format!("{}::{owner}::{name}", krate.replace('-', "_")));
        }
    }
    found
}

/// The type of an `impl` line, without its parameters.
fn implemented(head: &str) -> String {
    let mut depth = 0_i32;
    let mut plain = String::new();
    for letter in head.trim_start_matches("impl").chars() {
        match letter {
            '<' => depth += 1,
            '>' if !plain.ends_with('-') => depth -= 1,
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    let of = plain.split(" where ").next().unwrap_or_default();
    let of = of.rsplit(" for ").next().unwrap_or_default();
    of.trim().trim_start_matches('&').rsplit("::").next().unwrap_or_default().trim().to_owned()
}

#[allow(clippy::unwrap_used, reason = "a test helper: sources that are not there fail the test")]
fn visit(folder: &Path, krate: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, krate, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.extend(constructors(&fs::read_to_string(&path).unwrap(), krate));
        }
    }
}

#[test]
fn every_constructor_has_a_target_or_a_reason() {
    let mut all = BTreeSet::new();
    for krate in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("src");
        visit(&folder, krate, &mut all);
    }
    assert!(all.len() > 200, "{}", all.len());
    let doors: BTreeSet<&str> = fuzzing::doors().into_iter().collect();
    let without: BTreeMap<&str, &str> = WITHOUT.into_iter().collect();
    let missing: Vec<&String> = all
        .iter()
        .filter(|name| !doors.contains(name.as_str()) && !without.contains_key(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "constructors without a target: {missing:#?}");
    let gone: Vec<&&str> = without.keys().filter(|name| !all.contains(**name)).collect();
    assert!(gone.is_empty(), "reasons for constructors that are not there: {gone:#?}");
    let both: Vec<&&str> = without.keys().filter(|name| doors.contains(**name)).collect();
    assert!(both.is_empty(), "reasons for constructors that have a target: {both:#?}");
}

#[test]
fn all_forms_of_constructors_are_found() {
    let source = "impl<K: Set> Trait<K> for One<K>\nwhere\n    K: Copy,\n{\n    pub fn new(\n        a: f64,\n    ) -> Result<Self, E> {\n}\n\
                  impl Two<'_> {\n    pub fn with(self) -> Result<Self, E> {\n    pub fn get(&self) -> f64 {\n    fn hidden() -> Result<Self, E> {\n}\n\
                  impl Builder {\n    pub fn build(self) -> Result<Three, E> {\n}\n#[cfg(test)]\nimpl Four {\n    pub fn new() -> Result<Self, E> {\n}";
    let found = constructors(source, "a-crate");
    let expected = ["a_crate::Builder::build", "a_crate::One::new", "a_crate::Two::with"];
    assert_eq!(found, expected.map(str::to_owned).into());
}
