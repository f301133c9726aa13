//! Redirections and the bodies of here-documents.

use super::super::syntax::{Piece, Redirect, RedirectKind, Word};
use super::{Parser, Pending, in_name};
use std::cell::OnceCell;
use std::rc::Rc;

impl Parser<'_> {
    /// The redirection that stands here, if one does.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        self.skip_blanks();
        let rest = self.bytes.get(self.at..)?;
        let number = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut skip = number;
        let mut descriptor = None;
        if rest.first() == Some(&b'{') {
            let name = rest.iter().skip(1).take_while(|byte| in_name(**byte)).count();
            if rest.get(name + 1) == Some(&b'}') {
                skip = name + 2;
                descriptor = Some(self.slice(self.at + 1, self.at + 1 + name).to_owned());
            }
        }
        match (rest.get(skip), rest.get(skip + 1)) {
            // A process substitution is a word, not a redirection.
            (Some(b'<' | b'>'), Some(b'(')) => return None,
            (Some(b'<' | b'>'), _) => self.at += skip,
            (Some(b'&'), Some(b'>')) if skip == 0 => self.at += 1,
            _ => return None,
        }
        let errors_only = number == 1 && rest.first() == Some(&b'2');
        let kind = self.redirect_kind();
        let strips_tabs =
            matches!(kind, RedirectKind::Heredoc(_)) && self.bytes.get(self.at - 1) == Some(&b'-');
        if matches!(kind, RedirectKind::Write) && matches!(self.peek(), Some(b'!')) {
            // zsh: `>!` and `>>!` overwrite whatever the options say.
            self.at += 1;
        }
        self.skip_blanks();
        let target = self.word().unwrap_or_else(|| {
            self.note("a redirection leads nowhere");
            Word::default()
        });
        if let RedirectKind::Heredoc(body) = &kind {
            let (delimiter, quoted) = delimiter(&target);
            self.pending.push(Pending { delimiter, strips_tabs, expands: !quoted, body: Rc::clone(body) });
        }
        Some(Redirect { descriptor, kind, errors_only, target })
    }

    /// Takes the operator.
    fn redirect_kind(&mut self) -> RedirectKind {
        let known: [(&str, RedirectKind); 10] = [
            ("<<<", RedirectKind::HereString),
            ("<<-", RedirectKind::Heredoc(Rc::new(OnceCell::new()))),
            ("<<", RedirectKind::Heredoc(Rc::new(OnceCell::new()))),
            ("<>", RedirectKind::ReadWrite),
            ("<&", RedirectKind::DuplicateInput),
            ("<", RedirectKind::Read),
            (">&", RedirectKind::DuplicateOutput),
            (">>", RedirectKind::Write),
            (">|", RedirectKind::Write),
            (">", RedirectKind::Write),
        ];
        for (operator, kind) in known {
            if self.looking_at(operator) {
                self.at += operator.len();
                // zsh: `>>|`, `&>|`
                if matches!(kind, RedirectKind::Write) && self.peek() == Some(b'|') {
                    self.at += 1;
                }
                return kind;
            }
        }
        self.at += 1;
        RedirectKind::Write
    }

    pub(super) fn heredoc_body(&mut self, pending: &Pending) -> Word {
        let mut text = String::new();
        while self.at < self.bytes.len() {
            let rest = self.slice(self.at, self.bytes.len());
            let (line, length) = match rest.split_once('\n') {
                Some((line, _)) => (line, line.len() + 1),
                None => (rest, rest.len()),
            };
            let plain = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
            if plain.strip_suffix('\r').unwrap_or(plain) == pending.delimiter {
                self.at += length;
                // The newline after the delimiter still ends the line for what encloses the document.
                if rest.len() > line.len() {
                    self.at -= 1;
                }
                break;
            }
            // `$(cat <<EOF … EOF)` may close right after the delimiter.
            if plain.strip_prefix(pending.delimiter.as_str()).is_some_and(|after| after.starts_with(')'))
                && !pending.delimiter.is_empty()
                && self.depth > 1
            {
                self.at += line.len() - plain.len() + pending.delimiter.len();
                break;
            }
            self.at += length;
            text.push_str(plain);
            text.push('\n');
        }
        let pieces = if pending.expands { self.apart(&text) } else { vec![Piece::Quoted(text.clone())] };
        Word { pieces, text }
    }
}

/// The delimiter without its quotes, and whether it had any.
fn delimiter(word: &Word) -> (String, bool) {
    let mut text = String::new();
    let mut quoted = false;
    for piece in &word.pieces {
        match piece {
            Piece::Bare(part) => text.push_str(part),
            Piece::Quoted(part) => {
                quoted = true;
                text.push_str(part);
            }
            Piece::Double(inner) if inner.iter().all(|piece| matches!(piece, Piece::Quoted(_))) => {
                quoted = true;
                for piece in inner {
                    if let Piece::Quoted(part) = piece {
                        text.push_str(part);
                    }
                }
            }
            // Nothing is expanded in a delimiter: `<<$X` ends at a line that reads `$X`, and so does `<<"$X"`.
            _ => {
                let quotes = ['"', '\''];
                return (word.text.replace(quotes, ""), word.text.contains(quotes));
            }
        }
    }
    (text, quoted)
}
