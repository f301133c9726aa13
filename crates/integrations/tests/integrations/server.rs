//! A web server for one test: it answers what it is told to and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// What a server was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The first line, without the version.
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

impl Asked {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A server that lives as long as its process.
pub struct Server {
    pub address: SocketAddr,
    asked: Receiver<Asked>,
}

impl Server {
    /// One that gives these answers in their order, and then none.
    pub fn answering(answers: Vec<Vec<u8>>) -> Self {
        let mut answers = answers.into_iter();
        Self::doing(move |stream, _| {
            let _ = answers.next().map(|answer| stream.write_all(&answer));
        })
    }

    /// One that does this with every connection, once it was asked.
    pub fn doing(mut answer: impl FnMut(&mut TcpStream, &Asked) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                // One that asks nothing does not hold up the others for long.
                let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
                let Some(question) = read(&stream) else { continue };
                answer(&mut stream, &question);
                if sender.send(question).is_err() {
                    return;
                }
            }
        });
        Self { address, asked }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What it was asked next.
    pub fn asked(&self) -> Asked {
        self.asked.recv_timeout(Duration::from_secs(10)).unwrap()
    }

    /// Whether it was asked anything more.
    pub fn was_asked(&self) -> bool {
        self.asked.try_recv().is_ok()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    for _ in 0..200 {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut lines = lines.into_iter();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| {
            line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        })
        .collect();
    let mut asked = Asked { line, headers, body: Vec::new() };
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    asked.body = vec![0; length];
    reader.read_exact(&mut asked.body).ok()?;
    Some(asked)
}

/// An answer with its length.
pub fn answer(status: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
        .into_bytes()
}

pub fn ok(body: &str) -> Vec<u8> {
    answer("200 OK", &[], body)
}
