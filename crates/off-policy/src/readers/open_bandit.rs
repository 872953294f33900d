//! The Open Bandit Dataset: a fashion shop that logged which of its items it showed where, and what was
//! clicked.

use super::ReadError;
use super::labels::Labels;
use super::table::Table;
use crate::{ActionNames, ContextColumn, Log, Rewards, Schema};
use rows::RowMatrix;
use std::io::Read;

/// Logs of the Open Bandit Dataset \[SANS21\], their contexts coded alike, so that a policy learnt from one
/// can be evaluated on another.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenBandit {
    /// One a stream, in order.
    pub logs: Vec<OpenBanditLog>,
    /// The categories of `user_feature_0`, …, `user_feature_3`, in the order in which they first appear; the
    /// columns of a context are theirs, one feature after the other, and then the affinities.
    pub categories: [Vec<String>; 4],
}

/// One log.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenBanditLog {
    /// x: one-hot user features; a: `item_id`; p: `propensity_score`; r: `click`, 0 or 1.
    pub log: Log,
    /// Where the item was shown, 1 to 3. A propensity is that of the item *at this position*.
    pub positions: Vec<u8>,
}

/// What becomes of the columns `user-item_affinity_0`, ….
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Affinities {
    /// They are left out.
    Left,
    /// One column an item.
    Kept,
}

const USER_FEATURES: [&str; 4] = ["user_feature_0", "user_feature_1", "user_feature_2", "user_feature_3"];
const AFFINITY: &str = "user-item_affinity_";

/// Reads logs of one campaign, from the bytes of a `men.csv`, `women.csv` or `all.csv` each.
///
/// *Shapes:* a sparse row of four ones, and the affinities that are not 0, in Σ categories columns, and |A|
/// more with affinities; |A| is the number of affinity columns, 34 for men. *Cost:* one pass; beside the logs
/// it holds four category numbers a row.
///
/// ```
/// use off_policy::readers::{Affinities, read_open_bandit};
/// let header = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,\
///               user_feature_2,user_feature_3,user-item_affinity_0,user-item_affinity_1\n";
/// let bts = format!("{header}0,noon,1,3,1,0.75,a,b,c,d,0.0,2.0\n");
/// let random = format!("{header}0,noon,0,1,0,0.5,a,e,c,d,0.0,0.0\n");
/// let read = read_open_bandit([bts.as_bytes(), random.as_bytes()], Affinities::Left)?;
/// assert_eq!((read.logs[0].log.inputs(), read.logs[0].log.actions(), read.logs[0].positions[0]), (5, 2, 3));
/// let contexts = |k: usize| read.logs[k].log.row(0).map(|row| row.context.to_dense());
/// assert_eq!(contexts(0), Some(vec![1.0, 1.0, 0.0, 1.0, 1.0]));
/// assert_eq!(contexts(1), Some(vec![1.0, 0.0, 1.0, 1.0, 1.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ReadError::Stream`] with what is wrong in which stream: a missing column, a cell outside its range,
/// another number of affinities than the first stream has.
pub fn read_open_bandit<R: Read>(
    streams: impl IntoIterator<Item = R>,
    affinities: Affinities,
) -> Result<OpenBandit, ReadError> {
    let mut coding: Coding = std::array::from_fn(|_| Labels::growing());
    let mut drafts: Vec<Draft> = Vec::new();
    for (stream, source) in streams.into_iter().enumerate() {
        let items = drafts.first().map(|draft| draft.items);
        let draft = Draft::read(source, &mut coding, affinities, items);
        drafts.push(draft.map_err(|error| ReadError::Stream { stream, error: Box::new(error) })?);
    }
    let logs = drafts.into_iter().map(|draft| draft.finish(&coding, affinities)).collect::<Result<_, _>>()?;
    Ok(OpenBandit { logs, categories: coding.map(Labels::into_list) })
}

/// The categories seen so far.
type Coding = [Labels; 4];

/// The columns of one log, while the categories of later ones are not known.
#[derive(Default)]
struct Draft {
    items: usize,
    user: Vec<[u32; 4]>,
    /// Where the affinities of each row end.
    affinity_ends: Vec<usize>,
    affinities: Vec<(u32, f64)>,
    actions: Vec<u32>,
    positions: Vec<u8>,
    propensities: Vec<f64>,
    clicks: Vec<f64>,
}

impl Draft {
    fn read<R: Read>(
        source: R,
        coding: &mut Coding,
        affinities: Affinities,
        expected_items: Option<usize>,
    ) -> Result<Self, ReadError> {
        let mut table = Table::open(source)?;
        let [item, position, click, propensity] = ["item_id", "position", "click", "propensity_score"];
        let (item, position) = (table.column(item)?, table.column(position)?);
        let (click, propensity) = (table.column(click)?, table.column(propensity)?);
        let mut user_columns = [0; 4];
        for (column, name) in user_columns.iter_mut().zip(USER_FEATURES) {
            *column = table.column(name)?;
        }
        let count = table.header().iter().filter(|name| name.starts_with(AFFINITY)).count();
        let items = expected_items.unwrap_or(count).max(1);
        let names = (0..items.max(count)).map(|k| format!("{AFFINITY}{k}"));
        let affinity_columns: Vec<usize> = names.map(|name| table.column(&name)).collect::<Result<_, _>>()?;
        if affinity_columns.len() != items {
            let column = table.header()[affinity_columns[items]].clone();
            return Err(ReadError::UnexpectedColumn { column });
        }
        let mut draft = Self { items, ..Self::default() };
        while table.advance()? {
            let mut user = [0; 4];
            for ((place, column), labels) in user.iter_mut().zip(user_columns).zip(coding.iter_mut()) {
                // A label that gets no number would be refused by the matrix.
                *place = labels.number(table.text(column)?).unwrap_or(u32::MAX);
            }
            draft.user.push(user);
            if affinities == Affinities::Kept {
                for (k, column) in (0_u32..).zip(&affinity_columns) {
                    let affinity = table.number(*column)?;
                    if affinity != 0.0 {
                        draft.affinities.push((k, affinity));
                    }
                }
            }
            draft.affinity_ends.push(draft.affinities.len());
            draft.actions.push(table.action(item, items)?);
            draft.positions.push(match table.text(position)? {
                "1" => 1,
                "2" => 2,
                "3" => 3,
                _ => return Err(table.bad(position, "a position from 1 to 3")),
            });
            draft.propensities.push(table.propensity(propensity)?);
            draft.clicks.push(match table.text(click)? {
                "0" => 0.0,
                "1" => 1.0,
                _ => return Err(table.bad(click, "0 or 1")),
            });
        }
        if draft.actions.is_empty() { Err(ReadError::NoRows) } else { Ok(draft) }
    }

    fn finish(self, coding: &Coding, affinities: Affinities) -> Result<OpenBanditLog, ReadError> {
        let mut starts = [0_u32; 5];
        for feature in 0..4 {
            let count = u32::try_from(coding[feature].count()).unwrap_or(u32::MAX);
            starts[feature + 1] = starts[feature].saturating_add(count);
        }
        let own = if affinities == Affinities::Kept { self.items } else { 0 };
        let stored = 4 * self.user.len() + self.affinities.len();
        let mut offsets = Vec::with_capacity(self.user.len() + 1);
        let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        offsets.push(0);
        let mut begin = 0;
        for (user, end) in self.user.iter().zip(&self.affinity_ends) {
            for (place, start) in user.iter().zip(starts) {
                indices.push(start.saturating_add(*place));
                values.push(1.0);
            }
            for (k, affinity) in &self.affinities[begin..*end] {
                indices.push(starts[4].saturating_add(*k));
                values.push(*affinity);
            }
            begin = *end;
            offsets.push(indices.len());
        }
        let contexts = RowMatrix::sparse(starts[4] as usize + own, offsets, indices, values)?;
        let log = Log::new(contexts, self.items, self.actions, self.propensities, Rewards(self.clicks))?;
        let log = log.with_schema(schema(coding, own, self.items)?)?;
        Ok(OpenBanditLog { log, positions: self.positions })
    }
}

/// User features by their categories, and the affinities that were kept.
fn schema(coding: &Coding, affinities: usize, items: usize) -> Result<Schema, ReadError> {
    let of_labels = |(name, labels): (&str, &Labels)| ContextColumn::Labels {
        name: name.to_owned(),
        labels: labels.list().to_vec(),
    };
    let user = USER_FEATURES.into_iter().zip(coding).map(of_labels);
    let affinities = (0..affinities).map(|k| ContextColumn::Number { name: format!("{AFFINITY}{k}") });
    Ok(Schema::new(user.chain(affinities).collect(), ActionNames::Numbered(items))?)
}
