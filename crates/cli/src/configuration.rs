//! Settings that the command line does not give: from the environment, and from a file.
//!
//! An option `--name` is the variable `OCOBOOST_NAME` and the key `name` of the file. The command line goes
//! before the environment, and that before the file. Both become defaults of the options, so that their
//! values are read as those of the command line are.

use crate::arguments::Cli;
use crate::failure::Failure;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The arguments of a run, and where settings come from that are not on the command line.
#[derive(Debug)]
pub(crate) struct Configured {
    pub(crate) cli: Cli,
    /// The names and values of all options that results may depend on, wherever they come from.
    pub(crate) settings: Vec<(String, String)>,
    /// By the name of the option: a place in a file, or a variable.
    pub(crate) origins: BTreeMap<String, String>,
}

/// Why there are no arguments of a run.
#[derive(Debug)]
pub(crate) enum Refused {
    /// What the parser of the command line says, help among it.
    Usage(clap::Error),
    Failed(Box<Failure>),
}

impl Refused {
    /// What it says, in one line.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Usage(error) => {
                let text = error.to_string();
                text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
            }
            Self::Failed(failure) => failure.to_string(),
        }
    }
}

impl From<clap::Error> for Refused {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

/// A value with its place. Several ones are those of an option that takes several.
#[derive(Debug, Clone)]
struct Given {
    values: Vec<OsString>,
    place: String,
}

/// The most bytes of a file of settings.
const MOST_BYTES: u64 = 1 << 20;

/// The arguments of a run.
pub(crate) fn configured(arguments: &[OsString]) -> Result<Configured, Refused> {
    configured_by(arguments, &text_of)
}

/// The text of a file of settings, up to the largest size.
fn text_of(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))?;
    Ok(text)
}

/// The text of a file.
type Read<'a> = &'a dyn Fn(&Path) -> std::io::Result<String>;

/// The same by the text that `read` has for a file of settings.
pub(crate) fn configured_by(arguments: &[OsString], read: Read<'_>) -> Result<Configured, Refused> {
    let program = Cli::command();
    // What the command line gives, though it may lack what the file has.
    let given = program.clone().ignore_errors(true).try_get_matches_from(arguments);
    let found = given.as_ref().ok().and_then(|matches| matches.subcommand());
    let Some((name, matches)) = found else {
        return Ok(Configured::of(program, arguments, BTreeMap::new())?);
    };
    let mut built = program.clone();
    built.build();
    let Some(command) = built.find_subcommand(name) else {
        return Ok(Configured::of(program, arguments, BTreeMap::new())?);
    };
    let mut layers = vec![from_environment(command)?];
    let file = matches.get_one::<PathBuf>("config").cloned();
    if let Some(path) = file.or_else(|| std::env::var_os("OCOBOOST_CONFIG").map(PathBuf::from)) {
        layers.extend(from_file((&path, read), &built, command)?);
    }
    let (mut program, mut origins) = (program, BTreeMap::new());
    let mut above = on_command_line(command, matches);
    for layer in layers {
        let mut own: BTreeMap<String, &Arg> = BTreeMap::new();
        for arg in settings(command) {
            let Some(given) = arg.get_long().and_then(|long| layer.get(long)) else { continue };
            // What a higher layer gives, or excludes, counts for nothing here.
            let is_excluded =
                |other: &Arg| above.contains(other.get_id().as_str()) && excludes(command, arg, other);
            if above.contains(arg.get_id().as_str()) || command.get_arguments().any(is_excluded) {
                continue;
            }
            let refused = |why: String| Failure::Configured { place: given.place.clone(), why };
            if let Some((name, _)) = own.iter().find(|(_, other)| excludes(command, arg, other)) {
                let why = format!("--{} and --{name} exclude each other", arg.get_long().unwrap_or_default());
                return Err(refused(why).into());
            }
            check(arg, given).map_err(refused)?;
            let (id, values) = (arg.get_id().clone(), given.values.clone());
            let is_shown = is_flag(arg);
            let default = |arg: Arg| arg.default_values(values).required(false).hide_default_value(!is_shown);
            program = match arg.is_global_set() {
                true => program.mut_arg(id, default),
                false => program.mut_subcommand(name, |command| command.mut_arg(id, default)),
            };
            let long = arg.get_long().unwrap_or_default().to_owned();
            origins.insert(long.clone(), given.place.clone());
            own.insert(long, arg);
        }
        above.extend(own.values().map(|arg| arg.get_id().to_string()));
    }
    Ok(Configured::of(program, arguments, origins)?)
}

impl Configured {
    fn of(
        mut program: Command,
        arguments: &[OsString],
        origins: BTreeMap<String, String>,
    ) -> Result<Self, clap::Error> {
        let matches = program.try_get_matches_from_mut(arguments)?;
        let own = matches.subcommand().and_then(|(name, own)| Some((program.find_subcommand(name)?, own)));
        let settings = own.map(|(command, own)| named(command, own)).unwrap_or_default();
        Ok(Self { cli: Cli::from_arg_matches(&matches)?, settings, origins })
    }
}

/// Options that change no result of a training, or that the first of several processes alone looks at.
const WITHOUT_EFFECT: [&str; 6] = ["threads", "quiet", "config", "mpi_timeout", "output", "checkpoint"];

/// The options that have values, by name, with these.
fn named(command: &Command, matches: &ArgMatches) -> Vec<(String, String)> {
    let of = |arg: &Arg| {
        let id = arg.get_id().as_str();
        let values = matches.try_get_raw(id).ok().flatten().filter(|_| !WITHOUT_EFFECT.contains(&id))?;
        let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
        let name = arg.get_long().map_or_else(|| id.to_owned(), |long| format!("--{long}"));
        Some((name, values.join(" ")))
    };
    command.get_arguments().filter_map(of).collect()
}

/// The options that may come from elsewhere: all but those that name the input in place of an argument, and
/// the one that goes with `mpirun` on the command line.
fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_setting = |arg: &&Arg| {
        let of_line = ["help", "version", "config", "data", "initial_regressor", "resume", "mpi"];
        let is_of_line = of_line.contains(&arg.get_id().as_str());
        arg.get_long().is_some() && !is_of_line && !arg.is_hide_set()
    };
    command.get_arguments().filter(is_setting)
}

/// The arguments that stand on the command line.
fn on_command_line(command: &Command, matches: &ArgMatches) -> BTreeSet<String> {
    let is_there = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let ids = command.get_arguments().map(|arg| arg.get_id().as_str());
    ids.filter(|id| matches.try_contains_id(id).is_ok() && is_there(id)).map(str::to_owned).collect()
}

fn excludes(command: &Command, one: &Arg, other: &Arg) -> bool {
    let has =
        |a: &Arg, b: &Arg| command.get_arg_conflicts_with(a).iter().any(|arg| arg.get_id() == b.get_id());
    has(one, other) || has(other, one)
}

/// Refuses a value as the command line would.
fn check(arg: &Arg, given: &Given) -> Result<(), String> {
    let long = arg.get_long().unwrap_or_default().to_owned();
    let parser = arg.get_value_parser().clone();
    let alone = Arg::new("value").long(long.clone()).value_parser(parser).action(ArgAction::Append);
    let alone = match arg.get_value_names() {
        Some(names) => alone.value_name(names.iter().map(|name| name.to_string()).collect::<String>()),
        None => alone,
    };
    let alone = Command::new("value").no_binary_name(true).arg(alone);
    let words = given.values.iter().flat_map(|value| {
        let mut word = OsString::from(format!("--{long}="));
        word.push(value);
        [word]
    });
    alone.try_get_matches_from(words).map(|_| ()).map_err(|error| {
        let text = error.to_string();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        match lines.next().filter(|line| line.starts_with('[')) {
            Some(values) => format!("{first} {values}"),
            None => first,
        }
    })
}

/// Whether an option takes several values.
fn takes_several(arg: &Arg) -> bool {
    arg.get_value_delimiter().is_some() || matches!(arg.get_action(), ArgAction::Append)
}

fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// The values that variables have, by the names of the options.
fn from_environment(command: &Command) -> Result<BTreeMap<String, Given>, Failure> {
    let mut layer = BTreeMap::new();
    for arg in settings(command) {
        let long = arg.get_long().unwrap_or_default();
        let place = format!("OCOBOOST_{}", long.to_uppercase().replace('-', "_"));
        let Some(value) = std::env::var_os(&place) else { continue };
        let values = if is_flag(arg) {
            let is_set = match value.to_str().map(str::to_ascii_lowercase).as_deref() {
                Some("1" | "true" | "yes" | "on") => true,
                Some("" | "0" | "false" | "no" | "off") => false,
                _ => {
                    let why = format!("{:?} is not 1 or 0", value.to_string_lossy());
                    return Err(Failure::Configured { place, why });
                }
            };
            vec![OsString::from(is_set.to_string())]
        } else {
            match (arg.get_value_delimiter(), value.to_str()) {
                (Some(delimiter), Some(text)) => text.split(delimiter).map(OsString::from).collect(),
                _ => vec![value],
            }
        };
        layer.insert(long.to_owned(), Given { values, place });
    }
    Ok(layer)
}

/// The values of a file: those of the command's own table, and those of all commands.
fn from_file(
    (path, read): (&Path, Read<'_>),
    program: &Command,
    command: &Command,
) -> Result<[BTreeMap<String, Given>; 2], Failure> {
    let text = read(path).map_err(|source| Failure::ReadFile { path: path.to_owned(), source })?;
    let at = |offset: usize| {
        let before = text.get(..offset).unwrap_or(&text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}, line {line}, column {column}", path.display())
    };
    let refused = |offset: usize, why: String| Failure::Configured { place: at(offset), why };
    let file = DeTable::parse(&text).map_err(|error| {
        refused(error.span().map_or(0, |span| span.start), error.message().replace('\n', "; "))
    })?;
    let (mut of_command, mut of_all) = (BTreeMap::new(), BTreeMap::new());
    let every: Vec<&Arg> = program.get_subcommands().flat_map(settings).collect();
    for (key, value) in file.get_ref() {
        if let DeValue::Table(table) = value.get_ref() {
            let Some(owner) =
                program.get_subcommands().find(|command| command.get_name() == key.get_ref().as_ref())
            else {
                return Err(refused(key.span().start, format!("there is no command {:?}", key.get_ref())));
            };
            let own: Vec<&Arg> = settings(owner).collect();
            for (key, value) in table {
                let of = format!(" of {}", owner.get_name());
                let (arg, given) = entry((key, value), &own, &of, &refused)?;
                let place = at(key.span().start);
                if owner.get_name() == command.get_name() {
                    of_command.insert(arg, Given { values: given, place });
                }
            }
        } else {
            let (arg, given) = entry((key, value), &every, "", &refused)?;
            of_all.insert(arg, Given { values: given, place: at(key.span().start) });
        }
    }
    Ok([of_command, of_all])
}

type Key<'i> = toml::Spanned<std::borrow::Cow<'i, str>>;
type Value<'i> = toml::Spanned<DeValue<'i>>;

/// The option of a key, and its values as they would stand on the command line.
fn entry(
    (key, value): (&Key<'_>, &Value<'_>),
    known: &[&Arg],
    of: &str,
    refused: &dyn Fn(usize, String) -> Failure,
) -> Result<(String, Vec<OsString>), Failure> {
    let name = key.get_ref().replace('_', "-");
    let is_called = |arg: &&&Arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        arg.get_long().into_iter().chain(aliases).any(|own| own.replace('_', "-") == name)
    };
    let Some(arg) = known.iter().find(is_called) else {
        return Err(refused(key.span().start, format!("there is no setting {:?}{of}", key.get_ref())));
    };
    let start = value.span().start;
    let wrong = |expected: &str| refused(start, format!("{} is not {expected}", key.get_ref()));
    let word = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(OsString::from(text.as_ref())),
        DeValue::Integer(number) => Some(OsString::from(number.to_string())),
        DeValue::Float(number) => Some(OsString::from(number.to_string())),
        _ => None,
    };
    let values = match value.get_ref() {
        DeValue::Boolean(is_set) if is_flag(arg) => vec![OsString::from(is_set.to_string())],
        _ if is_flag(arg) => return Err(wrong("true or false")),
        DeValue::Array(items) if takes_several(arg) => {
            let words = items.iter().map(|item| word(item.get_ref())).collect::<Option<Vec<_>>>();
            words.ok_or_else(|| wrong("a list of texts"))?
        }
        value => vec![word(value).ok_or_else(|| wrong("a text or a number"))?],
    };
    Ok((arg.get_long().unwrap_or_default().to_owned(), values))
}
