//! What waits for what, drawn: tickets in layers from left to right, each to the right of all it waits for.

use std::collections::BTreeMap;

use signalbox_desk::Graph;

use crate::markdown::escape;

const WIDE: usize = 190;
const HIGH: usize = 44;
const GAP_X: usize = 60;
const GAP_Y: usize = 16;
const MARGIN: usize = 8;

/// The graph as SVG; nothing where there is only one ticket.
pub fn draw(graph: &Graph, center: &str) -> String {
    if graph.nodes.len() < 2 {
        return String::new();
    }
    let layers = layers(graph);
    let places = places(graph, &layers);
    let right = places.values().map(|(x, _)| x + WIDE).max().unwrap_or(0) + MARGIN;
    let bottom = places.values().map(|(_, y)| y + HIGH).max().unwrap_or(0) + MARGIN;
    let mut svg = format!(
        "<svg class=\"graph\" viewBox=\"0 0 {right} {bottom}\" width=\"{right}\" height=\"{bottom}\" role=\"group\" aria-label=\"What waits for what\">"
    );
    svg.push_str(
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"arrow\" d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>",
    );
    for edge in &graph.edges {
        let (Some(to), Some(from)) = (places.get(edge.to.as_str()), places.get(edge.from.as_str())) else {
            continue;
        };
        let (x1, y1) = (to.0 + WIDE, to.1 + HIGH / 2);
        let (x2, y2) = (from.0, from.1 + HIGH / 2);
        let middle = (x1 + x2) / 2;
        svg.push_str(&format!(
            "<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}\"/>"
        ));
    }
    for node in &graph.nodes {
        let Some((x, y)) = places.get(node.id.as_str()) else { continue };
        let here = if node.id == center { " here" } else { "" };
        let (id, status) = (escape(&node.id), escape(&node.status));
        svg.push_str(&format!(
            "<a href=\"/ticket/{id}\"><rect class=\"node s-{status}{here}\" x=\"{x}\" y=\"{y}\" width=\"{WIDE}\" height=\"{HIGH}\" rx=\"6\"/><text class=\"node-id\" x=\"{}\" y=\"{}\">{id} · {status}</text><text class=\"node-title\" x=\"{}\" y=\"{}\">{}</text></a>",
            x + 10,
            y + 17,
            x + 10,
            y + 34,
            escape(&cut(&node.title, 26)),
        ));
    }
    svg.push_str("</svg>");
    svg
}

/// How far to the right each ticket stands.
fn layers(graph: &Graph) -> BTreeMap<&str, usize> {
    let mut layers: BTreeMap<&str, usize> = graph.nodes.iter().map(|node| (node.id.as_str(), 0)).collect();
    // Longest paths; as many rounds as there are tickets are enough where nothing goes in a circle, and end where it does.
    for _ in 0..graph.nodes.len() {
        let mut moved = false;
        for edge in &graph.edges {
            let below = layers.get(edge.to.as_str()).copied().unwrap_or(0);
            if let Some(layer) = layers.get_mut(edge.from.as_str())
                && *layer <= below
                && below < graph.nodes.len()
            {
                *layer = below + 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    layers
}

/// Where each stands. Within a layer in the order of what they are connected to, so that few lines cross.
fn places<'a>(graph: &'a Graph, layers: &BTreeMap<&'a str, usize>) -> BTreeMap<&'a str, (usize, usize)> {
    let most = layers.values().copied().max().unwrap_or(0);
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for layer in 0..=most {
        let mut here: Vec<&str> = graph
            .nodes
            .iter()
            .map(|node| node.id.as_str())
            .filter(|id| layers.get(id) == Some(&layer))
            .collect();
        let middle = |id: &str| {
            let below: Vec<usize> = graph
                .edges
                .iter()
                .filter(|edge| edge.from == id)
                .filter_map(|edge| rows.get(edge.to.as_str()).copied())
                .collect();
            (below.iter().sum::<usize>() * 100).checked_div(below.len()).unwrap_or(usize::MAX)
        };
        here.sort_by_key(|id| middle(id));
        for (row, id) in here.into_iter().enumerate() {
            rows.insert(id, row);
            places.insert(id, (MARGIN + layer * (WIDE + GAP_X), MARGIN + row * (HIGH + GAP_Y)));
        }
    }
    places
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(most - 1).collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use signalbox_desk::{Edge, Node};

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut names: Vec<&str> = edges.iter().flat_map(|(from, to)| [*from, *to]).collect();
        names.sort_unstable();
        names.dedup();
        Graph {
            nodes: names
                .iter()
                .map(|id| Node { id: (*id).to_owned(), title: format!("<{id}>"), status: "open".to_owned() })
                .collect(),
            edges: edges
                .iter()
                .map(|(from, to)| Edge { from: (*from).to_owned(), to: (*to).to_owned() })
                .collect(),
            cut: false,
        }
    }

    #[test]
    fn each_stands_right_of_what_it_waits_for() {
        let graph = graph(&[("c", "b"), ("b", "a"), ("c", "a"), ("d", "a")]);
        let layers = layers(&graph);
        assert_eq!(layers, BTreeMap::from([("a", 0), ("b", 1), ("c", 2), ("d", 1)]));
        let svg = draw(&graph, "b");
        assert!(svg.contains("&lt;a&gt;") && !svg.contains("<a>"), "titles are text");
    }

    #[test]
    fn a_circle_ends() {
        let graph = graph(&[("a", "b"), ("b", "a")]);
        assert!(draw(&graph, "a").starts_with("<svg"));
    }
}
