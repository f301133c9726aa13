//! Runs a program through the pump, as a process of its own that tests can stop, kill and measure.
//!
//! `pty-proxy [--headless] [--grace-ms N] -- PROGRAM ARGS`

use std::process::{Command, ExitCode};
use std::time::Duration;

use signalbox_pty::{Child, Person, Pump};

fn main() -> ExitCode {
    match run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("pty-proxy: {error}");
            ExitCode::from(125)
        }
    }
}

fn run() -> Result<u8, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let mut person = None;
    let mut grace = None;
    loop {
        let word = arguments.next().ok_or("`--` and a program are missing")?;
        match word.to_str().unwrap_or_default() {
            "--" => break,
            "--headless" => person = Some(Person::absent()),
            "--grace-ms" => {
                let number = arguments.next().and_then(|number| number.to_str()?.parse().ok());
                grace = Some(Duration::from_millis(number.ok_or("--grace-ms wants a number")?));
            }
            other => return Err(format!("{other} is not known").into()),
        }
    }
    let mut command = Command::new(arguments.next().ok_or("a program is missing")?);
    command.args(arguments);
    let person = person.map_or_else(Person::at_stdio, Ok)?;
    let size = person.size().unwrap_or_default();
    let child = Child::start(command, size, person.settings().as_ref())?;
    let mut pump = Pump::new(child, person)?;
    if let Some(grace) = grace {
        pump = pump.with_grace(grace);
    }
    let exit = pump.run()?;
    Ok(u8::try_from(exit.code()).unwrap_or(u8::MAX))
}
