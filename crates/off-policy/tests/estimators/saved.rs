//! Results and settings come back from JSON as they were.

use crate::logs::{Columns, settings};
use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation, SupportWarning, TableModel};

#[test]
fn evaluations_survive() {
    for settings in [EstimatorSettings::default(), settings(1.5, 0.5)] {
        let found = Columns::drawn(300, 1).evaluate(settings);
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<OffPolicyEvaluation>(&text).unwrap(), found);
    }
    let warning = SupportWarning::FewRewards { rows: 3 };
    let text = serde_json::to_string(&warning).unwrap();
    assert_eq!(serde_json::from_str::<SupportWarning>(&text).unwrap(), warning);
}

#[test]
fn loading_checks_as_the_constructors_do() {
    assert!(serde_json::from_str::<EstimatorSettings>(r#"{"clip": 2.0, "switch": null}"#).is_ok());
    for bad in [r#"{"clip": 0.0, "switch": null}"#, r#"{"clip": null, "switch": -1.0}"#] {
        assert!(serde_json::from_str::<EstimatorSettings>(bad).is_err(), "{bad}");
    }
    assert!(serde_json::from_str::<TableModel>("[]").is_err());
    assert_eq!(serde_json::from_str::<TableModel>("[1.5]").unwrap(), TableModel::new(vec![1.5]).unwrap());
}
