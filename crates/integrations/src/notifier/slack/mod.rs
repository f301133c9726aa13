//! Slack, by an incoming webhook or as a bot. A bot keeps what it says of one agent in one thread.

mod api;
mod blocks;
mod filters;

use serde_json::{Value, json};
use signalbox_template::{Bundled, Extras, Function};

use super::http::{ALLOW_PRIVATE, MOST, reach, untold};
use super::notice::{made, title};
use super::{NotifierType, Telling, Untold};
use crate::http::{self, Request};
use crate::settings::{self, BadSettings, Key, Settings};

pub const TYPE: NotifierType = NotifierType {
    name: "slack",
    about: "Posts to a channel of Slack, by an incoming webhook or with the token of a bot",
    keys: &[
        Key::secret("webhook_url", "The address of an incoming webhook; or give `token` and `channel`"),
        Key::secret("token", "The token of a bot with the scope `chat:write`"),
        Key::optional("channel", "The channel for the bot, by its id or name"),
        Key::optional(
            "thread_ts",
            "The message under which the bot answers, where nothing was said of an agent yet",
        ),
        Key::optional("api_url", "Where the interface of Slack is; https://slack.com/api unless this is set"),
        Key::optional("allow_private", ALLOW_PRIVATE),
    ],
    // An agent that could add one could send anywhere what it is told of.
    privileged: true,
    check,
    tell,
    templates: &[Bundled {
        folder: "notifications/slack",
        event: "default",
        text: include_str!("templates/default.jinja"),
    }],
    extras: Extras { functions: FUNCTIONS, filters: filters::FILTERS },
};

const FUNCTIONS: &[Function] = &[
    Function { name: "header", parameters: &["text"], required: 1 },
    Function { name: "section", parameters: &["text"], required: 1 },
    Function { name: "context", parameters: &["text"], required: 1 },
    Function { name: "divider", parameters: &[], required: 0 },
    Function { name: "fields", parameters: &["list"], required: 1 },
    Function { name: "image", parameters: &["url", "alt"], required: 2 },
    Function { name: "button", parameters: &["text", "url", "style"], required: 2 },
    Function { name: "rich_text", parameters: &["text"], required: 1 },
];

const API: &str = "https://slack.com/api";

/// How messages get there.
enum Way<'a> {
    Webhook(&'a str),
    Bot { token: &'a str, channel: &'a str, api: &'a str },
}

fn way(settings: &Settings) -> Result<Way<'_>, BadSettings> {
    let text = |name| settings::text(settings, name);
    let wrong = |why: &str| Err(BadSettings(why.to_owned()));
    match (text("webhook_url")?, text("token")?, text("channel")?) {
        (Some(url), None, None) => Ok(Way::Webhook(url)),
        (None, Some(token), Some(channel)) => {
            Ok(Way::Bot { token, channel, api: text("api_url")?.unwrap_or(API) })
        }
        (None, None, None) => wrong("`slack` needs `webhook_url`, or `token` and `channel`"),
        (None, Some(_), None) => wrong("`slack` needs `channel` besides `token`: where the bot posts"),
        (None, None, Some(_)) => {
            wrong("`slack` needs `token` besides `channel`: the bot's, with the scope `chat:write`")
        }
        (Some(_), ..) => wrong("`slack` takes either `webhook_url`, or `token` and `channel`, not both"),
    }
}

fn check(settings: &Settings) -> Result<(), BadSettings> {
    settings::text(settings, "thread_ts")?;
    let (url, token) = match way(settings)? {
        Way::Webhook(url) => (url, ""),
        Way::Bot { api, token, .. } => (api, token),
    };
    let headers = [("Authorization", token)];
    let time = std::time::Duration::ZERO;
    let request = Request {
        method: "POST",
        url,
        headers: &headers,
        body: None,
        reach: reach(settings)?,
        time,
        most: MOST,
    };
    http::check(&request).map_err(|error| BadSettings(format!("`slack` cannot be asked like that: {error}")))
}

fn tell(telling: &Telling<'_>) -> Result<Value, Untold> {
    check(telling.settings)?;
    let notice = telling.notice;
    let made = made(&TYPE, telling)?.unwrap_or_default();
    // What shows where there is no room for blocks, such as on a telephone.
    let text = format!("{} {}: {}", filters::emoji(&notice.event), title(&notice.event), notice.message);
    let message = json!({
        "text": blocks::escaped(&text, blocks::MOST_TEXT),
        "blocks": blocks::of(&made, &notice.message),
        "unfurl_links": false,
        "unfurl_media": false,
    });
    let ask = |url: &str, headers: &[(&str, &str)], body: &Value| {
        let body = body.to_string();
        let (time, reach) = (telling.time, reach(telling.settings)?);
        let request =
            Request { method: "POST", url, headers, body: Some(body.as_bytes()), reach, time, most: MOST };
        http::send(&request).map_err(|error| untold(&error))
    };
    match way(telling.settings)? {
        Way::Webhook(url) => {
            let response = ask(url, &[("Content-Type", "application/json; charset=utf-8")], &message)?;
            api::by_webhook(&response).map(|()| Value::Null)
        }
        Way::Bot { token, channel, api } => {
            let seed = settings::text(telling.settings, "thread_ts")?;
            let thread = api::thread(telling.remembered, channel, seed);
            let bearer = format!("Bearer {token}");
            let headers =
                [("Content-Type", "application/json; charset=utf-8"), ("Authorization", bearer.as_str())];
            let url = format!("{}/chat.postMessage", api.trim_end_matches('/'));
            let body = api::message(message, channel, thread.as_deref());
            let posted = api::by_bot(&ask(&url, &headers, &body)?)?;
            Ok(api::remember(channel, thread.or(posted)))
        }
    }
}
