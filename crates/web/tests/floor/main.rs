//! The least that a server of events can be, to measure ours against: `sse-floor FILE` waits until the file grows and sends
//! what was added to everybody who is connected. One thread, no HTTP but its answer's head, no gate, no pages.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = PathBuf::from(std::env::args().nth(1).ok_or("which file?")?);
    let mut file = File::open(&path)?;
    let mut seen = Vec::new();
    file.read_to_end(&mut seen)?;
    let told = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
    inotify::add_watch(&told, &path, WatchFlags::MODIFY)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    std::io::stdout().flush()?;
    let mut clients: Vec<TcpStream> = Vec::new();
    loop {
        let mut fds = [PollFd::new(&told, PollFlags::IN), PollFd::new(&listener, PollFlags::IN)];
        poll(&mut fds, None)?;
        let (grown, knocks) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
        if knocks {
            let (mut client, _) = listener.accept()?;
            let mut asked = [0; 4096];
            let _ = client.read(&mut asked)?;
            client.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: begin\ndata: {}\n\n",
            )?;
            client.set_nonblocking(true)?;
            clients.push(client);
        }
        if grown {
            let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(&told, &mut buffer);
            while reader.next().is_ok() {}
            let mut added = Vec::new();
            file.read_to_end(&mut added)?;
            let line = String::from_utf8_lossy(&added).replace('\n', "");
            let event = format!("event: log\ndata: {line}\n\n");
            clients.retain_mut(|client| client.write_all(event.as_bytes()).is_ok());
        }
    }
}
