//! Rows that are read one by one.

use formats::{Examples, Format, FormatError, LogOptions, Source};
use off_policy::Value;

/// Every row as text: its label, and its cells as `name=number`, `name:text` or `name?`.
fn rows(name: &str, text: &str, options: &LogOptions) -> Result<Vec<String>, FormatError> {
    let mut examples = Examples::open(Source::bytes(name, text), Some("y"), options)?;
    examples.check_columns()?;
    let mut rows = Vec::new();
    while let Some(row) = examples.advance()? {
        let cells = row.cells().map(|(name, value)| match value {
            Value::Number(x) => format!("{name}={x}"),
            Value::Text(text) => format!("{name}:{text}"),
            Value::Missing => format!("{name}?"),
        });
        let cells: Vec<String> = cells.collect();
        rows.push(format!("{} <- {}", row.label().unwrap_or("none"), cells.join(" ")));
    }
    examples.check_columns()?;
    assert_eq!(examples.finish()?.rows, rows.len() as u64);
    Ok(rows)
}

#[test]
fn cells_are_read_alike_in_all_formats() {
    let options = LogOptions::default().labels(["zip"]).ignore(["id"]);
    let csv = "id,y,size,zip,since,colour\n1,a,2.5,0123,1970-01-03,red\n2,,-0,,,?\n3,b,1e3,NA,x,7\n";
    let expected = [
        "a <- size=2.5 zip:0123 since=2 colour:red",
        "none <- size=0 zip? since? colour?",
        "b <- size=1000 zip:NA since:x colour=7",
    ];
    assert_eq!(rows("t.csv", csv, &options).unwrap(), expected);
    assert_eq!(rows("t.tsv", &csv.replace(',', "\t"), &options).unwrap(), expected);
    let json = "{\"id\":1,\"y\":\"a\",\"size\":2.5,\"zip\":\"0123\",\"since\":\"1970-01-03\",\"colour\":\"red\"}\n\
                {\"y\":null,\"size\":-0.0,\"zip\":null,\"since\":null,\"colour\":\"?\"}\n\
                {\"y\":\"b\",\"size\":1e3,\"zip\":\"NA\",\"since\":\"x\",\"colour\":7}\n";
    assert_eq!(rows("t.jsonl", json, &options).unwrap(), expected);
    // A text of JSON is no number, and a truth value is a label; an absent name is no cell.
    let json = "{\"y\":true,\"size\":\"2.5\"}\n{\"y\":1,\"ok\":false,\"list\":[1,2]}\n";
    let found = rows("t.jsonl", json, &LogOptions::default()).unwrap();
    assert_eq!(found, ["true <- size:2.5", "1 <- ok:false"]);
}

#[test]
fn labels_of_vowpal_wabbit_stand_before_the_bar() {
    let text = "1 |f size:2 colour=red |:3 x\n+1.0 1 'tag|f size:-1\n-1 tag| z\n| size:4\n\n2.5 1.0 |\n";
    let found = rows("t.vw", text, &LogOptions::default()).unwrap();
    let expected =
        ["1 <- f.size=2 f.colour:red x=3", "1 <- f.size=-1", "-1 <- z=1", "none <- size=4", "2.5 <- "];
    assert_eq!(found, expected);
    // The content says it as well as the name.
    assert_eq!(rows("t", &text.replace("1 |f", "1 |f "), &LogOptions::default()).unwrap(), expected);
    for (line, said) in [
        (
            "1 2 |f x",
            "t.vw, line 2: \"2\" is not a weight of 1: examples of other weights are not learnt from",
        ),
        (
            "1|f x",
            "t.vw, line 2: \"1\" is not a label: put a blank before the bar, or Vowpal Wabbit takes it for a tag",
        ),
        ("a |f x", "t.vw, line 2: \"a\" is not a number before the features: the label, or a weight of 1"),
        (
            "1:0:1 |f x",
            "t.vw, line 2: \"1:0:1\" is not a number before the features: the label, or a weight of 1",
        ),
        ("1 1 0.5 |f x", "t.vw, line 2: \"0.5\" is not a label and a weight alone before the features"),
        (
            "inf |f x",
            "t.vw, line 2: \"inf\" is not a number before the features: the label, or a weight of 1",
        ),
        ("1 f x", "t.vw, line 2: \"1 f x\" is not a line with a bar (|) before the features"),
    ] {
        let refused = rows("t.vw", &format!("1 | a\n{line}\n"), &LogOptions::default()).unwrap_err();
        assert_eq!(refused.to_string(), said);
    }
}

#[test]
fn what_is_wrong_with_a_row_is_said_with_its_line() {
    let none = LogOptions::default();
    for (text, said) in [
        (
            "x,y\n1,a\n1e141,b\n",
            "t.csv, line 3, column \"x\": \"1e141\" is not a finite number up to 1e140 in magnitude",
        ),
        (
            "x,y\n1,a\ninf,b\n",
            "t.csv, line 3, column \"x\": \"inf\" is not a finite number up to 1e140 in magnitude",
        ),
        ("x,y\n1,a\n2\n", "t.csv, line 3: 1 cells, the header has 2"),
        ("x,x\n1,2\n", "t.csv, line 1: two columns are called \"x\""),
        ("x,y\n", "t.csv: there is no row to read"),
        ("", "t.csv: the file is empty"),
    ] {
        assert_eq!(rows("t.csv", text, &none).unwrap_err().to_string(), said);
    }
    let ignored = LogOptions::default().ignore(["z"]);
    let said = "t.csv: there is no column \"z\"; there are \"x\", \"y\"";
    assert_eq!(rows("t.csv", "x,y\n1,a\n", &ignored).unwrap_err().to_string(), said);
    let refused = rows("t.dsjson", "{\"_label_cost\":-1}\n", &none).unwrap_err();
    assert_eq!(refused.to_string(), "t.dsjson: dsjson holds decisions, and no rows with a label");
}

#[test]
fn a_file_without_a_column_is_refused_where_that_is_asked() {
    let open = |name: &str, text: &str| {
        let source = Source::bytes(name, text);
        Examples::open(source, Some(" y "), &LogOptions::default()).unwrap()
    };
    let mut rows =
        Examples::open(Source::bytes("t.csv", "x,y\n1,2\n"), None, &LogOptions::default()).unwrap();
    assert_eq!(rows.advance().unwrap().map(|row| row.cells().count()), Some(2));
    assert!(rows.check_columns().is_ok() && !rows.has_own_labels() && open("t.vw", "| x\n").has_own_labels());
    let said = "t.csv: there is no column \"y\"; there are \"x\", \"z\"";
    assert_eq!(open("t.csv", "x,z\n1,2\n").check_columns().unwrap_err().to_string(), said);
    assert!(open("t.csv", "x,y\n1,2\n").check_columns().is_ok());
    // Names of JSON are known at the end.
    let mut json = open("t.jsonl", "{\"x\":1}\n");
    assert!(json.check_columns().is_ok());
    while json.advance().unwrap().is_some() {}
    assert!(matches!(json.check_columns(), Err(FormatError::MissingColumn { .. })));
    let mut vw = open("t.vw", "| x\n");
    while vw.advance().unwrap().is_some() {}
    assert_eq!(
        vw.check_columns().unwrap_err().to_string(),
        "t.vw: there is no column \"the label\"; there are \"x\""
    );
}

#[test]
fn parquet_and_compressed_files_are_read_row_by_row_too() {
    let log = "size,colour,y,action,propensity,reward\n2.5,red,a,p,0.5,1\n4,blue,b,q,0.5,0\n";
    let log =
        formats::read_log(Source::bytes("t.csv", log), &LogOptions::default(), &mut formats::quiet).unwrap();
    let mut bytes = Vec::new();
    formats::write_log_to(&log, &mut bytes, &formats::WriteOptions::default().format(Format::Parquet))
        .unwrap();
    let options = LogOptions::default().ignore(["action", "propensity", "reward"]);
    let mut examples = Examples::open(Source::bytes("t", bytes), Some("y"), &options).unwrap();
    let mut labels = Vec::new();
    while let Some(row) = examples.advance().unwrap() {
        let cells: Vec<_> = row.cells().collect();
        assert!(matches!(cells[..], [("size", Value::Number(_)), ("colour", Value::Text(_))]), "{cells:?}");
        labels.push(row.label().unwrap().to_owned());
    }
    assert_eq!(labels, ["a", "b"]);
}
