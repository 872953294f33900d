//! What numbers stand for, and where that is compared.

use off_policy::estimators::{
    EstimateError, EstimatorSettings, LogarithmicSmoothing, OffPolicyEvaluation, RewardModel,
};
use off_policy::policies::{Argmax, EpsilonGreedy, Policy, Scores, Softmax};
use off_policy::readers::{ActionCoding, CsvColumns, ReadError, read_contexts, read_csv, read_open_bandit};
use off_policy::{
    ActionNames, ActionSets, ContextColumn, Log, LogError, PolicyError, Rewards, Schema, SchemaError,
    SchemaMismatch, Value,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};

fn labels(name: &str, labels: &[&str]) -> ContextColumn {
    let labels = labels.iter().map(|label| (*label).to_owned()).collect();
    ContextColumn::Labels { name: name.into(), labels }
}

fn number(name: &str) -> ContextColumn {
    ContextColumn::Number { name: name.into() }
}

fn schema() -> Schema {
    let actions = ActionNames::Labels(vec!["music".into(), "travel".into()]);
    Schema::new(vec![number("age"), labels("device", &["phone", "tablet"])], actions).unwrap()
}

/// Scores that were learnt from a log of this schema.
#[derive(Debug)]
struct Learnt(Schema);

impl Scores for Learnt {
    fn inputs(&self) -> usize {
        self.0.inputs()
    }

    fn actions(&self) -> usize {
        self.0.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        Some(&self.0)
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        // Travel on a tablet.
        let x = x.to_dense();
        scores.copy_from_slice(&[x[1], x[2]]);
        Ok(())
    }
}

impl RewardModel for Learnt {
    fn inputs(&self) -> Option<usize> {
        Some(3)
    }

    fn actions(&self) -> usize {
        2
    }

    fn schema(&self) -> Option<&Schema> {
        Some(&self.0)
    }

    fn rewards(&self, x: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        self.scores(x, rewards)
    }
}

const FIRST: &str = "age,device,action,propensity,reward\n20,phone,music,0.5,1\n30,tablet,travel,0.5,1\n";
/// The same rows in another order, so that fresh labels are numbered the other way round.
const TURNED: &str = "age,device,action,propensity,reward\n30,tablet,travel,0.5,1\n20,phone,music,0.5,1\n";

/// Without the comparison the policy would not play a single logged action of the second log.
#[test]
fn a_log_of_another_coding_is_refused_wherever_a_policy_meets_it() {
    let actions = ActionCoding::Labels(vec!["music".into(), "travel".into()]);
    let fresh = CsvColumns::default().with_labels(["device"]).with_coding(actions);
    let first = read_csv(FIRST.as_bytes(), &fresh).unwrap();
    let turned = read_csv(TURNED.as_bytes(), &fresh).unwrap().log;
    let alike = read_csv(TURNED.as_bytes(), &first.columns).unwrap().log;
    assert_eq!(first.log.schema(), Some(&schema()));
    assert_eq!(alike.schema(), Some(&schema()));

    let learnt = || Learnt(first.log.schema().unwrap().clone());
    let value = |log: &Log| {
        OffPolicyEvaluation::of(log, &Argmax::new(learnt()), None, EstimatorSettings::default())
            .map(|found| found.snips.map(|snips| snips.value))
    };
    assert_eq!((value(&first.log), value(&alike)), (Ok(Some(1.0)), Ok(Some(1.0))));
    let (coordinate, expected, found) = (1, "device=phone".to_owned(), "device=tablet".to_owned());
    let source = SchemaMismatch::Coordinate { coordinate, expected, found };
    let refused = EstimateError::Coding { argument: "the policy", source: source.clone() };
    assert_eq!(value(&turned), Err(refused.clone()));

    // Every policy that is made of scores hands their schema on; so does a model of rewards.
    let default = EstimatorSettings::default();
    let soft = EpsilonGreedy::new(Softmax::new(learnt(), 1.0).unwrap(), 0.5).unwrap();
    assert_eq!(OffPolicyEvaluation::of(&turned, &soft, None, default), Err(refused.clone()));
    assert_eq!(LogarithmicSmoothing::of(&turned, &soft, 1.0, 0.1), Err(refused));
    assert_eq!(soft.schema(), Some(&schema()));
    let uniform = off_policy::policies::Uniform::new(2).unwrap();
    let of_model = OffPolicyEvaluation::of(&turned, &uniform, Some(&learnt()), default);
    assert_eq!(of_model, Err(EstimateError::Coding { argument: "the model of rewards", source }));

    // A log of bare numbers is taken at its word.
    let bare =
        Log::new(turned.contexts().clone(), 2, vec![1, 0], vec![0.5; 2], Rewards(vec![1.0; 2])).unwrap();
    assert_eq!(value(&bare), Ok(None));
}

#[test]
fn codings_differ_by_names_numbers_and_order() {
    let of = |contexts: Vec<ContextColumn>, actions: &[&str]| {
        let actions = actions.iter().map(|action| (*action).to_owned()).collect();
        Schema::new(contexts, ActionNames::Labels(actions)).unwrap()
    };
    let own = schema();
    let (age, device) = (|| number("age"), || labels("device", &["phone", "tablet"]));
    let both = ["music", "travel"];
    assert_eq!(own.check_same(&of(vec![age(), device()], &both)), Ok(()));
    let mismatch = |contexts, actions: &[&str]| own.check_same(&of(contexts, actions)).unwrap_err();
    assert!(matches!(
        mismatch(vec![age(), labels("device", &["phone"])], &both),
        SchemaMismatch::Coordinates { expected: 3, found: 2 }
    ));
    assert!(matches!(
        mismatch(vec![device(), age()], &both),
        SchemaMismatch::Coordinate { coordinate: 0, .. }
    ));
    assert!(matches!(
        mismatch(vec![age(), labels("device", &["phone", "watch"])], &both),
        SchemaMismatch::Coordinate { coordinate: 2, .. }
    ));
    assert!(matches!(
        mismatch(vec![age(), device()], &["music", "travel", "tools"]),
        SchemaMismatch::Actions { expected: 2, found: 3 }
    ));
    assert!(matches!(
        mismatch(vec![age(), device()], &["travel", "music"]),
        SchemaMismatch::Action { action: 0, .. }
    ));
    // Names that are written alike.
    let one = of(vec![number("device=phone")], &both);
    let other = of(vec![labels("device", &["phone"])], &both);
    assert!(matches!(one.check_same(&other), Err(SchemaMismatch::Coordinate { coordinate: 0, .. })));
    let (one, other) = (of(vec![labels("a", &["b=c"])], &both), of(vec![labels("a=b", &["c"])], &both));
    assert!(one.check_same(&other).is_err());
    // Numbered actions are called by their numbers.
    let numbered = Schema::new(vec![age()], ActionNames::Numbered(2)).unwrap();
    assert_eq!(numbered.check_same(&of(vec![age()], &["0", "1"])), Ok(()));
    assert_eq!(numbered.action_name(1).as_deref(), Some("1"));
    assert_eq!((numbered.action_name(2), own.action_name(2)), (None, None));
}

#[test]
fn what_makes_no_schema() {
    let two = || ActionNames::Numbered(2);
    let refused = |contexts, actions| Schema::new(contexts, actions).unwrap_err();
    assert_eq!(refused(vec![], two()), SchemaError::NoCoordinates);
    assert_eq!(refused(vec![labels("a", &[])], two()), SchemaError::NoCoordinates);
    assert_eq!(
        refused(vec![number("a"), labels(" a", &["b"])], two()),
        SchemaError::DuplicateColumn { column: "a".into() }
    );
    assert_eq!(
        refused(vec![labels("a", &["b", "b "])], two()),
        SchemaError::DuplicateLabel { column: "a".into(), label: "b".into() }
    );
    let twice = ActionNames::Labels(vec!["x".into(), "x".into()]);
    assert_eq!(refused(vec![number("a")], twice), SchemaError::DuplicateAction { action: "x".into() });
    for actions in [0, (1 << 24) + 1, usize::MAX] {
        let refused = refused(vec![number("a")], ActionNames::Numbered(actions));
        assert_eq!(refused, SchemaError::Actions { actions });
    }
    // The same when it is loaded.
    let text = serde_json::to_string(&schema()).unwrap();
    assert_eq!(serde_json::from_str::<Schema>(&text).unwrap(), schema());
    assert!(serde_json::from_str::<Schema>(&text.replace("tablet", "phone")).is_err());
    // Of another shape than the log.
    let log =
        Log::new(RowMatrix::dense(2, vec![1.0, 2.0]).unwrap(), 2, vec![0], vec![1.0], Rewards(vec![1.0]));
    let log = log.unwrap();
    assert_eq!(log.clone().with_schema(schema()), Err(LogError::SchemaInputs { expected: 2, got: 3 }));
    let one = Schema::new(vec![number("a"), number("b")], ActionNames::Numbered(1)).unwrap();
    assert_eq!(log.with_schema(one), Err(LogError::SchemaActions { expected: 2, got: 1 }));
}

#[test]
fn a_record_is_encoded_as_a_row_of_a_table_is() {
    let read = read_csv(FIRST.as_bytes(), &CsvColumns::default().with_labels(["device"])).unwrap();
    let own = read.log.schema().unwrap();
    let of_table = |text: &str| read_contexts(text.as_bytes(), &read.columns).unwrap();
    for (age, device) in [(20.0, "tablet"), (0.0, "phone"), (-3.5, "watch")] {
        let x = own.encode([("device", device.into()), ("user", "u7".into()), ("age", age.into())]).unwrap();
        let table = of_table(&format!("user,device,age\nu7,{device},{age}\n"));
        assert_eq!(x.row().to_dense(), table.contexts.row(0).unwrap().to_dense());
        assert_eq!(x.unknown_labels.len(), table.unknown_labels);
    }
    let refused = |record: Vec<(&str, Value<'_>)>| own.encode(record).unwrap_err();
    assert_eq!(refused(vec![("age", 1.0.into())]), SchemaError::MissingValue { column: "device".into() });
    assert_eq!(
        refused(vec![("age", 1.0.into()), ("age ", 2.0.into())]),
        SchemaError::DuplicateValue { column: "age ".into() }
    );
    for value in ["old", "", "NaN", "inf"] {
        assert_eq!(
            refused(vec![("age", value.into()), ("device", "phone".into())]),
            SchemaError::NotANumber { column: "age".into(), value: value.into() }
        );
    }
    // What is not asked for is left out, however often it is there.
    let twice =
        own.encode([("u", 1.0.into()), ("u", 2.0.into()), ("age", 0.0.into()), ("device", "phone".into())]);
    assert_eq!(twice.unwrap().row().to_dense(), [0.0, 1.0, 0.0]);
    let zero = Schema::new(vec![labels("zero", &["0"])], ActionNames::Numbered(1)).unwrap();
    assert_eq!(zero.encode([("zero", (-0.0).into())]).unwrap().unknown_labels.len(), 0);
    // A number is the label that is written like it, and a text the number.
    let zip =
        Schema::new(vec![labels("zip", &["8000", "0.5"]), number("x")], ActionNames::Numbered(1)).unwrap();
    let x = zip.encode([("zip", 8000.0.into()), ("x", " 7 ".into())]).unwrap();
    assert_eq!(x.row().to_dense(), [1.0, 0.0, 7.0]);
}

#[test]
fn rows_to_predict_for_need_neither_action_nor_reward() {
    let text = "device,age,action,propensity,reward,offers\nphone,20,music,0.5,1,music|travel\n\
                tablet,30,travel,0.5,1,travel|maps\n";
    let columns = CsvColumns::default().with_labels(["device"]).with_on_offer("offers", '|');
    let read = read_csv(text.as_bytes(), &columns).unwrap();
    // The whole log file, its columns in another order, and no more than is needed.
    for text in [text, "offers,age,device\nmusic|travel,20,phone\nmaps|travel,30,tablet\n"] {
        let found = read_contexts(text.as_bytes(), &read.columns).unwrap();
        assert_eq!(&found.contexts, read.log.contexts());
        assert_eq!(found.on_offer.as_ref(), read.log.action_sets());
    }
    let refused = |text: &str| read_contexts(text.as_bytes(), &read.columns).unwrap_err();
    assert_eq!(refused("offers,device\nmusic,phone\n"), ReadError::MissingColumn { column: "age".into() });
    assert_eq!(refused("age,device\n20,phone\n"), ReadError::MissingColumn { column: "offers".into() });
    assert!(matches!(
        refused("age,device,offers\n20,phone,news\n"),
        ReadError::UnknownAction { line: 2, actions: 3, .. }
    ));
    assert!(matches!(refused("age,device,offers\nold,phone,maps\n"), ReadError::BadCell { line: 2, .. }));
    assert_eq!(refused("age,device,offers\n"), ReadError::NoRows);
    assert_eq!(refused(""), ReadError::NoHeader);
}

/// A table whose labels were numbered by their own order would be coded otherwise than the policy, and
/// nothing would say so.
#[test]
fn rows_to_predict_for_are_read_by_named_columns_only() {
    let text = "device,age,offers\ntablet,30,travel\nphone,20,music\n";
    let known = CsvColumns::default().with_contexts(["device", "age"]);
    let refused = |columns: &CsvColumns| match read_contexts(text.as_bytes(), columns) {
        Err(ReadError::NotCoded { what }) => what,
        other => format!("{other:?}"),
    };
    assert_eq!(refused(&CsvColumns::default()), "the contexts");
    assert_eq!(refused(&CsvColumns::default().without(["age"])), "the contexts");
    assert_eq!(refused(&known.clone().with_labels(["device"])), "the labels of column \"device\"");
    let of_ages = CsvColumns::default().with_contexts(["age"]).with_on_offer("offers", '|');
    assert_eq!(refused(&of_ages), "the actions");
    // A context may be called as a column of logs is by default.
    let columns = CsvColumns::default().with_contexts(["reward"]);
    assert_eq!(read_contexts("reward\n1\n".as_bytes(), &columns).unwrap().contexts.len(), 1);
}

#[test]
fn columns_are_named_ignored_and_saved() {
    let text = "id,t,age,shown,p,cost\n7,1,20,0,0.5,1\n8,2,30,1,0.5,0\n";
    let columns = CsvColumns::default().without(["id", "t"]).with_action("shown").with_propensity("p");
    let columns = columns.with_cost("cost").with_coding(ActionCoding::Index(2));
    let read = read_csv(text.as_bytes(), &columns).unwrap();
    assert_eq!((&*read.contexts, read.log.rewards()), (&["age".to_owned()][..], &[-1.0, 0.0][..]));
    assert_eq!(read.log.schema().unwrap().action_names(), &ActionNames::Numbered(2));
    for columns in [&columns, &read.columns] {
        let saved = serde_json::to_string(columns).unwrap();
        let loaded: CsvColumns = serde_json::from_str(&saved).unwrap();
        assert_eq!(&loaded, columns);
        assert_eq!(read_csv(text.as_bytes(), &loaded).unwrap().log, read.log);
    }
    let refused = read_csv(text.as_bytes(), &columns.without(["user"]));
    assert_eq!(refused.unwrap_err(), ReadError::MissingColumn { column: "user".into() });
}

#[test]
fn open_bandit_logs_that_were_read_apart_are_told_apart() {
    let header = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,user_feature_2,\
                  user_feature_3,user-item_affinity_0,user-item_affinity_1\n";
    let (one, other) = (
        format!("{header}0,noon,1,3,1,0.75,a,b,c,d,0.0,2.0\n0,noon,1,3,1,0.75,e,b,c,d,0.0,2.0\n"),
        format!("{header}0,noon,1,3,1,0.75,e,b,c,d,0.0,2.0\n0,noon,1,3,1,0.75,a,b,c,d,0.0,2.0\n"),
    );
    let read = |texts: &[&String]| {
        let streams = texts.iter().map(|text| text.as_bytes());
        let logs = read_open_bandit(streams, off_policy::readers::Affinities::Kept).unwrap().logs;
        logs.into_iter().map(|read| read.log.schema().unwrap().clone()).collect::<Vec<_>>()
    };
    let (together, apart) = (read(&[&one, &other]), read(&[&other]));
    assert_eq!(together[0].check_same(&together[1]), Ok(()));
    assert!(matches!(
        together[0].check_same(&apart[0]),
        Err(SchemaMismatch::Coordinate { coordinate: 0, .. })
    ));
    assert_eq!(together[0].feature_names()[5], "user-item_affinity_0");
}

fn ten() -> Log {
    let contexts = RowMatrix::dense(1, (0..10).map(f64::from).collect()).unwrap();
    let rewards = Rewards((0..10).map(f64::from).collect());
    let log = Log::new(contexts, 2, vec![0, 1, 0, 1, 0, 1, 0, 1, 0, 1], vec![0.5; 10], rewards).unwrap();
    let sets = (0..10_u32).map(|i| if i % 2 == 0 { vec![0, 1] } else { vec![1] });
    let log = log.with_action_sets(ActionSets::new(2, sets).unwrap()).unwrap();
    log.with_schema(Schema::new(vec![number("t")], ActionNames::Numbered(2)).unwrap()).unwrap()
}

#[test]
fn chosen_rows_keep_everything_that_a_row_has() {
    let log = ten();
    let chosen = log.select([7, 2, 2]).unwrap();
    assert_eq!(chosen.schema(), log.schema());
    for (k, i) in [7, 2, 2].into_iter().enumerate() {
        let (own, of_log) = (chosen.row(k).unwrap(), log.row(i).unwrap());
        assert_eq!(own.context.to_dense(), of_log.context.to_dense());
        assert_eq!(own.on_offer.iter().collect::<Vec<_>>(), of_log.on_offer.iter().collect::<Vec<_>>());
        assert_eq!(
            (own.action, own.propensity, own.reward),
            (of_log.action, of_log.propensity, of_log.reward)
        );
    }
    assert_eq!(log.select([]), Err(LogError::Empty));
    assert_eq!(log.select([0, 10]), Err(LogError::NoSuchRow { row: 10, rows: 10 }));
}

#[test]
fn parts_of_a_split_are_a_partition_by_shares() {
    let log = ten();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut together = [0; 10];
    for _ in 0..400 {
        let [a, b] = log.split([0.7, 0.3], &mut rng).unwrap();
        assert_eq!((a.len(), b.len()), (7, 3));
        let mut all: Vec<f64> = a.rewards().iter().chain(b.rewards()).copied().collect();
        assert!(a.rewards().is_sorted() && b.rewards().is_sorted(), "rows keep their order");
        all.sort_by(f64::total_cmp);
        assert_eq!(all, log.rewards());
        for (row, count) in together.iter_mut().enumerate() {
            *count += i32::from(b.rewards().contains(&log.rewards()[row]));
        }
    }
    // A row is in the second part with probability 0.3: 120 of 400, and within 5 standard deviations of 9.2.
    assert!(together.iter().all(|count| (74..=166).contains(count)), "{together:?}");
    let refused = |shares: [f64; 2]| log.split(shares, &mut ChaCha8Rng::seed_from_u64(5)).unwrap_err();
    assert!(matches!(refused([0.5, 0.4]), LogError::BadShare { part: 0, .. }));
    assert!(matches!(refused([1.5, -0.5]), LogError::BadShare { part: 1, .. }));
    assert!(matches!(refused([f64::NAN, 0.5]), LogError::BadShare { .. }));
    assert_eq!(refused([0.99, 0.01]), LogError::EmptyPart { part: 1, rows: 10 });
    assert!(log.split([], &mut ChaCha8Rng::seed_from_u64(5)).is_err());
}

fn with_dates() -> Schema {
    let columns = vec![
        ContextColumn::NumberOrMissing { name: "age".into() },
        ContextColumn::Date { name: "since".into() },
        ContextColumn::DateOrMissing { name: "until".into() },
        labels("device", &["", "phone"]),
    ];
    Schema::new(columns, ActionNames::Numbered(2)).unwrap()
}

#[test]
fn a_missing_value_has_a_coordinate_of_its_own() {
    let own = with_dates();
    let names = ["age", "age is missing", "since", "until", "until is missing", "device=", "device=phone"];
    assert_eq!((own.inputs(), &own.feature_names()[..]), (7, &names.map(str::to_owned)[..]));
    let encode = |age: Value<'_>, since: Value<'_>, until: Value<'_>, device: Value<'_>| {
        own.encode([("age", age), ("since", since), ("until", until), ("device", device)])
    };
    let day = Value::Text("1970-01-03");
    let x = encode(41.0.into(), day, "1970-01-01T06:00Z".into(), "phone".into()).unwrap();
    assert_eq!(x.row().to_dense(), [41.0, 0.0, 2.0, 0.25, 0.0, 0.0, 1.0]);
    for nothing in [Value::Missing, Value::Text(" "), Value::Number(f64::NAN)] {
        let x = encode(nothing, 2.0.into(), nothing, Value::Missing).unwrap();
        assert_eq!(x.row().to_dense(), [0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 0.0]);
    }
    let refused = encode(1.0.into(), Value::Missing, day, "".into()).unwrap_err();
    assert_eq!(refused, SchemaError::MissingValue { column: "since".into() });
    let refused = encode(1.0.into(), "today".into(), day, "".into()).unwrap_err();
    assert_eq!(refused, SchemaError::NotADate { column: "since".into(), value: "today".into() });
    let refused = encode("old".into(), day, day, "".into()).unwrap_err();
    assert_eq!(refused, SchemaError::NotANumber { column: "age".into(), value: "old".into() });
}

#[test]
fn dates_and_missing_values_are_part_of_the_coding() {
    let of = |column: ContextColumn| Schema::new(vec![column], ActionNames::Numbered(2)).unwrap();
    let name = || "since".to_owned();
    let (plain, date) = (of(number("since")), of(ContextColumn::Date { name: name() }));
    assert_eq!(
        plain.check_same(&date).unwrap_err().to_string(),
        "contexts are coded differently: coordinate 0 is \"since (days since 1970)\", not \"since\"; read the log \
         by the columns of the policy"
    );
    let optional = of(ContextColumn::NumberOrMissing { name: name() });
    assert!(matches!(
        plain.check_same(&optional),
        Err(SchemaMismatch::Coordinates { expected: 1, found: 2 })
    ));
    let both = of(ContextColumn::DateOrMissing { name: name() });
    assert!(matches!(both.check_same(&optional), Err(SchemaMismatch::Coordinate { coordinate: 0, .. })));
    // What was saved before there were dates is read as it was, and the new columns are saved by name.
    let old = r#"{"contexts":[{"number":{"name":"age"}},{"labels":{"name":"d","labels":["x"]}}],"actions":{"numbered":2}}"#;
    let loaded: Schema = serde_json::from_str(old).unwrap();
    assert_eq!((loaded.inputs(), serde_json::to_string(&loaded).unwrap()), (2, old.to_owned()));
    let own = with_dates();
    let saved = serde_json::to_string(&own).unwrap();
    assert!(saved.contains(r#"{"number_or_missing":{"name":"age"}},{"date":{"name":"since"}}"#), "{saved}");
    assert_eq!(serde_json::from_str::<Schema>(&saved).unwrap(), own);
    assert_eq!(serde_json::from_str::<Schema>(&saved.replace("since", "until")).ok(), None);
}
