//! The reference page of the web page's routes, made from the table that the router is made from.

use signalbox_web::{RouteKind, routes};

pub fn page() -> String {
    let mut text = String::from(
        "# The web page and its HTTP interface\n\nMade by `cargo xtask docs` from the program itself.\n\n\
         `sb web` serves it on this machine, at port 7117 or the next that is free. Every request must name the server as it is \
         called (`Host`), must not come from another page (`Origin`), and must bring a token: a browser's cookie, which it gets \
         for the link that `sb web` prints, or the header `Authorization: Bearer …` with what `sb web --token` prints. A refusal \
         is 401 or 403 and says what to do; an error has the fields `code`, `message` and `hints`, as on the command line. \
         `/api/v1/openapi.json` is the exact description of what is asked and answered.\n\n\
         ```sh\ntoken=$(sb web --token)\n\
         curl -s -H \"Authorization: Bearer $token\" http://127.0.0.1:7117/api/v1/now\n\
         curl -s -H \"Authorization: Bearer $token\" -H 'Content-Type: application/json' \\\n  \
         -d '{\"do\":\"note\",\"ticket\":\"sb_a7Kx2m\",\"text\":\"Seen.\"}' http://127.0.0.1:7117/api/v1/act\n```\n",
    );
    for (kind, title) in [
        (RouteKind::Data, "Data"),
        (RouteKind::Act, "Changes"),
        (RouteKind::Stream, "Events"),
        (RouteKind::Socket, "Terminals (WebSockets)"),
        (RouteKind::Page, "Pages"),
        (RouteKind::Part, "Parts of pages"),
        (RouteKind::Asset, "Files"),
        (RouteKind::Door, "In and out"),
    ] {
        text.push_str(&format!("\n## {title}\n\n| route | what |\n| --- | --- |\n"));
        for route in routes().iter().filter(|route| route.kind == kind) {
            text.push_str(&format!("| `{} {}` | {} |\n", route.method, route.path, route.about));
        }
    }
    text
}
