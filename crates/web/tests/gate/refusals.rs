//! The route table, which a new route is in by itself, against tokens and places that are not right.

use signalbox_web::{RouteKind, RouteListed, routes};

use crate::world::World;

/// Headers, and what stands behind the path.
struct Asked {
    what: String,
    headers: Vec<(&'static str, String)>,
    more: String,
}

fn asked(what: &str, headers: &[(&'static str, String)]) -> Asked {
    Asked { what: what.to_owned(), headers: headers.to_vec(), more: String::new() }
}

/// Eight kinds of tokens that let nobody in.
fn wrong_tokens(world: &World) -> Vec<Asked> {
    let cookie = |token: &str| ("Cookie", format!("{}={token}", world.cookie()));
    let bearer = |token: &str| ("Authorization", format!("Bearer {token}"));
    let (browser, script) = (world.browser.as_str(), world.script.as_str());
    let in_url = |token: &str| Asked {
        more: format!("?token={token}&access_token={token}"),
        ..asked("in the address", &[])
    };
    vec![
        asked("none", &[]),
        asked("a wrong cookie", &[cookie(&"f".repeat(64))]),
        asked("a wrong bearer", &[bearer(&"f".repeat(64))]),
        asked("an expired cookie", &[cookie(&world.expired("browser"))]),
        asked("an expired bearer", &[bearer(&world.expired("script"))]),
        asked("a browser's as a bearer", &[bearer(browser)]),
        asked("a script's as a cookie", &[cookie(script)]),
        in_url(browser),
        in_url(script),
        asked("two cookies", &[("Cookie", format!("{0}={1}; {0}={1}", world.cookie(), browser))]),
        asked("two headers of cookies", &[cookie(browser), cookie(browser)]),
        asked("both", &[cookie(browser), bearer(script)]),
        asked("two bearers", &[bearer(script), bearer(script)]),
        asked("a beginning of the cookie", &[cookie(&browser[..63])]),
        asked("a beginning of the bearer", &[bearer(&script[..32])]),
        asked("more than the cookie", &[cookie(&format!("{browser}0"))]),
        asked("the cookie in capitals", &[cookie(&browser.to_uppercase())]),
        asked("the bearer in capitals", &[bearer(&script.to_uppercase())]),
        asked("`bearer`", &[("Authorization", format!("bearer {script}"))]),
        asked("`Basic`", &[("Authorization", format!("Basic {script}"))]),
        asked(
            "the cookie by another name",
            &[("Cookie", format!("{}={browser}", world.cookie().to_uppercase()))],
        ),
        asked("the cookie of another port", &[("Cookie", format!("signalbox-1={browser}"))]),
    ]
}

/// Places that are not this server's.
fn wrong_places(world: &World) -> Vec<Asked> {
    let (host, port) = (world.host(), world.port());
    let from = |origin: &str| {
        asked(&format!("Origin {origin}"), &[("Host", host.clone()), ("Origin", origin.to_owned())])
    };
    let at = |name: &str| asked(&format!("Host {name}"), &[("Host", name.to_owned())]);
    vec![
        from("http://evil.example"),
        from(&format!("http://evil.example:{port}")),
        from("null"),
        from(""),
        from(&format!("https://127.0.0.1:{port}")),
        from("http://127.0.0.1"),
        from(&format!("http://127.0.0.1:{}", port ^ 1)),
        from(&format!("http://127.0.0.1:{port}.evil.example")),
        from(&format!("http://127.0.0.1:{port}/")),
        from(&format!("HTTP://127.0.0.1:{port}")),
        asked(
            "two origins",
            &[("Host", host.clone()), ("Origin", world.origin()), ("Origin", world.origin())],
        ),
        at(&format!("evil.example:{port}")),
        at(&format!("127.0.0.1.nip.io:{port}")),
        at(&format!("localhost.:{port}")),
        at(&format!("127.0.0.1.:{port}")),
        at("127.0.0.1"),
        at("localhost"),
        at(&format!("127.0.0.1:{}", port ^ 1)),
        at(&format!("[::]:{port}")),
        at(&format!("[::ffff:127.0.0.1]:{port}")),
        at(&format!("0.0.0.0:{port}")),
        at(&format!("0:{port}")),
        at(&format!("2130706433:{port}")),
        at(&format!("127.1:{port}")),
        at(&format!("user@127.0.0.1:{port}")),
        at(&format!("127.0.0.1:0{port}")),
        at(""),
        asked("no Host", &[]),
        asked("two Hosts", &[("Host", host.clone()), ("Host", host.clone())]),
        asked(
            "our Host and an evil one",
            &[("Host", host.clone()), ("Host", format!("evil.example:{port}"))],
        ),
        asked(
            "X-Forwarded-Host",
            &[("Host", format!("evil.example:{port}")), ("X-Forwarded-Host", host.clone())],
        ),
    ]
}

fn good_tokens(world: &World) -> [(&'static str, String); 2] {
    [
        ("Cookie", format!("{}={}", world.cookie(), world.browser)),
        ("Authorization", format!("Bearer {}", world.script)),
    ]
}

/// Refused: by the gate, or before it by a server that cannot even read the request.
#[track_caller]
fn refused(world: &World, route: &RouteListed, asked: &Asked, statuses: &[u16]) {
    let answer = world.ask_route(route, &asked.more, &asked.headers);
    let what = format!("{} {} with {}: {}", route.method, route.path, asked.what, answer.head);
    assert!(statuses.contains(&answer.status), "{what}");
    assert!(!answer.head.to_ascii_lowercase().contains("set-cookie"), "{what}");
    assert!(!answer.head.to_ascii_lowercase().contains("access-control"), "{what}");
    if answer.status != 400 {
        assert!(answer.head.contains("content-security-policy: default-src 'none'"), "{what}");
    }
}

fn with_place(world: &World, token: &Asked) -> Asked {
    let mut headers = token.headers.clone();
    headers.extend([("Host", world.host()), ("Origin", world.origin())]);
    Asked { what: token.what.clone(), headers, more: token.more.clone() }
}

#[test]
fn no_route_is_reached_without_the_right_token() {
    let world = World::new(&[], &[]);
    let before = world.state();
    for route in routes() {
        for token in wrong_tokens(&world) {
            refused(&world, &route, &with_place(&world, &token), &[401]);
        }
    }
    assert!(world.state() == before, "something was changed");
}

#[test]
fn no_route_is_reached_from_elsewhere_with_any_token() {
    let world = World::new(&[], &[]);
    let before = world.state();
    let wrong = wrong_tokens(&world);
    for route in routes() {
        for (at, place) in wrong_places(&world).into_iter().enumerate() {
            for good in good_tokens(&world) {
                let mut headers = place.headers.clone();
                headers.push(good);
                refused(
                    &world,
                    &route,
                    &Asked { what: place.what.clone(), headers, more: String::new() },
                    &[403, 400],
                );
            }
            // Each wrong token with some of the wrong places; all with all would take minutes.
            let token = &wrong[at % wrong.len()];
            let what = format!("{} and {}", place.what, token.what);
            let headers = place.headers.iter().chain(&token.headers).cloned().collect();
            refused(&world, &route, &Asked { what, headers, more: token.more.clone() }, &[403, 401, 400]);
        }
    }
    assert!(world.state() == before, "something was changed");
}

#[test]
fn the_forty_of_the_list_are_refused_everywhere() {
    let world = World::new(&[], &[]);
    let before = world.state();
    let port = world.port();
    let places = [
        vec![("Host", world.host()), ("Origin", "http://evil.example".to_owned())],
        vec![("Host", world.host()), ("Origin", "null".to_owned())],
        vec![("Host", world.host())],
        vec![("Host", format!("rebound.example:{port}"))],
        vec![("Host", format!("127.0.0.1.:{port}"))],
    ];
    let kinds = [
        "none",
        "a wrong cookie",
        "an expired cookie",
        "a script's as a cookie",
        "in the address",
        "two cookies",
        "a beginning of the cookie",
        "the cookie in capitals",
    ];
    let tokens: Vec<Asked> =
        wrong_tokens(&world).into_iter().filter(|token| kinds.contains(&token.what.as_str())).collect();
    assert!(tokens.len() * places.len() >= 40);
    for route in routes() {
        for token in &tokens {
            for place in &places {
                let headers = place.iter().chain(&token.headers).cloned().collect();
                let asked = Asked {
                    what: format!("{place:?} and {}", token.what),
                    headers,
                    more: token.more.clone(),
                };
                refused(&world, &route, &asked, &[401, 403]);
            }
        }
    }
    assert!(world.state() == before, "something was changed");
}

#[test]
fn whoever_is_right_in_everything_gets_through() {
    let world = World::new(&[], &[]);
    let [cookie, bearer] = good_tokens(&world);
    for route in routes() {
        // The door lets in without a token, and what signs a browser out would end this test.
        if route.kind == RouteKind::Door {
            continue;
        }
        let host = ("Host", world.host());
        let ours = ("Origin", world.origin());
        let mut good = vec![
            vec![host.clone(), ours.clone(), cookie.clone()],
            vec![host.clone(), bearer.clone()],
            vec![host.clone(), ours, bearer.clone()],
        ];
        if !matches!(route.kind, RouteKind::Act | RouteKind::Socket) {
            good.push(vec![host, cookie.clone()]);
        }
        for headers in good {
            let answer = world.ask_route(&route, "", &headers);
            let what = format!("{} {} with {headers:?}: {}", route.method, route.path, answer.head);
            assert!(!matches!(answer.status, 0 | 401 | 403 | 500..), "{what}");
            assert!(!answer.head.to_ascii_lowercase().contains("access-control"), "{what}");
        }
    }
}

#[test]
fn a_browser_must_say_where_a_change_or_a_socket_comes_from() {
    let world = World::new(&[], &[]);
    let [cookie, _] = good_tokens(&world);
    let before = world.state();
    for route in routes().iter().filter(|route| route.kind == RouteKind::Socket || route.method != "GET") {
        refused(&world, route, &asked("no Origin", &[("Host", world.host()), cookie.clone()]), &[403]);
    }
    assert!(world.state() == before, "something was changed");
}

#[test]
fn a_method_that_a_route_does_not_have_is_judged_all_the_same() {
    let world = World::new(&[], &[]);
    let before = world.state();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "SIGNALBOX"] {
        for path in ["/", "/api/v1/act", "/api/v1/nothing", "/enter/x", "/no/such/page"] {
            let answer = world.ask(method, path, &[("Host", world.host())], "");
            assert!(matches!(answer.status, 401 | 403), "{method} {path}: {}", answer.head);
        }
    }
    assert!(world.state() == before, "something was changed");
}

#[test]
fn a_link_that_a_foreign_page_opens_stays_good() {
    let world = World::new(&[], &[]);
    let link = world.server.link();
    let path = link.strip_prefix(&world.origin()).expect("a path").to_owned();
    for place in wrong_places(&world) {
        let answer = world.ask("GET", &path, &place.headers, "");
        assert!(matches!(answer.status, 400 | 403), "{}: {}", place.what, answer.head);
    }
    let host = [("Host", world.host())];
    assert_eq!(world.ask("GET", &path, &host, "").status, 303);
    assert_eq!(world.ask("GET", &path, &host, "").status, 401, "it works once");
}

#[test]
fn whoever_leaves_is_out() {
    let world = World::new(&[], &[]);
    let headers = [("Host", world.host()), ("Origin", world.origin()), good_tokens(&world)[0].clone()];
    assert_eq!(world.ask("GET", "/board", &headers, "").status, 200);
    assert_eq!(world.ask("POST", "/leave", &headers, "").status, 204);
    assert_eq!(world.ask("GET", "/board", &headers, "").status, 401);
}

#[test]
fn the_same_holds_where_it_listens_wider() {
    let world = World::new(&["127.0.0.2".parse().expect("an address")], &["box.example"]);
    let port = world.port();
    let before = world.state();
    for route in routes() {
        for token in wrong_tokens(&world).into_iter().step_by(3) {
            refused(&world, &route, &with_place(&world, &token), &[401]);
        }
        for place in wrong_places(&world).into_iter().step_by(2) {
            let mut headers = place.headers.clone();
            headers.push(good_tokens(&world)[0].clone());
            refused(&world, &route, &Asked { what: place.what, headers, more: String::new() }, &[403, 400]);
        }
    }
    assert!(world.state() == before, "something was changed");
    for name in ["127.0.0.2", "box.example", "localhost", "[::1]"] {
        let host = format!("{name}:{port}");
        let headers = [("Origin", format!("http://{host}")), ("Host", host), good_tokens(&world)[0].clone()];
        assert_eq!(world.ask("GET", "/board", &headers, "").status, 200, "{name}");
    }
    assert!(std::net::TcpStream::connect(("127.0.0.2", port)).is_ok(), "it listens there");
}
