//! Markdown as HTML that can do nothing: raw markup is shown as text, links go to the web or nowhere, pictures are links.
//!
//! Nothing is cleaned afterwards; what is not allowed never becomes markup. The text may be an agent's.

use askama::filters::HtmlSafe;
use pulldown_cmark::{Alignment, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

/// HTML that was made here, and needs no escaping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Safe(String);

impl HtmlSafe for Safe {}

impl Safe {
    /// Markup that was put together here, with every text in it escaped.
    pub fn made_here(markup: String) -> Self {
        Self(markup)
    }
}

impl std::fmt::Display for Safe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The longest text that is rendered; a longer one is shown as it is, in bytes.
const MOST: usize = 400_000;

/// A text as HTML.
pub fn render(text: &str) -> Safe {
    if text.len() > MOST {
        return Safe(format!("<pre class=\"plain\">{}</pre>", escape(text)));
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut out = String::with_capacity(text.len() * 2);
    html::push_html(&mut out, Parser::new_ext(text, options).map(harmless));
    Safe(out)
}

/// Text as it may stand in HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: place(dest_url), title, id })
        }
        // A picture would be fetched without being asked for, and tell somebody that the page is open.
        Event::Start(Tag::Image { dest_url, title, id, .. }) => {
            Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url: place(dest_url), title, id })
        }
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        // How columns are aligned would become a style of its own, which the page does not allow.
        Event::Start(Tag::Table(columns)) => Event::Start(Tag::Table(vec![Alignment::None; columns.len()])),
        other => other,
    }
}

/// Where a link may go.
fn place(to: CowStr<'_>) -> CowStr<'_> {
    let lower = to.trim().to_ascii_lowercase();
    let known = ["https://", "http://", "mailto:"].iter().any(|start| lower.starts_with(start));
    if known && !to.chars().any(char::is_control) { to } else { CowStr::Borrowed("#") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_shown() {
        let shown =
            render("# Title\n\nSome *text* with `code`, a [link](https://example.org) and\n\n- [x] a list\n");
        assert_eq!(
            shown.to_string(),
            "<h1>Title</h1>\n<p>Some <em>text</em> with <code>code</code>, a <a href=\"https://example.org\">link</a> and</p>\n<ul>\n<li><input disabled=\"\" type=\"checkbox\" checked=\"\"/>\na list</li>\n</ul>\n"
        );
    }

    #[test]
    fn nothing_raw_becomes_markup() {
        for text in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<svg/onload=alert(1)>",
            "[a](javascript:alert(1))",
            "[a](JaVaScRiPt:alert(1))",
            "[a](data:text/html,<script>alert(1)</script>)",
            "[a](vbscript:x)",
            "<javascript:alert(1)>",
            "![a](https://example.org/spy.png)",
            "![a\" onerror=\"alert(1)](x)",
            "[a](https://example.org \"onmouseover=alert(1) x\")",
            "```html\n</code></pre><script>alert(1)</script>\n```",
            "```\"><script>alert(1)</script>\nx\n```",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<details open ontoggle=alert(1)>",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "| a |\n|--:|\n| <script>x</script> |",
        ] {
            let shown = render(text).to_string();
            for tag in shown.split('<').skip(1) {
                let tag = tag.split('>').next().unwrap_or_default();
                let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
                let known =
                    ["p", "a", "em", "code", "pre", "table", "thead", "tbody", "tr", "th", "td", "br"];
                assert!(known.contains(&name), "{text}: {shown}");
                let mut rest = tag;
                while let Some((before, after)) = rest.split_once("=\"") {
                    let attribute = before.rsplit(' ').next().unwrap_or_default();
                    let (value, next) = after.split_once('"').unwrap_or((after, ""));
                    let is_known = matches!(attribute, "title" | "class")
                        || attribute == "href" && (value == "#" || value.starts_with("https://"));
                    assert!(is_known, "{attribute} in {text}: {shown}");
                    rest = next;
                }
            }
        }
    }
}
