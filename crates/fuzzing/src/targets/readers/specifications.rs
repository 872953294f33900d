//! What is asked of a file, and the file: the first line names columns, the rest is read by them.

use super::{law, refused};
use crate::target::{Format as Kind, Target};
use crate::verdict::{Complaint, Verdict};
use formats::{
    ActionFeatures, Examples, LogOptions, MissingPropensities, RowWeights, Source, quiet, read_log,
    read_table, read_table_coded,
};
use off_policy::readers::{ActionCoding, CsvColumns, read_csv};

const LOG: &str = "a=act p=p r=gain o=offer s=| l=device i=note t=day f=csv\n\
                   age,device,day,act,p,gain,offer,note\n41,phone,3,x,0.5,1,x|y,n\n7,tab,4,y,0.25,0,x|y,m\n";
const COSTS: &str = "a=act c=cost f=tsv v=split m=keep w\nage\tact\tcost\tsplit\tp\n41\tx\t1\ttest\t0.5\n7\ty\t2\ttrain\t0.5\n";
const TABLE: &str =
    "y=kind i=note l=colour t=day\nlength,kind,colour,day,note\n1.5,b,red,1,n\n2.5,a,blue,2,m\n2,b,,3,\n";
const COLUMNS: &str = "a=act p=p r=gain l=device w=note n=3 o=offer s=|\n\
                       age,device,act,p,gain,offer,note\n41,phone,0,0.5,1,0|1,n\n7,tab,1,0.25,0,1|2,m\n";

type Words<'a> = Vec<(&'a str, &'a str)>;

/// The words of the first line as pairs of a key and a value, and the file.
fn parts(input: &[u8]) -> Option<(Words<'_>, &[u8])> {
    let end = input.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&input[..end]).ok()?;
    Some((
        line.split(' ').map(|word| word.split_once('=').unwrap_or((word, ""))).collect(),
        &input[end + 1..],
    ))
}

fn options(words: &[(&str, &str)]) -> Option<LogOptions> {
    let first = |text: &str| text.chars().next();
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
    let mut options = LogOptions::default();
    for (key, value) in words {
        options = match *key {
            "a" => options.action(*value),
            "p" => options.propensity(*value),
            "r" => options.reward(*value),
            "c" => options.cost(*value),
            "o" => options.available(*value),
            "s" => options.separator(first(value)?),
            "d" => options.delimiter(first(value)?),
            "t" => options.time(*value),
            "v" => options.split(*value),
            "i" => options.ignore(list(value)),
            "l" => options.labels(list(value)),
            "q" => options.pair_features(list(value)),
            "e" => options.identities(true),
            "w" => options.weights(RowWeights::Drop),
            "x" => options.action_features(ActionFeatures::Drop),
            "k" => options.may_lack_columns(),
            "n" => options.most_labels(value.parse().ok()?),
            "m" => options.missing_propensities(MissingPropensities::Skip),
            "f" => options.format(value.parse().ok()?),
            _ => options,
        };
    }
    Some(options)
}

/// A log by drawn options: as many of everything, and as a log of propensities a log.
fn log(input: &[u8]) -> Verdict {
    let Some((words, file)) = parts(input) else { return Verdict::Refused };
    let Some(options) = options(&words) else { return Verdict::Refused };
    let read = match read_log(Source::bytes("input", file), &options, &mut quiet) {
        Ok(read) => read,
        Err(error) => return refused(&error),
    };
    let n = read.rewards.len();
    let counts = [read.contexts.len(), read.actions.len(), read.propensities.as_ref().map_or(n, Vec::len)];
    let found = law("a log has as many of everything", counts == [n; 3], n).and_then(|()| {
        law("a log has a schema of its shape", read.schema.inputs() == read.contexts.dimension(), "")?;
        let is_whole = read.propensities.is_some() && read.weights.is_none();
        let made = is_whole.then(|| read.into_log().map_err(|error| error.to_string()));
        law(
            "a log of propensities is a log",
            !matches!(made, Some(Err(_))),
            format!("{:?}", made.map(|_| ())),
        )
    });
    found.map_or_else(Verdict::Faulty, |()| Verdict::Accepted)
}

/// A table by drawn options, read again by its own schema.
fn table(input: &[u8]) -> Verdict {
    let Some((words, file)) = parts(input) else { return Verdict::Refused };
    let label = words.iter().find(|(key, _)| *key == "y").map_or("y", |(_, value)| value);
    let Some(options) = options(&words) else { return Verdict::Refused };
    let source = || Source::bytes("input", file);
    let read = match read_table(source(), label, &options, &mut quiet) {
        Ok(read) => read,
        Err(error) => return refused(&error),
    };
    let check = || -> Result<(), Complaint> {
        law("a row has a label", read.labels.len() == read.contexts.len(), read.labels.len())?;
        let known = read.labels.iter().all(|label| (*label as usize) < read.label_names.len());
        law("labels have names", known, read.label_names.len())?;
        match read_table_coded(source(), label, &read.schema, &options, &mut quiet) {
            Ok(again) => {
                let same = again.contexts.fingerprint() == read.contexts.fingerprint();
                law("a table is coded alike by its own schema", same && again.labels == read.labels, "")
            }
            Err(error) => law("a table is read by its own schema", false, error),
        }
    };
    check().map_or_else(Verdict::Faulty, |()| Verdict::Accepted)
}

fn columns(words: &[(&str, &str)]) -> Option<CsvColumns> {
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
    let separator = words.iter().find(|(key, _)| *key == "s").and_then(|(_, value)| value.chars().next());
    let mut columns = CsvColumns::default();
    for (key, value) in words {
        columns = match *key {
            "a" => columns.with_action(*value),
            "p" => columns.with_propensity(*value),
            "r" => columns.with_reward(*value),
            "c" => columns.with_cost(*value),
            "o" => columns.with_on_offer(*value, separator.unwrap_or('|')),
            "l" => columns.with_labels(list(value)),
            "w" => columns.without(list(value)),
            "x" => columns.with_contexts(list(value)),
            "n" => columns.with_coding(ActionCoding::Index(value.parse().ok()?)),
            "k" => columns.with_coding(ActionCoding::Labels(list(value))),
            _ => columns,
        };
    }
    Some(columns)
}

/// A log of CSV by drawn columns, read again by its own columns.
fn csv(input: &[u8]) -> Verdict {
    let Some((words, file)) = parts(input) else { return Verdict::Refused };
    let Some(columns) = columns(&words) else { return Verdict::Refused };
    let read = match read_csv(file, &columns) {
        Ok(read) => read,
        Err(error) => return refused(&error),
    };
    let found = match read_csv(file, &read.columns) {
        Ok(again) => law("a file is coded alike by its own columns", again.log == read.log, ""),
        Err(error) => law("a file is read by its own columns", false, error),
    };
    found.map_or_else(Verdict::Faulty, |()| Verdict::Accepted)
}

/// Rows one by one by drawn options.
fn examples(input: &[u8]) -> Verdict {
    let Some((words, file)) = parts(input) else { return Verdict::Refused };
    let label = words.iter().find(|(key, _)| *key == "y").map(|(_, value)| *value);
    let Some(options) = options(&words) else { return Verdict::Refused };
    let read = || -> Result<u64, formats::FormatError> {
        let mut examples = Examples::open(Source::bytes("input", file), label, &options)?;
        let mut count = 0;
        while let Some(row) = examples.advance()? {
            count += 1;
            std::hint::black_box(row.cells().count());
        }
        examples.check_columns()?;
        let facts = examples.finish()?;
        Ok(if facts.rows == count { count } else { u64::MAX })
    };
    match read() {
        Ok(count) => law("every row was handed out", count < u64::MAX, count)
            .map_or_else(Verdict::Faulty, |()| Verdict::Accepted),
        Err(error) => refused(&error),
    }
}

pub(super) fn all() -> Vec<Target> {
    vec![
        Target::reader(
            "formats::LogOptions and a log",
            Kind::Text,
            || Ok(vec![LOG.into(), COSTS.into()]),
            log,
        ),
        Target::reader("formats::LogOptions and a table", Kind::Text, || Ok(vec![TABLE.into()]), table),
        Target::reader("formats::LogOptions and examples", Kind::Text, || Ok(vec![TABLE.into()]), examples),
        Target::reader("off_policy::CsvColumns and a log", Kind::Text, || Ok(vec![COLUMNS.into()]), csv),
    ]
}
