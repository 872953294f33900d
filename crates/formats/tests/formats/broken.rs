//! Broken input, and the message for each.

use crate::data;
use formats::{
    Format, FormatError, Limits, LogOptions, MissingPropensities, Source, quiet, read_contexts, read_log,
    read_log_coded, read_table,
};
use std::io::Write;

const HEADER: &str = "x,action,propensity,reward\n";
const GOOD: &str = "x,action,propensity,reward\n1,a,0.5,1\n2,b,0.5,0\n";

fn message(name: &str, bytes: &[u8], options: &LogOptions) -> String {
    match read_log(Source::bytes(name, bytes), options, &mut quiet) {
        Ok(log) => format!("read: {} rows, {:?}", log.facts.rows, log.schema.feature_names()),
        Err(error) => error.to_string(),
    }
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn broken_tables_are_refused_with_one_clear_line() {
    let rows = |text: &str| format!("{HEADER}1,a,0.5,1\n{text}\n");
    let none = LogOptions::default;
    let columns = "\"x\", \"action\", \"propensity\", \"reward\"";
    for (what, text, options, expected) in [
        ("an empty file", String::new(), none(), "l.csv: the file is empty".to_owned()),
        ("a mark and no more", "\u{feff}".into(), none(), "l.csv: the file is empty".into()),
        ("a header only", HEADER.into(), none(), "l.csv: there is no row to read".into()),
        ("blank lines only", "\n\r\n\n".into(), none(), "l.csv: the file is empty".into()),
        (
            "one action only",
            rows("2,a,0.5,0"),
            none(),
            "l.csv, column \"action\": every row has the action \"a\"; there is nothing to choose".into(),
        ),
        (
            "a propensity of 0",
            rows("2,b,0,1"),
            none(),
            "l.csv, line 3, column \"propensity\": \"0\" is not a propensity in (0, 1]".into(),
        ),
        (
            "a negative propensity",
            rows("2,b,-0.1,1"),
            none(),
            "l.csv, line 3, column \"propensity\": \"-0.1\" is not a propensity in (0, 1]".into(),
        ),
        (
            "a propensity above 1",
            rows("2,b,1.0001,1"),
            none(),
            "l.csv, line 3, column \"propensity\": \"1.0001\" is not a propensity in (0, 1]".into(),
        ),
        (
            "a propensity that is text",
            rows("2,b,half,1"),
            none(),
            "l.csv, line 3, column \"propensity\": \"half\" is not a propensity in (0, 1]".into(),
        ),
        (
            "a propensity that is missing",
            rows("2,b,,1"),
            none(),
            "l.csv, line 3, column \"propensity\": the value is missing, and other rows have a propensity; leave such \
             rows out or add them"
                .into(),
        ),
        (
            "no propensity anywhere, in a column that was asked for",
            "x,action,p,reward\n1,a,,1\n2,b,,1\n".into(),
            none().propensity("p"),
            "l.csv, line 2, column \"p\": the value is missing, and other rows have a propensity; leave such rows out or \
             add them"
                .into(),
        ),
        (
            "a reward that is NaN",
            rows("2,b,0.5,NaN"),
            none(),
            "l.csv, line 3, column \"reward\": the value is missing".into(),
        ),
        (
            "a reward that is infinite",
            rows("2,b,0.5,inf"),
            none(),
            "l.csv, line 3, column \"reward\": \"inf\" is not a finite number up to 1e140 in magnitude".into(),
        ),
        (
            "a reward that is text",
            rows("2,b,0.5,yes"),
            none(),
            "l.csv, line 3, column \"reward\": \"yes\" is not a finite number up to 1e140 in magnitude".into(),
        ),
        (
            "a context that is infinite",
            rows("-inf,b,0.5,1"),
            none(),
            "l.csv, line 3, column \"x\": \"-inf\" is not a finite number up to 1e140 in magnitude".into(),
        ),
        (
            "a context that is too large",
            rows("1e200,b,0.5,1"),
            none(),
            "l.csv, line 3, column \"x\": \"1e200\" is not a finite number up to 1e140 in magnitude".into(),
        ),
        (
            "an action that is missing",
            rows("2,,0.5,1"),
            none(),
            "l.csv, line 3, column \"action\": the value is missing".into(),
        ),
        (
            "two columns of one name",
            "x,action,propensity,reward,x\n1,a,0.5,1,2\n".into(),
            none(),
            "l.csv, line 1: two columns are called \"x\"".into(),
        ),
        (
            "no reward",
            "x,action,propensity,gain\n1,a,0.5,1\n".into(),
            none(),
            "l.csv: there is no column \"reward\"; name the column of the rewards or of the costs; there are \
             \"x\", \"action\", \"propensity\", \"gain\""
                .into(),
        ),
        (
            "a cost that nobody named",
            "x,action,propensity,cost\n1,a,0.5,1\n".into(),
            none(),
            "l.csv: there is no column \"reward\"; name the column of the rewards or of the costs; there are \
             \"x\", \"action\", \"propensity\", \"cost\""
                .into(),
        ),
        (
            "a column that is not there",
            GOOD.into(),
            none().action("shown"),
            format!("l.csv: there is no column \"shown\"; there are {columns}"),
        ),
        (
            "a time that is not there",
            GOOD.into(),
            none().time("when"),
            format!("l.csv: there is no column \"when\"; there are {columns}"),
        ),
        (
            "a column to ignore that is not there",
            GOOD.into(),
            none().ignore(["y"]),
            format!("l.csv: there is no column \"y\"; there are {columns}"),
        ),
        (
            "a column in two roles",
            GOOD.into(),
            none().reward("action"),
            "column \"action\" is asked for as the action and as the reward or cost".into(),
        ),
        (
            "a column in use that is ignored",
            GOOD.into(),
            none().action("action").ignore(["action"]),
            "column \"action\" is asked for as the action and as left out".into(),
        ),
        (
            "no context",
            GOOD.into(),
            none().ignore(["x"]),
            "l.csv: no column is left to learn from".into(),
        ),
        (
            "a time that is text",
            GOOD.replace("2,b", "later,b"),
            none().time("x"),
            "l.csv, line 3, column \"x\": \"later\" is not a date or a number".into(),
        ),
        (
            "a short line",
            rows("2,b,0.5"),
            none(),
            "l.csv, line 3: 3 cells, the header has 4".into(),
        ),
        (
            "a long line",
            rows("2,b,0.5,1,"),
            none(),
            "l.csv, line 3: 5 cells, the header has 4".into(),
        ),
        (
            "a quotation mark that is not closed",
            rows("2,\"b,0.5,1\n3,a,0.5,1"),
            none(),
            "l.csv, line 3, column \"action\": the quotation mark of the cell is not closed".into(),
        ),
        (
            "a quotation mark inside a cell",
            rows("2,b\"b,0.5,1\n3,a,0.5,1"),
            none(),
            "l.csv, line 3, column \"action\": a quotation mark inside a cell; quote the whole cell and double the \
             marks inside it"
                .into(),
        ),
        (
            "text behind a quotation mark",
            rows("2,\"b\"b,0.5,1"),
            none(),
            "l.csv, line 3, column \"action\": text behind the closing quotation mark; quote the whole cell and \
             double the marks inside it"
                .into(),
        ),
        (
            "an action that was not on offer",
            "x,offers,action,propensity,reward\n1,a|b,c,0.5,1\n".into(),
            none().available("offers"),
            "l.csv, line 2, column \"action\": the action \"c\" is not among those on offer".into(),
        ),
        (
            "a list without an action",
            "x,offers,action,propensity,reward\n1,a||b,a,0.5,1\n".into(),
            none().available("offers"),
            "l.csv, line 2, column \"action\": the value is missing: an action is missing".into(),
        ),
        (
            "no list",
            "x,offers,action,propensity,reward\n1,,a,0.5,1\n".into(),
            none().available("offers"),
            "l.csv, line 2, column \"offers\": the value is missing".into(),
        ),
        (
            "a delimiter of two bytes",
            GOOD.into(),
            none().delimiter('é'),
            "delimiter = \"é\" is not an ASCII character other than a quotation mark or the end of a line".into(),
        ),
    ] {
        assert_eq!(message("l.csv", text.as_bytes(), &options), expected, "{what}");
    }
}

#[test]
fn broken_json_is_refused_with_one_clear_line() {
    let good = "{\"x\":1,\"action\":\"a\",\"propensity\":0.5,\"reward\":1}\n";
    let second = |line: &str| format!("{good}{line}\n");
    for (what, text, expected) in [
        (
            "half an object",
            second("{\"x\":1,"),
            "l.jsonl, line 2: not JSON: EOF while parsing a value (character 7)",
        ),
        (
            "NaN",
            second("{\"x\":NaN}"),
            "l.jsonl, line 2: not JSON: expected value (character 6); NaN and Infinity are no JSON: write null",
        ),
        ("a list", second("[1,2]"), "l.jsonl, line 2: not JSON: an object is expected in every line"),
        (
            "a number beyond doubles",
            second("{\"x\":1e999}"),
            "l.jsonl, line 2: not JSON: number out of range (character 10)",
        ),
        ("one name twice", second("{\"x\":1,\"x\":2}"), "l.jsonl, line 2: two columns are called \"x\""),
        (
            "one path twice",
            second("{\"u.x\":1,\"u\":{\"x\":2}}"),
            "l.jsonl, line 2: two columns are called \"u.x\"",
        ),
        (
            "a row without an action",
            second("{\"x\":1,\"propensity\":0.5,\"reward\":1}"),
            "l.jsonl, line 2, column \"action\": the value is missing",
        ),
        (
            "an action that is a list",
            second("{\"x\":1,\"action\":[1],\"propensity\":0.5,\"reward\":1}"),
            "l.jsonl, line 2, column \"action\": \"a list of 1\" is not the name of an action",
        ),
        (
            "a reward that is a truth value",
            second("{\"x\":1,\"action\":\"b\",\"propensity\":0.5,\"reward\":true}"),
            "l.jsonl, line 2, column \"reward\": \"true\" is not a finite number up to 1e140 in magnitude",
        ),
        (
            "no column of actions at all",
            "{\"x\":1,\"reward\":1}\n".to_owned(),
            "l.jsonl: there is no column \"action\"; there are \"x\", \"reward\"",
        ),
        (
            "too deep",
            format!("{{\"x\":{}1", "[".repeat(200)),
            "l.jsonl, line 1: not JSON: recursion limit exceeded (character 132)",
        ),
    ] {
        assert_eq!(message("l.jsonl", text.as_bytes(), &LogOptions::default()), expected, "{what}");
    }
}

#[test]
fn broken_decisions_are_refused_with_one_clear_line() {
    let event = |own: &str| {
        format!(
            "{{\"_label_cost\":-1,\"_label_probability\":0.5,\"_labelIndex\":0,\"a\":[1,2],\"c\":{{\"u\":{{\"x\":1}},\"_multi\":[{{}},{{}}]}}{own}}}\n"
        )
    };
    for (name, text, expected) in [
        (
            "l.vw",
            "1:0:0.5 x\n",
            "l.vw, line 1: \"1:0:0.5 x\" is not a line with a bar (|) before the features",
        ),
        (
            "l.vw",
            "1:0:1.5 | x\n",
            "l.vw, line 1: \"1:0:1.5\" is not a label as action:cost:probability, the last in [0, 1]",
        ),
        (
            "l.vw",
            "1:0:-0.5 | x\n",
            "l.vw, line 1: \"1:0:-0.5\" is not a label as action:cost:probability, the last in [0, 1]",
        ),
        (
            "l.vw",
            "1:inf:0.5 | x\n",
            "l.vw, line 1: \"1:inf:0.5\" is not a label as action:cost:probability, the last in [0, 1]",
        ),
        (
            "l.vw",
            "news:1:0.5 | x\n",
            "l.vw, line 1: \"news:1:0.5\" is not a label as action:cost:probability, the last in [0, 1]",
        ),
        (
            "l.vw",
            "1:0:0.5| x\n",
            "l.vw, line 1: \"1:0:0.5\" is not a label: put a blank before the bar, or Vowpal Wabbit takes it for a tag",
        ),
        ("l.vw", "1:0:0.5 2:0:0.5 | x\n", "l.vw, line 1: \"2\" is not the only labelled action of its line"),
        ("l.vw", "1:0:0.5 | x:y\n", "l.vw, line 1: \"x:y\" is not a feature as name or name:value"),
        ("l.vw", "1:0:0.5 | x:nan\n", "l.vw, line 1: \"x:nan\" is not a feature as name or name:value"),
        (
            "l.vw",
            "1:0:0.5 | x\n1:0:0.5 | y\n",
            "l.vw, column \"the action\": every row has the action \"1\"; there is nothing to choose",
        ),
        (
            "l.vw",
            "1:0 | x\n2:0:0.5 | x\n",
            "l.vw, line 1, column \"the probability\": the value is missing, and other rows have a propensity; leave such rows out or add them",
        ),
        (
            "l.vw",
            "shared | x\n0:1:0.5 |\n0:1:0.5 |\n",
            "l.vw, line 3: \"0\" is not in the only labelled line of its event",
        ),
        (
            "l.vw",
            "shared | x\n\n0:1:0.5 |\n",
            "l.vw, line 1: \"shared\" is not followed by the line of an action",
        ),
        (
            "l.vw",
            "shared | x\n0:1:0.5 |\nshared | y\n",
            "l.vw, line 3: \"shared\" is not the first line of an event: there is no blank line before it",
        ),
        (
            "l.vw",
            "1:0:0.5 | x\n2:1:0.5 | \u{0}\u{1}\u{2}:\n",
            "l.vw, line 2: \"\\0\\u{1}\\u{2}:\" is not a feature as name or name:value",
        ),
    ] {
        assert_eq!(message(name, text.as_bytes(), &LogOptions::default()), expected);
    }
    for (own, expected) in [
        (",\"pdrop\":1", "l.dsjson, line 1, column \"pdrop\": \"1\" is not a share in [0, 1)"),
        (",\"pdrop\":-0.5", "l.dsjson, line 1, column \"pdrop\": \"-0.5\" is not a share in [0, 1)"),
        (",\"pdrop\":\"x\"", "l.dsjson, line 1, column \"pdrop\": \"x\" is not a share in [0, 1)"),
    ] {
        assert_eq!(message("l.dsjson", event(own).as_bytes(), &LogOptions::default()), expected);
    }
    for (from, to, expected) in [
        ("0.5", "1.5", "l.dsjson, line 1, column \"the probability\": \"1.5\" is not a propensity in (0, 1]"),
        ("0.5", "-1", "l.dsjson, line 1, column \"the probability\": \"-1\" is not a propensity in (0, 1]"),
        ("0.5", "0", "l.dsjson: there is no row to read (skipped: 1 decisions without a label)"),
        (
            "\"_labelIndex\":0",
            "\"_labelIndex\":2",
            "l.dsjson, line 1, column \"_labelIndex\": \"2\" is not the place of one of the actions",
        ),
        (
            "\"_labelIndex\":0",
            "\"_label_action\":0",
            "l.dsjson, line 1, column \"_label_Action\": \"0\" is not the place of one of the actions",
        ),
        ("-1", "\"much\"", "l.dsjson, line 1, column \"_label_cost\": \"much\" is not a finite number"),
        ("-1", "\"NaN\"", "l.dsjson: there is no row to read (skipped: 1 events with the cost NaN)"),
        ("[1,2]", "[]", "l.dsjson: there is no row to read (skipped: 1 events without actions)"),
    ] {
        assert_eq!(
            message("l.dsjson", event("").replacen(from, to, 1).as_bytes(), &LogOptions::default()),
            expected
        );
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let at = |before: &str, behind: &str| [before.as_bytes(), b"\xff\xfe", behind.as_bytes()].concat();
    for (name, bytes, expected) in [
        ("l.csv", at(&format!("{HEADER}1,"), ",0.5,1\n"), "l.csv, line 2, column \"action\": not UTF-8"),
        ("l.csv", at("x,", ",action\n"), "l.csv, line 1, column \"number 2\": not UTF-8"),
        ("l.jsonl", at("{\"x\":\"", "\"}\n"), "l.jsonl, line 1: not UTF-8"),
        ("l.vw", at("1:0:0.5 | ", "\n"), "l.vw, line 1: not UTF-8"),
        ("l.dsjson", at("{\"c\":\"", "\"}\n"), "l.dsjson, line 1: not UTF-8"),
        (
            "l",
            at("", ""),
            "l: neither the name nor the content says which format this is; name it: csv, tsv, json-lines, parquet, arrow, vw, vw-eval, dsjson or open-bandit",
        ),
        ("l.json", b"[\n {\"x\":1}]".to_vec(), "l.json: a list of JSON is not read: write an object a line"),
        (
            "l.csv",
            b"PK\x03\x04rest".to_vec(),
            "l.csv: a zip archive or a spreadsheet is not read here: unpack the file, or use gzip or zstd",
        ),
        (
            "l.csv.bz2",
            b"BZh91AY".to_vec(),
            "l.csv.bz2: bzip2 is not read here: unpack the file, or use gzip or zstd",
        ),
        (
            "l.csv.xz",
            b"\xfd7zXZ\0.".to_vec(),
            "l.csv.xz: xz is not read here: unpack the file, or use gzip or zstd",
        ),
    ] {
        assert_eq!(message(name, &bytes, &LogOptions::default()), expected);
    }
    // UTF-16, as spreadsheets write it.
    let wide: Vec<u8> = b"\xff\xfe".iter().copied().chain(GOOD.bytes().flat_map(|byte| [byte, 0])).collect();
    assert_eq!(
        message("l.csv", &wide, &LogOptions::default()),
        "l.csv, line 1, column \"number 1\": not UTF-8"
    );
}

#[test]
fn a_compressed_file_that_is_cut_off_or_damaged_is_never_read_as_a_shorter_one() {
    let mut text = HEADER.to_owned();
    for k in 0..2000 {
        text += &format!("{},{},0.5,1\n", k * k % 97, ["a", "b"][k % 2]);
    }
    for packed in [gz(text.as_bytes()), zstd::encode_all(text.as_bytes(), 3).unwrap()] {
        for length in [3, 10, 20, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
            let found = message("l.csv", &packed[..length], &LogOptions::default());
            assert!(!found.starts_with("read"), "{length}: {found}");
            assert!(length < 10 || found.contains("data are damaged or cut off"), "{length}: {found}");
        }
        let mut flipped = packed.clone();
        let place = flipped.len() / 2;
        flipped[place] ^= 0x10;
        let found = message("l.csv", &flipped, &LogOptions::default());
        // A flipped byte of zstd without a checksum may be another text, which is no table then.
        assert!(!found.starts_with("read: 2000"), "{found}");
    }
    let packed = gz(text.as_bytes());
    assert_eq!(
        message("l.csv.gz", &packed[..packed.len() / 2], &LogOptions::default()),
        "l.csv.gz: the gzip data are damaged or cut off: incomplete deflate stream"
    );
}

#[test]
fn bytes_that_decompress_to_far_too_much_are_refused() {
    let options = |limits: Limits| LogOptions::default().limits(limits);
    let bomb = gz(&[GOOD.as_bytes(), &vec![b'\n'; 80 << 20]].concat());
    let found = message("l.csv", &bomb, &options(Limits { ratio: 500, ..Limits::default() }));
    assert!(found.contains("bytes decompress to more than 67108864: this is no log"), "{found}");
    let found = message(
        "l.csv",
        &gz(GOOD.as_bytes()),
        &options(Limits { decompressed_bytes: 20, ..Limits::default() }),
    );
    assert!(found.ends_with("bytes decompress to more than 20: this is no log"), "{found}");
}

#[test]
fn a_line_of_ten_megabytes_is_read_and_one_beyond_the_limit_is_refused() {
    let long = "y".repeat(10_000_000);
    let text = format!("x,action,propensity,reward\n{long},a,0.5,1\nz,b,0.5,0\n");
    let log = read_log(Source::bytes("l.csv", text.clone()), &LogOptions::default(), &mut quiet).unwrap();
    assert_eq!(log.contexts.dimension(), 2);
    let short = LogOptions::default().limits(Limits { line_bytes: 1000, ..Limits::default() });
    assert_eq!(message("l.csv", text.as_bytes(), &short), "l.csv, line 2: longer than 1000 bytes");
    let json = format!("{{\"x\":\"{long}\"}}\n");
    assert_eq!(message("l.jsonl", json.as_bytes(), &short), "l.jsonl, line 1: longer than 1000 bytes");
    // A record of many lines, which a mark that is not closed makes.
    let text = format!("{GOOD}3,\"a,0.5,1\n{}", "4,b,0.5,1\n".repeat(200));
    assert_eq!(message("l.csv", text.as_bytes(), &short), "l.csv, line 4: longer than 1000 bytes");
    let text = format!("{GOOD}3,a\"a,0.5,1\n{}", "4,b,0.5,1\n".repeat(200));
    assert!(
        message("l.csv", text.as_bytes(), &short)
            .starts_with("l.csv, line 4, column \"action\": a quotation mark")
    );
}

#[test]
fn lines_that_each_have_other_names_are_refused_before_they_fill_the_memory() {
    let mut text = String::new();
    for k in 0..8000 {
        text += &format!("{{\"n{k}\":1,\"action\":{},\"reward\":1}}\n", k % 2);
    }
    let found = message("l.jsonl", text.as_bytes(), &LogOptions::default());
    assert!(
        found.starts_with("l.jsonl, line 4")
            && found.ends_with("absent cells for those that are there")
            && found.contains("more than 100"),
        "{found}"
    );
    let few = LogOptions::default().limits(Limits { columns: 100, ..Limits::default() });
    assert_eq!(message("l.jsonl", text.as_bytes(), &few), "l.jsonl, line 99: more than 100 names");
}

#[test]
fn what_a_model_does_not_know_is_refused_or_counted() {
    let log = read_log(Source::bytes("l.csv", GOOD), &LogOptions::default(), &mut quiet).unwrap();
    let coded = |text: &str| {
        read_log_coded(Source::bytes("n.csv", text), &log.schema, &LogOptions::default(), &mut quiet)
            .map_err(|error| error.to_string())
    };
    assert_eq!(
        coded("action,x,reward,propensity\nb,1,1,0.5\nc,1,1,0.5\n").unwrap_err(),
        "n.csv, line 3, column \"action\": \"c\" is not one of the 2 known actions"
    );
    // One action alone is enough for a log that is judged, and other columns do not matter.
    let one = coded("z,action,x,reward,propensity\n7,b,1,1,0.5\n").unwrap();
    assert_eq!(
        (one.actions, one.facts.notes),
        (vec![1], vec!["columns that the model does not know left out: \"z\"".to_owned()])
    );
    let contexts = |name: &str, text: &str| {
        read_contexts(Source::bytes(name, text), &log.schema, &LogOptions::default(), &mut quiet)
            .map(|found| found.contexts.len().to_string())
            .unwrap_or_else(|error| error.to_string())
    };
    for (name, text, expected) in [
        ("n.csv", "y,z\n1,2\n", "n.csv: there is no column \"x\"; there are \"y\", \"z\""),
        ("n.jsonl", "{\"y\":1}\n", "n.jsonl: there is no column \"x\"; there are \"y\""),
        (
            "n.csv",
            "x\nold\n",
            "n.csv, line 2, column \"x\": \"old\" is not a finite number up to 1e140 in magnitude",
        ),
        (
            "n.csv",
            "x,y\n1,1\n,1\n",
            "n.csv, line 3, column \"x\": the value is missing, and the model was learnt from a log that has a value in every row",
        ),
        ("n.csv", "x\n", "n.csv: there is no row to read"),
        ("n.csv", "y,x\n1,1\n", "1"),
        (
            "n.jsonl",
            "{\"x\":1}\n{\"x\":null}\n",
            "n.jsonl, line 2, column \"x\": the value is missing, and the model was learnt from a log that has a value in every row",
        ),
        (
            "n.vw",
            "| z\n",
            "n.vw: no column is left to learn from (none of the features of the model is in the file)",
        ),
        ("n.vw", "| z\n| x:2\n", "2"),
    ] {
        assert_eq!(contexts(name, text), expected);
    }
}

#[test]
fn rows_without_a_propensity_are_skipped_where_that_is_asked_for() {
    let text = format!("{GOOD}3,a,,1\n4,c,NA,0\n");
    let skip = LogOptions::default().missing_propensities(MissingPropensities::Skip);
    let log = read_log(Source::bytes("l.csv", text), &skip, &mut quiet).unwrap();
    assert_eq!((log.facts.rows, log.schema.actions()), (2, 2));
    assert_eq!(
        log.facts.skipped.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["2 rows without a propensity"]
    );
    let none = read_log(
        Source::bytes("l.csv", "x,action,reward\n1,a,1\n2,b,0\n"),
        &LogOptions::default(),
        &mut quiet,
    )
    .unwrap();
    assert_eq!(
        (&none.propensities, &none.facts.notes[..]),
        (&None, &["the file has no propensities".to_owned()][..])
    );
    assert_eq!(none.into_log().unwrap_err(), FormatError::NoPropensities);
}

#[test]
fn labels_of_a_table_are_refused_where_they_are_missing() {
    let table = |text: &str| {
        read_table(Source::bytes("t.csv", text), "y", &LogOptions::default(), &mut quiet)
            .map(|table| format!("{:?}", table.label_names))
            .unwrap_or_else(|error| error.to_string())
    };
    assert_eq!(table("x,y\n1,b\n2,a\n"), "[\"a\", \"b\"]");
    assert_eq!(table("x,y\n1,10\n2,9\n"), "[\"9\", \"10\"]");
    assert_eq!(table("x,y\n1,b\n2,\n"), "t.csv, line 3, column \"y\": the value is missing");
    assert_eq!(table("x,z\n1,b\n"), "t.csv: there is no column \"y\"; there are \"x\", \"z\"");
    assert_eq!(table("x,y\n"), "t.csv: there is no row to read");
}

/// Every byte of a small file flipped, and every length: no panic, and no log of other rows.
#[test]
fn flipped_and_missing_bytes_of_binary_files_never_panic() {
    for name in [
        "log-pyarrow.parquet",
        "log-polars.parquet",
        "log-pyarrow.feather",
        "log-pyarrow.arrows",
        "log-polars.arrow",
    ] {
        let bytes = std::fs::read(data(name)).unwrap();
        let options = LogOptions::default().available("offers").time("t");
        let is_stream = name.ends_with("arrows");
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= [0x01, 0x80, 0xff][place % 3];
            let _ = read_log(Source::bytes(name, damaged), &options, &mut quiet);
            let found = read_log(Source::bytes(name, &bytes[..place]), &options, &mut quiet);
            // A stream may end after any batch, and without its last mark.
            assert!(found.is_err() || is_stream, "{name} {place}");
            if let Ok(log) = found {
                assert!(log.facts.rows == 4 || log.facts.rows == 6, "{name} {place}: {}", log.facts.rows);
            }
        }
    }
}

#[test]
fn a_damaged_binary_file_says_so() {
    let whole = std::fs::read(data("log-pyarrow.parquet")).unwrap();
    let found = message("l.parquet", &whole[..whole.len() - 20], &LogOptions::default());
    assert!(found.starts_with("l.parquet: the Parquet data are damaged or cut off: "), "{found}");
    let found =
        message("l.arrow", &std::fs::read(data("log-polars.arrow")).unwrap()[..2000], &LogOptions::default());
    assert_eq!(found, "l.arrow: the Arrow data are damaged or cut off: its end is missing");
    let found = message("l.parquet", GOOD.as_bytes(), &LogOptions::default().format(Format::Parquet));
    assert!(found.starts_with("l.parquet: the Parquet data are damaged or cut off: "), "{found}");
}

/// The length that a compressed buffer of Arrow states is what its decoder asks memory for.
#[test]
fn a_buffer_that_states_a_terabyte_is_refused_before_memory_is_asked_for() {
    let mut bytes = std::fs::read(data("log-pyarrow.feather")).unwrap();
    let frames: Vec<usize> =
        (8..bytes.len() - 4).filter(|at| bytes[*at..].starts_with(b"\x04\x22\x4d\x18")).collect();
    assert!(!frames.is_empty());
    for at in frames {
        bytes[at - 8..at].copy_from_slice(&(1_i64 << 40).to_le_bytes());
    }
    let found = message("l.feather", &bytes, &LogOptions::default());
    assert!(found.starts_with("l.feather: the Arrow data are damaged or cut off: a buffer of "), "{found}");
    assert!(found.ends_with(" bytes states to be longer than 67108864"), "{found}");
}
