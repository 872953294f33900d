//! A classification task by name: the official files where they are, a stand-in where they are not.

use super::{Classification, ClassificationName};
use crate::load::verified_provenance;
use crate::{DataError, SearchPath, StandIn, covertype, fashion, scene, synthetic, tmc};

/// Loads a task of \[L23\]: contexts unscaled, labels as sets.
///
/// Files are taken from the first folder of `search` that has them, and must have the official content. Where no folder
/// has them, a small task is drawn ([`synthetic::classification_stand_in`]), and its provenance says so.
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
