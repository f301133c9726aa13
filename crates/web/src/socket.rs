//! A WebSocket between a browser and a thread: what the thread says goes out as JSON, what the browser says comes in as a type.

use std::sync::mpsc::Sender;

use axum::extract::ws::{Message, WebSocket};
use futures_util::{SinkExt, StreamExt};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::server::{App, over};

/// What may wait for a slow browser.
pub const WAITING: usize = 2;

/// Carry words both ways, until one of the two leaves or the server ends. What the browser says and nobody understands is
/// passed over.
pub async fn carry<T: DeserializeOwned + Send>(
    app: &App,
    browser: WebSocket,
    mut tell: mpsc::Receiver<Value>,
    heard: Sender<T>,
) {
    let (mut to, mut from) = browser.split();
    let mut ended = app.end.clone();
    loop {
        tokio::select! {
            message = tell.recv() => {
                let Some(message) = message else { break };
                if to.send(Message::Text(message.to_string().into())).await.is_err() {
                    break;
                }
            }
            message = from.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(said) = serde_json::from_str::<T>(text.as_str()) {
                        let _ = heard.send(said);
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
            () = over(&mut ended) => break,
        }
    }
    let _ = to.close().await;
}
