//! The items of the Open Bandit Dataset.

use super::ReadError;
use super::table::Table;
use std::io::Read;

/// What is known of the items of a campaign. \[SANS21\]
///
/// *Shapes:* an entry an item, in the order of their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemContext {
    /// `item_feature_0`, a number.
    pub number: Vec<f64>,
    /// `item_feature_1`, …, `item_feature_3`, categories as they are written.
    pub categories: Vec<[String; 3]>,
}

/// Reads an `item_context.csv`.
///
/// ```
/// let header = ",item_id,item_feature_0,item_feature_1,item_feature_2,item_feature_3\n";
/// let text = format!("{header}0,0,-0.5,a,b,c\n1,1,2.0,d,b,c\n");
/// let items = off_policy::readers::read_item_context(text.as_bytes())?;
/// assert_eq!((items.number, &items.categories[1][0]), (vec![-0.5, 2.0], &"d".to_owned()));
/// # Ok::<(), off_policy::readers::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError::MissingColumn`], [`ReadError::BadCell`], [`ReadError::ItemOrder`] where the items are not 0,
/// 1, … in order, and what is wrong with a line.
pub fn read_item_context(source: impl Read) -> Result<ItemContext, ReadError> {
    let mut table = Table::open(source)?;
    let (item_column, number_column) = (table.column("item_id")?, table.column("item_feature_0")?);
    let mut category_columns = [0; 3];
    for (column, k) in category_columns.iter_mut().zip(1..) {
        *column = table.column(&format!("item_feature_{k}"))?;
    }
    let mut items = ItemContext { number: Vec::new(), categories: Vec::new() };
    while table.advance()? {
        let (line, before) = (table.line(), items.number.len());
        let item = table.text(item_column)?.parse::<usize>();
        let item = item.map_err(|_| table.bad(item_column, "the number of an item"))?;
        if item != before {
            return Err(ReadError::ItemOrder { line, item, before });
        }
        items.number.push(table.number(number_column)?);
        let [a, b, c] = category_columns.map(|column| table.text(column).map(str::to_owned));
        items.categories.push([a?, b?, c?]);
    }
    if items.number.is_empty() { Err(ReadError::NoRows) } else { Ok(items) }
}
