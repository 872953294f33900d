//! The files of Vowpal Wabbit's own tests, where they are at hand.

use formats::{ActionFeatures, LogOptions, Source, quiet, read_log};
#[test]
fn explore() {
    let folder = std::path::Path::new("/work/shared/data/vw");
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    for path in names {
        for options in [LogOptions::default(), LogOptions::default().action_features(ActionFeatures::Drop)] {
            let read = read_log(Source::path(&path).unwrap(), &options, &mut quiet);
            match read {
                Ok(log) => println!(
                    "{:?} rows {} x {} actions {:?} sets {} p {:?} r {:?} w {:?}\n   {:?}",
                    path.file_name(),
                    log.facts.rows,
                    log.contexts.dimension(),
                    log.schema.action_names(),
                    log.on_offer.is_some(),
                    log.propensities.map(|p| p[0]),
                    log.rewards[0],
                    log.weights.is_some(),
                    (&log.facts.format, &log.facts.skipped, log.facts.notes)
                ),
                Err(error) => println!("{:?} {error}", path.file_name()),
            }
        }
    }
}
