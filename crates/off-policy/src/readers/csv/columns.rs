//! Which column of a table is what.

use crate::{ActionNames, ContextColumn, Schema};
use serde::{Deserialize, Serialize};

/// Which column is what. The default: `action`, `propensity` and `reward`, and all other columns are numbers
/// of the context.
///
/// ```
/// use off_policy::readers::{CsvColumns, Outcome};
/// let columns = CsvColumns::default().with_labels(["country", "device"]);
/// let columns = columns.with_propensity("p").with_cost("price");
/// assert_eq!((&*columns.action, columns.outcome), ("action", Outcome::Cost("price".into())));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsvColumns {
    /// x.
    pub contexts: ContextColumns,
    /// Those of them that hold labels; the others hold numbers.
    pub categories: Vec<CategoryColumn>,
    /// The name of the column of a.
    pub action: String,
    /// How a is written.
    pub coding: ActionCoding,
    /// The column of the actions that were on offer, where not all of them were.
    pub on_offer: Option<OnOffer>,
    /// The name of the column of p.
    pub propensity: String,
    /// r, or the cost −r.
    pub outcome: Outcome,
}

/// The columns of the contexts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextColumns {
    /// These, in this order.
    Named(Vec<String>),
    /// All that are nothing else, in the order of the header. A column without a name, as of row numbers, is
    /// none of them.
    Remaining,
    /// As [`Remaining`](Self::Remaining), but without these.
    RemainingBut(Vec<String>),
}

/// A column of labels, such as of countries: one column of the contexts a label, in its place, that is 1
/// where the label stands and 0 elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryColumn {
    /// The name of the column.
    pub column: String,
    /// Its labels.
    pub labels: CategoryLabels,
}

/// Which labels have a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CategoryLabels {
    /// All of them, in the order in which they first appear.
    Appearance,
    /// These, in this order. Another label is 0 in all columns and counted in
    /// [`CsvLog::unknown_labels`](super::CsvLog::unknown_labels).
    Known(Vec<String>),
}

/// A column of lists of actions, each written as those of the column of a. White space around an action is
/// not part of it; between two separators stands an action without a name, which is refused unless the empty
/// label was said to be an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnOffer {
    /// The name of the column.
    pub column: String,
    /// What stands between two actions of a cell.
    pub separator: char,
}

/// How actions are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionCoding {
    /// As whole numbers below this |A|.
    Index(usize),
    /// As one of these labels; the first is action 0.
    Labels(Vec<String>),
    /// As labels that become actions in the order in which they first appear, those on offer in a row before
    /// the one that was taken. An action that was never taken, nor listed as on offer, is not known then, and
    /// an empty cell is refused.
    Appearance,
}

/// The name of the column of outcomes, and the sign of what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// More is better.
    Reward(String),
    /// Less is better.
    Cost(String),
}

impl Default for CsvColumns {
    fn default() -> Self {
        Self {
            contexts: ContextColumns::Remaining,
            categories: Vec::new(),
            action: "action".into(),
            coding: ActionCoding::Appearance,
            on_offer: None,
            propensity: "propensity".into(),
            outcome: Outcome::Reward("reward".into()),
        }
    }
}

impl CsvColumns {
    /// These columns, in this order, are the contexts.
    #[must_use]
    pub fn with_contexts(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { contexts: ContextColumns::Named(names), ..self }
    }

    /// The contexts are all columns without another role, except these.
    #[must_use]
    pub fn without(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { contexts: ContextColumns::RemainingBut(names), ..self }
    }

    /// These columns of the contexts hold labels, numbered in the order in which they first appear.
    #[must_use]
    pub fn with_labels(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let of_labels = |name: String| CategoryColumn { column: name, labels: CategoryLabels::Appearance };
        let categories = names.into_iter().map(|name| of_labels(name.into())).collect();
        Self { categories, ..self }
    }

    /// The column of a.
    #[must_use]
    pub fn with_action(self, name: impl Into<String>) -> Self {
        Self { action: name.into(), ..self }
    }

    /// How a is written.
    #[must_use]
    pub fn with_coding(self, coding: ActionCoding) -> Self {
        Self { coding, ..self }
    }

    /// The column of the actions on offer, and what stands between two of them.
    #[must_use]
    pub fn with_on_offer(self, name: impl Into<String>, separator: char) -> Self {
        Self { on_offer: Some(OnOffer { column: name.into(), separator }), ..self }
    }

    /// The column of p.
    #[must_use]
    pub fn with_propensity(self, name: impl Into<String>) -> Self {
        Self { propensity: name.into(), ..self }
    }

    /// The column of r.
    #[must_use]
    pub fn with_reward(self, name: impl Into<String>) -> Self {
        Self { outcome: Outcome::Reward(name.into()), ..self }
    }

    /// The column of the cost −r.
    #[must_use]
    pub fn with_cost(self, name: impl Into<String>) -> Self {
        Self { outcome: Outcome::Cost(name.into()), ..self }
    }

    /// The same columns with the contexts and labels of a schema named: another file is then coded alike. A
    /// column of dates, or of numbers that may be missing, is read as numbers here: its cells may be neither.
    #[must_use]
    pub fn coded_as(mut self, schema: &Schema) -> Self {
        let outcome = match &mut self.outcome {
            Outcome::Reward(name) | Outcome::Cost(name) => name,
        };
        let on_offer = self.on_offer.as_mut().map(|on_offer| &mut on_offer.column);
        for name in [&mut self.action, &mut self.propensity, outcome].into_iter().chain(on_offer) {
            *name = name.trim().to_owned();
        }
        let names = schema.contexts().iter().map(|column| column.name().to_owned()).collect();
        let known = |column: &ContextColumn| match column {
            ContextColumn::Labels { name, labels } => {
                Some(CategoryColumn { column: name.clone(), labels: CategoryLabels::Known(labels.clone()) })
            }
            _ => None,
        };
        Self {
            contexts: ContextColumns::Named(names),
            categories: schema.contexts().iter().filter_map(known).collect(),
            coding: match schema.action_names() {
                ActionNames::Numbered(actions) => ActionCoding::Index(*actions),
                ActionNames::Labels(labels) => ActionCoding::Labels(labels.clone()),
            },
            ..self
        }
    }
}

impl Outcome {
    /// The name of the column.
    #[must_use]
    pub fn column(&self) -> &str {
        match self {
            Self::Reward(name) | Self::Cost(name) => name,
        }
    }
}
