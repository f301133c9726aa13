//! A ticket's text as rows: headings, lists, code and quotes as a terminal can show them. What is raw HTML in it is
//! shown as it stands.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::paper::Paper;
use crate::style::Look;

/// Write a text.
pub fn write(paper: &mut Paper, text: &str) {
    let mut writer = Writer { paper, lists: Vec::new(), quotes: 0, look: Vec::new(), code: false };
    let options = Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(text, options) {
        writer.event(event);
    }
    writer.paper.indent("");
    writer.paper.close();
}

struct Writer<'a> {
    paper: &'a mut Paper,
    /// The lists that one is in, each with the number of its next item.
    lists: Vec<Option<u64>>,
    quotes: usize,
    look: Vec<Look>,
    code: bool,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code => self.paper.write(Look::Name, text.trim_end_matches('\n')),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                let look = self.look.last().copied().unwrap_or_default();
                self.paper.write(look, text.trim_end_matches('\n'));
            }
            Event::Code(code) => self.paper.write(Look::Name, &code),
            Event::SoftBreak => self.paper.write(Look::Text, " "),
            Event::HardBreak => self.paper.end(),
            Event::Rule => {
                self.paper.gap();
                self.paper.write(Look::Dim, "────────");
                self.paper.gap();
            }
            Event::TaskListMarker(is_done) => {
                self.paper.write(Look::Text, if is_done { "[x] " } else { "[ ] " });
            }
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.paper.gap();
                self.look.push(Look::Strong);
            }
            Tag::Paragraph if self.lists.is_empty() => self.paper.gap(),
            Tag::BlockQuote(_) => {
                self.paper.gap();
                self.quotes += 1;
                self.set_indent();
            }
            Tag::CodeBlock(kind) => {
                self.paper.gap();
                self.code = true;
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    self.paper.write(Look::Dim, &language);
                    self.paper.end();
                }
                self.set_indent();
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.paper.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                self.paper.close();
                let depth = self.lists.len();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.set_indent();
                self.paper.bullet(&format!("{}{mark}", "  ".repeat(depth.saturating_sub(1))));
            }
            Tag::Strong => self.look.push(Look::Strong),
            Tag::Emphasis | Tag::Link { .. } | Tag::Image { .. } => self.look.push(Look::There),
            Tag::Strikethrough => self.look.push(Look::Dim),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.look.pop();
                self.paper.close();
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::HtmlBlock => self.paper.close(),
            TagEnd::BlockQuote(_) => {
                self.paper.close();
                self.quotes = self.quotes.saturating_sub(1);
                self.set_indent();
            }
            TagEnd::CodeBlock => {
                self.paper.close();
                self.code = false;
                self.set_indent();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.set_indent();
            }
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link | TagEnd::Image | TagEnd::Strikethrough => {
                self.look.pop();
            }
            _ => {}
        }
    }

    fn set_indent(&mut self) {
        let quote = "│ ".repeat(self.quotes);
        let list = "  ".repeat(self.lists.len());
        let code = if self.code { "    " } else { "" };
        self.paper.indent(&format!("{quote}{list}{code}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_as_it_is_meant() {
        let mut paper = Paper::new(30);
        let text = "# Limit logins\nAt most **five** a minute,\nthen `429`.\n\n- first\n- [x] second that is longer than a row\n  1. inner\n\n> quoted\n\n```sh\ncargo test\n  -- all\n```\n<b>raw</b>\n";
        write(&mut paper, text);
        let lines: Vec<String> = paper
            .rows()
            .into_iter()
            .map(|row| row.pieces.into_iter().map(|piece| piece.text).collect())
            .collect();
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        Limit logins

        At most five a minute, then
        429.

        • first
        • [x] second that is longer
          than a row
          1. inner

        │ quoted

        sh
            cargo test
              -- all

        <b>raw</b>
        ");
    }
}
