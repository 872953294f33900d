//! Which column of a file is what.

use crate::FormatError;
use crate::facts::FileName;
use crate::options::{Format, LogOptions, Outcome};
use crate::readers::ColumnNames;

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Context,
    Action,
    Propensity,
    Outcome,
    Available,
    Time,
    /// What splits the rows.
    Split,
    /// The label of a table.
    Label,
    Left,
}

/// The names that were asked for, with those of the format filled in.
pub(crate) struct Roles {
    file: FileName,
    /// Role, name, and whether the caller asked for it.
    named: Vec<(Role, String, bool)>,
    pub(crate) is_cost: bool,
    ignored: Vec<String>,
    /// Names of columns of labels.
    pub(crate) labels: Vec<String>,
    /// Whether columns to ignore and columns of labels may be absent.
    may_lack: bool,
}

impl Roles {
    /// Those of a log.
    pub(crate) fn of_log(file: FileName, options: &LogOptions, format: Format) -> Result<Self, FormatError> {
        let is_open_bandit = format == Format::OpenBandit;
        let default = |own, of_open_bandit| if is_open_bandit { of_open_bandit } else { own };
        let or = |asked: &Option<String>, default: &str| {
            (asked.as_deref().unwrap_or(default).trim().to_owned(), asked.is_some())
        };
        let (action, asked_action) = or(&options.action, default("action", "item_id"));
        let (propensity, asked_propensity) =
            or(&options.propensity, default("propensity", "propensity_score"));
        let (outcome, is_cost) = match &options.outcome {
            None => (default("reward", "click"), false),
            Some(Outcome::Reward(name)) => (name.trim(), false),
            Some(Outcome::Cost(name)) => (name.trim(), true),
        };
        let mut named = vec![
            (Role::Action, action, asked_action),
            (Role::Propensity, propensity, asked_propensity),
            (Role::Outcome, outcome.to_owned(), options.outcome.is_some()),
        ];
        let available = options.available.iter().map(|name| (Role::Available, name.trim().to_owned(), true));
        named.extend(available);
        let time = options.time.as_deref().map(|name| (Role::Time, name.trim().to_owned(), true));
        let of_open_bandit = is_open_bandit.then(|| (Role::Time, "timestamp".to_owned(), false));
        named.extend(time.or(of_open_bandit));
        named.extend(options.split.iter().map(|name| (Role::Split, name.trim().to_owned(), true)));
        let mut labels = options.labels.clone();
        if is_open_bandit {
            labels.push("position".into());
            labels.extend((0..4).map(|k| format!("user_feature_{k}")));
        }
        Self::new(file, named, is_cost, options, labels)
    }

    /// Those of a format of decisions: a feature may be called `action` or `reward` there.
    pub(crate) fn of_events(file: FileName, options: &LogOptions) -> Result<Self, FormatError> {
        let time = options.time.iter().map(|name| (Role::Time, name.trim().to_owned(), true));
        let split = options.split.iter().map(|name| (Role::Split, name.trim().to_owned(), true));
        Self::new(file, time.chain(split).collect(), false, options, options.labels.clone())
    }

    /// Those of rows to predict for.
    pub(crate) fn of_contexts(file: FileName, options: &LogOptions) -> Result<Self, FormatError> {
        let available = options.available.iter().map(|name| (Role::Available, name.trim().to_owned(), true));
        Self::new(file, available.collect(), false, options, options.labels.clone())
    }

    /// Those of a table with labels.
    pub(crate) fn of_table(file: FileName, label: &str, options: &LogOptions) -> Result<Self, FormatError> {
        let mut named = vec![(Role::Label, label.trim().to_owned(), true)];
        named.extend(options.time.as_deref().map(|name| (Role::Time, name.trim().to_owned(), true)));
        Self::new(file, named, false, options, options.labels.clone())
    }

    /// Those of rows that are read one by one.
    pub(crate) fn of_examples(file: FileName, options: &LogOptions) -> Result<Self, FormatError> {
        Self::new(file, Vec::new(), false, options, options.labels.clone())
    }

    fn new(
        file: FileName,
        named: Vec<(Role, String, bool)>,
        is_cost: bool,
        options: &LogOptions,
        labels: Vec<String>,
    ) -> Result<Self, FormatError> {
        for (place, (second, name, _)) in named.iter().enumerate() {
            let first = named.get(..place).unwrap_or_default().iter().find(|(_, other, _)| other == name);
            if let Some((first, ..)) = first {
                let (first, second) = (first.word(), second.word());
                return Err(FormatError::ColumnAskedTwice { column: name.clone(), first, second });
            }
        }
        let ignored: Vec<String> = options.ignore.iter().map(|name| name.trim().to_owned()).collect();
        let is_role = |name: &&String| named.iter().any(|(_, own, is_asked)| own == *name && *is_asked);
        if let Some(name) = ignored.iter().find(is_role) {
            let role = named.iter().find(|(_, own, _)| own == name).map_or(Role::Left, |(role, ..)| *role);
            let (first, second) = (role.word(), "left out");
            return Err(FormatError::ColumnAskedTwice { column: name.clone(), first, second });
        }
        Ok(Self { file, named, is_cost, ignored, labels, may_lack: options.may_lack })
    }

    pub(crate) fn role(&self, name: &str) -> Role {
        if name.is_empty() || name.starts_with('\0') || self.ignored.iter().any(|own| own == name) {
            return Role::Left;
        }
        let named = self.named.iter().find(|(_, own, _)| own == name);
        named.map_or(Role::Context, |(role, ..)| *role)
    }

    /// The name of the column of a role.
    pub(crate) fn name(&self, role: Role) -> &str {
        self.named.iter().find(|(own, ..)| *own == role).map_or("", |(_, name, _)| name)
    }

    /// Refuses columns without one that is needed, or that was to be left out.
    pub(crate) fn check(&self, columns: &ColumnNames) -> Result<(), FormatError> {
        self.check_needed(columns)?;
        self.check_ignored(columns)
    }

    /// Refuses columns without one that is needed. The propensities are needed if they were asked for.
    pub(crate) fn check_needed(&self, columns: &ColumnNames) -> Result<(), FormatError> {
        self.check_named(columns)?;
        self.labels.iter().try_for_each(|name| self.check_there(name, columns))
    }

    /// The same of the columns with a role alone.
    fn check_named(&self, columns: &ColumnNames) -> Result<(), FormatError> {
        for (role, name, is_asked) in &self.named {
            let is_needed = *is_asked || matches!(role, Role::Action | Role::Outcome);
            if !is_needed || columns.find(name).is_some() {
                continue;
            }
            let (file, columns) = (self.file.clone(), columns.all());
            return Err(if *role == Role::Outcome && !is_asked {
                FormatError::NoOutcome { file, columns }
            } else {
                FormatError::MissingColumn { file, column: name.clone(), columns }
            });
        }
        Ok(())
    }

    /// The check of a format of decisions, where a column is there once a row has it.
    pub(crate) fn check_events(&self, columns: &ColumnNames) -> Result<(), FormatError> {
        self.check_named(columns)?;
        self.check_ignored(columns)
    }

    /// Refuses columns to ignore that are not there: a name that is written wrongly.
    pub(crate) fn check_ignored(&self, columns: &ColumnNames) -> Result<(), FormatError> {
        self.ignored.iter().try_for_each(|name| self.check_there(name, columns))
    }

    fn check_there(&self, name: &str, columns: &ColumnNames) -> Result<(), FormatError> {
        if self.may_lack || columns.find(name).is_some() {
            return Ok(());
        }
        let (file, columns) = (self.file.clone(), columns.all());
        Err(FormatError::MissingColumn { file, column: name.to_owned(), columns })
    }
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Self::Context => "a context",
            Self::Action => "the action",
            Self::Propensity => "the propensity",
            Self::Outcome => "the reward or cost",
            Self::Available => "the actions on offer",
            Self::Time => "the time",
            Self::Split => "what splits the rows",
            Self::Label => "the label",
            Self::Left => "left out",
        }
    }
}
