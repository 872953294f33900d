//! Logs of choices among candidates: text and dsjson, their levels, and what is refused.

use flate2::{Compression, write::GzEncoder};
use formats::{
    Format, FormatError, Limits, LogOptions, MissingPropensities, ReadCandidates, RowWeights, Source, quiet,
    read_candidates, read_candidates_coded, read_candidates_of_files, read_choices,
};
use rows::RowMatrix;
use std::io::Write;

fn options() -> LogOptions {
    LogOptions::default()
}

fn read_with(name: &str, text: &str, options: &LogOptions) -> Result<ReadCandidates, FormatError> {
    read_candidates(Source::bytes(name, text), options, &mut quiet)
}

fn adf(text: &str) -> ReadCandidates {
    read_with("log.vw", text, &options()).unwrap()
}

fn dense(matrix: Option<&RowMatrix>) -> Vec<Vec<f64>> {
    matrix.map(|matrix| matrix.iter().map(|row| row.to_dense()).collect()).unwrap_or_default()
}

/// Three events; the second shows an action of the first, and the third its actions in another order.
const ADF: &str = "shared |user age:30 city=Ulm\n\
                   'tea |drink price:2.5 taste=mint |fit affinity:0.5\n\
                   0:-1:0.25 'ice |drink price:1 cold |fit affinity:2\n\
                   \n\
                   shared |user age:50\n\
                   0:0.5:0.75 'ice |drink price:1 cold |fit affinity:3\n\
                   \n\
                   shared |user city=Bonn\n\
                   'ice |drink price:1 cold |fit affinity:2\n\
                   1:0:1 'tea |drink price:2.5 taste=mint\n";

const DSJSON: &str = r#"{"_label_cost":-1,"_label_probability":0.25,"_label_Action":2,"_labelIndex":1,"a":[2,1],"p":[0.25,0.75],"c":{"user":{"age":30,"city":"Ulm"},"_multi":[{"_tag":"tea","drink":{"price":2.5,"taste":"mint"},"fit":{"affinity":0.5}},{"_tag":"ice","drink":{"price":1,"cold":true},"fit":{"affinity":2}}]}}
{"_label_cost":0.5,"_label_probability":0.75,"_labelIndex":0,"a":[1],"c":{"user":{"age":50},"_multi":[{"id":"ice","drink":{"price":1,"cold":true,"_note":"left out"},"fit":{"affinity":3}}]}}
{"_label_cost":0,"_label_probability":1,"_labelIndex":1,"a":[2,1],"c":{"_multi":[{"_tag":"ice","drink":{"price":1,"cold":true,"warm":false},"fit":{"affinity":2}},{"_tag":"tea","drink":{"price":2.5,"taste":"mint"}}],"user":{"city":"Bonn"}}}
"#;

#[test]
fn an_event_is_a_context_and_items_that_recur() {
    let read = adf(ADF);
    assert_eq!(read.schema.contexts, ["user.age", "user.city=Bonn", "user.city=Ulm"]);
    assert_eq!(read.schema.items, ["drink.cold", "drink.price", "drink.taste=mint", "fit.affinity"]);
    assert!(read.schema.features.is_empty() && read.schema.identities.is_empty());
    let candidates = &read.candidates;
    assert_eq!(candidates.offsets(), [0, 2, 3, 5]);
    assert_eq!(
        dense(candidates.contexts()),
        [vec![30.0, 0.0, 1.0], vec![50.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]]
    );
    // The line of the ice recurs in the third event; with another affinity it is another item.
    assert_eq!(candidates.items(), [0, 1, 2, 1, 3]);
    assert_eq!(
        dense(candidates.item_features()),
        [
            vec![0.0, 2.5, 1.0, 0.5],
            vec![1.0, 1.0, 0.0, 2.0],
            vec![1.0, 1.0, 0.0, 3.0],
            vec![0.0, 2.5, 1.0, 0.0]
        ]
    );
    assert_eq!(
        (&read.chosen[..], read.propensities.as_deref()),
        (&[1, 0, 1][..], Some(&[0.25, 0.75, 1.0][..]))
    );
    assert_eq!(read.rewards, [1.0, -0.5, 0.0]);
    assert!(read.rewards.iter().all(|reward| !reward.is_sign_negative() || *reward < 0.0));
    assert_eq!((read.facts.rows, read.weights.as_ref()), (3, None));
    assert!(read.facts.notes.contains(&"the file has costs: the reward is −cost".to_owned()));
    assert_eq!(read.files[0].sha256.len(), 64);
    let log = read.clone().into_log().unwrap();
    assert_eq!((log.len(), log.schema()), (3, Some(&read.schema)));
}

#[test]
fn features_of_pairs_are_those_that_are_named() {
    for name in ["fit", "fit.affinity"] {
        let read = read_with("log.vw", ADF, &options().pair_features([name])).unwrap();
        assert_eq!(read.schema.features, ["fit.affinity"]);
        assert_eq!(read.schema.items, ["drink.cold", "drink.price", "drink.taste=mint"]);
        assert_eq!(read.candidates.items(), [0, 1, 1, 1, 0]);
        let affinities = [[0.5], [2.0], [3.0], [2.0], [0.0]];
        assert_eq!(dense(read.candidates.features()), affinities);
    }
    let refused = read_with("log.vw", ADF, &options().pair_features(["fi"])).unwrap_err();
    assert!(matches!(refused, FormatError::MissingColumn { .. }), "{refused}");
}

#[test]
fn an_identity_is_the_tag_and_what_differs_is_of_the_pair() {
    let read = read_with("log.vw", ADF, &options().identities(true)).unwrap();
    assert_eq!(read.schema.identities, ["ice", "tea"]);
    assert_eq!(read.schema.items, ["drink.cold", "drink.price", "drink.taste=mint"]);
    // The tea of the third event has no affinity, and that of the ice is another in the second.
    assert_eq!(read.schema.features, ["fit.affinity"]);
    assert_eq!(read.candidates.items(), [1, 0, 0, 0, 1]);
    assert_eq!(dense(read.candidates.features()), [[0.5], [2.0], [3.0], [2.0], [0.0]]);
    assert_eq!(dense(read.candidates.item_features()), [[1.0, 1.0, 0.0], [0.0, 2.5, 1.0]]);
    let note = "features that differ between rows of one action are those of pairs: \"fit.affinity\"";
    assert!(read.facts.notes.contains(&note.to_owned()), "{:?}", read.facts.notes);
    let pair = read.candidates.pair(2).unwrap();
    assert_eq!(pair.identity, Some(0));

    // With some features of pairs named and others found, all are in one order.
    let text = ADF.replace("cold |fit affinity:3", "cold:2 |fit affinity:3");
    let read = read_with("log.vw", &text, &options().identities(true).pair_features(["fit"])).unwrap();
    assert_eq!(read.schema.features, ["drink.cold", "fit.affinity"]);
    assert_eq!(
        dense(read.candidates.features()),
        [[0.0, 0.5], [1.0, 2.0], [2.0, 3.0], [1.0, 2.0], [0.0, 0.0]]
    );
    assert_eq!(read.schema.items, ["drink.price", "drink.taste=mint"]);
}

#[test]
fn without_a_tag_for_every_action_an_identity_is_the_line() {
    let options = options().identities(true).pair_features(["fit"]);
    let read = read_with("log.vw", &ADF.replace("0:0.5:0.75 'ice |", "0:0.5:0.75 |"), &options).unwrap();
    assert_eq!(read.schema.identities, ["| drink.cold drink.price", "| drink.price:2.5 drink.taste=mint"]);
    assert_eq!(read.candidates.items(), [1, 0, 0, 0, 1]);
    // Known by the line again, whatever its tag is.
    let text = ADF.replace("'tea", "'coffee");
    let coded =
        read_candidates_coded(Source::bytes("log.vw", text), &read.schema, &options, &mut quiet).unwrap();
    assert_eq!(coded.candidates, read.candidates);
}

#[test]
fn text_and_dsjson_of_the_same_events_are_one_log() {
    let plain = options();
    for options in [plain.clone(), plain.clone().identities(true), plain.pair_features(["fit"])] {
        let text = read_with("log.vw", ADF, &options).unwrap();
        let json = read_with("log.json", DSJSON, &options).unwrap();
        assert_eq!((&*text.facts.format, &*json.facts.format), ("vw", "dsjson"));
        assert_eq!(text.into_log().unwrap(), json.into_log().unwrap());
    }
}

#[test]
fn a_log_is_coded_by_the_schema_of_another() {
    let first = read_with("log.vw", ADF, &options().identities(true)).unwrap();
    // By its own schema a log is what it was.
    let again =
        read_candidates_coded(Source::bytes("log.json", DSJSON), &first.schema, &options(), &mut quiet);
    assert_eq!(again.unwrap().into_log(), first.clone().into_log());

    let text = "shared |user age:20 city=Rome income:3\n\
                'cola |drink price:4 taste=sweet sparkling |fit affinity:1\n\
                0:-2:0.5 'tea |drink price:2.5 taste=mint |fit affinity:7\n\
                'tea |drink price:9\n";
    let second = read_candidates_coded(Source::bytes("log.vw", text), &first.schema, &options(), &mut quiet);
    let second = second.unwrap();
    assert_eq!(second.schema, first.schema);
    assert_eq!(dense(second.candidates.contexts()), [[20.0, 0.0, 0.0]]);
    // Cola has no identity, nor has a tea of another price; the ice is not in this log.
    assert_eq!(second.candidates.items(), [2, 1, 3]);
    let items = [[0.0, 0.0, 0.0], [0.0, 2.5, 1.0], [0.0, 4.0, 0.0], [0.0, 9.0, 0.0]];
    assert_eq!(dense(second.candidates.item_features()), items);
    assert_eq!(dense(second.candidates.features()), [[1.0], [7.0], [0.0]]);
    let identities: Vec<_> = (0..3).map(|p| second.candidates.pair(p).unwrap().identity).collect();
    assert_eq!(identities, [None, Some(1), None]);
    assert_eq!(
        (second.facts.unknown_labels["user.city"], second.facts.unknown_labels["drink.taste"]),
        (1, 1)
    );
    let notes = second.facts.notes.join("\n");
    let unknown = "features that the model does not know left out: \"drink.sparkling\" (1 value), \
                   \"user.income\" (1 value)";
    assert!(notes.contains(unknown), "{notes}");
    assert!(notes.contains("1 items have the name of an action and other features"), "{notes}");
    assert!(notes.contains("they have no identity, and nothing that the model learnt"), "{notes}");

    let refused = read_candidates_coded(
        Source::bytes("log.vw", "shared |x a\n0:1:1 |y b\n"),
        &first.schema,
        &options(),
        &mut quiet,
    );
    assert!(matches!(refused, Err(FormatError::NoContexts { .. })), "{refused:?}");
}

#[test]
fn texts_of_one_feature_can_be_at_two_levels() {
    // The mood of an action changes, and its kind does not; both are texts of `k`.
    let text = "0:0:1 'a |n k=hot k=red |x f\n'b |n k=cold k=big |x g\n\n\
                0:1:1 'a |n k=hot k=blue |x f\n'b |n k=cold k=big |x g\n";
    let read = read_with("log.vw", text, &options().identities(true)).unwrap();
    assert_eq!(read.schema.features, ["n.k=blue", "n.k=red"]);
    assert_eq!(read.schema.items, ["n.k=big", "n.k=cold", "n.k=hot", "x.f", "x.g"]);
    let again = read_candidates_coded(Source::bytes("log.vw", text), &read.schema, &options(), &mut quiet);
    assert_eq!(again.unwrap().into_log(), read.into_log());
    let read = read_with("log.vw", text, &options().pair_features(["n.k=red", "x"])).unwrap();
    assert_eq!(read.schema.features, ["n.k=red", "x.f", "x.g"]);
    assert_eq!(dense(read.candidates.features())[0], [1.0, 1.0, 0.0]);
}

#[test]
fn several_files_are_one_log_and_compressed_ones_too() {
    let (start, end) = ADF.split_at(ADF.find("shared |user city").unwrap());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(end.as_bytes()).unwrap();
    let end = encoder.finish().unwrap();
    let sources = [Ok(Source::bytes("a.vw", start)), Ok(Source::bytes("b.vw.gz", end))];
    let read = read_candidates_of_files(sources, None, &options(), &mut quiet).unwrap();
    assert_eq!(read.files.len(), 2);
    assert_eq!(read.into_log(), adf(ADF).into_log());
    // Columns have other numbers in another file.
    let sources = [Ok(Source::bytes("b.vw", "|b x:1\n0:0:1 |a y:2\n")), Ok(Source::bytes("a.vw", ADF))];
    let read = read_candidates_of_files(sources, Some(&adf(ADF).schema), &options(), &mut quiet).unwrap();
    let last = read.candidates.select(&[1, 2, 3]).unwrap();
    assert_eq!(last.expanded().unwrap(), adf(ADF).candidates.expanded().unwrap());
}

#[test]
fn numbers_of_a_feature_add_up_and_a_text_counts_once() {
    let read = adf("0:0:1 |a x:1 x:2 k=v k=v k=w :4 :5 |a x:0.5 |b:2 y z:3 k=v\n|a\n");
    let names = ["a.k=v", "a.k=w", "a.x", "a[0]", "a[1]", "b.k=v", "b.y", "b.z"];
    assert_eq!(read.schema.items, names);
    // A namespace's weight is a factor; `k=v` of another weight than 1 is the same column.
    assert_eq!(dense(read.candidates.item_features())[0], [1.0, 1.0, 3.5, 4.0, 5.0, 2.0, 2.0, 6.0]);
    let refused = read_with("log.vw", "0:0:1 |a x:1e140 x:1e140\n|a y\n", &options()).unwrap_err();
    let message = "log.vw, line 1, column \"a.x\": \"2";
    assert!(refused.to_string().starts_with(message), "{refused}");
    let refused = read_with("log.vw", "|a y\n0:0:1 |a x:1e141\n", &options()).unwrap_err();
    assert!(refused.to_string().contains("a finite number up to 1e140 in magnitude"), "{refused}");
}

#[test]
fn identifiers_are_left_out_and_named_ones_kept() {
    use std::fmt::Write;
    let mut text = String::new();
    for k in 0..60 {
        writeln!(text, "shared |s session=s{k} day=d{}\n0:0:1 |a id=i{k} n:{}\n|a n:7\n", k % 7, k % 2)
            .unwrap();
    }
    let read = adf(&text);
    assert!(read.schema.contexts.iter().all(|name| name.starts_with("s.day=")));
    assert_eq!((read.schema.contexts.len(), &read.schema.items[..]), (7, &["a.n".to_owned()][..]));
    // Without their identifiers lines recur.
    assert_eq!(read.candidates.item_features().map(RowMatrix::len), Some(3));
    assert_eq!(dense(read.candidates.item_features()), [[0.0], [7.0], [1.0]]);
    let left: Vec<_> =
        read.facts.notes.iter().filter(|note| note.contains("look like identifiers")).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    let read = read_with("log.vw", &text, &options().labels(["a.id"])).unwrap();
    assert_eq!(read.schema.items.len(), 61);
    let read = read_with("log.vw", &text, &options().most_labels(6)).unwrap();
    assert!(read.schema.contexts.is_empty() && read.candidates.contexts().is_none());
    let read = read_with("log.vw", &text, &options().ignore(["s.session", "s.day", "a.id"])).unwrap();
    assert!(read.candidates.contexts().is_none() && read.facts.notes.len() == 1, "{:?}", read.facts.notes);
}

#[test]
fn events_without_a_label_are_skipped_and_counted() {
    let text = "shared |s x\n|a y\n|a z\n\n0:1:0.5 |a y\n|a z\n\n0:1:0 |a y\n";
    let read = adf(text);
    assert_eq!(
        (read.facts.rows, read.facts.skipped[0].to_string()),
        (1, "2 decisions without a label".into())
    );
    // An event that is skipped leaves no column behind.
    assert!(read.schema.contexts.is_empty());
    let refused = read_with("log.vw", "0:1 |a y\n|a z\n\n0:1:1 |a y\n", &options()).unwrap_err();
    let message = "log.vw, line 1, column \"the probability\": the value is missing, and other rows have a \
                   propensity; leave such rows out or add \
                   them";
    assert_eq!(refused.to_string(), message);
    let skip = options().missing_propensities(MissingPropensities::Skip);
    let read = read_with("log.vw", "0:1 |a y\n|a z\n\n0:1:1 |a y\n", &skip).unwrap();
    assert_eq!(read.facts.skipped[0].to_string(), "1 rows without a propensity");

    // A probability of 0 says that there is no label, in both formats.
    let read = read_with("log.json", &DSJSON.replace(":0.75,", ":0,"), &options()).unwrap();
    let skipped: Vec<_> = read.facts.skipped.iter().map(ToString::to_string).collect();
    assert_eq!((read.facts.rows, &skipped[..]), (2, &["1 decisions without a label".to_owned()][..]));

    let slots = "{\"c\":{\"_multi\":[{\"a\":{\"x\":1}}],\"_slots\":[{}]},\"_outcomes\":[{}]}\n";
    let skipped =
        format!("{slots}{{\"RewardValue\":1}}\n{}", DSJSON.replace("\"a\":[1],", "\"_skipLearn\":true,"));
    let read = read_with("log.dsjson", &skipped, &options()).unwrap();
    let counts: Vec<_> = read.facts.skipped.iter().map(|skipped| skipped.count).collect();
    assert_eq!((read.facts.rows, &counts[..]), (2, &[1, 1, 1][..]), "{:?}", read.facts.skipped);
    let refused = read_with("log.dsjson", slots, &options()).unwrap_err().to_string();
    assert!(refused.contains("events with slots (conditional bandits or slates)"), "{refused}");
}

#[test]
fn choices_to_predict_for_need_no_label() {
    let read = read_with("log.vw", ADF, &options().identities(true)).unwrap();
    let choices =
        |text: &str| read_choices(Source::bytes("log.vw", text), &read.schema, &options(), &mut quiet);
    assert_eq!(choices(ADF).unwrap().candidates, read.candidates);
    let bare = ADF.replace("0:-1:0.25 ", "").replace("0:0.5:0.75 ", "").replace("1:0:1 ", "1:7 ");
    let found = choices(&bare).unwrap();
    assert_eq!((&found.candidates, found.facts.rows), (&read.candidates, 3));
    assert!(found.facts.notes.is_empty() && found.facts.skipped.is_empty(), "{:?}", found.facts);
    assert!(matches!(choices("\n"), Err(FormatError::NoRows { .. })));
}

/// A line of an answer is one of the file: no event is left out for its label.
#[test]
fn labels_of_choices_to_predict_for_are_not_looked_at() {
    let read = read_with("log.vw", ADF, &options().identities(true)).unwrap();
    let is_same = |name: &str, text: &str, (from, to): (&str, &str)| {
        let other = text.replacen(from, to, 1);
        assert_ne!(other, text, "{from}");
        let found = read_choices(Source::bytes(name, other), &read.schema, &options(), &mut quiet).unwrap();
        assert_eq!(found.candidates, read.candidates, "{to}");
        assert!(found.facts.skipped.is_empty() && found.facts.notes.is_empty(), "{to}: {:?}", found.facts);
    };
    for to in ["0:-1:1.5 ", "0:nan:0.25 ", "0:-1:0 ", "0:x ", "0:1:0.5 1:2:0.5 "] {
        is_same("log.vw", ADF, ("0:-1:0.25 ", to));
    }
    is_same("log.vw", ADF, ("'tea |", "0:1:0.5 'tea |"));
    for (from, to) in [
        ("\"_label_cost\":-1", "\"_label_cost\":\"NaN\""),
        ("\"_label_cost\":-1", "\"_label_cost\":\"dear\""),
        ("\"_label_cost\":-1", "\"_skipLearn\":true"),
        ("\"_label_probability\":0.25", "\"_label_probability\":\"x\""),
        ("\"_label_probability\":0.25", "\"_label_probability\":0.5"),
        ("\"_labelIndex\":1", "\"_labelIndex\":9"),
        ("\"_labelIndex\":1", "\"pdrop\":1"),
    ] {
        is_same("log.json", DSJSON, (from, to));
    }
}

#[test]
fn words_of_a_text_are_left_out_with_a_note() {
    let text = DSJSON
        .replacen("\"age\":30", "\"age\":30,\"_text\":\"one two\"", 1)
        .replacen("\"_tag\":\"tea\",", "\"_tag\":\"tea\",\"_text\":\"three\",", 1)
        .replacen("\"user\":{\"age\":50}", "\"_text\":\"four\",\"user\":{\"age\":50}", 1)
        .replacen("\"cold\":true,\"_note\"", "\"cold\":true,\"_TEXT\":\"five\",\"_note\"", 1);
    let read = read_with("log.json", &text, &options()).unwrap();
    let note = "_text stands in 4 places: its words are no features here, and are left out";
    assert!(read.facts.notes.contains(&note.to_owned()), "{:?}", read.facts.notes);
    let plain = read_with("log.json", DSJSON, &options()).unwrap();
    assert!(!plain.facts.notes.iter().any(|note| note.contains("_text")), "{:?}", plain.facts.notes);
    assert_eq!(read.into_log(), plain.into_log());
}

#[test]
fn rows_of_different_weights_are_no_log() {
    let thinned = DSJSON.replacen("\"_label_cost\"", "\"pdrop\":0.5,\"_label_cost\"", 1);
    let read = read_with("log.json", &thinned, &options()).unwrap();
    assert_eq!(read.weights, Some(vec![2.0, 1.0, 1.0]));
    assert_eq!(read.into_log(), Err(FormatError::Weights));
    let read = read_with("log.json", &thinned, &options().weights(RowWeights::Drop)).unwrap();
    assert_eq!(read.into_log(), adf(ADF).into_log());
}

#[test]
fn what_is_damaged_is_refused_with_its_line() {
    let line = |text: &str| read_with("log.vw", text, &options()).unwrap_err().to_string();
    for (from, to, message) in [
        (
            "0.25 'ice",
            "1.25 'ice",
            "line 3: \"0:-1:1.25\" is not a label as action:cost:probability, the last in [0, 1]",
        ),
        (
            "0.25 'ice",
            "-0.25 'ice",
            "line 3: \"0:-1:-0.25\" is not a label as action:cost:probability, the last in [0, 1]",
        ),
        (
            "0:-1:",
            "0:inf:",
            "line 3: \"0:inf:0.25\" is not a label as action:cost:probability, the last in [0, 1]",
        ),
        (
            "'tea |drink price:2.5 taste=mint |fit",
            "1:0:1 'tea |fit",
            "line 3: \"0\" is not in the only labelled line of its event",
        ),
        (
            "0:-1:0.25 'ice",
            "0:-1:0.25 1:2:0.5 'ice",
            "line 3: \"1\" is not the only label of the line of an action",
        ),
        (
            "0:-1:0.25 'ice",
            "1 0:-1:0.25 'ice",
            "line 3: \"0\" is not the only label of the line of an action",
        ),
        ("price:2.5", "price:two", "line 2: \"price:two\" is not a feature as name or name:value"),
        ("'tea |", "'tea ", "line 2: "),
        (
            "\n\nshared |user age:50",
            "\nshared |user age:50",
            "line 4: \"shared\" is not the first line of an event: there is no blank line before it",
        ),
        (
            "shared |user age:30",
            "ccb shared |user age:30",
            "line 1: \"ccb\" is not a line of cb or cb_adf: conditional bandits and slates are not read",
        ),
    ] {
        let damaged = ADF.replacen(from, to, 1);
        assert_ne!(damaged, ADF);
        let refused = line(&damaged);
        // Without its bar a line borrows that of another namespace: it is a label then, and a bad one.
        assert!(refused.starts_with(&format!("log.vw, {message}")), "{refused}");
    }
    assert!(
        line("shared |s x\n\n0:0:1 |a y\n")
            .contains("line 1: \"shared\" is not followed by the line of an action")
    );

    let line = |text: &str| read_with("log.json", text, &options()).unwrap_err().to_string();
    for (from, to, message) in [
        (
            "\"_label_probability\":0.75",
            "\"_label_probability\":-0.5",
            "line 2, column \"the probability\": \"-0.5\" is not a propensity in (0, 1]",
        ),
        (
            "\"_label_probability\":0.75",
            "\"_label_probability\":1.5",
            "line 2, column \"the probability\": \"1.5\" is not a propensity in (0, 1]",
        ),
        (
            "\"_labelIndex\":0",
            "\"_labelIndex\":1",
            "line 2, column \"_labelIndex\": \"1\" is not the place of one of the actions",
        ),
        (
            "\"_labelIndex\":0",
            "\"_label_Action\":-9223372036854775808",
            "line 2, column \"_label_Action\": \"-9223372036854775808\" is not the place of one of the actions",
        ),
        (
            "\"_label_cost\":0.5",
            "\"_label_cost\":\"dear\"",
            "line 2, column \"_label_cost\": \"dear\" is not a finite number",
        ),
        ("\"age\":50", "\"age\":1e300", "line 2, column \"user.age\": "),
        ("{\"affinity\":3}", "{\"affinity\":}", "line 2: not JSON: "),
    ] {
        let damaged = DSJSON.replacen(from, to, 1);
        assert_ne!(damaged, DSJSON);
        let refused = line(&damaged);
        assert!(refused.starts_with(&format!("log.json, {message}")), "{refused}");
    }
    let few = options().limits(Limits { columns: 4, ..Limits::default() });
    let refused = read_with("log.vw", ADF, &few).unwrap_err();
    assert!(matches!(refused, FormatError::TooMany { .. }), "{refused}");
}

#[test]
fn a_file_without_features_of_actions_is_no_log_of_candidates() {
    let text = "shared |s x:1\n0:1:0.5 'a |\n'b |\n\nshared |s x:2\n'a |\n1:1:0.5 'b |\n";
    let refused = read_with("log.vw", text, &options()).unwrap_err().to_string();
    assert_eq!(refused, "log.vw: vw has no features of the actions here: read it as a log of fixed actions");
    // Their names are enough to tell them apart.
    let read = read_with("log.vw", text, &options().identities(true)).unwrap();
    assert_eq!((read.schema.identities.len(), read.candidates.items()), (2, &[0, 1, 0, 1][..]));
    assert_eq!(read.candidates.item_features(), None);

    let csv = "age,action,propensity,reward\n41,news,0.5,1\n";
    let refused = read_with("log.csv", csv, &options()).unwrap_err();
    assert!(matches!(refused, FormatError::WrongFormat { format: "csv", .. }), "{refused}");
    let refused = read_with("log.vw", ADF, &options().format(Format::VwEval)).unwrap_err();
    assert!(matches!(refused, FormatError::WrongFormat { format: "vw-eval", .. }), "{refused}");
}

/// Two events that lack numbers at every level, and texts.
const LACKING: &str = r#"{"_label_cost":-1,"_label_probability":0.25,"_labelIndex":1,"c":{"user":{"age":null,"city":null},"_multi":[{"drink":{"price":2.5},"fit":{"affinity":null}},{"drink":{"price":"","taste":null},"fit":{"affinity":2}}]}}
{"_label_cost":0,"_label_probability":0.5,"_labelIndex":0,"c":{"user":{"age":50,"city":"Ulm"},"_multi":[{"drink":{"price":1},"fit":{"affinity":0}},{"drink":{"taste":"mint"},"fit":{"affinity":2}}]}}
"#;

#[test]
fn missing_numbers_have_an_indicator_behind_their_column() {
    let of_pairs = options().pair_features(["fit"]);
    let read = read_with("log.json", LACKING, &of_pairs).unwrap();
    let schema = &read.schema;
    assert_eq!(schema.contexts, ["user.age", "user.age is missing", "user.city=Ulm"]);
    assert_eq!(schema.features, ["fit.affinity", "fit.affinity is missing"]);
    assert_eq!(schema.items, ["drink.price", "drink.price is missing", "drink.taste=mint"]);
    assert_eq!(schema.indicators(), [(0, 1), (3, 4), (5, 6)]);
    assert_eq!(dense(read.candidates.contexts()), [[0.0, 1.0, 0.0], [50.0, 0.0, 1.0]]);
    assert_eq!(dense(read.candidates.features()), [[0.0, 1.0], [2.0, 0.0], [0.0, 0.0], [2.0, 0.0]]);
    let items = [[2.5, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(dense(read.candidates.item_features()), items);
    let missing: Vec<(&str, u64)> =
        read.facts.missing.iter().map(|(column, count)| (&**column, *count)).collect();
    assert_eq!(missing, [("drink.price", 1), ("fit.affinity", 1), ("user.age", 1)]);

    let text = "shared |user age= city=\n|drink price:2.5 |fit affinity=\n\
                0:-1:0.25 |drink price= taste= |fit affinity:2\n\n\
                shared |user age:50 city=Ulm\n0:0:0.5 |drink price:1 |fit affinity:0\n\
                |drink taste=mint |fit affinity:2\n";
    let by_text = read_with("log.vw", text, &of_pairs).unwrap();
    let coded = read_candidates_coded(Source::bytes("log.vw", text), schema, &options(), &mut quiet).unwrap();
    assert_eq!((&by_text.schema, &coded.schema), (schema, schema));
    assert_eq!(coded.facts.missing, read.facts.missing);
    let log = read.into_log();
    assert_eq!((by_text.into_log(), coded.into_log()), (log.clone(), log));
}

#[test]
fn a_missing_number_in_a_column_that_had_none_is_refused() {
    let whole = LACKING.replace("\"age\":null", "\"age\":40").replace("\"price\":\"\"", "\"price\":9");
    let whole = whole.replace("\"affinity\":null", "\"affinity\":3");
    let schema = read_with("log.json", &whole, &options().pair_features(["fit"])).unwrap().schema;
    assert_eq!((schema.optional.len(), schema.contexts.len(), schema.items.len()), (0, 2, 2));
    let coded = |text: &str| {
        let source = Source::bytes("log.json", text);
        read_candidates_coded(source, &schema, &options(), &mut quiet).map_err(|error| error.to_string())
    };
    // A text that is missing is absent.
    assert!(coded(&whole).is_ok());
    for (value, column) in
        [("\"age\":40", "user.age"), ("\"price\":9", "drink.price"), ("\"affinity\":3", "fit.affinity")]
    {
        let name = value.split(':').next().unwrap();
        let refused = coded(&whole.replace(value, &format!("{name}:null"))).unwrap_err();
        let expected = format!(
            "log.json, line 1, column \"{column}\": the value is missing, and the model was learnt from a log that \
             has a value in every row"
        );
        assert_eq!(refused, expected);
    }
    // A feature that has the name of a text.
    let text =
        r#"{"_label_cost":0,"_label_probability":1,"_labelIndex":0,"c":{"_multi":[{"n":"b","n=b":null}]}}"#;
    let read = read_with("log.json", text, &options()).unwrap();
    assert_eq!((&read.schema.items[..], read.schema.optional.len()), (&["n=b".to_owned()][..], 0));
    let again = read_candidates_coded(Source::bytes("log.json", text), &read.schema, &options(), &mut quiet);
    assert_eq!(again.unwrap().into_log(), read.into_log());
    // A feature that the model does not know may lack values.
    assert!(coded(&whole.replace("\"age\":40", "\"age\":40,\"income\":null")).is_ok());
}

#[test]
fn a_number_and_where_it_is_missing_are_of_one_level() {
    // The price of `a` is missing in one event, and 0 in the other.
    let text = "0:0:1 'a |n x= y:1\n'b |n x:2 y:1\n\n0:1:1 'a |n x:0 y:1\n'b |n x:2 y:1\n";
    let identities = options().identities(true);
    let read = read_with("log.vw", text, &identities).unwrap();
    assert_eq!(read.schema.features, ["n.x", "n.x is missing"]);
    assert_eq!((&read.schema.items[..], read.schema.indicators()), (&["n.y".to_owned()][..], vec![(0, 1)]));
    assert_eq!(dense(read.candidates.features()), [[0.0, 1.0], [2.0, 0.0], [0.0, 0.0], [2.0, 0.0]]);
    let again = read_candidates_coded(Source::bytes("log.vw", text), &read.schema, &options(), &mut quiet);
    assert_eq!(again.unwrap().into_log(), read.into_log());
    // An action without a tag is known by its line, and a missing number is a part of it.
    let read = read_with("log.vw", "0:0:1 |n x= y:1\n|n x:0 y:1\n|n x:3 y:1\n", &identities).unwrap();
    assert_eq!((read.candidates.items(), read.schema.identities.len()), (&[0, 2, 1][..], 3));
    assert!(read.schema.identities[0].contains("missing"), "{:?}", read.schema.identities);
    // What is there and missing at once is there; what is missing alone is no column.
    let read = read_with("log.vw", "0:0:1 |n x= x:3 z=\n|n x= x= z=\n", &options()).unwrap();
    assert_eq!(read.schema.items, ["n.x", "n.x is missing"]);
    assert_eq!(dense(read.candidates.item_features()), [[3.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn a_feature_may_have_the_name_of_an_indicator() {
    let text = r#"{"_label_cost":0,"_label_probability":1,"_labelIndex":0,"c":{"_multi":[{"n":{"x":null,"x is missing":5}},{"n":{"x":2,"x is missing":null}}]}}
"#;
    let read = read_with("log.json", text, &options()).unwrap();
    let names = ["n.x", "n.x is missing'", "n.x is missing", "n.x is missing is missing"];
    assert_eq!(
        (&read.schema.items[..], read.schema.indicators()),
        (&names.map(str::to_owned)[..], vec![(0, 1), (2, 3)])
    );
    assert_eq!(dense(read.candidates.item_features()), [[0.0, 1.0, 5.0, 0.0], [2.0, 0.0, 0.0, 1.0]]);
    let again = read_candidates_coded(Source::bytes("log.json", text), &read.schema, &options(), &mut quiet);
    assert_eq!(again.unwrap().into_log(), read.into_log());
}

#[test]
fn a_log_without_any_probability_is_read_to_be_estimated() {
    let read = read_with("log.vw", "0:1 |a y\n|a z\n\n|a y\n0:2 |a z\n", &options()).unwrap();
    assert_eq!((&read.chosen[..], &read.propensities), (&[0, 1][..], &None));
    assert!(read.facts.notes.contains(&"the file has no propensities".to_owned()), "{:?}", read.facts.notes);
    assert_eq!(read.into_log(), Err(FormatError::NoPropensities));
    let text = "{\"_label_cost\":-1,\"_labelIndex\":1,\"c\":{\"_multi\":[{\"x\":1},{\"x\":2}]}}\n";
    let read = read_with("log.json", text, &options()).unwrap();
    assert_eq!((&read.chosen[..], &read.propensities), (&[1][..], &None));
}

#[test]
fn a_feature_of_the_context_orders_or_splits_the_choices() {
    let text = "shared |user id=u7 day:3 age:30\n0:-1:0.5 |a x:1\n|a x:2\n\n\
                shared |user day:1 age:20\n|a x:2\n0:0:0.5 |a x:3\n\n\
                shared |user id=u1 day:2 age:40\n0:0:0.5 |a x:5\n|a x:4\n";
    let asked = options().time("user.day").split("user.id");
    let read = read_with("log.vw", text, &asked).unwrap();
    assert_eq!(
        (&read.schema.contexts[..], read.time),
        (&["user.age".to_owned()][..], Some(vec![3.0, 1.0, 2.0]))
    );
    let split = read.split.unwrap();
    assert_eq!((split.labels.join(","), &split.codes[..]), (",u1,u7".to_owned(), &[2, 0, 1][..]));
    let plain = read_with("log.vw", text, &options()).unwrap();
    assert_eq!((plain.time, plain.split), (None, None));
    // A model that was trained so reads other logs by its own columns.
    let coded =
        read_candidates_coded(Source::bytes("log.vw", text), &read.schema, &options(), &mut quiet).unwrap();
    assert_eq!(coded.candidates, read.candidates);

    // In dsjson an event has a time of its own.
    let event = |time: &str| {
        format!(
            "{{\"_label_cost\":-1,\"_label_probability\":0.5,\"_labelIndex\":0,{time}\"c\":{{\"age\":3,\"_multi\":\
             [{{\"x\":1}},{{\"x\":2}}]}}}}\n"
        )
    };
    let times = ["1970-01-03T12:00:00.0000000Z", "1970-01-02T00:00:00Z"];
    let timed: String = times.map(|time| event(&format!("\"Timestamp\":\"{time}\","))).concat();
    let read = read_with("log.json", &timed, &options().time("Timestamp")).unwrap();
    assert_eq!((read.time, &read.schema.contexts[..]), (Some(vec![2.5, 1.0]), &["age".to_owned()][..]));
    assert_eq!(read_with("log.json", &timed, &options()).unwrap().schema.contexts, ["age"]);

    let refused = |text: &str, options: LogOptions| {
        let name = if text.starts_with('{') { "log.json" } else { "log.vw" };
        read_with(name, text, &options).unwrap_err().to_string()
    };
    let missing = refused(text, options().time("user.age_"));
    assert!(missing.contains("\"user.age_\"") && missing.contains("user.age"), "{missing}");
    assert!(refused(text, options().split("user.group")).contains("\"user.group\""));
    let bad = refused(text, options().time("user.id"));
    assert!(bad.contains("line 1, column \"user.id\": \"u7\" is not a date or a number"), "{bad}");
    let late = format!("{timed}{}", event(""));
    let late = refused(&late, options().time("Timestamp"));
    assert!(late.contains("line 3, column \"Timestamp\": the value is missing"), "{late}");
}
