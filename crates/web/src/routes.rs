//! Every route, in one table: the router, the description of the interface and the tests are made from it, so that none
//! can be forgotten.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};

use crate::answer::{Wants, problem};
use crate::server::App;
use crate::{api, assets, doors, gate, live, openapi, pages, replay, terminal};

/// Where links begin that let a person in.
pub const ENTER: &str = "/enter/";
/// The longest body that is read, in bytes: a ticket's text and some more.
const MOST_BODY: usize = 2 << 20;

/// What is behind a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole page.
    Page,
    /// The part of a page that changes.
    Part,
    /// Data, as JSON.
    Data,
    /// Something that changes the world.
    Act,
    /// Events as they happen.
    Stream,
    /// A WebSocket.
    Socket,
    /// Scripts, styles and pictures.
    Asset,
    /// The way in, without a token, and the way out.
    Door,
}

/// One route.
pub(crate) struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub kind: Kind,
    pub about: &'static str,
    handler: MethodRouter<Arc<App>>,
}

/// A route as others see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    pub method: &'static str,
    pub path: &'static str,
    pub kind: Kind,
    pub about: &'static str,
}

/// Every route there is.
pub fn listed() -> Vec<Listed> {
    let list = |route: Route| Listed {
        method: route.method,
        path: route.path,
        kind: route.kind,
        about: route.about,
    };
    table().into_iter().map(list).collect()
}

pub(crate) fn table() -> Vec<Route> {
    let page = |path, about, handler| Route { method: "GET", path, kind: Kind::Page, about, handler };
    let part = |path, about, handler| Route { method: "GET", path, kind: Kind::Part, about, handler };
    let data = |path, about, handler| Route { method: "GET", path, kind: Kind::Data, about, handler };
    vec![
        page("/", "Who needs me", get(pages::now::page)),
        page("/board", "Tickets in columns", get(pages::board::page)),
        page("/list", "Tickets in a list", get(pages::list::page)),
        page("/ticket/{id}", "One ticket", get(pages::ticket::page)),
        page("/plan", "What is planned, as a graph", get(pages::plan::page)),
        page("/agents", "Agents", get(pages::agents::page)),
        page("/agent/{id}", "One agent with its terminal", get(pages::agents::one)),
        page("/recording/{id}", "What an agent did, to be played", get(pages::agents::recording)),
        page("/queue", "The merge queues", get(pages::queue::page)),
        page("/activity", "What happened", get(pages::activity::page)),
        page("/decisions", "Questions that wait for a person", get(pages::decisions::page)),
        page("/flow", "How work flows", get(pages::flow::page)),
        page("/health", "Is it running, and the controls", get(pages::health::page)),
        part("/part/now", "The part of `/` that changes", get(pages::now::part)),
        part("/part/board", "The part of `/board` that changes", get(pages::board::part)),
        part("/part/list", "The part of `/list` that changes", get(pages::list::part)),
        part("/part/ticket/{id}", "The part of a ticket's page that changes", get(pages::ticket::part)),
        part("/part/patch/{id}", "What a ticket's branch changes", get(pages::ticket::patch)),
        part("/part/plan", "The part of `/plan` that changes", get(pages::plan::part)),
        part("/part/agents", "The part of `/agents` that changes", get(pages::agents::part)),
        part("/part/agent/{id}", "The part of an agent's page that changes", get(pages::agents::one_part)),
        part("/part/queue", "The part of `/queue` that changes", get(pages::queue::part)),
        part("/part/activity", "The part of `/activity` that changes", get(pages::activity::part)),
        part("/part/decisions", "The part of `/decisions` that changes", get(pages::decisions::part)),
        part("/part/flow", "The part of `/flow` that changes", get(pages::flow::part)),
        part("/part/health", "The part of `/health` that changes", get(pages::health::part)),
        data("/api/v1/now", "Who needs me, and what goes on", get(api::now)),
        data("/api/v1/board", "Tickets in columns", get(api::board)),
        data("/api/v1/tickets", "Tickets in a list", get(api::tickets)),
        data("/api/v1/tickets/{id}", "One ticket with all about it", get(api::ticket)),
        data("/api/v1/tickets/{id}/patch", "What its branch changes", get(api::patch)),
        data("/api/v1/choices", "What tickets can be sifted by", get(api::choices)),
        data("/api/v1/plan", "What is planned, as a graph", get(api::plan)),
        data("/api/v1/agents", "Agents", get(api::agents)),
        data("/api/v1/agents/{id}", "One agent with its usage", get(api::agent)),
        data("/api/v1/queue", "The merge queues", get(api::queue)),
        data("/api/v1/activity", "What happened", get(api::activity)),
        data("/api/v1/decisions", "Questions for people", get(api::decisions)),
        data("/api/v1/flow", "How work flows", get(api::flow)),
        data("/api/v1/health", "Daemon, loops and troubles", get(api::health)),
        data("/api/v1/openapi.json", "This interface", get(openapi::serve)),
        Route {
            method: "POST",
            path: "/api/v1/act",
            kind: Kind::Act,
            about: "Do something, as the human",
            handler: post(api::act),
        },
        Route {
            method: "GET",
            path: "/live",
            kind: Kind::Stream,
            about: "Events as they happen (server-sent events); `after` or `Last-Event-ID` says from where on",
            handler: get(live::stream),
        },
        Route {
            method: "GET",
            path: "/socket/agent/{id}",
            kind: Kind::Socket,
            about: "An agent's terminal",
            handler: get(terminal::socket),
        },
        Route {
            method: "GET",
            path: "/socket/recording/{id}",
            kind: Kind::Socket,
            about: "A recording, played",
            handler: get(replay::socket),
        },
        Route {
            method: "GET",
            path: "/assets/{name}",
            kind: Kind::Asset,
            about: "Scripts, styles and pictures",
            handler: get(assets::serve),
        },
        Route {
            method: "GET",
            path: "/enter/{word}",
            kind: Kind::Door,
            about: "The way in: a link that works once",
            handler: get(doors::enter),
        },
        Route {
            method: "POST",
            path: "/leave",
            kind: Kind::Door,
            about: "Sign this browser out",
            handler: post(doors::leave),
        },
    ]
}

/// All routes behind the gate.
pub(crate) fn router(app: Arc<App>) -> Router {
    let mut router = Router::new();
    for route in table() {
        router = router.route(route.path, route.handler);
    }
    router
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        .layer(axum::extract::DefaultBodyLimit::max(MOST_BODY))
        .layer(from_fn_with_state(Arc::clone(&app), gate::keep))
        .with_state(app)
}

async fn nowhere(nonce: axum::Extension<gate::Nonce>, uri: axum::http::Uri) -> Response {
    let wants = Wants::of(uri.path());
    problem(
        wants,
        StatusCode::NOT_FOUND,
        "web.nowhere",
        "there is no such page",
        Some("Go back to the start."),
        &nonce.0.0,
    )
}

async fn not_so(nonce: axum::Extension<gate::Nonce>, uri: axum::http::Uri) -> Response {
    let wants = Wants::of(uri.path());
    let message = "this is not asked for in that way";
    problem(wants, StatusCode::METHOD_NOT_ALLOWED, "web.method", message, None, &nonce.0.0)
}
