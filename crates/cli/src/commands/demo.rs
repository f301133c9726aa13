//! x
use crate::context::Context;
use crate::error::CommandError;
#[derive(clap::Args)]
pub struct Arguments {}
pub fn run(_cx: &mut Context, _: Arguments) -> Result<(), CommandError> { Ok(()) }
