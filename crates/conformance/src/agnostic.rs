//! The kernels of `agnostic.json` for games.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::Input;
use oco_core::games::{Game, MatrixGame, ZeroSumGame};
use oco_core::learners::Hedge;
use oco_core::{OcoError, OnlineLearner};
use projections::ProjectionError;

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    Some(match name {
        "game_value" => game_value,
        "game_gap" => game_gap,
        "hedge_best_response" => hedge_best_response,
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

fn hedge_best_response(input: &Input<'_>) -> Result<Value, Refusal> {
    let game = MatrixGame::new(input.matrix("M")?.rows())?;
    let (hedge, rounds) = (Hedge::new(game.rows(), input.scalar("eta")?)?, input.count("T")?);
    if rounds == 0 {
        let (name, domain) = ("T", "T ≥ 1");
        return Err(ProjectionError::BadParameter { name, value: 0.0, domain }.into());
    }
    let (mut columns, mut p_last) = (Vec::new(), Vec::new());
    let oracle = |p: &[f64], q: &mut [f64]| -> Result<(), OcoError> {
        game.best_response_of_b(p, q);
        columns.push(q.iter().position(|q| *q > 0.0).map_or(Value::Null, index));
        Ok(())
    };
    let mut play = ZeroSumGame::new(&game, hedge, oracle)?;
    for _ in 0..rounds {
        p_last = play.player().play().to_vec();
        play.round()?;
    }
    let certificate = play.certificate();
    let (p_bar, q_bar) = (play.p_bar().into(), play.q_bar().into());
    drop(play);
    Ok(Value::object([
        ("columns", columns.into()),
        ("p_last", p_last.into()),
        ("p_bar", p_bar),
        ("q_bar", q_bar),
        ("max_q", certificate.max_q.into()),
        ("min_p", certificate.min_p.into()),
        ("gap", certificate.gap.into()),
    ]))
}

/// A position as an integer of the vectors.
fn index(position: usize) -> Value {
    i64::try_from(position).map_or(Value::Null, Value::Integer)
}
