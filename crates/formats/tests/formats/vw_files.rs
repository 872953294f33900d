//! The files of Vowpal Wabbit's own tests, where they are at hand: what is read, skipped and refused.

use crate::dense;
use datasets::SearchPath;
use formats::{
    ActionFeatures, FormatError, LogOptions, ReadLog, Source, quiet, read_candidates, read_candidates_coded,
    read_contexts, read_log,
};
use off_policy::candidates::CandidateLog;
use std::path::PathBuf;

/// The folder, or `None` with a line that says what was not tested.
fn folder(test: &str) -> Option<PathBuf> {
    let search = SearchPath::from_environment(None).unwrap();
    let found = search.directories().iter().map(|directory| directory.join("vw")).find(|path| path.is_dir());
    if found.is_none() {
        eprintln!("REDUCED vw_files::{test}: the files of Vowpal Wabbit's tests are not here");
    }
    found
}

fn options() -> LogOptions {
    LogOptions::default()
}

fn dropping() -> LogOptions {
    options().action_features(ActionFeatures::Drop)
}

/// The result, with the folder left out of messages.
fn result(folder: &std::path::Path, file: &str, options: &LogOptions) -> Result<ReadLog, String> {
    let path = folder.join(file);
    let name = path.to_string_lossy().into_owned();
    read_log(Source::path(path).unwrap(), options, &mut quiet)
        .map_err(|error| error.to_string().replace(&name, file))
}

const FEATURES: &str = ", which are not used here; leave those out to go by the contexts alone";

#[test]
fn every_refused_file_says_why() {
    let Some(folder) = folder("every_refused_file_says_why") else { return };
    let features = |file: &str, line: u32, feature: &str| {
        (
            file.to_owned(),
            format!("{file}, line {line}: the actions have features of their own ({feature:?}){FEATURES}"),
        )
    };
    let other = |file: &str, message: &str| (file.to_owned(), format!("{file}{message}"));
    for (file, message) in [
        features("cb_adf_sm.data", 2, "a:0.5"),
        features("cb_test.ldf", 2, "a_1"),
        features("cb_test_medium.ldf", 2, "a_1"),
        features("cb_test_small.ldf", 2, "a_1"),
        features("cb_simple_pdrop.json", 1, "action.f"),
        features("decisionservice.json", 1, "j.RVisionTags.person"),
        features("dsjson_cb.json", 1, "j.type"),
        other("cb_simple_pdrop1.json", ", line 1, column \"pdrop\": \"1\" is not a share in [0, 1)"),
        other("ccb_data_parse_error.json", ", line 57: not JSON: expected `,` or `}` (character 44)"),
        other(
            "ccb_data.json",
            ": there is no row to read (skipped: 59 events with slots (conditional bandits or slates))",
        ),
        other("cb_compat_test.dat", ": there is no row to read (skipped: 4 decisions without a label)"),
        other(
            "b1848_dsjson_parser_regression.txt",
            ": there is no row to read (skipped: 1 events with _skipLearn; 1 lines that are no JSON objects; 6 \
             lines without a context, as of outcomes that came late)",
        ),
    ] {
        assert_eq!(result(&folder, &file, &options()).unwrap_err(), message);
    }
}

/// What is expected of a file.
struct Expected {
    file: &'static str,
    format: &'static str,
    rows: usize,
    inputs: usize,
    actions: &'static [&'static str],
    /// Whether not every action was always on offer.
    has_sets: bool,
    skipped: u64,
    /// Action, propensity and reward of the first row.
    first: (u32, f64, f64),
    /// The sum of the rewards.
    total: f64,
}

#[test]
fn every_file_that_is_read_has_the_rows_that_are_in_it() {
    let Some(folder) = folder("every_file_that_is_read_has_the_rows_that_are_in_it") else { return };
    const DOZEN: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
    let drinks: &[&str] = &["Cappucino", "Cold brew", "Iced mocha", "Latte"];
    let of = |file, format, rows, inputs, actions, has_sets, skipped, first, total| Expected {
        file,
        format,
        rows,
        inputs,
        actions,
        has_sets,
        skipped,
        first,
        total,
    };
    let half = 0.5;
    for expected in [
        of("cb_eval", "vw", 8, 2, &DOZEN[..2], false, 0, (0, half, 0.0), -4.0),
        of("cb_features_w_zero_vals.dsjson", "dsjson", 2, 1, &DOZEN[..2], false, 0, (0, half, 1.0), 2.0),
        of("cb_adf_sm.data", "vw", 4, 1, &DOZEN[..4], true, 0, (0, 0.25, -1.5), 0.5),
        of("cb_test.ldf", "vw", 2, 2, &DOZEN[..3], true, 1, (0, half, -1.0), -1.0),
        of("cb_test_small.ldf", "vw", 4, 2, &DOZEN[..3], true, 2, (0, half, -1.0), -2.0),
        of("cb_test_medium.ldf", "vw", 10, 2, &DOZEN[..3], true, 5, (0, half, -1.0), -5.0),
        of("cb_simple_pdrop.json", "dsjson", 1, 1, &DOZEN[..2], false, 0, (1, half, 1.0), 1.0),
        of("decisionservice.json", "dsjson", 3, 12, &DOZEN[..12], false, 0, (9, 0.816_666_7, 1.0), 2.0),
        of("dsjson_cb.json", "dsjson", 23, 10, drinks, false, 0, (3, 0.050_000_000_745_058_06, 0.0), 12.0),
        of("rcv1_cb_eval.gz", "vw-eval", 1000, 9519, &DOZEN[..2], false, 0, (0, half, -1.0), -477.0),
    ] {
        let log = result(&folder, expected.file, &dropping()).unwrap();
        let file = expected.file;
        assert_eq!(log.facts.format, expected.format, "{file}");
        assert_eq!(
            (log.contexts.len(), log.contexts.dimension()),
            (expected.rows, expected.inputs),
            "{file}"
        );
        let names: Vec<_> = (0..log.schema.actions()).filter_map(|k| log.schema.action_name(k)).collect();
        assert_eq!(names, expected.actions, "{file}");
        assert_eq!(log.on_offer.is_some(), expected.has_sets, "{file}");
        assert_eq!(log.facts.skipped.iter().map(|own| own.count).sum::<u64>(), expected.skipped, "{file}");
        let p = log.propensities.as_ref().unwrap();
        assert_eq!((log.actions[0], p[0], log.rewards[0]), expected.first, "{file}");
        assert_eq!(log.rewards.iter().sum::<f64>(), expected.total, "{file}");
        assert!(log.facts.notes.contains(&"the file has costs: the reward is −cost".to_owned()), "{file}");
        assert_eq!(log.clone().into_log().unwrap().len(), expected.rows, "{file}");

        // The same file read for the model of the first reading, and its contexts alone.
        let again = formats::read_log_coded(
            Source::path(folder.join(file)).unwrap(),
            &log.schema,
            &dropping(),
            &mut quiet,
        );
        let mut again = again.unwrap();
        again.facts = log.facts.clone();
        assert_eq!(again, log, "{file}");
        let alone =
            read_contexts(Source::path(folder.join(file)).unwrap(), &log.schema, &dropping(), &mut quiet);
        assert_eq!(alone.unwrap().contexts.len() as u64, expected.rows as u64 + expected.skipped, "{file}");
    }
}

#[test]
fn features_are_named_as_their_path() {
    let Some(folder) = folder("features_are_named_as_their_path") else { return };
    let log = result(&folder, "dsjson_cb.json", &dropping()).unwrap();
    assert_eq!(
        log.schema.feature_names()[..3],
        ["FromUrl.timeofday=Afternoon", "FromUrl.timeofday=Evening", "FromUrl.timeofday=Morning"]
    );
    assert_eq!(dense(&log)[0].iter().sum::<f64>(), 3.0);
    let log = result(&folder, "decisionservice.json", &dropping()).unwrap();
    let names = log.schema.feature_names();
    assert!(names.contains(&"Geo.city=Oakland".to_owned()), "{names:?}");
    // The codes of the state are texts, and numbers in them no numbers; names with a _ are left out.
    assert!(names.contains(&"Geo.dma=622".to_owned()) && !names.iter().any(|name| name.contains("_ua")));
}

#[test]
fn ids_that_disagree_are_counted() {
    let Some(folder) = folder("ids_that_disagree_are_counted") else { return };
    let log = result(&folder, "cb_features_w_zero_vals.dsjson", &options()).unwrap();
    let note = "in 2 events a, _label_Action and _labelIndex name different actions: _labelIndex was taken";
    assert!(log.facts.notes.contains(&note.to_owned()), "{:?}", log.facts.notes);
    let log = result(&folder, "dsjson_cb.json", &dropping()).unwrap();
    assert!(!log.facts.notes.iter().any(|note| note.starts_with("in ")), "{:?}", log.facts.notes);
}

#[test]
fn a_log_of_events_is_no_table() {
    let Some(folder) = folder("a_log_of_events_is_no_table") else { return };
    let source = Source::path(folder.join("dsjson_cb.json")).unwrap();
    let refused = formats::read_table(source, "x", &options(), &mut quiet).unwrap_err();
    assert!(matches!(refused, FormatError::WrongFormat { format: "dsjson", .. }), "{refused}");
}

#[test]
fn every_file_with_features_of_actions_is_a_log_of_candidates() {
    let Some(folder) = folder("every_file_with_features_of_actions_is_a_log_of_candidates") else { return };
    let open = |file: &str| Source::path(folder.join(file)).unwrap();
    // Choices, pairs, items; columns of contexts and of items; skipped; the sum of the rewards.
    for (file, counts, columns, skipped, total) in [
        ("cb_adf_sm.data", [4, 13, 5], [1, 2], 0, 0.5),
        ("cb_test.ldf", [2, 5, 5], [2, 11], 1, -1.0),
        ("cb_test_small.ldf", [4, 10, 5], [2, 11], 2, -2.0),
        ("cb_test_medium.ldf", [10, 25, 5], [2, 11], 5, -5.0),
        ("cb_features_w_zero_vals.dsjson", [2, 4, 1], [1, 1], 0, 2.0),
        ("cb_simple_pdrop.json", [1, 2, 2], [1, 2], 0, 1.0),
        ("dsjson_cb.json", [23, 92, 4], [10, 9], 0, 12.0),
        ("decisionservice.json", [3, 36, 11], [12, 220], 0, 2.0),
    ] {
        let read = read_candidates(open(file), &options(), &mut quiet).unwrap();
        let candidates = &read.candidates;
        let items = candidates.item_features().unwrap();
        assert_eq!([candidates.len(), candidates.pairs(), items.len()], counts, "{file}");
        assert_eq!([candidates.shape().contexts, candidates.shape().items], columns, "{file}");
        assert_eq!(read.facts.skipped.iter().map(|own| own.count).sum::<u64>(), skipped, "{file}");
        assert_eq!(read.rewards.iter().sum::<f64>(), total, "{file}");
        let again = read_candidates_coded(open(file), &read.schema, &options(), &mut quiet).unwrap();
        assert_eq!(again.into_log(), read.clone().into_log(), "{file}");
        // The log of the same file without the features has the same choices.
        let plain = result(&folder, file, &dropping()).unwrap();
        assert_eq!(read.propensities, plain.propensities, "{file}");
        assert_eq!(read.rewards, plain.rewards, "{file}");
        let log: CandidateLog = read.into_log().unwrap();
        assert_eq!(log.len(), counts[0], "{file}");
    }
}

#[test]
fn rows_of_candidates_are_those_of_the_file() {
    let Some(folder) = folder("rows_of_candidates_are_those_of_the_file") else { return };
    let read = |file: &str, options: &LogOptions| {
        read_candidates(Source::path(folder.join(file)).unwrap(), options, &mut quiet).unwrap()
    };
    // The names of the columns of a pair that are not 0, with their values.
    let pair = |read: &formats::ReadCandidates, p: usize| {
        let schema = &read.schema;
        let names = [&schema.contexts, &schema.features, &schema.items, &schema.identities];
        let names: Vec<&String> = names.into_iter().flatten().collect();
        let mut written = Vec::new();
        let pair = read.candidates.pair(p).unwrap();
        pair.for_each(schema.shape(), |j, value| {
            written.extend((value != 0.0).then(|| format!("{}:{value}", names[j])));
        });
        written.join(" ")
    };
    let log = read("cb_adf_sm.data", &options());
    assert_eq!((log.candidates.offsets(), &log.chosen[..]), (&[0, 3, 6, 9, 13][..], &[0; 4][..]));
    assert_eq!(log.candidates.items(), [0, 1, 2, 0, 1, 2, 0, 1, 3, 4, 0, 1, 3]);
    assert_eq!(pair(&log, 9), "s_1:1 a:3 b:-1");
    let log = read("cb_test.ldf", &options());
    assert_eq!(
        (pair(&log, 2), pair(&log, 4)),
        ("s_1:1 s_2:1 a_3:1 b_3:1 c_3:1".into(), "b_2:1 c_2:1 d_2:1".into())
    );
    assert_eq!(log.chosen, [0, 1]);
    let log = read("dsjson_cb.json", &options().identities(true));
    assert_eq!(log.schema.identities, ["Cappucino", "Cold brew", "Iced mocha", "Latte"]);
    assert_eq!(
        (log.chosen[0], log.propensities.as_ref().unwrap()[0], log.rewards[0]),
        (3, 0.050_000_000_745_058_06, 0.0)
    );
    assert_eq!(
        pair(&log, 3),
        "FromUrl.name=Cathy:1 FromUrl.timeofday=Afternoon:1 FromUrl.weather=Sunny:1 j.organic=no:1 \
         j.origin=brazil:1 j.roast=dark:1 j.type=hot:1 Latte:1"
    );
    let log = read("decisionservice.json", &options());
    assert_eq!((log.chosen[0], log.propensities.as_ref().unwrap()[0], log.rewards[0]), (9, 0.816_666_7, 1.0));
    let first = pair(&log, 0);
    for feature in ["Geo.city=New Orleans:1", "j.RVisionTags.girl:0.944198847", "j.Tags.Hip hop music:0.966"]
    {
        assert!(first.contains(feature), "{first}");
    }
    assert!(!first.contains("_title") && !first.contains("isAdultContent") && !first.contains("constant"));
}

#[test]
fn files_of_other_problems_are_no_logs_of_candidates() {
    let Some(folder) = folder("files_of_other_problems_are_no_logs_of_candidates") else { return };
    for (file, message) in [
        ("cb_simple_pdrop1.json", ", line 1, column \"pdrop\": \"1\" is not a share in [0, 1)"),
        ("ccb_data_parse_error.json", ", line 57: not JSON: expected `,` or `}` (character 44)"),
        (
            "ccb_data.json",
            ": there is no row to read (skipped: 59 events with slots (conditional bandits or slates))",
        ),
        ("cb_compat_test.dat", ": there is no row to read (skipped: 1 decisions without a label)"),
        ("cb_eval", ", line 2: \"2\" is not in the only labelled line of its event"),
    ] {
        let path = folder.join(file);
        let name = path.to_string_lossy().into_owned();
        let refused = read_candidates(Source::path(path).unwrap(), &options(), &mut quiet).unwrap_err();
        assert_eq!(refused.to_string().replace(&name, file), format!("{file}{message}"));
    }
}
