//! How one event stands in the file: a newline, the JSON with its checksum last, a newline.
//!
//! The leading newline ends whatever a killed writer left behind, so that the fragment spoils nobody
//! else's record. The trailing one ends ours. Between two healthy records there is therefore exactly one
//! empty line, and a line that is not followed by one was cut off while it was written.

use signalbox_core::Event;

/// `,"crc":"xxxxxxxx"}`: the end of every record.
const TRAILER: usize = 18;

/// Why a line is not a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    #[error("it does not end in a checksum")]
    NoChecksum,
    #[error("its checksum does not match")]
    WrongChecksum,
    #[error("it is not an event: {0}")]
    NotAnEvent(String),
}

/// The bytes of one record.
pub fn encode(event: &Event) -> serde_json::Result<Vec<u8>> {
    let mut bytes = vec![b'\n'];
    serde_json::to_writer(&mut bytes, event)?;
    // The checksum takes the place of the closing brace.
    bytes.pop();
    let crc = crc32fast::hash(bytes.get(1..).unwrap_or_default());
    bytes.extend_from_slice(format!(",\"crc\":\"{crc:08x}\"}}\n").as_bytes());
    Ok(bytes)
}

/// The event in a line without its newlines.
pub(super) fn decode(line: &[u8]) -> Result<Event, Broken> {
    let split = line.len().checked_sub(TRAILER).ok_or(Broken::NoChecksum)?;
    let (body, trailer) = line.split_at(split);
    let hex = trailer
        .strip_prefix(b",\"crc\":\"")
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .and_then(|hex| std::str::from_utf8(hex).ok())
        .filter(|hex| hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)))
        .ok_or(Broken::NoChecksum)?;
    if u32::from_str_radix(hex, 16) != Ok(crc32fast::hash(body)) {
        return Err(Broken::WrongChecksum);
    }
    serde_json::from_slice(line).map_err(|error| Broken::NotAnEvent(error.to_string()))
}
