//! The kernels of `agnostic.json`: its games.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::Input;
use oco_core::MatrixGame;

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "game_value" => game_value,
        "game_gap" => game_gap,
        _ => return None,
    })
}

fn game_value(input: &Input<'_>) -> Result<Value, Refusal> {
    let game = MatrixGame::new(input.matrix("M")?.rows())?;
    Ok(Value::object([("value", game.value().into())]))
}

fn game_gap(input: &Input<'_>) -> Result<Value, Refusal> {
    let game = MatrixGame::new(input.matrix("M")?.rows())?;
    let (p, q) = (input.vector("p")?, input.vector("q")?);
    let certificate = game.certificate(&p, &q)?;
    let (best_column, best_row) = (game.best_column(&p)?.0, game.best_row(&q)?.0);
    Ok(Value::object([
        ("payoff", certificate.payoff.into()),
        ("max_q", certificate.max_q.into()),
        ("min_p", certificate.min_p.into()),
        ("gap", certificate.gap.into()),
        ("best_column", index(best_column)),
        ("best_row", index(best_row)),
    ]))
}

/// A position as an integer of the vectors.
fn index(position: usize) -> Value {
    i64::try_from(position).map_or(Value::Null, Value::Integer)
}
