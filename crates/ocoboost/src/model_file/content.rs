//! What a model file holds.

use super::container::{self, Section, name};
use super::{ModelFileError, trees, votes};
use crate::boost::{Classifier, ClassifierParts};
use crate::candidates::CandidateModel;
use crate::error::JobError;
use crate::judge::Judgement;
use crate::model::{Exploration, Model, Provenance, TrainingRecord};
use crate::stream::{StreamBandit, StreamLearner, StreamParts, StreamRegressor};
use boosters::bopl::{BoplError, CandidateEnsemble, PolicyEnsemble};
use boosters::saved::write_atomically;
use flate2::Compression;
use off_policy::Schema;
use off_policy::policies::Scores;
use rows::CandidateShape;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use weak_learners::pairs::PairTree;

/// The content of a model file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// A policy.
    Policy(Box<Model>),
    /// A policy over candidates that have features of their own.
    Candidates(Box<CandidateModel>),
    /// A classifier of tables.
    Classifier(Box<Classifier>),
    /// A learner of a stream.
    Stream(Box<StreamLearner>),
    /// A regressor of a stream.
    Regressor(Box<StreamRegressor>),
    /// A regressor of a stream that sees losses alone.
    Bandit(Box<StreamBandit>),
    /// The state of another learner or booster of this library.
    State(SavedState),
}

/// A learner or booster that serde can write, such as one of `boosters::agnostic`, with its kind.
///
/// ```
/// use ocoboost::model_file::{Content, SavedState};
/// use off_policy::policies::Uniform;
/// let policy = Uniform::new(3)?;
/// let bytes = Content::State(SavedState::of("uniform", &policy)?).to_bytes()?;
/// let Content::State(state) = Content::from_bytes(&bytes)? else { return Err("a policy".into()) };
/// assert_eq!(state.decode::<Uniform>("uniform")?, policy);
/// assert!(state.decode::<Uniform>("softmax").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedState {
    kind: String,
    json: String,
}

impl SavedState {
    /// The state of a learner.
    ///
    /// # Errors
    /// [`ModelFileError::NotSerialisable`].
    pub fn of<T: Serialize>(kind: &str, learner: &T) -> Result<Self, ModelFileError> {
        let refused = |error: serde_json::Error| ModelFileError::NotSerialisable {
            section: name(STATE),
            reason: error.to_string(),
        };
        Ok(Self { kind: kind.to_owned(), json: serde_json::to_string(learner).map_err(refused)? })
    }

    /// Writes a file atomically that is read but once: little time is spent on making it small.
    pub(crate) fn save_quickly(&self, path: &Path) -> Result<(), ModelFileError> {
        save_bytes(path, &container::write(&self.sections()?, Compression::fast())?)
    }

    /// The state in a file.
    pub(crate) fn load(path: &Path, expected: &'static str) -> Result<Self, ModelFileError> {
        Self::within(Content::load(path)?, expected)
    }

    /// The state in the bytes of a file.
    pub(crate) fn from_bytes(bytes: &[u8], expected: &'static str) -> Result<Self, ModelFileError> {
        Self::within(Content::from_bytes(bytes)?, expected)
    }

    fn within(content: Content, expected: &'static str) -> Result<Self, ModelFileError> {
        match content {
            Content::State(state) => Ok(state),
            other => Err(ModelFileError::OtherContent { expected, found: other.kind() }),
        }
    }

    fn sections(&self) -> Result<[Section; 2], ModelFileError> {
        let Self { kind, json } = self.clone();
        Ok([section(KIND, &Kind::State(kind))?, Section { tag: STATE, bytes: json.into_bytes() }])
    }

    /// The kind that was given to it.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The learner, checked as its constructor would.
    ///
    /// # Errors
    /// [`ModelFileError::OtherContent`] for another kind, [`ModelFileError::State`].
    pub fn decode<T: DeserializeOwned>(&self, kind: &str) -> Result<T, ModelFileError> {
        if self.kind != kind {
            let found = format!("a {}, not a {kind}", self.kind);
            return Err(ModelFileError::OtherContent { expected: "the kind asked for", found });
        }
        parse(STATE, self.json.as_bytes())
    }
}

const KIND: [u8; 4] = *b"KIND";
const TREES: [u8; 4] = *b"TREE";
const SCHEMA: [u8; 4] = *b"SCHM";
const SHAPE: [u8; 4] = *b"SHAP";
const RECORD: [u8; 4] = *b"RECD";
const PROVENANCE: [u8; 4] = *b"PROV";
const JUDGEMENT: [u8; 4] = *b"JUDG";
const EXPLORATION: [u8; 4] = *b"XPLR";
const FORMAT: [u8; 4] = *b"FRMT";
const STATE: [u8; 4] = *b"STAT";
const SOURCES: [u8; 4] = *b"SRCS";
const PROGRAM: [u8; 4] = *b"PRGM";
const CODE: [u8; 4] = *b"CODE";
const VOTE: [u8; 4] = *b"VOTE";
const CALIBRATION: [u8; 4] = *b"CALB";

/// What it is called.
pub(super) const REGRESSOR: &str = "a regressor of a stream";
pub(super) const BANDIT: &str = "a regressor of a stream that sees losses alone";

/// The first section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Policy,
    Candidates,
    Classifier,
    Stream,
    Regressor,
    Bandit,
    State(String),
}

impl Content {
    /// What it is, in words.
    #[must_use]
    pub fn kind(&self) -> String {
        match self {
            Self::Policy(_) => "a policy".to_owned(),
            Self::Candidates(_) => "a policy over candidates".to_owned(),
            Self::Classifier(_) => "a classifier".to_owned(),
            Self::Stream(_) => "a learner of a stream".to_owned(),
            Self::Regressor(_) => REGRESSOR.to_owned(),
            Self::Bandit(_) => BANDIT.to_owned(),
            Self::State(state) => format!("a {}", state.kind),
        }
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// [`ModelFileError::Io`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        save_bytes(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        let path = path.as_ref();
        let io = |source| ModelFileError::Io { path: path.to_owned(), source };
        Self::from_bytes(&std::fs::read(path).map_err(io)?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ModelFileError::NotSerialisable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        match self {
            Self::Policy(model) => policy_bytes(model),
            Self::Candidates(model) => candidates_bytes(model),
            Self::Classifier(classifier) => classifier_bytes(classifier),
            Self::Stream(learner) => stream_bytes(learner),
            Self::Regressor(regressor) => regressor_bytes(regressor),
            Self::Bandit(bandit) => bandit_bytes(bandit),
            Self::State(state) => container::write(&state.sections()?, Compression::best()),
        }
    }

    /// The content of a file's bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load), but for `Io`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        let mut sections = Sections(container::read(bytes)?);
        let content = match sections.json(KIND)? {
            Kind::Policy => Self::Policy(Box::new(policy(&mut sections)?)),
            Kind::Candidates => Self::Candidates(Box::new(candidates(&mut sections)?)),
            Kind::Classifier => Self::Classifier(Box::new(classifier(&mut sections)?)),
            Kind::Stream => Self::Stream(Box::new(stream(&mut sections)?)),
            Kind::Regressor => Self::Regressor(Box::new(sections.json(STATE)?)),
            Kind::Bandit => Self::Bandit(Box::new(sections.json(STATE)?)),
            Kind::State(kind) => {
                let refused =
                    |reason: &str| ModelFileError::State { section: name(STATE), reason: reason.to_owned() };
                let json = String::from_utf8(sections.take(STATE)?).map_err(|_| refused("no text"))?;
                Self::State(SavedState { kind, json })
            }
        };
        match sections.0.first() {
            None => Ok(content),
            Some(Section { tag, .. }) => {
                Err(ModelFileError::Section { section: name(*tag), reason: "it is not known here" })
            }
        }
    }
}

/// The bytes of a policy's file.
pub(super) fn policy_bytes(model: &Model) -> Result<Vec<u8>, ModelFileError> {
    let Model { ensemble, record, provenance, judgement, exploration, format } = model;
    let sections = [
        section(KIND, &Kind::Policy)?,
        Section { tag: TREES, bytes: trees::encode(ensemble) },
        section(SCHEMA, &ensemble.schema().cloned())?,
        section(RECORD, record)?,
        section(PROVENANCE, provenance)?,
        section(JUDGEMENT, judgement)?,
        section(EXPLORATION, exploration)?,
        section(FORMAT, format)?,
    ];
    container::write(&sections, Compression::best())
}

fn policy(sections: &mut Sections) -> Result<Model, ModelFileError> {
    let ensemble = trees::decode(&name(TREES), &sections.take(TREES)?)?;
    let state = |tag| move |reason: String| ModelFileError::State { section: name(tag), reason };
    let ensemble = match sections.json::<Option<Schema>>(SCHEMA)? {
        Some(schema) => ensemble.with_schema(schema).map_err(|error| state(SCHEMA)(error.to_string()))?,
        None => ensemble,
    };
    let model = Model {
        ensemble,
        record: sections.json::<TrainingRecord>(RECORD)?,
        provenance: sections.json::<Provenance>(PROVENANCE)?,
        judgement: sections.json::<Judgement>(JUDGEMENT)?,
        exploration: Exploration::default(),
        format: sections.json(FORMAT)?,
    };
    let exploration = sections.json(EXPLORATION)?;
    model.with_exploration(exploration).map_err(|error: JobError| state(EXPLORATION)(error.to_string()))
}

/// The bytes of the file of a policy over candidates.
pub(super) fn candidates_bytes(model: &CandidateModel) -> Result<Vec<u8>, ModelFileError> {
    let CandidateModel { ensemble, record, provenance, judgement, exploration, format } = model;
    let members = ensemble.members().to_vec();
    let refused = |error: BoplError| ModelFileError::NotSerialisable {
        section: name(TREES),
        reason: error.to_string(),
    };
    let trees = PolicyEnsemble::of(ensemble.shape().dimension(), 1, members).map_err(refused)?;
    let sections = [
        section(KIND, &Kind::Candidates)?,
        Section { tag: TREES, bytes: trees::encode(&trees) },
        section(SHAPE, &ensemble.shape())?,
        section(SCHEMA, &ensemble.schema().cloned())?,
        section(RECORD, record)?,
        section(PROVENANCE, provenance)?,
        section(JUDGEMENT, judgement)?,
        section(EXPLORATION, exploration)?,
        section(FORMAT, format)?,
    ];
    container::write(&sections, Compression::best())
}

fn candidates(sections: &mut Sections) -> Result<CandidateModel, ModelFileError> {
    let trees: PolicyEnsemble<PairTree> = trees::decode(&name(TREES), &sections.take(TREES)?)?;
    let state = |tag| move |reason: String| ModelFileError::State { section: name(tag), reason };
    let (shape, schema) = (sections.json::<CandidateShape>(SHAPE)?, sections.json(SCHEMA)?);
    let ensemble = CandidateEnsemble::of(shape, schema, trees.members().to_vec());
    let exploration: Exploration = sections.json(EXPLORATION)?;
    if !(0.0..=1.0).contains(&exploration.epsilon) {
        return Err(state(EXPLORATION)(format!("ε = {} is outside [0, 1]", exploration.epsilon)));
    }
    Ok(CandidateModel {
        ensemble: ensemble.map_err(|error| state(TREES)(error.to_string()))?,
        record: sections.json(RECORD)?,
        provenance: sections.json(PROVENANCE)?,
        judgement: sections.json(JUDGEMENT)?,
        exploration,
        format: sections.json(FORMAT)?,
    })
}

/// The bytes of a classifier's file.
pub(super) fn classifier_bytes(classifier: &Classifier) -> Result<Vec<u8>, ModelFileError> {
    let vote = classifier.vote();
    container::write(
        &[
            section(KIND, &Kind::Classifier)?,
            section(CODE, vote.code())?,
            Section { tag: VOTE, bytes: votes::encode(vote, classifier.schema().inputs()) },
            section(SCHEMA, classifier.schema())?,
            section(CALIBRATION, &classifier.calibration())?,
            section(RECORD, classifier.record())?,
            section(JUDGEMENT, classifier.report())?,
            section(FORMAT, classifier.format())?,
        ],
        Compression::best(),
    )
}

fn classifier(sections: &mut Sections) -> Result<Classifier, ModelFileError> {
    let code = sections.json(CODE)?;
    let parts = ClassifierParts {
        vote: votes::decode(&name(VOTE), &sections.take(VOTE)?, code)?,
        schema: sections.json(SCHEMA)?,
        calibration: sections.json(CALIBRATION)?,
        record: sections.json(RECORD)?,
        report: sections.json(JUDGEMENT)?,
        format: sections.json(FORMAT)?,
    };
    let refused = |error: JobError| ModelFileError::State { section: name(VOTE), reason: error.to_string() };
    Classifier::new(parts).map_err(refused)
}

/// The bytes of a stream learner's file.
pub(super) fn stream_bytes(learner: &StreamLearner) -> Result<Vec<u8>, ModelFileError> {
    let StreamParts { state, sources, format, program } = learner.parts();
    container::write(
        &[
            section(KIND, &Kind::Stream)?,
            section(STATE, state)?,
            section(SOURCES, sources)?,
            section(PROGRAM, program)?,
            section(FORMAT, format)?,
        ],
        Compression::best(),
    )
}

fn stream(sections: &mut Sections) -> Result<StreamLearner, ModelFileError> {
    let parts = StreamParts {
        state: sections.json(STATE)?,
        sources: sections.json(SOURCES)?,
        program: sections.json(PROGRAM)?,
        format: sections.json(FORMAT)?,
    };
    let refused = |error: JobError| ModelFileError::State { section: name(STATE), reason: error.to_string() };
    StreamLearner::new(parts).map_err(refused)
}

/// The bytes of the file of a regressor of a stream.
pub(super) fn regressor_bytes(regressor: &StreamRegressor) -> Result<Vec<u8>, ModelFileError> {
    let sections = [section(KIND, &Kind::Regressor)?, section(STATE, regressor)?];
    container::write(&sections, Compression::best())
}

/// The bytes of the file of one that sees losses alone.
pub(super) fn bandit_bytes(bandit: &StreamBandit) -> Result<Vec<u8>, ModelFileError> {
    let sections = [section(KIND, &Kind::Bandit)?, section(STATE, bandit)?];
    container::write(&sections, Compression::best())
}

/// Writes bytes atomically.
pub(super) fn save_bytes(path: &Path, bytes: &[u8]) -> Result<(), ModelFileError> {
    write_atomically(path, bytes).map_err(|source| ModelFileError::Io { path: path.to_owned(), source })
}

/// A section of JSON, read back: a number that JSON has no word for is refused now and not when it is loaded.
fn section<T: Serialize + DeserializeOwned>(tag: [u8; 4], state: &T) -> Result<Section, ModelFileError> {
    let refused = |error: serde_json::Error| ModelFileError::NotSerialisable {
        section: name(tag),
        reason: error.to_string(),
    };
    let bytes = serde_json::to_vec(state).map_err(refused)?;
    serde_json::from_slice::<T>(&bytes).map_err(refused)?;
    Ok(Section { tag, bytes })
}

fn parse<T: DeserializeOwned>(tag: [u8; 4], bytes: &[u8]) -> Result<T, ModelFileError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ModelFileError::State { section: name(tag), reason: error.to_string() })
}

/// Sections that were not taken yet.
struct Sections(Vec<Section>);

impl Sections {
    /// The one section of a tag.
    fn take(&mut self, tag: [u8; 4]) -> Result<Vec<u8>, ModelFileError> {
        let refused = |reason| ModelFileError::Section { section: name(tag), reason };
        let place =
            self.0.iter().position(|section| section.tag == tag).ok_or_else(|| refused("it is missing"))?;
        let Section { bytes, .. } = self.0.remove(place);
        if self.0.iter().any(|section| section.tag == tag) {
            return Err(refused("it is there twice"));
        }
        Ok(bytes)
    }

    fn json<T: DeserializeOwned>(&mut self, tag: [u8; 4]) -> Result<T, ModelFileError> {
        parse(tag, &self.take(tag)?)
    }
}
