//! The index against the log: it must say exactly what the fold says.

use signalbox_core::Ticket;

use super::log::Scan;
use super::{Finding, Repair};
use crate::index::{Filter, Index};
use crate::log::Tail;
use crate::store::Store;

pub(super) fn examine(store: &Store, scan: &Scan) -> Vec<Finding> {
    let wrong = |what: String| vec![Finding::problem("index", what).repair(Repair::RebuildIndex)];
    let path = store.home().index();
    if !path.exists() {
        return Vec::new();
    }
    let caught_up = Index::open(&path).and_then(|mut index| {
        index.catch_up(store.log(), Tail::Settled)?;
        index.tickets(&Filter::default())
    });
    match caught_up {
        Err(error) => wrong(format!("the index cannot be used: {error}")),
        Ok(mut tickets) => {
            tickets.sort_by(|a, b| a.id.cmp(&b.id));
            let fold: Vec<&Ticket> = scan.board.tickets().collect();
            let differs = fold.iter().zip(&tickets).find(|(a, b)| **a != *b).map(|(a, _)| a.id.to_string());
            match differs {
                _ if fold.len() != tickets.len() => {
                    wrong(format!("the index has {} tickets, and the log {}", tickets.len(), fold.len()))
                }
                Some(id) => wrong(format!("the index says otherwise of {id} than the log")),
                None => Vec::new(),
            }
        }
    }
}
