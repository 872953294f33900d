//! Quotation marks of logs: what is written comes back, and a stream that lacks a mark is refused where its
//! record begins.

use crate::csv::Drops;
use off_policy::readers::{
    ActionCoding, Affinities, CategoryColumn, CategoryLabels, ContextColumns, CsvColumns, CsvLog, Outcome,
    ReadError, read_csv, read_item_context, read_open_bandit,
};
use proptest::prelude::*;

fn columns() -> CsvColumns {
    CsvColumns {
        contexts: ContextColumns::Remaining,
        categories: vec![CategoryColumn { column: "note".into(), labels: CategoryLabels::Appearance }],
        action: "a".into(),
        coding: ActionCoding::Appearance,
        on_offer: None,
        propensity: "p".into(),
        outcome: Outcome::Reward("r".into()),
    }
}

fn read(text: &str) -> Result<CsvLog, ReadError> {
    read_csv(text.as_bytes(), &columns())
}

/// Note and action of every row.
fn labels(read: &CsvLog) -> Vec<(String, String)> {
    let rows = read.log.iter().map(|row| {
        let dense = row.context.to_dense();
        let note = dense.iter().position(|x| *x == 1.0).unwrap();
        let note = read.contexts[note].strip_prefix("note=").unwrap();
        (note.to_owned(), read.actions[row.action].clone())
    });
    rows.collect()
}

/// The cells of a row, in the order note, a, p, r, in another order.
fn ordered<T: Clone>(cells: &[T; 4], order: &[usize]) -> Vec<T> {
    order.iter().map(|j| cells[*j].clone()).collect()
}

/// A cell as RFC 4180 has it, in quotation marks where they are needed or wanted.
fn quoted(cell: &str, wanted: bool) -> String {
    if wanted || cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

fn label() -> impl Strategy<Value = String> {
    let letters =
        prop::collection::vec(prop::sample::select(vec!['a', ',', '"', '\n', '\r', ' ', 'é', '1']), 1..6);
    letters.prop_map(|letters| letters.into_iter().collect::<String>().trim().to_owned())
}

/// The rows of a table, how they are written, and the line on which each record begins.
#[derive(Debug, Clone)]
struct Written {
    rows: Vec<(String, String)>,
    text: String,
    begins: Vec<(usize, u64)>,
}

fn written() -> impl Strategy<Value = Written> {
    let action = label().prop_filter("an action has a name", |label| !label.is_empty());
    let rows = prop::collection::vec((label(), action, any::<[bool; 4]>()), 1..8);
    let order = Just(vec![0, 1, 2, 3]).prop_shuffle();
    let end = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    (rows, order, end, any::<[bool; 3]>()).prop_map(|(rows, order, end, [mark, blank, last])| {
        let mut text = if mark { "\u{feff}".to_owned() } else { String::new() };
        let mut begins = Vec::new();
        let header = (["note", "a", "p", "r"].map(str::to_owned), [false, true, false, true]);
        let cells = rows.iter().map(|(note, action, quotes)| {
            ([note.clone(), action.clone(), "0.5".to_owned(), "1".to_owned()], *quotes)
        });
        for (cells, quotes) in std::iter::once(header).chain(cells) {
            // \n, \r\n and \r end a line alike.
            let line = 1 + text.replace("\r\n", "\n").matches(['\n', '\r']).count() as u64;
            begins.push((text.len(), line));
            let cells = ordered(&[0, 1, 2, 3].map(|j: usize| quoted(&cells[j], quotes[j])), &order);
            text += &cells.join(",");
            text += end;
            if blank {
                text += end;
            }
        }
        if last {
            text.truncate(text.trim_end_matches(['\n', '\r']).len());
        }
        let rows = rows.into_iter().map(|(note, action, _)| (note, action)).collect();
        Written { rows, text, begins }
    })
}

fn line_of(error: &ReadError) -> Option<u64> {
    match error {
        ReadError::UnclosedQuote { line, .. }
        | ReadError::StrayQuote { line, .. }
        | ReadError::TextBehindQuote { line, .. }
        // A line break that is no longer quoted parts the record before the mark that was its partner.
        | ReadError::BadCell { line, .. }
        | ReadError::Ragged { line, .. } => Some(*line),
        _ => None,
    }
}

proptest! {
    #[test]
    fn what_is_written_comes_back(written in written()) {
        prop_assert_eq!(labels(&read(&written.text).unwrap()), written.rows.clone());
        let slow = read_csv(Drops(written.text.as_bytes()), &columns());
        prop_assert_eq!(labels(&slow.unwrap()), written.rows);
    }

    /// No row is lost, as none is read; the line is not before the record that lacks the mark.
    #[test]
    fn a_stream_without_one_of_its_marks_is_refused(written in written()) {
        for (at, _) in written.text.match_indices('"') {
            let mut text = written.text.clone();
            text.remove(at);
            let error = read(&text).unwrap_err();
            let record = written.begins.iter().rev().find(|(begin, _)| *begin <= at).unwrap().1;
            match line_of(&error) {
                Some(line) => prop_assert!(line >= record, "{error} for {text:?}"),
                // A header that runs on lacks the columns behind its mark.
                None => prop_assert!(record == 1, "{error} for {text:?}"),
            }
            prop_assert_eq!(read_csv(Drops(text.as_bytes()), &columns()), Err(error));
        }
    }
}

/// A mark opens on line 3, in each column in turn, and 20,000 lines follow.
#[test]
fn an_unclosed_mark_is_refused_where_its_record_begins() {
    for end in ["\n", "\r\n", "\r"] {
        for (j, name) in ["note", "a", "p", "r"].into_iter().enumerate() {
            let mut cells = ["n", "b", "0.5", "1"].map(str::to_owned);
            let good = cells.join(",");
            cells[j].insert(0, '"');
            let head = format!("note,a,p,r{end}{good}{end}{}{end}", cells.join(","));
            let text = head.clone() + &format!("{good}{end}").repeat(20_000);
            let (line, column) = (3, name.to_owned());
            assert_eq!(read(&text), Err(ReadError::UnclosedQuote { line, column: column.clone() }));
            assert_eq!(read(&head), Err(ReadError::UnclosedQuote { line, column: column.clone() }));
            assert_eq!(read(head.trim_end()), Err(ReadError::UnclosedQuote { line, column: column.clone() }));
            // Another quoted cell follows, whose mark is taken for the missing one.
            let closed = format!("{text}n,\"b\",0.5,1{end}");
            assert_eq!(read(&closed), Err(ReadError::TextBehindQuote { line, column }));
        }
    }
    let of_header = Err(ReadError::UnclosedQuote { line: 1, column: "number 1".into() });
    assert_eq!(read("note,\"a,p,r\nn,b,0.5,1\n"), of_header);
    assert_eq!(read("note,\"a"), of_header);
}

#[test]
fn marks_in_cells_that_do_not_begin_with_one_are_refused() {
    let row =
        |note: &str| read(&format!("note,a,p,r\n\nn,b,1,1\n\"two\nlines\",b,1,1\n{note},b,1,1\nn,b,1,1\n"));
    let column = || "note".to_owned();
    for note in ["6\" nails", " \"n\"", "n\"", "n\"\"", "'\"n\"'"] {
        assert_eq!(row(note), Err(ReadError::StrayQuote { line: 6, column: column() }), "{note}");
    }
    for note in ["\"n\"s", "\"n\" s", "\"n\" \"s\"", "\"n\"\u{a0}", "\"\"n\"\""] {
        assert_eq!(row(note), Err(ReadError::TextBehindQuote { line: 6, column: column() }), "{note}");
    }
    for (note, label) in [
        ("\"6\"\" nails\"", "6\" nails"),
        ("\"n\" \t", "n"),
        ("\" n \"", "n"),
        ("\"\"", ""),
        ("", ""),
        ("\"\"\"\"", "\""),
        ("\"a,\"\"\r\n\"\"b\"", "a,\"\r\n\"b"),
        ("'n'", "'n'"),
    ] {
        assert_eq!(labels(&row(note).unwrap())[2].0, label, "{note}");
    }
}

/// A record that spans lines is named by the first of them; what an error of another kind says of a line is
/// that too.
#[test]
fn a_record_is_where_it_begins() {
    let text = "note,a,p,r\n\n\"n\n\n\",b,0.5,1\n\n\"n\n\",\"b\n\",2,1\n";
    let (column, cell, expected) = ("p".to_owned(), "2".to_owned(), "a propensity in (0, 1]");
    let bad = ReadError::BadCell { line: 7, column, text: cell, expected };
    assert_eq!(read(text), Err(bad));
    let ragged = Err(ReadError::Ragged { line: 7, expected: 4, got: 3 });
    assert_eq!(read(&text.replace(",2,1", ",2")), ragged);
}

#[test]
fn the_readers_of_the_open_bandit_dataset_refuse_an_unclosed_mark() {
    let header = "item_id,position,click,propensity_score,user_feature_0,user_feature_1,user_feature_2,user_feature_3,\
                  user-item_affinity_0\n";
    let row = "0,1,1,1,a,b,c,d,0\n";
    let text = format!("{header}{row}{}{row}{row}", row.replace("c,d", "c,\"d"));
    let refused = read_open_bandit([text.as_bytes()], Affinities::Left);
    let error = Box::new(ReadError::UnclosedQuote { line: 3, column: "user_feature_3".into() });
    assert_eq!(refused, Err(ReadError::Stream { stream: 0, error }));
    let items =
        "item_id,item_feature_0,item_feature_1,item_feature_2,item_feature_3\n0,1,a,b,\"c\n1,1,a,b,c\n";
    let refused = read_item_context(items.as_bytes());
    assert_eq!(refused, Err(ReadError::UnclosedQuote { line: 2, column: "item_feature_3".into() }));
}
