//! Asking GitHub, within the time of one look.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;

use super::{PUBLIC_API, address, token};
use crate::http::{self, HttpError, Reach, Request, Response};
use crate::monitor::Trouble;
use crate::text;

/// The longest answer of the API. A page of a hundred comments at their longest is below.
const MOST_ANSWER: usize = 16 << 20;
/// GitHub counts by the hour, so nobody has to wait much longer.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(2);
/// Nobody waits longer for a whole look.
const LONGEST_LOOK: Duration = Duration::from_secs(3600);
/// What is left for others, people among them, who use the same token.
const RESERVE: u64 = 20;

#[derive(Debug)]
pub(crate) struct Client {
    base: String,
    token: String,
    until: Instant,
    time: Duration,
    now: Option<Timestamp>,
    /// What the server said the time is, at its first answer.
    pub date: Option<Timestamp>,
    /// Enough was asked for a while.
    pub not_before: Option<Timestamp>,
}

/// What came back.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Nothing changed since the tag was given.
    Same,
    /// There is no such thing, or nothing of it for us.
    Absent,
    Fresh(Fresh),
}

#[derive(Debug)]
pub(crate) struct Fresh {
    body: Vec<u8>,
    /// To be given the next time.
    pub tag: Option<String>,
    /// The number of the last page, if this is not it.
    pub last_page: Option<u32>,
}

impl Fresh {
    pub fn read<T: DeserializeOwned>(&self, what: &str) -> Result<T, Trouble> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let why = text::line(&error.to_string(), 200);
            Trouble::Passing(format!("what GitHub says of {what} cannot be read: {why}"))
        })
    }
}

impl Client {
    pub fn new(base: &str, token: String, now: Option<Timestamp>, time: Duration) -> Self {
        let time = time.min(LONGEST_LOOK);
        let until = Instant::now() + time;
        Self { base: base.to_owned(), token, until, time, now, date: None, not_before: None }
    }

    fn host(&self) -> &str {
        address::host_of(&self.base).unwrap_or("GitHub")
    }

    /// Ask for something below the API's address; `what` is how people call it.
    pub fn get(&mut self, path: &str, tag: Option<&str>, what: &str) -> Result<Answer, Trouble> {
        let response = self.ask(path, tag)?;
        match response.status {
            200..=299 => Ok(Answer::Fresh(Fresh {
                tag: response.header("etag").filter(|tag| tag.len() <= 200).map(ToOwned::to_owned),
                last_page: response.header("link").and_then(last_page),
                body: response.body,
            })),
            304 if tag.is_some() => Ok(Answer::Same),
            301 | 302 | 307 | 308 => {
                Err(Trouble::Lasting(format!("{what} has moved; give `repo` the repository's new name")))
            }
            404 | 410 | 422 => Ok(Answer::Absent),
            _ => Err(self.refusal(&response, what)),
        }
    }

    /// As [`Self::get`], and what is not there is a reason to call a person.
    pub fn get_known(&mut self, path: &str, tag: Option<&str>, what: &str) -> Result<Option<Fresh>, Trouble> {
        match self.get(path, tag, what)? {
            Answer::Same => Ok(None),
            Answer::Fresh(fresh) => Ok(Some(fresh)),
            Answer::Absent => Err(Trouble::Lasting(format!(
                "{} knows nothing of {what}, or the token may not see it; is `repo` right, and may the token read it?",
                self.host()
            ))),
        }
    }

    /// Where an answer is kept elsewhere: its address there, or the answer itself.
    pub fn find(&mut self, path: &str) -> Result<Found, Trouble> {
        let response = self.ask(path, None)?;
        match (response.status, response.header("location")) {
            (301 | 302 | 303 | 307 | 308, Some(location)) => Ok(Found::Elsewhere(location.to_owned())),
            (200, _) => Ok(Found::Here(response.body)),
            _ => Ok(Found::Nowhere),
        }
    }

    /// Ask somewhere else, which must not learn the token.
    pub fn get_elsewhere(&self, url: &str, range: Option<&str>, most: usize) -> Result<Response, HttpError> {
        // Whoever is asked over an encrypted way must not lead us to one that is not.
        let is_plain = url.starts_with("http://") && self.base.starts_with("http://");
        if !url.starts_with("https://") && !is_plain {
            return Err(HttpError::Refused("the log is kept at an address that is not encrypted".to_owned()));
        }
        let reach = if self.base == PUBLIC_API { Reach::Public } else { Reach::Anywhere };
        let headers: Vec<(&str, &str)> = range.map(|range| ("Range", range)).into_iter().collect();
        // A log is worth having, but not all the time there is.
        let time = self.left() / 2;
        http::send(&Request { method: "GET", url, headers: &headers, body: None, reach, time, most })
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    fn ask(&mut self, path: &str, tag: Option<&str>) -> Result<Response, Trouble> {
        let time = self.left();
        if time.is_zero() {
            let seconds = self.time.as_secs();
            return Err(Trouble::Passing(format!("{} did not answer within {seconds} seconds", self.host())));
        }
        let url = format!("{}{path}", self.base);
        let bearer = format!("Bearer {}", self.token);
        let mut headers = vec![
            ("Accept", "application/vnd.github+json"),
            ("Authorization", bearer.as_str()),
            ("X-GitHub-Api-Version", "2022-11-28"),
        ];
        headers.extend(tag.map(|tag| ("If-None-Match", tag)));
        let request = Request {
            method: "GET",
            url: &url,
            headers: &headers,
            body: None,
            reach: Reach::Anywhere,
            time,
            most: MOST_ANSWER,
        };
        let response = http::send(&request).map_err(|error| match error {
            HttpError::Failed(why) => Trouble::Passing(why),
            HttpError::Bad(why) | HttpError::Refused(why) => Trouble::Lasting(why),
        })?;
        if self.date.is_none() {
            self.date = response.header("date").and_then(http_date);
        }
        let left = response.header("x-ratelimit-remaining").and_then(|left| left.parse::<u64>().ok());
        // A server that gives less than the reserve in the first place is asked to the end.
        let limit = response.header("x-ratelimit-limit").and_then(|limit| limit.parse::<u64>().ok());
        let reserve = limit.map_or(0, |limit| RESERVE.min(limit / 10));
        if left.is_some_and(|left| left <= reserve) {
            self.not_before = self.reset(&response).or(self.not_before);
        }
        Ok(response)
    }

    fn refusal(&self, response: &Response, what: &str) -> Trouble {
        let host = self.host();
        match response.status {
            401 => {
                token::forget(&self.base);
                let pages = address::pages_host(&self.base).unwrap_or(host);
                Trouble::Lasting(format!(
                    "{host} does not accept the token; it may have expired or been taken back: run `gh auth login \
                     --hostname {pages}`, or set a new one"
                ))
            }
            403 | 429 if is_limit(response) => Trouble::Limited {
                until: self.reset(response),
                why: format!("{host} takes no more requests for now, because this token has made too many"),
            },
            403 => Trouble::Lasting(format!(
                "the token may not read {what}; give it read access to contents, checks, actions, commit statuses, \
                 issues and pull requests of the repository"
            )),
            500..=599 => {
                Trouble::Passing(format!("{host} is in trouble itself: it answered {}", response.status))
            }
            other => Trouble::Passing(format!("{host} answered {other} when asked for {what}")),
        }
    }

    /// When it may be asked again, by our own clock.
    fn reset(&self, response: &Response) -> Option<Timestamp> {
        let date = response.header("date").and_then(http_date);
        let now = self.now.or(date)?;
        let number = |name: &str| response.header(name)?.trim().parse::<i64>().ok();
        let wait = if let Some(seconds) = number("retry-after") {
            SignedDuration::from_secs(seconds)
        } else if number("x-ratelimit-remaining").is_some_and(|left| left <= RESERVE.cast_signed()) {
            let reset = Timestamp::from_second(number("x-ratelimit-reset")?).ok()?;
            // Its clock and ours need not agree.
            reset.duration_since(date.unwrap_or(now))
        } else {
            // What GitHub asks for where it says nothing.
            SignedDuration::from_secs(60)
        };
        now.checked_add(wait.clamp(SignedDuration::from_secs(1), LONGEST_WAIT)).ok()
    }
}

/// Where a log is.
#[derive(Debug)]
pub(crate) enum Found {
    Elsewhere(String),
    Here(Vec<u8>),
    Nowhere,
}

/// Too many requests in an hour, or too many at once; both look like a lack of rights at first sight.
fn is_limit(response: &Response) -> bool {
    response.status == 429
        || response.header("retry-after").is_some()
        || response.header("x-ratelimit-remaining").is_some_and(|left| left.trim() == "0")
        || String::from_utf8_lossy(&response.body).to_ascii_lowercase().contains("rate limit")
}

/// The page behind `rel="last"`. Only the number counts: the address itself could lead anywhere.
fn last_page(link: &str) -> Option<u32> {
    let last = link.split(',').find(|part| part.contains("rel=\"last\""))?;
    let address = last.split_once('<')?.1.split_once('>')?.0;
    let query = address.split_once('?')?.1;
    query.split('&').find_map(|pair| pair.strip_prefix("page=")?.parse().ok())
}

fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_the_last_page() {
        let link = "<https://api.github.com/x?per_page=100&page=2>; rel=\"next\", <https://api.github.com/x?per_page=100&page=7>; rel=\"last\"";
        assert_eq!(last_page(link), Some(7));
        for none in
            ["", "<x>; rel=\"last\"", "<x?page=9>; rel=\"next\"", "rel=\"last\"", "<x?page=-1>; rel=\"last\""]
        {
            assert_eq!(last_page(none), None, "{none}");
        }
    }

    #[test]
    fn dates_of_headers() {
        let date = http_date("Sun, 15 Nov 2026 10:00:00 GMT").map(|date| date.to_string());
        assert_eq!(date.as_deref(), Some("2026-11-15T10:00:00Z"));
        assert_eq!(http_date("yesterday"), None);
    }
}
