//! Any web service that takes JSON.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use signalbox_template::Extras;

use super::http::{ALLOW_PRIVATE, MOST, reach, refusal, untold};
use super::notice::made;
use super::{NotifierType, Telling, Untold};
use crate::http::{self, HttpError, Request};
use crate::settings::{self, BadSettings, Key, Settings};

pub const TYPE: NotifierType = NotifierType {
    name: "webhook",
    about: "Sends what happened to a web service as JSON",
    keys: &[
        Key { name: "url", required: true, about: "Where it is sent", secret: true, guarded: false },
        Key::optional("method", "`POST` unless this is set; or `PUT` or `PATCH`"),
        Key::secret("headers", "Further headers, such as `Authorization`"),
        Key::secret("secret", "Signs what is sent, in the header X-Signalbox-Signature, with HMAC-SHA256"),
        Key::optional("allow_private", ALLOW_PRIVATE),
    ],
    // An agent that could add one could send anywhere what it is told of.
    privileged: true,
    check,
    tell,
    templates: &[],
    extras: Extras::NONE,
};

fn check(settings: &Settings) -> Result<(), BadSettings> {
    let bad = |error: HttpError| BadSettings(format!("`url` or `headers`: {error}"));
    let url = settings::text(settings, "url")?.unwrap_or_default();
    settings::text(settings, "secret")?;
    let headers = headers(settings)?;
    let headers = borrowed(&headers);
    http::check(&request(url, method(settings)?, &headers, &[], settings)?).map_err(bad)
}

fn tell(telling: &Telling<'_>) -> Result<Value, Untold> {
    check(telling.settings)?;
    let body = match made(&TYPE, telling)? {
        Some(made) => {
            let value: Value = serde_json::from_str(&made.text)
                .map_err(|error| Untold::lasting(format!("what the template makes is not JSON: {error}")))?;
            value.to_string()
        }
        None => telling.notice.to_json().to_string(),
    };
    let url = settings::text(telling.settings, "url")?.unwrap_or_default();
    let mut headers = headers(telling.settings)?;
    let has = |headers: &[(String, String)], name: &str| {
        headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name))
    };
    if !has(&headers, "content-type") {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    headers.push(("X-Signalbox-Event".to_owned(), telling.notice.event.clone()));
    if let Some(secret) = settings::text(telling.settings, "secret")? {
        headers.push(("X-Signalbox-Signature".to_owned(), signature(secret, body.as_bytes())?));
    }
    let headers = borrowed(&headers);
    let method = method(telling.settings)?;
    let request =
        Request { time: telling.time, ..request(url, method, &headers, body.as_bytes(), telling.settings)? };
    let response = http::send(&request).map_err(|error| untold(&error))?;
    if response.succeeded() { Ok(Value::Null) } else { Err(refusal("the web service", &response)) }
}

fn request<'a>(
    url: &'a str,
    method: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: &'a [u8],
    settings: &Settings,
) -> Result<Request<'a>, BadSettings> {
    let time = std::time::Duration::ZERO;
    Ok(Request { method, url, headers, body: Some(body), reach: reach(settings)?, time, most: MOST })
}

fn method(settings: &Settings) -> Result<&'static str, BadSettings> {
    match settings::text(settings, "method")?.map(str::to_ascii_uppercase).as_deref() {
        None | Some("POST") => Ok("POST"),
        Some("PUT") => Ok("PUT"),
        Some("PATCH") => Ok("PATCH"),
        Some(other) => {
            Err(BadSettings(format!("`method` has to be POST, PUT or PATCH, and {other} is none of them")))
        }
    }
}

fn headers(settings: &Settings) -> Result<Vec<(String, String)>, BadSettings> {
    match settings.get("headers") {
        None | Some(Value::Null) => Ok(Vec::new()),
        // The value may be a secret, so only its name is said.
        Some(Value::Object(headers)) => headers
            .iter()
            .map(|(name, value)| match value {
                Value::String(value) => Ok((name.clone(), value.clone())),
                _ => Err(BadSettings(format!("the header `{name}` has to be text"))),
            })
            .collect(),
        Some(_) => Err(BadSettings("`headers` has to be a table of names and texts".to_owned())),
    }
}

fn borrowed(headers: &[(String, String)]) -> Vec<(&str, &str)> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn signature(secret: &str, body: &[u8]) -> Result<String, Untold> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
        .map_err(|_| Untold::lasting("`secret` cannot be used to sign"))?;
    mac.update(body);
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256={hex}"))
}
