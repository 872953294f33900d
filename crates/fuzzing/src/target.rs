//! A target: seeds, and a judge of inputs.

use super::checks::Checks;
use super::memory::{Memory, measured};
use super::verdict::{AnyError, Complaint, Verdict};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::type_name;
use std::fmt;

/// The kind of mutation of a target's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON value, changed by structure and sometimes by bytes.
    Json,
    /// Lines of cells.
    Text,
    /// Bytes, including lengths.
    Binary,
}

/// The most memory of a case, unless a target states another. A loaded value is used on up to 4096
/// coordinates
/// whatever the length of its text is; a decoder has buffers of its own.
const USUAL: Memory = Memory { fixed: 8 << 20, per_byte: 256 };

/// The code under test, as a function of an input.
pub type Judge = Box<dyn FnMut(&[u8]) -> Verdict>;

/// A prepared target.
pub struct Prepared {
    /// Valid inputs; each must be accepted unchanged.
    pub seeds: Vec<Vec<u8>>,
    /// Passes an input to the code under test.
    pub judge: Judge,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} seeds", self.seeds.len())
    }
}

/// A saved type or a reader.
pub struct Target {
    name: String,
    format: Format,
    memory: Memory,
    is_of_any_bytes: bool,
    prepare: Box<dyn Fn() -> Result<Prepared, AnyError> + Send + Sync>,
}

impl Target {
    /// A custom target; `prepare` runs once per worker.
    pub fn new(
        name: impl Into<String>,
        format: Format,
        prepare: impl Fn() -> Result<Prepared, AnyError> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), format, memory: USUAL, is_of_any_bytes: false, prepare: Box::new(prepare) }
    }

    /// A saved type: `seeds` builds instances, `play` uses one as in an application.
    ///
    /// A loaded instance must be saved and loaded bit for bit, before and after its use, and the copy must
    /// behave like the original.
    pub fn saved<T: Serialize + DeserializeOwned + 'static>(
        seeds: impl Fn() -> Result<Vec<T>, AnyError> + Send + Sync + 'static,
        play: impl Fn(&mut T, &mut Checks) -> Result<(), AnyError> + Send + Sync + Copy + 'static,
    ) -> Self {
        Self::new(short_name::<T>(), Format::Json, move || {
            let seeds = seeds()?.iter().map(serde_json::to_vec).collect::<Result<_, _>>()?;
            Ok(Prepared { seeds, judge: Box::new(move |input| judge(input, &play)) })
        })
    }

    /// A reader: `read` returns whether it accepted the bytes.
    pub fn reader(
        name: &str,
        format: Format,
        seeds: impl Fn() -> Result<Vec<Vec<u8>>, AnyError> + Send + Sync + 'static,
        read: impl Fn(&[u8]) -> Verdict + Send + Sync + Clone + 'static,
    ) -> Self {
        Self::new(name, format, move || Ok(Prepared { seeds: seeds()?, judge: Box::new(read.clone()) }))
    }

    /// Another state of a type with a target.
    #[must_use]
    pub fn also(mut self, which: &str) -> Self {
        self.name = format!("{}, {which}", self.name);
        self
    }

    /// Another bound of the memory of a case, with the reason where it is stated.
    #[must_use]
    pub fn within(mut self, fixed: usize, per_byte: usize) -> Self {
        self.memory = Memory { fixed, per_byte };
        self
    }

    /// A target that may have nothing to refuse: any bytes are an instance.
    #[must_use]
    pub fn of_any_bytes(self) -> Self {
        Self { is_of_any_bytes: true, ..self }
    }

    /// Whether any bytes may be an instance.
    #[must_use]
    pub fn is_of_any_bytes(&self) -> bool {
        self.is_of_any_bytes
    }

    /// The most memory of a case.
    #[must_use]
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// The verdict on an input, the law of memory included.
    pub fn judge(&self, prepared: &mut Prepared, input: &[u8]) -> Verdict {
        let (verdict, peak) = measured(|| (prepared.judge)(input));
        let most = self.memory.most(input.len());
        if peak > most && !matches!(verdict, Verdict::Faulty(_)) {
            let detail = format!("{peak} bytes for an input of {}, at most {most}", input.len());
            return complaint("memory is bounded by a multiple of the input", detail);
        }
        verdict
    }

    /// The unique name; for a saved type it begins with the type's path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of mutation of the inputs.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Builds the seeds.
    ///
    /// # Errors
    /// A seed cannot be built.
    pub fn prepare(&self) -> Result<Prepared, AnyError> {
        (self.prepare)()
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({:?})", self.name, self.format)
    }
}

/// The path of a type, with its parameters without their modules.
fn short_name<T>() -> String {
    let whole = type_name::<T>();
    let Some((path, parameters)) = whole.split_once('<') else { return whole.to_owned() };
    let mut name = path.to_owned();
    name.push('<');
    for part in parameters.split_inclusive(['<', '>', ',', ' ', '(']) {
        name.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    name
}

fn complaint(law: &'static str, detail: impl Into<String>) -> Verdict {
    Verdict::Faulty(Complaint { law, detail: detail.into() })
}

/// The laws of a saved type.
pub(super) fn judge<T: Serialize + DeserializeOwned>(
    input: &[u8],
    play: &impl Fn(&mut T, &mut Checks) -> Result<(), AnyError>,
) -> Verdict {
    let mut loaded: T = match serde_json::from_slice(input) {
        Ok(loaded) => loaded,
        Err(error) => {
            // The message is part of the refusal: formatting it must not panic either.
            std::hint::black_box(error.to_string());
            return Verdict::Refused;
        }
    };
    let mut copy = match saved_again(&loaded, "before use") {
        Ok((_, copy)) => copy,
        Err(verdict) => return verdict,
    };
    let (mut checks, mut other) = (Checks::default(), Checks::default());
    let (end, other_end) = (play(&mut loaded, &mut checks), play(&mut copy, &mut other));
    checks.end(end);
    other.end(other_end);
    if let Some(complaint) = checks.take_complaint() {
        return Verdict::Faulty(complaint);
    }
    if let Some((one, two)) = checks.first_difference(&other) {
        return complaint("a loaded copy goes the way of the original", format!("{one} is not {two}"));
    }
    match (saved_again(&loaded, "after use"), serde_json::to_string(&copy)) {
        (Ok((text, _)), Ok(other)) if text == other => Verdict::Accepted,
        (Ok((text, _)), Ok(other)) => {
            complaint("a loaded copy ends as the original does", format!("{text}\n{other}"))
        }
        (Err(verdict), _) => verdict,
        (_, Err(error)) => complaint("a copy can be saved after use", error.to_string()),
    }
}

/// Saves a value and loads it; both texts must be equal.
fn saved_again<T: Serialize + DeserializeOwned>(value: &T, when: &str) -> Result<(String, T), Verdict> {
    let saved = |error| complaint("what was loaded can be saved", format!("{when}: {error}"));
    let text = serde_json::to_string(value).map_err(saved)?;
    let copy: T = serde_json::from_str(&text)
        .map_err(|error| complaint("what was saved can be loaded", format!("{when}: {error} in {text}")))?;
    let again = serde_json::to_string(&copy).map_err(saved)?;
    if again == text {
        return Ok((text, copy));
    }
    Err(complaint("saving and loading changes nothing", format!("{when}: {text}\n{again}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_only_the_path_of_the_type() {
        assert_eq!(short_name::<std::time::Duration>(), "core::time::Duration");
        let name = short_name::<Option<Vec<(std::time::Duration, String)>>>();
        assert_eq!(name, "core::option::Option<Vec<(Duration, String)>>");
    }
}
