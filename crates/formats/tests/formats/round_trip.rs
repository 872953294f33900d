//! What is written is read as the same log.

use formats::{Format, LogOptions, ReadLog, Source, WriteOptions, quiet, read_log, write_log, write_log_to};
use proptest::prelude::*;

/// A log of JSON lines: typed cells, missing ones among them.
fn log(text: &str, options: &LogOptions) -> ReadLog {
    read_log(Source::bytes("log.jsonl", text), options, &mut quiet).unwrap()
}

/// The log that is written in a format and read by the options that writing returns.
fn again(log: &ReadLog, format: Format) -> ReadLog {
    let mut written = Vec::new();
    let facts = write_log_to(log, &mut written, &WriteOptions::default().format(format)).unwrap();
    read_log(Source::bytes("again", written), &facts.options, &mut quiet).unwrap()
}

const TABLES: [Format; 5] = [Format::Csv, Format::Tsv, Format::JsonLines, Format::Parquet, Format::Arrow];

/// The same but for the facts. Numbers are compared by their bits.
fn assert_same(found: &ReadLog, expected: &ReadLog, format: Format) {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(found.schema, expected.schema, "{format}");
    assert_eq!(found.contexts, expected.contexts, "{format}");
    for (a, b) in found.contexts.iter().zip(expected.contexts.iter()) {
        assert_eq!(bits(a.values()), bits(b.values()), "{format}");
    }
    assert_eq!(found.actions, expected.actions, "{format}");
    assert_eq!(bits(&found.rewards), bits(&expected.rewards), "{format}");
    let p = |log: &ReadLog| log.propensities.as_deref().map(bits);
    assert_eq!(p(found), p(expected), "{format}");
    assert_eq!(found.on_offer, expected.on_offer, "{format}");
    if format != Format::Vw {
        assert_eq!(found.time, expected.time, "{format}");
    }
    assert_eq!(found.facts.missing, expected.facts.missing, "{format}");
}

/// Texts with everything that a format gives a meaning.
fn label() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{1,2}",
        "[ -~]{1,6}",
        "[\"|,;:=%\t\n' é🦀]{1,4}",
        Just("NA".to_owned()),
        Just("8000".to_owned()),
        Just("2026-01-01".to_owned()),
        Just("true".to_owned()),
    ]
    .prop_map(|text| text.trim().to_owned())
    .prop_filter("a label is not blank", |text| !text.is_empty())
}

fn number() -> impl Strategy<Value = f64> {
    let bits = any::<u64>().prop_map(f64::from_bits);
    let of_bits = bits.prop_filter("a number of a log", |x| x.is_finite() && x.abs() <= 1e140);
    prop_oneof![of_bits, -3.0..3.0, (-5_i32..5).prop_map(f64::from), Just(0.0)]
}

fn date() -> impl Strategy<Value = String> {
    // Nanoseconds from 1700 to 2200, and whole days of other years.
    let of_nanoseconds =
        (-98_000.0..84_000.0_f64).prop_map(|days| off_policy::dates::date_of_days(days).unwrap());
    prop_oneof![of_nanoseconds, "[1-9][0-9]{3}-0[1-9]-[12][0-9]"]
}

#[derive(Debug, Clone)]
struct Row {
    x: Option<f64>,
    y: f64,
    label: Option<String>,
    when: Option<String>,
    action: usize,
    offered: [bool; 3],
    p: f64,
    reward: f64,
}

fn row() -> impl Strategy<Value = Row> {
    let context = (prop::option::of(number()), number(), prop::option::of(label()), prop::option::of(date()));
    (context, 0..3_usize, any::<[bool; 3]>(), 1e-9..=1.0_f64, number()).prop_map(
        |((x, y, label, when), action, mut offered, p, reward)| {
            // A line of Vowpal Wabbit cannot say that one action alone was on offer.
            (offered[action], offered[(action + 1) % 3]) = (true, true);
            Row { x, y, label, when, action, offered, p, reward }
        },
    )
}

fn json(rows: &[Row], names: &[String; 3], time: bool) -> String {
    let quoted = |text: &str| serde_json::Value::String(text.to_owned()).to_string();
    let optional = |text: &Option<String>| text.as_deref().map_or("null".to_owned(), quoted);
    let number = |value: f64| serde_json::to_string(&value).unwrap();
    let mut text = String::new();
    for (k, row) in rows.iter().enumerate() {
        let offered = (0..3).filter(|action| row.offered[*action]).map(|action| quoted(&names[action]));
        let time = if time { format!(",\"t\":{}", number(k as f64 / 3.0)) } else { String::new() };
        text += &format!(
            "{{\"x\":{},\"the y\":{},\"a=b|c\":{},\"when\":{},\"action\":{},\"offers\":[{}],\"propensity\":{},\"reward\":{}{time}}}\n",
            row.x.map_or("null".to_owned(), number),
            number(row.y),
            optional(&row.label),
            optional(&row.when),
            quoted(&names[row.action]),
            offered.collect::<Vec<_>>().join(","),
            number(row.p),
            number(row.reward),
        );
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_goes_through_every_format_unchanged(
        rows in prop::collection::vec(row(), 3..12),
        names in [label(), label(), label()],
        time: bool,
    ) {
        prop_assume!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2]);
        let mut rows = rows;
        for (action, row) in rows.iter_mut().enumerate().take(3) {
            // Every action is taken: one that is not is not known of a file.
            row.action = action;
            (row.offered[action], row.offered[(action + 1) % 3]) = (true, true);
        }
        rows[0].x = Some(1.5);
        rows[0].label = Some("b".to_owned());
        rows[0].when = Some("2026-02-03T04:05:06.789Z".to_owned());
        let mut options = LogOptions::default().available("offers").labels(["a=b|c"]);
        if time {
            options = options.time("t");
        }
        let log = log(&json(&rows, &names, time), &options);
        for format in TABLES {
            assert_same(&again(&log, format), &log, format);
        }
        // Vowpal Wabbit's text numbers the actions.
        let numbered = again(&log, Format::Vw);
        let mut expected = log.clone();
        expected.schema = numbered.schema.clone();
        prop_assert_eq!(numbered.schema.contexts(), log.schema.contexts());
        assert_same(&numbered, &expected, Format::Vw);
        // And what it holds is read again without any loss.
        assert_same(&again(&numbered, Format::Vw), &numbered, Format::Vw);
    }
}

#[test]
fn a_file_is_written_by_its_name_and_compressed_by_its_end() {
    let text = "{\"x\":1,\"action\":\"b\",\"propensity\":0.5,\"reward\":1}\n\
                {\"x\":2,\"action\":\"a\",\"propensity\":0.1,\"reward\":-0.25}\n";
    let log = log(text, &LogOptions::default());
    let folder = tempfile::tempdir().unwrap();
    for (name, magic) in [
        ("log.csv", &b"x,action"[..]),
        ("log.tsv", b"x\taction"),
        ("log.jsonl", b"{\"x\":1"),
        ("log.parquet", b"PAR1"),
        ("log.arrow", b"ARROW1"),
        ("log.vw", b"2:-1:0.5 | x\n"),
        ("log.csv.gz", b"\x1f\x8b"),
        ("LOG.JSONL.ZST", b"\x28\xb5\x2f\xfd"),
        ("log.vw.zstd", b"\x28\xb5\x2f\xfd"),
        ("log.parquet.gz", b"\x1f\x8b"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, "what was there before").unwrap();
        let facts = write_log(&log, &path, &WriteOptions::default()).unwrap();
        assert_eq!(facts.rows, 2);
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.starts_with(magic), "{name}: {:?}", &bytes[..20]);
        let found = read_log(Source::path(&path).unwrap(), &facts.options, &mut quiet).unwrap();
        assert_eq!(
            (&found.contexts, &found.rewards, &found.actions),
            (&log.contexts, &log.rewards, &log.actions)
        );
    }
    let refused = |name: &str, options: WriteOptions| {
        let path = folder.path().join(name);
        let error = write_log(&log, &path, &options).unwrap_err();
        assert!(!path.exists(), "{name}");
        error.to_string().replace(&*folder.path().to_string_lossy(), "")
    };
    assert_eq!(
        refused("log.txt", WriteOptions::default()),
        "/log.txt: the end of the name does not say which format to write; there are .csv, .tsv, .jsonl, .parquet, \
         .arrow and .vw, each also with .gz or .zst"
    );
    assert_eq!(
        refused("log.dsjson", WriteOptions::default()),
        "/log.dsjson: dsjson is read and not written; csv, tsv, json-lines, parquet, arrow and vw are written"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 10, "no file is left over");
}

#[test]
fn one_action_alone_on_offer_is_kept_where_the_format_can_say_so() {
    let text = "x,offers,action,propensity,reward\n1,a,a,1,0\n2,a|b,b,0.5,1\n";
    let options = LogOptions::default().available("offers");
    let log = read_log(Source::bytes("log.csv", text), &options, &mut quiet).unwrap();
    for format in TABLES {
        assert_same(&again(&log, format), &log, format);
    }
    let mut written = Vec::new();
    let facts = write_log_to(&log, &mut written, &WriteOptions::default().format(Format::Vw)).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), "1:0:1 | x\n2:-1:0.5 | x:2\n");
    let note = "in 1 rows one action alone was on offer, which a line of one label does not say: it stands for \
                every action";
    assert!(facts.notes.contains(&note.to_owned()), "{:?}", facts.notes);
}

#[test]
fn names_of_contexts_are_not_taken_from_them() {
    let text = "action,shown,p,r,reward\n1,a,0.5,1,7\n2,b,0.5,0,8\n";
    let options = LogOptions::default().action("shown").propensity("p").reward("r");
    let log = read_log(Source::bytes("log.csv", text), &options, &mut quiet).unwrap();
    assert_eq!(log.schema.feature_names(), ["action", "reward"]);
    let mut written = Vec::new();
    let facts = write_log_to(&log, &mut written, &WriteOptions::default()).unwrap();
    assert_eq!(
        String::from_utf8(written.clone()).unwrap(),
        "action,reward,logged action,propensity,logged reward\n1,7,a,0.5,1\n2,8,b,0.5,0\n"
    );
    let found = read_log(Source::bytes("again", written), &facts.options, &mut quiet).unwrap();
    assert_same(&found, &log, Format::Csv);
}

#[test]
fn vowpal_wabbits_text_is_what_its_documentation_says() {
    let text = "age,device,offers,action,propensity,reward\n41,my phone,news|sport,news,0.5,1\n,tablet,news|sport|tv,tv,0.25,-2.5\n";
    let options = LogOptions::default().available("offers");
    let log = read_log(Source::bytes("log.csv", text), &options, &mut quiet).unwrap();
    let mut written = Vec::new();
    let facts = write_log_to(&log, &mut written, &WriteOptions::default().format(Format::Vw)).unwrap();
    assert_eq!(
        String::from_utf8(written).unwrap(),
        "2 1:-1:0.5 | age:41 device=my%20phone\n3:2.5:0.25 | age= device=tablet\n"
    );
    assert_eq!(
        facts.notes,
        [
            "Vowpal Wabbit learns costs: the cost is −reward",
            "the actions are numbered: 1 is \"news\", 2 is \"sport\", 3 is \"tv\"",
            "labels and dates are features key=value, and a missing value is key=",
        ]
    );
}
