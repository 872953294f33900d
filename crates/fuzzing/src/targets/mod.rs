//! The list of targets: every public saved type, and every reader.

mod bopl;
mod candidates;
mod command_lines;
mod constructors;
mod differential;
mod data_sets;
mod learners;
mod maboost;
mod model_file;
mod off_policy;
mod online_boosting;
mod pairs;
mod projection_free;
mod readers;
mod sets;
mod weak;

pub use constructors::doors;

use super::play::nothing;
use super::target::Target;
use super::verdict::AnyError;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// All targets.
#[must_use]
pub fn all() -> Vec<Target> {
    let mut list = sets::all();
    list.extend(learners::all());
    list.extend(projection_free::all());
    list.extend(data_sets::all());
    list.extend(weak::all());
    list.extend(pairs::all());
    list.extend(off_policy::all());
    list.extend(candidates::all());
    list.extend(online_boosting::all());
    list.extend(maboost::all());
    list.extend(bopl::all());
    list.extend(model_file::all());
    list.extend(readers::all());
    list.extend(command_lines::all());
    list.extend(constructors::all());
    list.extend(differential::all());
    let more = |name: &str| match name {
        _ if OF_UNWRITTEN.contains(&name) => 1 << 30,
        _ if name.starts_with(GENERATORS) => 8 << 32,
        _ => 0,
    };
    list.into_iter()
        .map(|target| {
            let (more, usual) = (more(target.name()), target.memory());
            target.within(more + usual.fixed, usual.per_byte)
        })
        .collect()
}

/// Saved types in which a column or a loss takes memory though nothing is written of it: the most of
/// them take a gibibyte. A machine that has less refuses them.
const OF_UNWRITTEN: [&str; 5] = [
    "oco_core::projection_free::minibatch::Minibatches",
    "weak_learners::batch::binned_columns::BinnedColumns",
    "weak_learners::batch::sorted_columns::SortedColumns",
    "weak_learners::pairs::binned_contexts::BinnedContexts",
    "weak_learners::pairs::candidates::binned_candidates::BinnedCandidates",
];

/// Where generators of examples are. They ask the machine for the memory of a row of up to 2^32 numbers, and
/// give it back: what it has not is refused.
const GENERATORS: &str = "datasets::synthetic::";

/// A type that is only saved and loaded, not used.
fn plain<T: Serialize + DeserializeOwned + 'static>(seeds: fn() -> Vec<T>) -> Target {
    Target::saved(move || Ok(seeds()), nothing::<T>)
}

fn rng(stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    rng.set_stream(stream);
    rng
}

/// The built values after some use, so that their state is not the initial one.
fn used<T: Serialize>(
    mut value: T,
    play: impl Fn(&mut T, &mut super::Checks) -> Result<(), AnyError>,
) -> Result<T, AnyError> {
    play(&mut value, &mut super::Checks::default())?;
    Ok(value)
}
