//! Bytes as text, where a character may come in parts.

/// The beginning of a character whose end has not come yet.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    held: Vec<u8>,
}

const REPLACEMENT: &str = "\u{fffd}";

impl Decoder {
    /// Hand on all that is whole. What is no text becomes the replacement character.
    pub fn feed(&mut self, bytes: &[u8], mut give: impl FnMut(&str)) {
        let mut bytes = bytes;
        // At most three bytes are held, and at most three more complete or break them.
        while !self.held.is_empty() {
            let Some((first, rest)) = bytes.split_first() else { return };
            self.held.push(*first);
            match std::str::from_utf8(&self.held) {
                Ok(text) => {
                    give(text);
                    self.held.clear();
                    bytes = rest;
                }
                Err(error) if error.error_len().is_none() => bytes = rest,
                Err(_) => {
                    // The new byte does not belong to it, and is looked at by itself.
                    self.held.clear();
                    give(REPLACEMENT);
                }
            }
        }
        // Checking all of it at once is many times quicker than going through it.
        if let Ok(text) = std::str::from_utf8(bytes) {
            if !text.is_empty() {
                give(text);
            }
            return;
        }
        for chunk in bytes.utf8_chunks() {
            if !chunk.valid().is_empty() {
                give(chunk.valid());
            }
            match chunk.invalid() {
                [] => {}
                part if is_beginning(part) && is_end_of(part, bytes) => self.held.extend_from_slice(part),
                _ => give(REPLACEMENT),
            }
        }
    }

    /// Nothing more will come.
    pub fn finish(&mut self, mut give: impl FnMut(&str)) {
        if !std::mem::take(&mut self.held).is_empty() {
            give(REPLACEMENT);
        }
    }
}

/// Whether more bytes could make a character of it.
fn is_beginning(part: &[u8]) -> bool {
    std::str::from_utf8(part).is_err_and(|error| error.error_len().is_none())
}

fn is_end_of(part: &[u8], bytes: &[u8]) -> bool {
    std::ptr::eq(part.as_ptr_range().end, bytes.as_ptr_range().end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(parts: &[&[u8]]) -> String {
        let (mut decoder, mut text) = (Decoder::default(), String::new());
        for part in parts {
            decoder.feed(part, |piece| text.push_str(piece));
        }
        decoder.finish(|piece| text.push_str(piece));
        text
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_bytes_are_cut(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select("aé日😀".as_bytes())], 0..40),
            cut in 0..41usize,
            second in 0..41usize,
        ) {
            let cut = cut.min(bytes.len());
            let second = cut + second.min(bytes.len() - cut);
            let whole = decoded(&[&bytes]);
            prop_assert_eq!(&decoded(&[&bytes[..cut], &bytes[cut..second], &bytes[second..]]), &whole);
            prop_assert_eq!(whole, String::from_utf8_lossy(&bytes));
        }
    }
}
