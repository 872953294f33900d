//! Command lines of the program `ocoboost`, with a file of settings, up to where a file would be opened.

use super::Target;
use crate::target::Format;
use crate::verdict::Verdict;
use std::ffi::OsString;

/// Words one a line, an empty line, and the text of the settings.
const SEEDS: [&str; 7] = [
    "train\nlog.csv\n-o\nmodel\n--budget\n10m\n--reward-range\n0,1\n--max-depth\n4\n--labels\na,b\n",
    "train\nlog.csv\n-o\nmodel\n--config\ns.toml\n\nseed = 3\n[train]\nbudget = \"60s\"\nignore = [\"x\", \"y\"]\n",
    "boost\ntable.csv\n--label\ny\n-o\nmodel\n--algorithm\nsmooth\n--smoothness\n4\n--rounds\n9\n",
    "stream\nrows.csv\n--label\ny\n--booster\nosboost\n--weak-learner\nstumps\n--advantage\n0.1\n--bits\n4\n",
    "evaluate\nuniform\nlog.csv\n--confidence\n0.9\n--time\nt\n--input-format\nvw\n",
    "predict\nmodel\nrows.csv\n--explore\n0.1\n--format\njson\n--threads\n2\n--quiet\n",
    "compare\na\nb\nlog.csv\n--cost\nc\n--available\no\n",
];

/// The input as words and settings.
fn parts(input: &[u8]) -> (Vec<OsString>, String) {
    let text = String::from_utf8_lossy(input);
    let (line, settings) = text.split_once("\n\n").unwrap_or((&text, ""));
    let words = std::iter::once("ocoboost").chain(line.lines()).map(OsString::from).collect();
    (words, settings.to_owned())
}

fn read(input: &[u8]) -> Verdict {
    let (words, settings) = parts(input);
    match cli::check(&words, &settings) {
        Ok(()) => Verdict::Accepted,
        Err(why) => {
            std::hint::black_box(why);
            Verdict::Refused
        }
    }
}

pub(super) fn all() -> Vec<Target> {
    let seeds = || Ok(SEEDS.iter().map(|text| text.as_bytes().to_vec()).collect());
    vec![Target::reader("cli: command lines and settings", Format::Text, seeds, read)]
}
