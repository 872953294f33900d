//! Vowpal Wabbit's text and dsjson, on files of our own.

use crate::dense;
use formats::{
    ActionFeatures, Format, FormatError, LogOptions, MissingPropensities, ReadLog, RowWeights, Source, quiet,
    read_contexts, read_log, read_log_coded,
};
use off_policy::ContextColumn;

fn log(name: &str, text: &str) -> ReadLog {
    read_log(Source::bytes(name, text), &LogOptions::default(), &mut quiet).unwrap()
}

fn sets(log: &ReadLog) -> Vec<Vec<usize>> {
    let sets = log.on_offer.as_ref().unwrap();
    (0..sets.len()).map(|row| sets.row(row).unwrap().iter().collect()).collect()
}

#[test]
fn features_of_text_are_numbers_and_labels() {
    let log = log(
        "l.vw",
        "1:-1:0.5 |user age:41 device=phone vip |:2 x:3 y\n\
         2:0:0.25 'tag| user.age:-1 x:1 x:2\n\
         2:nan:0.25 | z\n\
         1 |user age:9\n\
         1:0.5:1 |user device=watch:1 |  y:0.5\n",
    );
    assert_eq!(
        log.schema.feature_names(),
        ["user.age", "user.device=phone", "user.device=watch", "user.vip", "x", "y"]
    );
    assert_eq!(
        dense(&log),
        [
            [41.0, 1.0, 0.0, 1.0, 6.0, 2.0],
            // The same feature twice adds up, as in Vowpal Wabbit.
            [-1.0, 0.0, 0.0, 0.0, 3.0, 0.0],
            [0.0, 0.0, 1.0, 0.0, 0.0, 0.5],
        ]
    );
    assert_eq!((&log.actions[..], &log.rewards[..]), (&[0, 1, 0][..], &[1.0, 0.0, -0.5][..]));
    assert_eq!(
        log.facts.skipped.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["2 decisions without a label"]
    );
    assert!(
        log.facts.notes.contains(&"column \"z\" left out: it is empty in every row".to_owned()),
        "{:?}",
        log.facts.notes
    );
}

#[test]
fn several_labels_of_a_key_are_a_column_each() {
    let log = log("l.vw", "1:0:0.5 | tag=b tag=a tag=b\n2:0:0.5 | tag=c\n");
    assert_eq!(log.schema.feature_names(), ["tag=a", "tag=b", "tag=c"]);
    assert!(log.schema.contexts().iter().all(|column| matches!(column, ContextColumn::Number { .. })));
    assert_eq!(dense(&log), [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    // A model finds them again.
    let text = "| tag=c tag=a tag=a\n| tag=d\n";
    let rows =
        read_contexts(Source::bytes("r.vw", text), &log.schema, &LogOptions::default(), &mut quiet).unwrap();
    assert_eq!(rows.contexts.row(0).unwrap().to_dense(), [1.0, 0.0, 1.0]);
    assert_eq!(rows.facts.unknown_labels["tag"], 1);
}

#[test]
fn a_line_that_names_several_actions_says_what_was_on_offer() {
    let log = log("l.vw", "1 2:1:0.5 | x\n3:0:0.5 1 | x:2\n2:0:0.5 | x:3\n");
    assert_eq!(sets(&log), [vec![0, 1], vec![0, 2], vec![0, 1, 2]]);
    assert_eq!(log.actions, [1, 2, 1]);
    // The action to evaluate is none of them.
    let options = LogOptions::default().format(Format::VwEval);
    let text = "1 2:1:0.5 | x\n1 1:0:0.5 | x:2\n";
    let log = read_log(Source::bytes("l.vw", text), &options, &mut quiet).unwrap();
    assert_eq!((log.on_offer, &log.actions[..]), (None, &[1, 0][..]));
}

#[test]
fn actions_without_features_are_read_by_line() {
    let text = "shared |u age:3\n|\n0:1:0.5 |\n\nshared |u age:4\n0:0:0.25 |\n|\n|\n\n\n|\n|\n";
    let log = log("l.vw", text);
    assert_eq!(dense(&log), [[3.0], [4.0]]);
    assert_eq!((sets(&log), &log.actions[..]), (vec![vec![0, 1], vec![0, 1, 2]], &[1, 0][..]));
    assert_eq!(log.facts.skipped[0].to_string(), "1 decisions without a label");
    // Tags are names.
    let text = "shared | x\n'news|\n0:1:0.5 'sport|\n\nshared | x:2\n0:1:0.5 'sport|\n'news|\n";
    let log = self::log("l.vw", text);
    assert_eq!((log.schema.action_name(0).as_deref(), &log.actions[..]), (Some("news"), &[1, 1][..]));
    assert_eq!(log.on_offer, None);
}

/// An event of dsjson.
fn event(cost: &str, index: usize, context: &str, actions: &str, more: &str) -> String {
    format!(
        "{{\"_label_cost\":{cost},\"_label_probability\":0.5,\"_label_Action\":{},\"_labelIndex\":{index},\"a\":[{},9],\
         \"c\":{{{context}\"_multi\":[{actions}]}}{more}}}\n",
        index + 1,
        index + 1
    )
}

#[test]
fn features_of_dsjson_follow_its_rules() {
    let context = "\"User\":{\"age\":41,\"_secret\":1,\"vip\":true,\"old\":false,\"none\":null,\"city\":\"Bern\",\
                   \"inner\":{\"k\":\"v\"}},\"list\":[{\"a\":1},{\"b\":2}],\"numbers\":[3,0,5],\"tags\":[\"x\",\"y\"],\"_x\":7,";
    let text = event("-1", 0, context, "{},{}", "")
        + &event("0.5", 1, "\"User\":{\"city\":\"\",\"age\":1.5},", "{},{}", "");
    let log = log("l.dsjson", &text);
    assert_eq!(
        log.schema.feature_names(),
        [
            "User.age",
            "User.vip",
            "User.city=",
            "User.city=Bern",
            "User.inner.k=v",
            "list.a",
            "list.b",
            "numbers[0]",
            "numbers[1]",
            "numbers[2]",
            "tags=x",
            "tags=y"
        ]
    );
    assert_eq!(
        dense(&log),
        [
            [41.0, 1.0, 0.0, 1.0, 1.0, 1.0, 2.0, 3.0, 0.0, 5.0, 1.0, 1.0],
            [1.5, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        ]
    );
    assert_eq!((&log.rewards[..], &log.actions[..]), (&[1.0, -0.5][..], &[0, 1][..]));
    assert_eq!(log.facts.missing["User.city"], 1);
}

#[test]
fn actions_are_named_by_tag_or_id_or_place() {
    let names = |log: &ReadLog| {
        (0..log.schema.actions()).map(|k| log.schema.action_name(k).unwrap().into_owned()).collect::<Vec<_>>()
    };
    let x = "\"x\":1,";
    // By tag, in any order.
    let text = event("0", 0, x, "{\"_tag\":\"b\"},{\"_tag\":\"a\"}", "")
        + &event("0", 0, x, "{\"_tag\":\"a\"},{\"_tag\":\"b\"}", "");
    let by_tag = log("l.dsjson", &text);
    assert_eq!(
        (names(&by_tag), &by_tag.actions[..], by_tag.on_offer.is_none()),
        (vec!["a".into(), "b".into()], &[1, 0][..], true)
    );
    // By an id inside, which is no feature; nor is a constant.
    let of = |id: &str| format!("{{\"i\":{{\"constant\":1,\"id\":\"{id}\"}}}}");
    let text = event("0", 0, x, &format!("{},{}", of("b"), of("a")), "")
        + &event("0", 2, x, &format!("{},{},{}", of("a"), of("b"), of("c")), "");
    let by_id = log("l.dsjson", &text);
    assert_eq!((names(&by_id), &by_id.actions[..]), (vec!["a".into(), "b".into(), "c".into()], &[1, 2][..]));
    assert_eq!(sets(&by_id), [vec![0, 1], vec![0, 1, 2]]);
    // By place, where an action has no tag, or two have one.
    for actions in ["{\"_tag\":\"a\"},{}", "{\"_tag\":\"a\"},{\"_tag\":\"a\"}"] {
        let text = event("0", 0, x, "{\"_tag\":\"b\"},{\"_tag\":\"a\"}", "") + &event("0", 1, x, actions, "");
        let by_place = log("l.dsjson", &text);
        assert_eq!((names(&by_place), &by_place.actions[..]), (vec!["1".into(), "2".into()], &[0, 1][..]));
        let note = "not every action has a name of its own: they are called 1, 2, … by their places";
        assert!(by_place.facts.notes.contains(&note.to_owned()));
    }
}

#[test]
fn features_of_actions_are_refused_unless_they_are_dropped() {
    for (actions, feature) in [
        ("{\"_tag\":\"a\",\"price\":3},{\"_tag\":\"b\"}", "price"),
        ("{},{\"j\":[{\"_t\":1},{\"kind\":\"hot\"}]}", "j.kind"),
        ("{\"n\":{\"k\":true}},{}", "n.k"),
    ] {
        let text = event("0", 0, "\"x\":1,", actions, "");
        let read = |choice| {
            let options = LogOptions::default().action_features(choice);
            read_log(Source::bytes("l.dsjson", text.clone()), &options, &mut quiet)
        };
        match read(ActionFeatures::Refuse) {
            Err(FormatError::ActionFeatures { place, feature: found }) => {
                assert_eq!((place.line, &*found), (Some(1), feature));
            }
            other => panic!("{other:?}"),
        }
        let log = read(ActionFeatures::Drop).unwrap();
        assert!(log.facts.notes.contains(&"the features of the actions are left out".to_owned()));
    }
    // What has no value is no feature.
    let text = event("0", 0, "\"x\":1,", "{\"price\":0,\"on\":false,\"no\":null,\"o\":{},\"l\":[]},{}", "");
    assert_eq!(log("l.dsjson", &text).facts.rows, 1);
}

#[test]
fn what_is_no_event_is_counted_by_reason() {
    let x = "\"x\":1,";
    let text = [
        "[CHECKPOINT INFO LINE]\n".to_owned(),
        event("-1", 0, x, "{},{}", ""),
        "{\"RewardValue\":1.0,\"EventId\":\"7\"}\n".to_owned(),
        event("-1", 0, x, "{},{}", ",\"_skipLearn\":true"),
        event("-1", 0, "\"_slots\":[{}],", "{},{}", ""),
        event("-1", 0, x, "{},{}", ",\"_outcomes\":[]"),
        event("\"NaN\"", 0, x, "{},{}", ""),
        event("null", 0, x, "{},{}", ""),
        "\n".to_owned(),
        event("-1", 1, x, "{},{}", ",\"_skipLearn\":false"),
    ];
    let log = log("l.dsjson", &text.concat());
    assert_eq!(log.facts.rows, 2);
    assert_eq!(
        log.facts.skipped.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "1 events with _skipLearn",
            "2 events with slots (conditional bandits or slates)",
            "1 events with the cost NaN",
            "1 lines that are no JSON objects",
            "1 lines without a context, as of outcomes that came late",
            "1 decisions without a label",
        ]
    );
}

/// A line of an answer is one of the file: no event is left out for its label.
#[test]
fn labels_of_rows_to_predict_for_are_not_looked_at() {
    let of = |cost: &str, more: &str, x: u32| event(cost, 0, &format!("\"x\":{x},"), "{},{}", more);
    let known = log("l.dsjson", &(of("-1", "", 1) + &event("0", 1, "\"x\":2,", "{},{}", "")));
    let rows = |name: &str, text: &str, options: &LogOptions| {
        let rows = read_contexts(Source::bytes(name, text), &known.schema, options, &mut quiet).unwrap();
        assert!(rows.facts.skipped.is_empty() && rows.facts.notes.is_empty(), "{:?}", rows.facts);
        (rows.contexts.iter().map(|row| row.to_dense()).collect::<Vec<_>>().concat(), rows.on_offer)
    };
    let text = of("\"NaN\"", "", 3)
        + &of("-1", ",\"_skipLearn\":true", 4)
        + &of("\"dear\"", ",\"pdrop\":1", 5)
        + &of("0", "", 6).replace("\"_label_probability\":0.5", "\"_label_probability\":\"x\"")
        + &of("0", "", 7).replace("\"_labelIndex\":0", "\"_labelIndex\":-1");
    let default = LogOptions::default();
    assert_eq!(rows("r.dsjson", &text, &default), (vec![3.0, 4.0, 5.0, 6.0, 7.0], None));
    let (x, on_offer) = rows("r.vw", "1:1:1.5 | x:3\n2:x | x:4\n1:0:0.5 2:0:0.5 | x:5\n2 | x:6\n", &default);
    assert_eq!((x, on_offer), (vec![3.0, 4.0, 5.0, 6.0], None));
    // The action to evaluate is no action on offer, and one that is labelled is none to evaluate.
    let eval = default.format(Format::VwEval);
    let found = read_contexts(
        Source::bytes("r.vw", "1 2:1:1.5 1 | x:3\n2:1:7 | x:4\n1 2 1:1:0.5 | x:5\n"),
        &known.schema,
        &eval,
        &mut quiet,
    );
    let found = found.unwrap();
    assert_eq!((found.contexts.len(), found.on_offer), (3, None));
}

#[test]
fn names_of_the_label_have_no_case() {
    let text = event("-1", 0, "\"x\":1,", "{},{}", "") + &event("0", 1, "\"x\":2,", "{},{}", "");
    let other = text
        .replace("_label_cost", "_LABEL_COST")
        .replace("_label_probability", "_Label_Probability")
        .replace("_labelIndex", "_LabelIndex");
    let read =
        |text: &str| read_log(Source::bytes("l.dsjson", text), &LogOptions::default(), &mut quiet).unwrap();
    let (one, two) = (read(&text), read(&other));
    assert_eq!((one.contexts, one.rewards, one.propensities), (two.contexts, two.rewards, two.propensities));
}

#[test]
fn rows_that_stand_for_several_have_weights() {
    let of = |drop: &str, k: usize| event("-1", k, "\"x\":1,", "{},{}", &format!(",\"pdrop\":{drop}"));
    let read = |text: String, options: LogOptions| {
        read_log(Source::bytes("l.dsjson", text), &options, &mut quiet).unwrap()
    };
    let different = read(of("0.5", 0) + &of("0", 1), LogOptions::default());
    assert_eq!(different.weights.as_deref(), Some(&[2.0, 1.0][..]));
    assert_eq!(different.into_log().unwrap_err(), FormatError::Weights);
    let dropped = read(of("0.5", 0) + &of("0", 1), LogOptions::default().weights(RowWeights::Drop));
    assert_eq!((dropped.weights, dropped.facts.notes.len() > 1), (None, true));
    let equal = read(of("0.75", 0) + &of("0.75", 1), LogOptions::default());
    assert!(
        equal
            .facts
            .notes
            .contains(&"every row has the weight 4 (from pdrop), which changes no mean".to_owned())
    );
    assert_eq!((equal.weights.is_none(), equal.into_log().is_ok()), (true, true));
}

#[test]
fn a_probability_that_is_missing_or_another_is_told() {
    let text =
        event("-1", 0, "\"x\":1,", "{},{}", "") + &event("-1", 1, "\"x\":1,", "{},{}", ",\"p\":[0.7,0.3]");
    let log = log("l.dsjson", &text);
    let note = "in 1 events _label_probability is not the probability in p: _label_probability was taken";
    assert!(log.facts.notes.contains(&note.to_owned()), "{:?}", log.facts.notes);
    let text = text.replacen("\"_label_probability\":0.5,", "", 1);
    let read = |options: LogOptions| read_log(Source::bytes("l.dsjson", text.clone()), &options, &mut quiet);
    assert!(matches!(read(LogOptions::default()), Err(FormatError::MissingCell { .. })));
    let skip = LogOptions::default().missing_propensities(MissingPropensities::Skip);
    assert_eq!(read(skip).unwrap().facts.skipped[0].to_string(), "1 rows without a propensity");
}

#[test]
fn what_is_said_twice_is_coded_for_a_model_as_it_was_learnt() {
    let text = "1:0:0.5 | d=a d=a x:2 x:3 y=\n2:0:0.5 | d=b x: y:1\n".replace("x: ", "x:0 ");
    let log = log("l.vw", &text);
    assert_eq!(log.schema.feature_names(), ["d=a", "d=b", "x", "y", "y is missing"]);
    assert_eq!(dense(&log), [[1.0, 0.0, 5.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0, 0.0]]);
    let rows = |text: &str| {
        let rows =
            read_contexts(Source::bytes("r.vw", text), &log.schema, &LogOptions::default(), &mut quiet)
                .unwrap();
        rows.contexts.iter().map(|row| row.to_dense()).collect::<Vec<_>>()
    };
    assert_eq!(rows(&text), dense(&log));
    // A number beside its own absence is there.
    assert_eq!(rows("| y= y:4 y=\n| y:0 y=\n"), [[0.0, 0.0, 0.0, 4.0, 0.0], [0.0; 5]]);
}

#[test]
fn a_date_that_is_said_twice_is_that_date() {
    let log = log("l.vw", "1:0:0.5 | day=1970-01-05 x day=1970-01-05\n2:0:0.5 | day=1970-01-03\n");
    assert_eq!(log.schema.feature_names(), ["day", "x"]);
    assert_eq!(dense(&log), [[4.0, 1.0], [2.0, 0.0]]);
    let rows = |text: &str| {
        read_contexts(Source::bytes("r.vw", text), &log.schema, &LogOptions::default(), &mut quiet)
    };
    let twice = rows("| day=1970-01-05 day=1970-01-05 x:2\n").unwrap().contexts;
    assert_eq!(twice.iter().map(|row| row.to_dense()).collect::<Vec<_>>(), [[4.0, 2.0]]);
    let error = rows("| day=1970-01-05 day=1970-01-06\n").unwrap_err().to_string();
    assert_eq!(error, "r.vw, line 1, column \"day\": \"1970-01-06\" is not the one date of its row");
}

#[test]
fn a_label_with_a_weight_is_a_number_of_its_own() {
    let log = log("l.vw", "1:0:0.5 |a:2 d=x |:0.5 e=y f=z:2\n2:0:0.5 | e=y f=z\n");
    assert_eq!(log.schema.feature_names(), ["a.d=x", "e=y", "f=z", "e=y"]);
    assert_eq!(dense(&log), [[2.0, 0.5, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]]);
}

#[test]
fn the_index_of_the_label_is_taken_before_all_other_names_of_the_action() {
    let text = event("-1", 0, "\"x\":1,", "{},{}", "").replace("\"_label_Action\":1", "\"_label_Action\":2")
        + &event("0", 1, "\"x\":2,", "{},{}", "").replace("\"a\":[2,9]", "\"a\":[1,2]");
    let found = log("l.dsjson", &text);
    assert_eq!(found.actions, [0, 1]);
    let note = "in 2 events a, _label_Action and _labelIndex name different actions: _labelIndex was taken";
    assert!(found.facts.notes.contains(&note.to_owned()), "{:?}", found.facts.notes);
    let by_action =
        log("l.dsjson", &text.replace("\"_labelIndex\":0,", "").replace("\"_labelIndex\":1,", ""));
    assert_eq!(by_action.actions, [1, 1]);
}

/// A list of labels with an empty one beside another: the empty one says nothing, whoever reads it.
#[test]
fn a_second_label_that_is_missing_is_not_an_unknown_one() {
    let row = |probability: f64, context: &str| {
        let label = r#""_label_cost":-1,"_labelIndex":0,"a":[1,2],"p":[0.5,0.5]"#;
        format!(
            r#"{{{label},"_label_probability":{probability},"c":{{"u":{{{context}}},"_multi":[{{"_tag":"a"}},{{"_tag":"b"}}]}}}}"#
        )
    };
    let text = [row(0.5, r#""x":1,"t":["p",""]"#), row(0.5, r#""x":2"#), row(0.5, r#""x":3,"t":["q",""]"#)]
        .join("\n");
    let options = LogOptions::default().format(Format::Dsjson).action_features(ActionFeatures::Drop);
    let source = || Source::bytes("log", text.as_bytes());
    let log = read_log(source(), &options, &mut quiet).unwrap();
    let again = read_log_coded(source(), &log.schema, &options, &mut quiet).unwrap();
    assert_eq!(again.facts.unknown_labels.len(), 0, "{:?}", again.facts.unknown_labels);
    assert_eq!(again.contexts.fingerprint(), log.contexts.fingerprint());
}
