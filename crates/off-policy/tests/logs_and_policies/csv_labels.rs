//! Columns of labels and lists of actions on offer: what is read, how another file is read alike, and each
//! refusal.

use off_policy::readers::{
    ActionCoding, CategoryColumn, CategoryLabels, ContextColumns, CsvColumns, CsvLog, OnOffer, Outcome,
    ReadError, read_csv,
};
use proptest::prelude::*;

fn category(column: &str, labels: CategoryLabels) -> CategoryColumn {
    CategoryColumn { column: column.into(), labels }
}

fn known(labels: &[&str]) -> CategoryLabels {
    CategoryLabels::Known(labels.iter().map(|label| (*label).to_owned()).collect())
}

/// Labels in `land` and `device`, lists in `offered`.
fn columns() -> CsvColumns {
    CsvColumns {
        contexts: ContextColumns::Remaining,
        categories: ["device", "land"].map(|name| category(name, CategoryLabels::Appearance)).into(),
        action: "a".into(),
        coding: ActionCoding::Appearance,
        on_offer: Some(OnOffer { column: "offered".into(), separator: ';' }),
        propensity: "p".into(),
        outcome: Outcome::Reward("r".into()),
    }
}

fn read(text: &str, columns: &CsvColumns) -> Result<CsvLog, ReadError> {
    read_csv(text.as_bytes(), columns)
}

const GOOD: &str = "land,x,a,device,p,r,offered,y\n\
    Chad,0,news,phone,0.5,1,sport ; news,7\n\
    Peru,-2,sport,,1,0,sport,0\n\
    Chad,3,maps,phone,0.25,0,news;maps;news,0\n";

#[test]
fn a_label_has_a_column_in_the_place_of_its_own() {
    let found = read(GOOD, &columns()).unwrap();
    assert_eq!(found.contexts, ["land=Chad", "land=Peru", "x", "device=phone", "device=", "y"]);
    let rows: Vec<Vec<f64>> = found.log.iter().map(|row| row.context.to_dense()).collect();
    let want =
        [[1.0, 0.0, 0.0, 1.0, 0.0, 7.0], [0.0, 1.0, -2.0, 0.0, 1.0, 0.0], [1.0, 0.0, 3.0, 1.0, 0.0, 0.0]];
    assert_eq!(rows, want);
    // The order of what is asked for is that of the contexts.
    let named = ContextColumns::Named(["device", "y", "land"].map(str::to_owned).into());
    let found = read(GOOD, &CsvColumns { contexts: named, ..columns() }).unwrap();
    assert_eq!(found.contexts, ["device=phone", "device=", "y", "land=Chad", "land=Peru"]);
    assert_eq!(found.log.row(1).unwrap().context.to_dense(), [0.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn what_was_on_offer_is_known_though_it_was_never_taken() {
    let found = read(GOOD, &columns()).unwrap();
    assert_eq!(found.actions, ["sport", "news", "maps"]);
    assert_eq!(found.log.logged_actions(), [1, 0, 2]);
    let sets: Vec<Vec<usize>> = (0..3).map(|i| found.log.on_offer(i).iter().collect()).collect();
    assert_eq!(sets, [vec![0, 1], vec![0], vec![1, 2]]);
    let text = "x,a,p,r,offered\n1,2,1,1,0 2\n";
    let coding = ActionCoding::Index(4);
    let on_offer = Some(OnOffer { column: "offered".into(), separator: ' ' });
    let by_index = CsvColumns { categories: Vec::new(), coding, on_offer, ..columns() };
    let found = read(text, &by_index).unwrap();
    assert_eq!((found.log.actions(), found.log.on_offer(0).iter().collect()), (4, vec![0, 2]));
}

#[test]
fn another_file_is_read_alike() {
    let first = read(GOOD, &columns()).unwrap();
    assert_eq!(read(GOOD, &first.columns).unwrap(), first, "its own coding changes nothing");
    // Columns in another order, one more, the labels in another order, a land and a device that were not
    // seen.
    let text = "y,x,z,offered,p,a,r,device,land\n5,6,0,maps;sport,0.5,maps,1,phone,Peru\n0,1,0,news,1,news,0,watch,Mali\n";
    let other = read(text, &first.columns).unwrap();
    assert_eq!((&other.contexts, &other.actions), (&first.contexts, &first.actions));
    assert_eq!(other.columns, first.columns);
    assert_eq!((other.unknown_labels, first.unknown_labels), (2, 0));
    let rows: Vec<Vec<f64>> = other.log.iter().map(|row| row.context.to_dense()).collect();
    assert_eq!(rows, [[0.0, 1.0, 6.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]);
    assert_eq!(other.log.on_offer(0).iter().collect::<Vec<_>>(), [0, 2]);
    let unknown = read(&text.replace("news", "art"), &first.columns);
    let (column, text) = ("offered".to_owned(), "art".to_owned());
    assert_eq!(unknown, Err(ReadError::UnknownAction { line: 3, column, text, actions: 3 }));
}

#[test]
fn lists_without_the_logged_action_are_refused_with_their_line() {
    let refused = |from: &str, to: &str| {
        assert!(GOOD.contains(from));
        read(&GOOD.replacen(from, to, 1), &columns()).unwrap_err()
    };
    let bad = |line, text: &str| ReadError::BadCell {
        line,
        column: "offered".into(),
        text: text.into(),
        expected: "a list that the logged action is on",
    };
    assert_eq!(refused("1,0,sport", "1,0,maps"), bad(3, "maps"));
    assert_eq!(refused("news;maps;news", "news;sport"), bad(4, "news;sport"));
    let nameless = |line, column: &str, text: &str| ReadError::BadCell {
        line,
        column: column.into(),
        text: text.into(),
        expected: "the label of an action",
    };
    assert_eq!(refused("1,0,sport", "1,0,"), nameless(3, "offered", ""));
    assert_eq!(refused("news;maps;news", "news;maps;"), nameless(4, "offered", "news;maps;"));
    assert_eq!(refused("3,maps", "3,"), nameless(4, "a", ""));
    // Unless that is what an action is called.
    let labels = ["", "news", "sport", "maps"].map(str::to_owned).into();
    let asked = CsvColumns { coding: ActionCoding::Labels(labels), ..columns() };
    let found = read(&GOOD.replacen("news;maps;news", "maps;", 1), &asked).unwrap();
    assert_eq!(found.log.on_offer(2).iter().collect::<Vec<_>>(), [0, 3]);
}

#[test]
fn columns_of_labels_that_do_not_fit_are_refused() {
    let refused = |categories: &[CategoryColumn]| {
        read(GOOD, &CsvColumns { categories: categories.to_vec(), ..columns() }).unwrap_err()
    };
    let of = |name: &str| category(name, CategoryLabels::Appearance);
    assert_eq!(refused(&[of("city")]), ReadError::MissingColumn { column: "city".into() });
    assert_eq!(refused(&[of("a")]), ReadError::NotAContext { column: "a".into() });
    let twice = ReadError::ColumnAskedTwice { column: "land".into() };
    assert_eq!(refused(&[of("land"), of("device"), of(" land")]), twice);
    let label = ReadError::DuplicateLabel { column: "land".into(), label: "Chad ".into() };
    assert_eq!(refused(&[category("land", known(&["Chad", "Peru", "Chad "]))]), label);
    let (column, text, expected) =
        ("device".into(), "phone".into(), "a finite number (a column of labels has to be named as one)");
    assert_eq!(refused(&[of("land")]), ReadError::BadCell { line: 2, column, text, expected });
    let offered = Some(OnOffer { column: "p".into(), separator: ';' });
    let twice = ReadError::ColumnAskedTwice { column: "p".into() };
    assert_eq!(read(GOOD, &CsvColumns { on_offer: offered, ..columns() }), Err(twice));
}

#[test]
fn a_file_of_labels_none_of_which_is_known_is_read_as_zeros() {
    let text = "land,a,p,r\nMali,0,1,1\nChad,0,1,0\n";
    let categories = vec![category("land", known(&["Peru", "Fiji"]))];
    let asked = CsvColumns { categories, coding: ActionCoding::Index(2), on_offer: None, ..columns() };
    let found = read(text, &asked).unwrap();
    assert_eq!((found.log.inputs(), found.unknown_labels), (2, 2));
    assert!(found.log.iter().all(|row| row.context.to_dense() == [0.0, 0.0]));
}

/// The cells of a row of the columns of [`GOOD`]: land, device; x, r, 1/p; action and the others on offer.
type Cells = (usize, usize, (i8, i8, u8), usize, Vec<usize>);

const LANDS: [&str; 4] = ["Chad", " Peru ", "", "\"Guinea, Republic\""];
const ACTIONS: [&str; 4] = ["news", "sport", "maps", "a b"];

fn written((land, device, (x, r, p), action, others): &Cells) -> String {
    let mut on_offer: Vec<&str> = others.iter().map(|a| ACTIONS[*a]).collect();
    on_offer.insert(on_offer.len() / 2, ACTIONS[*action]);
    let device = ["phone", "tablet"][*device];
    format!(
        "{},{x},{},{device},{},{r},{},7\n",
        LANDS[*land],
        ACTIONS[*action],
        1.0 / f64::from(*p),
        on_offer.join(" ;")
    )
}

proptest! {
    /// Every cell is found again, and again in a file that is read alike.
    #[test]
    fn what_is_written_is_read(
        rows in prop::collection::vec(
            (
                0..4_usize, 0..2_usize, (any::<i8>(), any::<i8>(), 1..=u8::MAX), 0..4_usize,
                prop::collection::vec(0..4_usize, 0..5),
            ),
            1..12,
        ),
    ) {
        let header = GOOD.lines().next().unwrap();
        let text = format!("{header}\n{}", rows.iter().map(written).collect::<String>());
        let found = read(&text, &columns()).unwrap();
        let column = |name: String| found.contexts.iter().position(|known| *known == name).unwrap();
        for (i, (land, device, (x, r, p), action, others)) in rows.iter().enumerate() {
            let row = found.log.row(i).unwrap();
            let land = LANDS[*land].trim().trim_matches('"');
            let device = ["phone", "tablet"][*device];
            let mut expected = vec![0.0; found.contexts.len()];
            expected[column(format!("land={land}"))] = 1.0;
            expected[column(format!("device={device}"))] = 1.0;
            (expected[column("x".into())], expected[column("y".into())]) = (f64::from(*x), 7.0);
            prop_assert_eq!(row.context.to_dense(), expected);
            prop_assert_eq!(&found.actions[row.action], ACTIONS[*action]);
            prop_assert_eq!((row.propensity, row.reward), (1.0 / f64::from(*p), f64::from(*r)));
            let on_offer: std::collections::BTreeSet<&str> = row.on_offer.iter().map(|a| &*found.actions[a]).collect();
            prop_assert_eq!(on_offer, others.iter().chain([action]).map(|a| ACTIONS[*a]).collect());
        }
        prop_assert_eq!(&read(&text, &found.columns).unwrap(), &found);
    }

    /// Whatever is read is coded as it was, by the columns that come with it.
    #[test]
    fn no_bytes_make_a_reader_of_labels_panic(
        bytes in prop::collection::vec(prop::sample::select(&b"ab;,,,,\n\r\" 1.-\xff"[..]), 0..120),
        good in any::<bool>(), lists in any::<bool>(),
    ) {
        let mut text = if good { GOOD.as_bytes().to_vec() } else { b"land,device,a,p,r,offered\n".to_vec() };
        text.extend(bytes);
        let asked = columns();
        let on_offer = if lists { asked.on_offer.clone() } else { None };
        let categories = if lists { asked.categories.clone() } else {
            ["land", "device", "offered"].map(|name| category(name, CategoryLabels::Appearance)).into()
        };
        if let Ok(found) = read_csv(&text[..], &CsvColumns { on_offer, categories, ..asked }) {
            prop_assert_eq!(found.log.inputs(), found.contexts.len());
            prop_assert_eq!(&read_csv(&text[..], &found.columns).unwrap(), &found);
        }
    }
}
