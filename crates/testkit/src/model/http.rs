//! As much of HTTP/1.1 as agent CLIs need: bodies with a length or in chunks, connections that stay open, and
//! events as one body, because the whole answer is known before its first byte is sent.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// The longest body that is read. A conversation with a few tools is below one megabyte.
const LARGEST: u64 = 64 << 20;

#[derive(Debug)]
pub(crate) struct Incoming {
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Incoming {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Debug)]
pub(super) struct Outgoing {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
}

impl Outgoing {
    pub fn json(status: u16, body: &Value) -> Self {
        Self { status, kind: "application/json", body: body.to_string().into_bytes() }
    }

    /// A stream of events. Those of Anthropic and OpenAI have a name, which is also their `type`.
    pub fn events(events: &[Value]) -> Self {
        let mut body = String::new();
        for event in events {
            if let Some(name) = event["type"].as_str() {
                body.push_str(&format!("event: {name}\n"));
            }
            body.push_str(&format!("data: {event}\n\n"));
        }
        Self { status: 200, kind: "text/event-stream", body: body.into_bytes() }
    }
}

/// The next request of a connection; `None` where the other side closed it.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(first) = line(input)? else { return Ok(None) };
    let mut words = first.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(bad("a request line without a path"));
    };
    let mut incoming =
        Incoming { method: method.to_owned(), path: path.to_owned(), headers: Vec::new(), body: Vec::new() };
    loop {
        let header = line(input)?.ok_or_else(|| bad("the end of the stream among the headers"))?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or_else(|| bad("a header without a colon"))?;
        incoming.headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    let coding = incoming.header("transfer-encoding").unwrap_or_default();
    incoming.body = if coding.eq_ignore_ascii_case("chunked") {
        chunks(input)?
    } else {
        let length = incoming.header("content-length").unwrap_or("0");
        bytes(input, length.parse().map_err(|_| bad("a length that is no number"))?)?
    };
    Ok(Some(incoming))
}

fn chunks(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let head = line(input)?.ok_or_else(|| bad("the end of the stream among the chunks"))?;
        let size = head.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| bad("a chunk whose size is no number"))?;
        body.extend(bytes(input, size)?);
        // After a chunk its line ends; after the last, empty one there may be trailers.
        while line(input)?.is_some_and(|rest| size == 0 && !rest.is_empty()) {}
        if size == 0 {
            return Ok(body);
        }
        if body.len() as u64 > LARGEST {
            return Err(bad("a body that is too long"));
        }
    }
}

fn bytes(input: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    if length > LARGEST {
        return Err(bad("a body that is too long"));
    }
    let mut bytes = Vec::new();
    if input.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(bad("a body that is cut off"));
    }
    Ok(bytes)
}

fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if input.take(LARGEST).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(Some(line))
}

fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Header and body go out in one piece: in two, the second waits for the other side's acknowledgement.
pub(super) fn write(mut stream: impl Write, to: &Incoming, answer: &Outgoing) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: {}\r\ncontent-length: {}\r\nx-should-retry: false\r\n\r\n",
        answer.status,
        if answer.status < 400 { "OK" } else { "Failed" },
        answer.kind,
        answer.body.len(),
    );
    let mut bytes = head.into_bytes();
    if to.method != "HEAD" {
        bytes.extend_from_slice(&answer.body);
    }
    stream.write_all(&bytes)?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_of(request: &str) -> Option<String> {
        let incoming = read(&mut request.as_bytes()).unwrap()?;
        Some(String::from_utf8(incoming.body).unwrap())
    }

    #[test]
    fn bodies_have_a_length_or_come_in_chunks() {
        assert_eq!(body_of("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcd").as_deref(), Some("abc"));
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n";
        assert_eq!(body_of(chunked).as_deref(), Some("abcde"));
        assert_eq!(body_of("GET / HTTP/1.1\r\n\r\n").as_deref(), Some(""));
        assert_eq!(body_of(""), None);
    }

    #[test]
    fn several_requests_share_a_connection() {
        let mut input = "POST /a HTTP/1.1\r\ncontent-length: 1\r\n\r\nxGET /b HTTP/1.1\r\n\r\n".as_bytes();
        let paths: Vec<String> =
            std::iter::from_fn(|| read(&mut input).unwrap()).map(|incoming| incoming.path).collect();
        assert_eq!(paths, ["/a", "/b"]);
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_an_error() {
        for bad in [
            "POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nabc",
            "POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\nabc",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            "POST / HTTP/1.1\r\nno colon",
        ] {
            assert!(read(&mut bad.as_bytes()).is_err(), "{bad:?}");
        }
    }
}
