//! A data set by name: the official files, or a stand-in of the same shape if they are absent.

use crate::classification::Classification;
use crate::dataset::{Dataset, Provenance};
use crate::error::DataError;
use crate::files::{OfficialFile, SearchPath};
use crate::names::{ClassificationName, Name, Set};
use crate::sets::{CensusCoding, covertype, fashion, scene, tmc};
use crate::sets::{abalone, adult, breast_cancer, census, ionosphere, letter, slice, spambase};
use crate::synthetic::{self, StandIn};

/// Loads a data set: features unscaled, targets uncoded.
///
/// Files are taken from the first folder of `search` that has them, and must have the official content. Where
/// no folder has them, the set is drawn ([`synthetic::stand_in`]), and its provenance says so. The census is
/// coded as [`CensusCoding::Described`]; [`load_census`] offers the other coding.
///
/// | set | rows | features | targets |
/// |---|---|---|---|
/// | abalone | 4,177 | 10 | rings, 1 to 29 |
/// | adult | 48,842 | 105, sparse | `<=50K`, `>50K` |
/// | census | 299,285 | 502, sparse | `- 50000.`, `50000+.` |
/// | letter | 20,000 | 16 | `A` to `Z` |
/// | slice | 53,500 | 385 | location, 0 to 180 |
/// | breast-cancer | 699 | 10 | `2`, `4` |
/// | ionosphere | 351 | 34 | `b`, `g` |
/// | spambase | 4,601 | 57 | `0`, `1` |
///
/// ```
/// use datasets::{Name, SearchPath, StandIn, load};
/// let letters = load(Name::Letter, &SearchPath::nowhere(), StandIn { seed: 7, rows: Some(100) })?;
/// assert_eq!((letters.len(), letters.features.dimension()), (100, 16));
/// assert_eq!(letters.provenance.to_string(), "synthetic stand-in (seed 7)");
/// # Ok::<(), datasets::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::Incomplete`], [`DataError::WrongChecksum`], and whatever is wrong with a line of a file.
pub fn load(name: Name, search: &SearchPath, stand_in: StandIn) -> Result<Dataset, DataError> {
    let read = match name {
        Name::Abalone => abalone::read,
        Name::Adult => adult::read,
        Name::Census => return load_census(CensusCoding::Described, search, stand_in),
        Name::Letter => letter::read,
        Name::Slice => slice::read,
        Name::BreastCancer => breast_cancer::read,
        Name::Ionosphere => ionosphere::read,
        Name::Spambase => spambase::read,
    };
    match search.locate(name)? {
        Some(files) => verified(name, read(&files)?),
        None => synthetic::stand_in(name, stand_in),
    }
}

/// Loads the census in the given coding; otherwise as [`load`].
///
/// # Errors
/// As [`load`].
pub fn load_census(
    coding: CensusCoding,
    search: &SearchPath,
    stand_in: StandIn,
) -> Result<Dataset, DataError> {
    match search.locate(Name::Census)? {
        Some(files) => verified(Name::Census, census::read(&files, coding)?),
        None => synthetic::census_stand_in(coding, stand_in),
    }
}

/// Loads a task of \[L23\]: contexts unscaled, labels as sets.
///
/// Files are taken from the first folder of `search` that has them, and must have the official content. Where
/// no folder has them, a small task is drawn ([`synthetic::classification_stand_in`]), and its provenance
/// says so.
///
/// | task | examples | features | classes |
/// |---|---|---|---|
/// | covertype | 581,012 | 54, sparse | 7 |
/// | fashion | 60,000 + 10,000 | 784, bytes | 10 |
/// | scene | 2,407 | 294 | 6, several an example |
/// | tmc | 28,596 | 500, sparse | 22, several an example |
///
/// ```
/// use datasets::{ClassificationName, SearchPath, Split, StandIn, load_classification};
/// let stand_in = StandIn { seed: 7, rows: Some(200) };
/// let scene = load_classification(ClassificationName::Scene, &SearchPath::nowhere(), stand_in)?;
/// assert_eq!((scene.len(), scene.contexts.dimension(), scene.classes.len()), (200, 294, 6));
/// assert_eq!(scene.provenance.to_string(), "synthetic stand-in (seed 7)");
///
/// let split = Split::new(ClassificationName::Scene.split_plan(scene.len()), scene.len(), 7, 0)?;
/// let contexts = scene.contexts.select(split.target.iter().copied())?;
/// assert_eq!(contexts.len(), 115);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DataError::Incomplete`], [`DataError::WrongChecksum`], and whatever is wrong with a file.
pub fn load_classification(
    name: ClassificationName,
    search: &SearchPath,
    stand_in: StandIn,
) -> Result<Classification, DataError> {
    let Some(files) = search.locate(name)? else {
        return synthetic::classification_stand_in(name, stand_in);
    };
    let mut task = match name {
        ClassificationName::Covertype => covertype::read(&files)?,
        ClassificationName::Fashion => fashion::read(&files)?,
        ClassificationName::Scene => scene::read(&files)?,
        ClassificationName::Tmc => tmc::read(&files)?,
    };
    task.provenance = verified_provenance(name.into(), task.provenance)?;
    Ok(task)
}

fn verified(name: Name, mut dataset: Dataset) -> Result<Dataset, DataError> {
    dataset.provenance = verified_provenance(name.into(), dataset.provenance)?;
    Ok(dataset)
}

/// Raises the provenance to "official" where all sums are known and agree.
fn verified_provenance(set: Set, provenance: Provenance) -> Result<Provenance, DataError> {
    let Provenance::Unverified { files } = provenance else { return Ok(provenance) };
    let mut all_known = true;
    for (official, file) in OfficialFile::of(set).zip(&files) {
        all_known &= official.check(file)?.is_some();
    }
    Ok(if all_known { Provenance::Official { files } } else { Provenance::Unverified { files } })
}
