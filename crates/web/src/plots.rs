//! Figures over days, drawn as bars: one series, one axis, its values readable without colour.

use crate::markdown::escape;

const WIDE: usize = 640;
const HIGH: usize = 150;
const LEFT: usize = 56;
const BOTTOM: usize = 22;
const TOP: usize = 10;

/// One series: what it is, and a value a day with its words.
pub struct Series<'a> {
    pub title: &'a str,
    pub bars: Vec<Bar>,
    /// How a value of the axis is written.
    pub write: fn(u64) -> String,
}

pub struct Bar {
    pub label: String,
    pub value: u64,
}

/// The plot as SVG, with a table of its values for those who do not see it.
pub fn draw(series: &Series<'_>) -> String {
    let most = series.bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    let count = series.bars.len().max(1);
    let step = (WIDE - LEFT) as f64 / count as f64;
    let height = (HIGH - BOTTOM - TOP) as f64;
    let title = escape(series.title);
    let mut svg =
        format!("<svg class=\"plot\" viewBox=\"0 0 {WIDE} {HIGH}\" role=\"img\" aria-label=\"{title}\">");
    // A middle that is no whole number would say something wrong.
    let shares: &[u64] = if most.is_multiple_of(2) { &[0, 1, 2] } else { &[0, 2] };
    for share in shares.iter().copied() {
        let value = most * share / 2;
        let y = TOP as f64 + height * (1.0 - share as f64 / 2.0);
        svg.push_str(&format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDE}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6,
            y + 4.0,
            escape(&(series.write)(value)),
        ));
    }
    for (at, bar) in series.bars.iter().enumerate() {
        let tall = height * bar.value as f64 / most as f64;
        let x = LEFT as f64 + step * at as f64;
        svg.push_str(&format!(
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}: {}</title></rect>",
            x + step * 0.15,
            TOP as f64 + height - tall,
            step * 0.7,
            tall,
            escape(&bar.label),
            escape(&(series.write)(bar.value)),
        ));
        if at == 0 || at + 1 == count || at == count / 2 {
            let anchor = if at == 0 {
                "start"
            } else if at + 1 == count {
                "end"
            } else {
                "middle"
            };
            let x = if at + 1 == count { WIDE as f64 } else { x + step * 0.15 };
            svg.push_str(&format!(
                "<text class=\"tick\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
                HIGH - 6,
                escape(&bar.label),
            ));
        }
    }
    svg.push_str("</svg>");
    svg
}

/// Seconds as people read them.
pub fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Millionths of a dollar as dollars.
pub fn dollars(micros: u64) -> String {
    format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
}

pub fn plain(number: u64) -> String {
    number.to_string()
}
