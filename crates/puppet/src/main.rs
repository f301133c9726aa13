//! The puppet as a program of its own.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(signalbox_puppet::run(std::env::args().skip(1)))
}
