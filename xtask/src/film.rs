//! `film`: a recording as a moving picture for the README, drawn by the screen model that also reads agents. An SVG moves
//! where markdown is shown, and its text can be searched.

use std::path::Path;
use std::time::Duration;

use signalbox_pty::record::{Cast, Kind};
use signalbox_pty::screen::{Color, Run, Style};
use signalbox_pty::{Screen, View};

use crate::{Result, Verdict, run};

/// The shortest time that a picture is shown, and the longest pause.
const SHORTEST: Duration = Duration::from_millis(400);
const LONGEST: Duration = Duration::from_millis(2_500);
/// How long the last one stays.
const LAST: Duration = Duration::from_secs(5);
/// The most pictures.
const MOST: usize = 160;
/// A character, in points.
const WIDE: f64 = 7.8;
const HIGH: f64 = 16.0;
const MARGIN: f64 = 14.0;
const BACK: &str = "#11151a";
const FORE: &str = "#dfe3e8";
const PALETTE: [&str; 16] = [
    "#1b1f24", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#d0d7de", "#8b949e",
    "#ffa198", "#a5f3b4", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0f5", "#ffffff",
];

/// Draw the recording `from` as `to`.
pub fn run(from: &str, to: &str) -> Result<Verdict> {
    let frames = frames(Path::new(from))?;
    run::write(Path::new(to), draw(&frames))?;
    println!("{} pictures in {to}", frames.len());
    Ok(Verdict::Good)
}

/// A picture, and for how long it is shown.
struct Frame {
    view: View,
    time: Duration,
}

fn frames(path: &Path) -> Result<Vec<Frame>> {
    let cast = Cast::open(path)?;
    let mut screen = Screen::new(cast.header.size);
    let mut frames: Vec<Frame> = Vec::new();
    let mut shown = Duration::ZERO;
    for event in cast {
        let event = event?;
        if event.at.saturating_sub(shown) >= SHORTEST {
            let view = screen.view();
            let is_new = frames.last().is_none_or(|last| last.view.runs != view.runs);
            let time = event.at.saturating_sub(shown);
            if is_new && frames.len() < MOST {
                frames.push(Frame { view, time: time.min(LONGEST) });
            } else if let Some(last) = frames.last_mut() {
                last.time = (last.time + time).min(LONGEST);
            }
            shown = event.at;
        }
        match event.kind {
            Kind::Output => screen.feed(event.data.as_bytes()),
            Kind::Resize => screen.resize(event.size().unwrap_or_else(|| screen.size())),
            Kind::Input | Kind::Marker => {}
        }
    }
    frames.push(Frame { view: screen.view(), time: LAST });
    Ok(frames)
}

fn draw(frames: &[Frame]) -> String {
    let cols = frames.iter().map(|frame| frame.view.size.cols).max().unwrap_or(80);
    let rows = frames.iter().map(|frame| frame.view.size.rows).max().unwrap_or(24);
    let (width, height) = (f64::from(cols) * WIDE + 2.0 * MARGIN, f64::from(rows) * HIGH + 2.0 * MARGIN);
    let total: Duration = frames.iter().map(|frame| frame.time).sum();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"13\"><rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACK}\"/>\n"
    );
    let mut begun = Duration::ZERO;
    for frame in frames {
        let share = |at: Duration| at.as_secs_f64() / total.as_secs_f64();
        let (from, until) = (share(begun), share(begun + frame.time));
        begun += frame.time;
        svg.push_str("<g visibility=\"hidden\">");
        svg.push_str(&format!(
            "<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{:.2}s\" repeatCount=\"indefinite\" keyTimes=\"0;{from:.5};{until:.5}\" values=\"{};visible;hidden\"/>",
            total.as_secs_f64(),
            if from == 0.0 { "visible" } else { "hidden" },
        ));
        for (row, runs) in frame.view.runs.iter().enumerate() {
            for run in runs
                .iter()
                .filter(|run| !run.text.trim().is_empty() || run.style.background != Color::Default)
            {
                svg.push_str(&piece(run, row));
            }
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn piece(run: &Run, row: usize) -> String {
    let (mut fore, mut back) = (color(run.style.foreground), color(run.style.background));
    if run.style.inverse {
        (fore, back) =
            (Some(back.unwrap_or_else(|| BACK.to_owned())), Some(fore.unwrap_or_else(|| FORE.to_owned())));
    }
    let (x, y) = (MARGIN + f64::from(run.col) * WIDE, MARGIN + row as f64 * HIGH);
    let long = run.text.chars().count() as f64 * WIDE;
    let mut out = String::new();
    if let Some(back) = back {
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{long:.1}\" height=\"{HIGH}\" fill=\"{back}\"/>"
        ));
    }
    let text = run.text.trim_end();
    let fore = fore.unwrap_or_else(|| FORE.to_owned());
    let long = text.chars().count() as f64 * WIDE;
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{fore}\"{} textLength=\"{long:.1}\" xml:space=\"preserve\">{}</text>",
        y + 12.0,
        looks(run.style),
        escape(text),
    ));
    out
}

fn looks(style: Style) -> String {
    let mut looks = String::new();
    for (is_so, words) in [
        (style.bold, " font-weight=\"700\""),
        (style.faint, " opacity=\".7\""),
        (style.italic, " font-style=\"italic\""),
    ] {
        looks.push_str(if is_so { words } else { "" });
    }
    looks
}

fn color(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Indexed(index @ 0..16) => PALETTE.get(usize::from(index)).map(|one| (*one).to_owned()),
        Color::Indexed(index @ 232..) => {
            let level = 8 + (index - 232) * 10;
            Some(format!("#{level:02x}{level:02x}{level:02x}"))
        }
        Color::Indexed(index) => {
            let at = index - 16;
            let step = |value: u8| if value == 0 { 0 } else { 55 + value * 40 };
            Some(format!("#{:02x}{:02x}{:02x}", step(at / 36), step(at / 6 % 6), step(at % 6)))
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
