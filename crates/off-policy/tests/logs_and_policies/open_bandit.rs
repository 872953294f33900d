//! The Open Bandit Dataset's format, on a few lines of it; the official files are read where the data sets
//! are.

use crate::reduced;
use datasets::SearchPath;
use datasets::open_bandit::{Campaign, LoggingPolicy, Part, file};
use off_policy::readers::{
    Affinities, OpenBandit, OpenBanditLog, ReadError, read_item_context, read_open_bandit,
};

const HEADER: &str = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,\
                      user_feature_2,user_feature_3,user-item_affinity_0,user-item_affinity_1,user-item_affinity_2\n";

fn bts() -> String {
    format!(
        "{HEADER}0,t,2,2,0,0.045525,u,v,w,x,0.0,0.0,0.0\n1,t,0,3,1,0.030185000000000003,u,y,w,x,0.0,1.0,2.5\n"
    )
}

fn random() -> String {
    format!("{HEADER}0,t,1,1,0,0.3333333333333333,z,v,w,k,1.0,0.0,0.0\n")
}

fn read(texts: &[String], affinities: Affinities) -> Result<OpenBandit, ReadError> {
    read_open_bandit(texts.iter().map(|text| text.as_bytes()), affinities)
}

#[test]
fn contexts_are_one_hot_and_coded_alike_in_all_streams() {
    let read_logs = read(&[bts(), random()], Affinities::Kept).unwrap();
    let lists = read_logs.categories.each_ref().map(|list| list.join(""));
    assert_eq!(lists, ["uz", "vy", "w", "xk"]);
    let [of_bts, of_random] = &read_logs.logs[..] else { unreachable!() };
    let dense = |log: &off_policy::Log, i: usize| log.row(i).unwrap().context.to_dense();
    //                                 u    z    v    y    w    x    k    affinities
    assert_eq!(dense(&of_bts.log, 0), [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(dense(&of_bts.log, 1), [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 2.5]);
    assert_eq!(dense(&of_random.log, 0), [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(of_bts.log.contexts().stored_values(), 4 + 6, "zeros are not stored");
    assert_eq!(of_bts.log.logged_actions(), [2, 0]);
    assert_eq!(of_bts.log.propensities(), [0.045525, 0.030185000000000003]);
    assert_eq!((of_bts.log.rewards(), of_bts.log.actions()), (&[0.0, 1.0][..], 3));
    assert_eq!((&of_bts.positions[..], &of_random.positions[..]), (&[2, 3][..], &[1][..]));
    let without = read(&[bts(), random()], Affinities::Left).unwrap();
    assert_eq!(without.logs[0].log.inputs(), 7);
    assert_eq!(dense(&without.logs[0].log, 1), [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
}

#[test]
fn refusals_name_the_stream_and_the_cell() {
    let refused = |from: &str, to: &str| {
        assert!(random().contains(from));
        match read(&[bts(), random().replacen(from, to, 1)], Affinities::Kept) {
            Err(ReadError::Stream { stream: 1, error }) => *error,
            other => unreachable!("{other:?}"),
        }
    };
    let bad = |column: &str, text: &str, expected| ReadError::BadCell {
        line: 2,
        column: column.into(),
        text: text.into(),
        expected,
    };
    assert_eq!(refused("t,1,1,0", "t,1,4,0"), bad("position", "4", "a position from 1 to 3"));
    assert_eq!(refused("t,1,1,0", "t,1,1,2"), bad("click", "2", "0 or 1"));
    let propensity = bad("propensity_score", "0", "a propensity in (0, 1]");
    assert_eq!(refused("0.3333333333333333", "0"), propensity);
    assert_eq!(refused("k,1.0", "k,x"), bad("user-item_affinity_0", "x", "a finite number"));
    let (column, text) = ("item_id".into(), "3".into());
    assert_eq!(refused("t,1,1,0", "t,3,1,0"), ReadError::UnknownAction { line: 2, column, text, actions: 3 });
    for name in ["item_id", "position", "click", "propensity_score", "user_feature_2", "user-item_affinity_1"]
    {
        let missing = ReadError::MissingColumn { column: name.into() };
        assert_eq!(refused(name, "other"), missing);
    }
    let wider = random().replacen('\n', ",user-item_affinity_3\n", 1).replacen("1.0,0.0,0.0", "1,0,0,0", 1);
    let Err(ReadError::Stream { stream: 1, error }) = read(&[bts(), wider], Affinities::Left) else {
        unreachable!()
    };
    assert_eq!(*error, ReadError::UnexpectedColumn { column: "user-item_affinity_3".into() });
    let no_rows = ReadError::Stream { stream: 0, error: Box::new(ReadError::NoRows) };
    assert_eq!(read(&[HEADER.to_owned()], Affinities::Left), Err(no_rows));
    let no_affinity = ",item_id,position,click,propensity_score,user_feature_0,user_feature_1,user_feature_2,\
                       user_feature_3\n0,0,1,0,1,a,b,c,d\n";
    let Err(ReadError::Stream { error, .. }) = read(&[no_affinity.to_owned()], Affinities::Left) else {
        unreachable!()
    };
    assert_eq!(*error, ReadError::MissingColumn { column: "user-item_affinity_0".into() });
    assert_eq!(read(&[], Affinities::Left).unwrap().logs, []);
}

#[test]
fn items_are_listed_in_order() {
    let header = ",item_id,item_feature_0,item_feature_1,item_feature_2,item_feature_3\n";
    let read = |rows: &str| read_item_context(format!("{header}{rows}").as_bytes());
    let items = read("0,0,-0.67,a,b,c\n1,1,-0.72,d,b,e\n").unwrap();
    assert_eq!(items.number, [-0.67, -0.72]);
    assert_eq!(items.categories[1], ["d", "b", "e"]);
    assert_eq!(read("0,1,0.5,a,b,c\n"), Err(ReadError::ItemOrder { line: 2, item: 1, before: 0 }));
    let twice = read("0,0,0.5,a,b,c\n1,0,0.5,a,b,c\n");
    assert_eq!(twice, Err(ReadError::ItemOrder { line: 3, item: 0, before: 1 }));
    assert_eq!(read(""), Err(ReadError::NoRows));
    assert!(
        matches!(read("0,-1,1,a,b,c\n"), Err(ReadError::BadCell { line: 2, column, .. }) if column == "item_id")
    );
    assert!(matches!(read("0,0,nan,a,b,c\n"), Err(ReadError::BadCell { line: 2, .. })));
}

/// Rows, items and clicks of either log; the uniform policy shows every item alike, and the other one does
/// not.
fn check_published(logs: &[OpenBanditLog], rows: [usize; 2], items: usize, clicks: [f64; 2]) {
    for ((log, rows), clicks) in logs.iter().zip(rows).zip(clicks) {
        assert_eq!((log.log.len(), log.log.actions(), log.positions.len()), (rows, items, rows));
        assert_eq!(log.log.rewards().iter().sum::<f64>(), clicks);
        assert!(log.positions.iter().all(|position| (1..=3).contains(position)));
    }
    assert!(logs[0].log.propensities().iter().all(|p| *p == 1.0 / items as f64));
    assert!(logs[1].log.propensities().iter().any(|p| *p != logs[1].log.propensities()[0]));
}

#[test]
fn the_published_logs_have_the_published_counts() {
    check_published(&read(&[random(), bts()], Affinities::Left).unwrap().logs, [1, 2], 3, [0.0, 1.0]);
    let search = SearchPath::from_environment(None).unwrap();
    let file = |policy| file(&search, Campaign::Men, policy, Part::Log).unwrap();
    let (Some(random), Some(bts)) = (file(LoggingPolicy::Random), file(LoggingPolicy::Bts)) else {
        reduced::announce("the Open Bandit Dataset is not here; a few lines of its format are checked");
        return;
    };
    let logs = read_open_bandit([&random[..], &bts[..]], Affinities::Left).unwrap().logs;
    check_published(&logs, [10_000; 2], 34, [46.0, 69.0]);
}
