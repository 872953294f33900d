//! `completions` and `man`: the program describes itself.

use super::output::write_to;
use crate::arguments::{Cli, Completions, Man, Manners};
use crate::failure::Failure;
use clap::{Command, CommandFactory};

pub(super) fn completions(asked: &Completions, manners: &Manners) -> Result<u8, Failure> {
    manners.no_form("completions have one form, that of the shell")?;
    let mut text = Vec::new();
    clap_complete::generate(asked.shell, &mut Cli::command(), "ocoboost", &mut text);
    write_to(None, |out| Ok(out.write_all(&text)?))?;
    Ok(0)
}

pub(super) fn man(asked: &Man, manners: &Manners) -> Result<u8, Failure> {
    manners.no_form("man has one form, that of manual pages")?;
    let mut program = Cli::command();
    program.build();
    let page = match &asked.command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name).cloned();
            found.ok_or_else(|| {
                let commands =
                    program.get_subcommands().map(Command::get_name).collect::<Vec<_>>().join(", ");
                Failure::NoCommand { name: name.clone(), commands }
            })?
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    write_to(None, |out| Ok(out.write_all(&text)?))?;
    Ok(0)
}
