//! Logs in the formats that people have them in.

use super::{law, refused};
use crate::target::{Format as Kind, Target};
use crate::verdict::{AnyError, Complaint, Verdict};
use ::formats::{
    ActionFeatures, Examples, Format, FormatError, LogOptions, ReadCandidates, ReadLog, RowWeights, Source,
    WriteOptions, quiet, read_candidates, read_candidates_coded, read_choices, read_contexts, read_log,
    read_log_coded, write_log_to,
};
use off_policy::Value;

const CSV: &str = "age,device,since,action,propensity,reward\n41,phone,2026-01-31,news,0.5,1\n\
                   ,\"tab \"\"let\"\"\",2026-02-01T12:00:00Z,\"sport, live\",0.25,0\n7.5,,2025-12-24,news,1,-2e3\n";
const JSON: &str = "{\"x\":1.5,\"u\":{\"d\":\"a\"},\"action\":\"b\",\"propensity\":0.5,\"reward\":1}\n\
                    {\"x\":null,\"u\":{\"d\":\"c\"},\"action\":2,\"propensity\":1,\"reward\":0}\n";
const VW: &str = "1 2:-1:0.5 |u age:41 device=phone |:2 x\n3:0:0.25 'tag| day=2026-01-31 x:-2.5\n2 | z\n";
const ADF: &str = "shared |u age:3\n|\n0:1:0.5 |\n\nshared |u age:4 d=a\n0:0:0.25 | f\n|\n|\n";
const DSJSON: &str = "{\"_label_cost\":-1,\"_label_probability\":0.5,\"_label_Action\":1,\"_labelIndex\":0,\"a\":[1,2],\"p\":[0.5,0.5],\
                      \"c\":{\"u\":{\"x\":1,\"d\":\"a\",\"t\":[\"p\",\"q\"]},\"_multi\":[{\"_tag\":\"a\"},{\"_tag\":\"b\",\"f\":null}]},\"pdrop\":0.5}\n\
                      {\"RewardValue\":1}\n{\"_label_cost\":0,\"_label_probability\":1,\"_labelIndex\":1,\"a\":[2,1],\
                      \"c\":{\"u\":{\"x\":0.5},\"_multi\":[{\"_tag\":\"a\"},{\"_tag\":\"b\",\"f\":1}]},\"pdrop\":0.5}\n";

fn options(format: Format) -> LogOptions {
    LogOptions::default().format(format).action_features(ActionFeatures::Drop)
}

/// The laws of every log that was read.
fn check(input: &[u8], log: &ReadLog, format: Format) -> Result<(), Complaint> {
    let n = log.rewards.len();
    let propensities = log.propensities.as_ref().map_or(n, Vec::len);
    let counts = [log.contexts.len(), log.actions.len(), propensities];
    law("a log has as many of everything", counts == [n; 3] && log.facts.rows == n as u64, n)?;
    law("a log has a schema of its shape", log.schema.inputs() == log.contexts.dimension(), "")?;
    if log.propensities.is_some() && log.weights.is_none() {
        let made = log.clone().into_log();
        law(
            "a log of propensities is a log",
            made.is_ok(),
            made.err().map(|e| e.to_string()).unwrap_or_default(),
        )?;
    }
    let source = || Source::bytes("input", input);
    match read_log_coded(source(), &log.schema, &options(format), &mut quiet) {
        Ok(again) => {
            let same = again.contexts.fingerprint() == log.contexts.fingerprint();
            law("a file is coded alike by its own schema", same && again.actions == log.actions, "")?;
            law("its labels are known", again.facts.unknown_labels.is_empty(), "")?;
        }
        Err(error) => law("a file is read by its own schema", false, error)?,
    }
    // Decisions without a label are rows to predict for, whatever their actions are.
    if log.facts.skipped.is_empty()
        && let Err(error) = read_contexts(source(), &log.schema, &options(format), &mut quiet)
    {
        law("its contexts are read alone", false, error)?;
    }
    if log.weights.is_some() {
        return Ok(());
    }
    let mut written = Vec::new();
    let facts = match write_log_to(log, &mut written, &WriteOptions::default().format(Format::JsonLines)) {
        Ok(facts) => facts,
        // A date of a year that text does not have.
        Err(::formats::FormatError::BadCell { .. }) => return Ok(()),
        Err(error) => return law("a log is written", false, error),
    };
    match read_log(Source::bytes("written", written), &facts.options, &mut quiet) {
        Ok(again) => law("what is written is read alike", again.rewards == log.rewards, ""),
        // One action, or one that was never taken, is not known of a file.
        Err(::formats::FormatError::OneAction { .. }) => Ok(()),
        Err(error) => law("what is written is read", false, error),
    }
}

fn target(name: &str, kind: Kind, format: Format, seeds: fn() -> Result<Vec<Vec<u8>>, AnyError>) -> Target {
    Target::reader(name, kind, seeds, move |input| {
        match read_log(Source::bytes("input", input), &options(format), &mut quiet) {
            Ok(log) => check(input, &log, format).map_or_else(Verdict::Faulty, |()| Verdict::Accepted),
            Err(error) => refused(&error),
        }
    })
}

const EXAMPLES: &str = "1 |u age:41 device=phone |:2 x\n-1 1 'tag| day=2026-01-31 x:-2.5\n| z\n";

/// Rows one by one: all of them, or an error.
fn rows(
    name: &'static str,
    kind: Kind,
    format: Format,
    seeds: fn() -> Result<Vec<Vec<u8>>, AnyError>,
) -> Target {
    Target::reader(name, kind, seeds, move |input| match each_row(input, format) {
        Ok(complaint) => complaint.map_or_else(Verdict::Faulty, |()| Verdict::Accepted),
        Err(error) => refused(&error),
    })
}

fn each_row(input: &[u8], format: Format) -> Result<Result<(), Complaint>, FormatError> {
    let options = options(format).labels(["device"]).may_lack_columns();
    let mut examples = Examples::open(Source::bytes("input", input), Some("reward"), &options)?;
    let mut count = 0;
    while let Some(row) = examples.advance()? {
        count += 1;
        let is_finite = |value| !matches!(value, Value::Number(x) if !(x.abs() <= 1e140));
        let is_sound = row.cells().all(|(name, value)| !name.is_empty() && is_finite(value));
        let is_label = row.label().is_none_or(|label| !label.is_empty());
        if let Err(complaint) = law("cells have names and finite numbers", is_sound && is_label, row.place())
        {
            return Ok(Err(complaint));
        }
    }
    std::hint::black_box(examples.check_columns().is_ok());
    let facts = examples.finish()?;
    Ok(law("every row was handed out", facts.rows == count, count))
}

const CANDIDATES: &str = "shared |u age:3 d=a\n'a |i x:0.5 k=b |f y:2\n0:-1:0.25 'b |i x:1 z |f y:1\n\n\
                          shared |u age:4\n0:1:1 'b |i x:1 z |f y:3\n'a |i x:0.5 k=b\n";
const MULTI: &str = "{\"_label_cost\":-1,\"_label_probability\":0.5,\"_label_Action\":1,\"_labelIndex\":0,\"a\":[1,2],\"p\":[0.5,0.5],\
                     \"c\":{\"u\":{\"x\":1,\"d\":\"a\"},\"_multi\":[{\"_tag\":\"a\",\"i\":{\"x\":[1,2],\"k\":\"b\"}},{\"_tag\":\"b\",\"i\":{\"z\":true},\"f\":{\"y\":3}}]}}\n\
                     {\"_label_cost\":0,\"_label_probability\":1,\"_labelIndex\":1,\"a\":[2,1],\
                     \"c\":{\"_multi\":[{\"id\":\"b\",\"i\":{\"z\":true}},{\"_tag\":\"c\",\"i\":{\"x\":[0,2]}}]}}\n";

/// The ways in which features of actions can be asked for.
fn ways(format: Format) -> [LogOptions; 3] {
    let options = options(format).weights(RowWeights::Drop).may_lack_columns();
    [options.clone(), options.clone().identities(true), options.pair_features(["f"])]
}

/// The laws of every log of candidates that was read.
fn check_candidates(input: &[u8], read: ReadCandidates, options: &LogOptions) -> Result<(), Complaint> {
    law("a log has a schema of its shape", read.schema.shape() == read.candidates.shape(), "")?;
    let (schema, rows) = (read.schema.clone(), read.facts.rows);
    if read.facts.skipped.is_empty() {
        match read_choices(Source::bytes("input", input), &schema, options, &mut quiet) {
            Ok(choices) => law("its choices are read alone", choices.candidates == read.candidates, "")?,
            Err(error) => law("its choices are read", false, error)?,
        }
    }
    if read.propensities.is_none() {
        // They are to be estimated.
        return Ok(());
    }
    let log = match read.into_log() {
        Ok(log) => log,
        Err(error) => return law("what was read is a log", false, error),
    };
    law("a log has as many of everything", log.len() as u64 == rows, rows)?;
    match read_candidates_coded(Source::bytes("input", input), &schema, options, &mut quiet) {
        Ok(again) => {
            law("its labels are known", again.facts.unknown_labels.is_empty(), "")?;
            law("a file is coded alike by its own schema", again.into_log() == Ok(log), "")
        }
        Err(error) => law("a file is read by its own schema", false, error),
    }
}

fn candidates(
    name: &str,
    kind: Kind,
    format: Format,
    seeds: fn() -> Result<Vec<Vec<u8>>, AnyError>,
) -> Target {
    Target::reader(name, kind, seeds, move |input| {
        let mut verdict = Verdict::Accepted;
        for options in ways(format) {
            match read_candidates(Source::bytes("input", input), &options, &mut quiet) {
                Ok(read) => {
                    if let Err(complaint) = check_candidates(input, read, &options) {
                        return Verdict::Faulty(complaint);
                    }
                }
                Err(error) => verdict = refused(&error),
            }
        }
        verdict
    })
}

/// The log of the CSV text in another format.
fn written(format: Format) -> Result<Vec<Vec<u8>>, AnyError> {
    let log = read_log(Source::bytes("log", CSV), &options(Format::Csv), &mut quiet)?;
    let mut written = Vec::new();
    write_log_to(&log, &mut written, &WriteOptions::default().format(format))?;
    Ok(vec![written])
}

pub(super) fn all() -> Vec<Target> {
    vec![
        target("formats::read_log, csv", Kind::Text, Format::Csv, || {
            Ok(vec![CSV.into(), CSV.replace('\n', "\r\n").into(), super::compressed(CSV.as_bytes())?])
        }),
        target("formats::read_log, tsv", Kind::Text, Format::Tsv, || {
            Ok(vec![CSV.replace(", ", "").replace(',', "\t").into()])
        }),
        target("formats::read_log, json lines", Kind::Text, Format::JsonLines, || Ok(vec![JSON.into()])),
        target("formats::read_log, vw", Kind::Text, Format::Vw, || Ok(vec![VW.into(), ADF.into()])),
        target("formats::read_log, dsjson", Kind::Text, Format::Dsjson, || Ok(vec![DSJSON.into()])),
        target("formats::read_log, parquet", Kind::Binary, Format::Parquet, || written(Format::Parquet)),
        target("formats::read_log, arrow", Kind::Binary, Format::Arrow, || written(Format::Arrow)),
        candidates("formats::read_candidates, vw", Kind::Text, Format::Vw, || {
            Ok(vec![CANDIDATES.into(), super::compressed(CANDIDATES.as_bytes())?])
        }),
        candidates("formats::read_candidates, dsjson", Kind::Text, Format::Dsjson, || Ok(vec![MULTI.into()])),
        rows("formats::Examples, csv", Kind::Text, Format::Csv, || {
            Ok(vec![CSV.into(), super::compressed(CSV.as_bytes())?])
        }),
        rows("formats::Examples, json lines", Kind::Text, Format::JsonLines, || Ok(vec![JSON.into()])),
        rows("formats::Examples, vw", Kind::Text, Format::Vw, || Ok(vec![EXAMPLES.into()])),
        rows("formats::Examples, parquet", Kind::Binary, Format::Parquet, || written(Format::Parquet)),
    ]
}
