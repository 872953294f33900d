//! The page of `evaluate --html`: its facts, and that it is one safe file.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use ocoboost::numerals::{figure, thousands};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ocoboost")).args(arguments).arg("--quiet").output().unwrap()
}

fn offers() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/offers.csv").display().to_string()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.at(name), text).unwrap();
        self.at(name)
    }

    /// A model of a log, trained in few rounds.
    fn model(&self, log: &str) -> String {
        let model = self.at("policy.ocob");
        let short = ["--budget", "10m", "--candidates", "3", "--rounds", "20", "--seed", "1"];
        let output = run(&[&["train", log, "-o", &model], &short[..]].concat());
        assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
        model
    }

    /// The page of an evaluation, and its answer.
    fn page(&self, policy: &str, log: &str) -> (String, Value) {
        let page = self.at("page.html");
        let output = run(&["evaluate", policy, log, "--html", &page, "--format", "json"]);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
        let page = std::fs::read_to_string(page).unwrap();
        assert_sound(&page);
        (page, serde_json::from_slice(&output.stdout).unwrap())
    }
}

/// Elements without an end.
const VOID: [&str; 6] = ["meta", "br", "hr", "img", "input", "link"];
/// Those of an SVG that this program writes end themselves.
const SVG: [&str; 6] = ["rect", "circle", "polyline", "polygon", "line", "path"];

/// The tags of a page: the name, whether it is an end, the text of its attributes.
fn tags(page: &str) -> Vec<(&str, bool, &str)> {
    let mut found = Vec::new();
    for part in page.split('<').skip(1) {
        let tag = part.split('>').next().unwrap();
        let (is_end, tag) = (tag.starts_with('/'), tag.trim_start_matches('/'));
        let (name, attributes) = tag.split_once([' ', '\n']).unwrap_or((tag, ""));
        found.push((name, is_end, attributes));
    }
    found
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = attributes.split_once(&format!("{name}=\""))?;
    rest.split('"').next()
}

/// One page without anything from elsewhere, whose elements are closed in their order, with headings, tables
/// and figures that can be read out.
fn assert_sound(page: &str) {
    let lower = page.to_lowercase();
    for text in ["http:", "https:", "//", "src=", "@import", "url(", "<link", "<script", "<iframe"] {
        assert!(!lower.contains(text), "{text} is on the page");
    }
    assert!(page.contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"));
    assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"));
    let tags = tags(page);
    let mut open = Vec::new();
    for (name, is_end, attributes) in &tags {
        if name.starts_with('!') || VOID.contains(name) || attributes.ends_with('/') || name.ends_with('/') {
            continue;
        }
        assert!(!SVG.contains(name) || *is_end, "{name} {attributes}");
        if *is_end {
            assert_eq!(open.pop(), Some(*name));
        } else {
            open.push(*name);
        }
    }
    assert_eq!(open, [""; 0], "left open");
    let starts = || tags.iter().filter(|(_, is_end, _)| !is_end);
    let of = |wanted: &str| starts().filter(|(name, ..)| *name == wanted).count();
    assert_eq!([of("html"), of("title"), of("h1"), of("main")], [1; 4]);
    // Every section has a heading, and every link of the page leads to one.
    let mut ids: Vec<&str> = starts()
        .filter_map(|(_, _, attributes)| {
            attribute(attributes, " id")
                .or_else(|| attributes.starts_with("id=").then(|| attribute(attributes, "id").unwrap()))
        })
        .collect();
    let links: Vec<&str> = starts().filter_map(|(_, _, attributes)| attribute(attributes, "href")).collect();
    assert!(links.len() >= 3 && links.iter().all(|link| ids.contains(&&link[1..])), "{links:?}, {ids:?}");
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id twice");
    let mut level = 0;
    for (name, ..) in starts() {
        if let Some(own) = name.strip_prefix('h').and_then(|digit| digit.parse::<u32>().ok()) {
            assert!(own <= level + 1, "<{name}> below a heading of level {level}");
            level = own;
        }
    }
    // Nothing runs.
    for (_, _, attributes) in starts() {
        let outside: String = attributes.split('"').step_by(2).collect();
        let names = outside.split(['=', ' ', '\n', '/']).filter(|name| !name.is_empty());
        names.for_each(|name| assert!(!name.starts_with("on") && name != "src", "{attributes}"));
    }
    // Figures have words, header cells a scope, and what scrolls a name.
    for (name, _, attributes) in starts() {
        if *name == "th" {
            assert!(matches!(attribute(attributes, "scope"), Some("col" | "row")), "{attributes}");
        }
        if attributes.contains("role=") {
            assert!(attribute(attributes, "aria-label").is_some_and(|words| words.len() > 5), "{attributes}");
        }
    }
    assert_eq!(of("svg"), page.matches("role=\"img\"").count());
    assert!(of("table") >= 2 && of("th") > of("table") && of("figcaption") == of("svg"));
}

/// The text between the tags.
fn text(page: &str) -> String {
    let body = page.split_once("<body>").unwrap().1;
    let words: Vec<&str> =
        body.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    let text = words
        .join("|")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&");
    text.split('|').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("|")
}

/// A number of the page with a true minus sign.
fn number(value: f64) -> String {
    figure(value).replace('-', "−")
}

#[test]
fn the_page_has_the_facts_of_the_judgement() {
    let folder = Folder::new();
    let model = folder.model(&offers());
    let (page, answer) = folder.page(&model, &offers());
    let text = text(&page);
    // The verdict comes first.
    let sentence = answer["certificate"]["sentence"].as_str().unwrap();
    let place = text.find(sentence).unwrap();
    assert!(text.find("What it earns").unwrap() > place, "{text}");
    assert!(text.contains("Caution:|the policy was trained on this log"));
    let row = |name: &str, one: &Value| {
        let [value, lower, upper] = ["value", "lower", "upper"].map(|end| number(one[end].as_f64().unwrap()));
        // After the name come the words about it.
        let table = text.split_once("|reward a decision|").unwrap().1;
        let mut cells = table.split_once(&format!("|{name}|")).unwrap().1.split('|');
        let words = cells.next().unwrap();
        assert_eq!(words.contains("the one that the verdict quotes"), name == "DR", "{words}");
        let found = [cells.next(), cells.next()];
        assert_eq!(found, [Some(&*value), Some(&*format!("{lower} to {upper}"))], "{name}");
    };
    row("the log", &answer["logged"]);
    let estimates = answer["estimates"].as_array().unwrap();
    assert_eq!(estimates.len(), 6);
    for one in estimates {
        row(one["name"].as_str().unwrap(), one);
    }
    for bound in answer["certificate"]["bounds"].as_array().unwrap() {
        assert!(text.contains(&format!("+{}", number(bound["lower"].as_f64().unwrap()))), "{bound}");
    }
    let rows = answer["rows"].as_u64().unwrap();
    assert!(text.contains(&format!("|{}|", thousands(rows))));
    // The segments of the device, and the actions of the log, counted here.
    let log = std::fs::read_to_string(offers()).unwrap();
    let (mut devices, mut actions) = (BTreeMap::<&str, (u64, f64)>::new(), BTreeMap::<&str, f64>::new());
    for line in log.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let of = devices.entry(cells[2]).or_default();
        *of = (of.0 + 1, of.1 + cells[5].parse::<f64>().unwrap());
        *actions.entry(cells[3]).or_default() += 1.0;
    }
    for (device, (count, sum)) in devices {
        let words = format!("|{device}|{} rows|{}|", thousands(count), number(sum / count as f64));
        assert!(text.contains(&words), "{words}");
    }
    for (action, count) in actions {
        let words = format!("|{action}|{:.1}%|", 100.0 * count / rows as f64);
        assert!(text.contains(&words), "{words}");
    }
    // What the model is.
    for words in [
        "SHA-256 of the file",
        "|seed|1|",
        "|1,000|",
        "|5,000|",
        "3 candidates were tried",
        "|budget|600 s|",
        "chosen|",
    ] {
        assert!(text.contains(words), "{words}");
    }
    for words in
        ["Estimates with intervals", "Rows by weight", "Rows by propensity", "Estimated value by round"]
    {
        assert!(text.contains(words), "{words}");
    }
    // The same page again.
    assert_eq!(folder.page(&model, &offers()).0, page);
}

#[test]
fn a_policy_without_a_model_has_a_page_too() {
    let folder = Folder::new();
    let (page, _) = folder.page("uniform", &offers());
    let uniform = text(&page);
    for words in ["What the policy changes", "|33.3%|", "Reward by segment", "Not shown to be better."] {
        assert!(uniform.contains(words), "{words}");
    }
    let (page, answer) = folder.page("logged", &offers());
    let logged = text(&page);
    assert!(
        logged.contains("there is nothing to estimate")
            && logged.contains(&number(answer["logged"]["value"].as_f64().unwrap()))
    );
    for words in ["What the policy changes", "How it was chosen", "SNIPS", "At least"] {
        assert!(!logged.contains(words), "{words}");
    }
}

/// Of 1/3 rounded down the page says so, of 1/3 rounded up that propensities may be wrong, and of 1/3 with
/// seven digits nothing.
#[test]
fn rounded_propensities_are_named() {
    let folder = Folder::new();
    let page = |propensity: &str| {
        let row = |i: usize| format!("{},{},{propensity},{}\n", i % 7, i % 3, i % 2);
        let rows: String = (0..600).map(row).collect();
        let log = folder.write("log.csv", &format!("x,action,propensity,reward\n{rows}"));
        text(&folder.page("uniform", &log).0)
    };
    let said = "The mean weight is 1.00010 ± 0.00000, and not 1: the propensities are not those that were in \
                force, or are rounded.";
    let down = page("0.3333");
    assert!(down.contains(said), "{down}");
    assert!(down.contains("seven significant digits are enough"), "{down}");
    let up = page("0.334");
    let said = "The mean weight is 0.9980 ± 0.0000, and not 1: the policy does what the log could not do or hardly \
                ever did, or the propensities are wrong.";
    assert!(up.contains(said), "{up}");
    let full = page("0.3333333");
    assert!(!full.contains("mean weight is") && !full.contains("rounded"), "{full}");
}

/// Whatever a log holds is text: names of columns, labels, actions and the file itself.
#[test]
fn what_a_log_holds_is_never_markup() {
    let folder = Folder::new();
    let evil = [
        "<script>alert(1)</script>",
        "\"\"><img onload=x>",
        "</style></title><b>",
        "&lt;i&gt;",
        "' onload='x",
    ];
    let mut log = format!("\"{}\",\"{}\",action,propensity,reward\n", evil[0], evil[1]);
    for i in 0..600_usize {
        let (label, action) = (evil[i % 5], evil[i / 5 % 3]);
        let reward = u8::from(i % 5 == i / 5 % 3);
        log.push_str(&format!("\"{label}\",{},\"{action}\",0.3333333333,{reward}\n", i % 7));
    }
    let log = folder.write("<b onload=x>.csv", &log);
    let model = folder.model(&log);
    for policy in [model.as_str(), "uniform", "logged"] {
        let (page, _) = folder.page(policy, &log);
        let text = text(&page);
        assert!(
            !page.contains("<b") || page.matches("<b").count() == page.matches("<bdi>").count() + 1,
            "<body>"
        );
        assert!(!page.contains("<img") && !page.contains("alert(1)</"));
        for label in ["<script>alert(1)</script>", "\"><img onload=x>", "</style></title><b>", "&lt;i&gt;"] {
            assert!(text.contains(label), "{label}");
        }
    }
}

#[test]
fn the_size_of_a_page_is_bounded() {
    let folder = Folder::new();
    let names: Vec<String> = (0..60).map(|k| format!("column-{k}-{}", "long ".repeat(2_000))).collect();
    let mut log = format!("{},action,propensity,reward\n", names.join(","));
    for i in 0..800_usize {
        let labels: Vec<String> = (0..60).map(|k| format!("l{}", (i * (k + 1)) % 97)).collect();
        log.push_str(&format!("{},action-{},0.004,{}\n", labels.join(","), i % 250, i % 2));
    }
    let log = folder.write("wide.csv", &log);
    let (page, _) = folder.page("uniform", &log);
    assert!(page.len() < 150_000, "{}", page.len());
    let text = text(&page);
    for words in [
        "and 7 more columns",
        "and 48 more columns",
        "and 240 more actions",
        "89 other labels",
        "column-0-long long",
        "…|",
    ] {
        assert!(text.contains(words), "{words}");
    }
}

#[test]
fn a_page_that_cannot_be_written_leaves_nothing() {
    let folder = Folder::new();
    let page = folder.at("no folder/page.html");
    let output = run(&["evaluate", "uniform", &offers(), "--html", &page]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(73), 0), "{said}");
    assert!(said.lines().count() == 1 && said.contains("page.html"), "{said}");
    // An old page stays where the evaluation fails.
    let page = folder.write("page.html", "old");
    let log = folder.write("bad.csv", "x,action,propensity,reward\n1,a,2,1\n");
    assert_eq!(run(&["evaluate", "uniform", &log, "--html", &page]).status.code(), Some(65));
    let files: Vec<PathBuf> =
        std::fs::read_dir(folder.0.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!((std::fs::read_to_string(page).unwrap().as_str(), files.len()), ("old", 2));
}
