//! How work flows: how long tickets take, how long they wait for review, how often they come back, how many get done,
//! and what they cost. Everything is worked out from the log, over tickets that are done.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use signalbox_agent::usage;
use signalbox_core::{ProjectName, TicketId, time};
use signalbox_store::agents;
use signalbox_store::index::{History, REPORTS};
use signalbox_store::{Index, clock};

use crate::timeline::moment;
use crate::{CommandError, Desk};

/// How many days back the figures go.
pub const DAYS: i64 = 30;

/// One day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Day {
    /// `2026-11-15`
    pub day: String,
    /// Tickets that were finished on it.
    pub done: usize,
    /// The median of their cycle times, in seconds.
    pub cycle_seconds: Option<u64>,
    /// The median of their waits for a review, in seconds.
    pub review_seconds: Option<u64>,
    /// What they cost, in millionths of a dollar.
    pub cost_micros: u64,
}

/// The figures over all days.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    pub done: usize,
    /// From when work began until it was done: the median and the ninetieth percentile, in seconds.
    pub cycle_p50: Option<u64>,
    pub cycle_p90: Option<u64>,
    /// From when it was handed in until somebody took it up.
    pub review_p50: Option<u64>,
    pub review_p90: Option<u64>,
    /// The share of tickets that were sent back at least once, in thousandths.
    pub rework_permille: usize,
    /// What a ticket cost on average, where its agents' CLIs tell, in millionths of a dollar.
    pub cost_micros_each: Option<u64>,
    pub tokens: u64,
}

/// How work flows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Flow {
    pub figures: Figures,
    /// Every day, the oldest first, also those on which nothing was finished.
    pub days: Vec<Day>,
}

/// One ticket that is done.
struct Finished {
    ticket: TicketId,
    done: Timestamp,
    cycle: Option<u64>,
    waited: Option<u64>,
    reworks: u64,
}

impl Desk {
    /// The flow of a project, or of all.
    pub fn flow(&self, project: Option<&str>) -> Result<Flow, CommandError> {
        let project = project.filter(|name| !name.is_empty()).map(|name| self.project(name)).transpose()?;
        let index = self.index()?;
        let now = clock::now();
        let begin = now - jiff::SignedDuration::from_hours(24 * DAYS);
        let finished = finished(&index, project.as_ref(), begin)?;
        let spent = self.spent(&finished)?;
        let mut days: BTreeMap<String, Vec<&Finished>> = BTreeMap::new();
        for back in 0..=DAYS {
            days.insert(day_of(now - jiff::SignedDuration::from_hours(24 * back)), Vec::new());
        }
        for one in &finished {
            if let Some(day) = days.get_mut(&day_of(one.done)) {
                day.push(one);
            }
        }
        let cost = |one: &Finished| spent.get(&one.ticket).and_then(|spent| spent.1).unwrap_or(0);
        let days = days
            .into_iter()
            .map(|(day, those)| Day {
                day,
                done: those.len(),
                cycle_seconds: percentile(those.iter().filter_map(|one| one.cycle), 50),
                review_seconds: percentile(those.iter().filter_map(|one| one.waited), 50),
                cost_micros: those.iter().map(|one| cost(one)).sum(),
            })
            .collect();
        Ok(Flow { figures: figures(&finished, &spent), days })
    }

    /// Tokens and money that the agents of each ticket used.
    fn spent(&self, finished: &[Finished]) -> Result<BTreeMap<TicketId, (u64, Option<u64>)>, CommandError> {
        let mut spent: BTreeMap<TicketId, (u64, Option<u64>)> = BTreeMap::new();
        for record in agents::all(&self.home)? {
            let Some(ticket) = &record.ticket else { continue };
            if !finished.iter().any(|one| one.ticket == *ticket) {
                continue;
            }
            let Some(driver) = signalbox_drivers::find(&record.driver) else { continue };
            let Some(used) = usage::of(&self.home, driver, &record).ok().flatten() else { continue };
            let sum = spent.entry(ticket.clone()).or_default();
            sum.0 += used.input_tokens + used.cached_tokens + used.output_tokens;
            sum.1 = match (sum.1, used.cost_micros) {
                (None, None) => None,
                (one, two) => Some(one.unwrap_or(0) + two.unwrap_or(0)),
            };
        }
        Ok(spent)
    }
}

fn figures(finished: &[Finished], spent: &BTreeMap<TicketId, (u64, Option<u64>)>) -> Figures {
    let cycle = || finished.iter().filter_map(|one| one.cycle);
    let waited = || finished.iter().filter_map(|one| one.waited);
    let sent_back = finished.iter().filter(|one| one.reworks > 0).count();
    let costs: Vec<u64> = spent.values().filter_map(|(_, cost)| *cost).collect();
    let count = u64::try_from(costs.len()).unwrap_or(u64::MAX);
    Figures {
        done: finished.len(),
        cycle_p50: percentile(cycle(), 50),
        cycle_p90: percentile(cycle(), 90),
        review_p50: percentile(waited(), 50),
        review_p90: percentile(waited(), 90),
        rework_permille: (sent_back * 1_000).checked_div(finished.len()).unwrap_or(0),
        cost_micros_each: costs.iter().sum::<u64>().checked_div(count),
        tokens: spent.values().map(|(tokens, _)| tokens).sum(),
    }
}

/// Tickets that were finished since then.
fn finished(
    index: &Index,
    project: Option<&ProjectName>,
    begin: Timestamp,
) -> Result<Vec<Finished>, CommandError> {
    let sql = REPORTS.iter().find(|report| report.name == "flow").map_or("", |report| report.sql);
    let mut found = Vec::new();
    for row in index.query(sql, None, None)?.rows {
        let text = |at: usize| row.get(at).and_then(|value| value.as_str());
        let Some(ticket) = text(0).and_then(|id| TicketId::parse(id).ok()) else { continue };
        let Some(done) = text(4).and_then(moment).filter(|done| *done >= begin) else { continue };
        let known = index.ticket(&ticket)?;
        let is_done = known.as_ref().is_some_and(|one| one.status == signalbox_core::Status::Done);
        let is_wanted = |one: &signalbox_core::Ticket| project.is_none_or(|project| one.project == *project);
        if !is_done || !known.as_ref().is_some_and(is_wanted) {
            continue;
        }
        let (started, submitted) = (text(2).and_then(moment), text(3).and_then(moment));
        let waited = submitted.map(|at| taken_up(index, &ticket, at)).transpose()?.flatten();
        found.push(Finished {
            ticket,
            done,
            cycle: started.map(|started| seconds(started, done)),
            waited: waited.zip(submitted).map(|(until, at)| seconds(at, until)),
            reworks: row.get(5).and_then(serde_json::Value::as_u64).unwrap_or(0),
        });
    }
    Ok(found)
}

/// When somebody, or the merge queue, took up what was handed in then.
fn taken_up(index: &Index, ticket: &TicketId, at: Timestamp) -> Result<Option<Timestamp>, CommandError> {
    let history = History { ticket: Some(ticket.clone()), since: Some(at), ..History::default() };
    let begins = ["review.started", "review.approved", "review.rejected", "merge.queued", "status.done"];
    let events = index.events(&history)?;
    Ok(events.iter().find(|(_, event)| begins.contains(&event.event.as_str())).map(|(_, event)| event.ts))
}

fn seconds(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second() - from.as_second()).unwrap_or(0)
}

fn day_of(at: Timestamp) -> String {
    time::short(at).chars().take(10).collect()
}

/// The value below which so many of a hundred are, the nearest that there is.
fn percentile(values: impl Iterator<Item = u64>, which: usize) -> Option<u64> {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    let last = values.len().checked_sub(1)?;
    values.get((last * which).div_ceil(100)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let of = |values: &[u64], which| percentile(values.iter().copied(), which);
        assert_eq!(of(&[], 50), None);
        assert_eq!(of(&[7], 90), Some(7));
        assert_eq!(of(&[3, 1, 2], 50), Some(2));
        assert_eq!(of(&[1, 2, 3, 4], 50), Some(3));
        assert_eq!(of(&(1..=100).collect::<Vec<_>>(), 90), Some(91));
        assert_eq!(of(&[1, 2, 3, 4], 100), Some(4));
    }
}
