//! The description of `/api/v1`, as OpenAPI 3.1: made from the table of routes and from the types that go over the wire.

use axum::Json;
use axum::response::{IntoResponse, Response};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use signalbox_desk::{
    Act, Activity, AgentDetail, AgentView, Board, Choices, Decisions, Done, Flow, Health, Listed, Now, Patch,
    Plan, Queue, TicketView,
};

use crate::answer::Problem;
use crate::api::{ActivityQuery, AgentsQuery, BoardQuery, FlowQuery};
use crate::routes;

/// What is asked and answered at one path.
struct Shape {
    path: &'static str,
    query: Option<Schema>,
    body: Option<Schema>,
    answer: Schema,
}

/// The whole description.
pub fn document() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut make = settings.into_generator();
    let shapes = shapes(&mut make);
    let problem = make.subschema_for::<Problem>();
    let mut paths = Map::new();
    for route in routes::table() {
        let Some(shape) = shapes.iter().find(|shape| shape.path == route.path) else { continue };
        let mut operation = json!({
            "summary": route.about,
            "responses": {
                "200": { "description": "It is done", "content": { "application/json": { "schema": shape.answer } } },
                "default": { "description": "Why not", "content": { "application/json": { "schema": problem } } },
            },
        });
        let parameters = parameters(route.path, shape.query.as_ref());
        if !parameters.is_empty() {
            operation["parameters"] = Value::Array(parameters);
        }
        if let Some(body) = &shape.body {
            operation["requestBody"] =
                json!({ "required": true, "content": { "application/json": { "schema": body } } });
        }
        let method = route.method.to_ascii_lowercase();
        paths.insert(route.path.to_owned(), json!({ method: operation }));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Signalbox",
            "version": "1",
            "description": "What `sb web` serves to its own page and to scripts. Scripts bring the token that `sb web --token` prints in the header `Authorization: Bearer …`.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": make.take_definitions(true),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn shapes(make: &mut SchemaGenerator) -> Vec<Shape> {
    fn data<T: JsonSchema>(make: &mut SchemaGenerator, path: &'static str) -> Shape {
        Shape { path, query: None, body: None, answer: make.subschema_for::<T>() }
    }
    fn sifted<T: JsonSchema, Q: JsonSchema>(make: &mut SchemaGenerator, path: &'static str) -> Shape {
        Shape { query: Some(make.root_schema_for::<Q>()), ..data::<T>(make, path) }
    }
    vec![
        data::<Now>(make, "/api/v1/now"),
        sifted::<Board, BoardQuery>(make, "/api/v1/board"),
        sifted::<Listed, BoardQuery>(make, "/api/v1/tickets"),
        data::<TicketView>(make, "/api/v1/tickets/{id}"),
        data::<Patch>(make, "/api/v1/tickets/{id}/patch"),
        data::<Choices>(make, "/api/v1/choices"),
        sifted::<Vec<AgentView>, AgentsQuery>(make, "/api/v1/agents"),
        data::<AgentDetail>(make, "/api/v1/agents/{id}"),
        data::<Queue>(make, "/api/v1/queue"),
        sifted::<Activity, ActivityQuery>(make, "/api/v1/activity"),
        data::<Decisions>(make, "/api/v1/decisions"),
        sifted::<Flow, FlowQuery>(make, "/api/v1/flow"),
        sifted::<Plan, FlowQuery>(make, "/api/v1/plan"),
        data::<Health>(make, "/api/v1/health"),
        Shape {
            path: "/api/v1/openapi.json",
            query: None,
            body: None,
            answer: schemars::json_schema!({ "type": "object" }),
        },
        Shape { body: Some(make.subschema_for::<Act>()), ..data::<Done>(make, "/api/v1/act") },
    ]
}

/// What stands in the path, and after the question mark.
fn parameters(path: &str, query: Option<&Schema>) -> Vec<Value> {
    let mut found = Vec::new();
    for name in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
        found.push(json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    }
    let fields = query.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    for (name, schema) in fields.into_iter().flatten() {
        let mut schema = schema.clone();
        let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let mut parameter = json!({ "name": name, "in": "query", "schema": schema });
        if let Some(about) = about {
            parameter["description"] = about;
        }
        found.push(parameter);
    }
    found
}

pub(crate) async fn serve() -> Response {
    Json(document()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::Kind;

    #[test]
    fn every_route_of_the_interface_is_described() {
        let document = document();
        let described: Vec<&String> = document["paths"].as_object().expect("paths").keys().collect();
        let mut wanted: Vec<&str> = routes::table()
            .iter()
            .filter(|route| matches!(route.kind, Kind::Data | Kind::Act))
            .map(|route| route.path)
            .collect();
        wanted.sort_unstable();
        let mut found: Vec<&str> = described.iter().map(|path| path.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, wanted);
        for path in &wanted {
            assert!(path.starts_with("/api/v1/"), "{path}");
        }
        let text = document.to_string();
        for part in text.split("\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().expect("a name");
            assert!(document["components"]["schemas"].get(name).is_some(), "{name} is described");
        }
    }
}
