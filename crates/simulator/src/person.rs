//! A person who holds, overrides, answers, takes over and moves main, whenever they like.

use signalbox_core::escalation::{Reply, Wish};
use signalbox_core::orchestra::Control;
use signalbox_core::work::{Handed, Place};
use signalbox_core::{Changes, Command, Priority, Status, Ticket, TicketId, Who};

use crate::world::{Stop, World};

const HUMAN: Who = Who::Human;

/// Do something, once in so many times that it is looked at.
pub fn act(world: &mut World, seldom: usize) -> Result<(), Stop> {
    let person = world.faults.person;
    if person == 0 || !world.dice.once_in(seldom) {
        return Ok(());
    }
    // What is being merged is what it is most awkward to lay hands on.
    let merging = |ticket: &&Ticket| ticket.work.merge.is_some();
    let all = || world.board.tickets().map(|ticket| ticket.id.clone());
    let mut ids: Vec<TicketId> =
        world.board.tickets().filter(merging).map(|ticket| ticket.id.clone()).collect();
    if ids.is_empty() || world.dice.clone().once_in(2) {
        ids = all().collect();
    }
    let Some(id) = world.dice.pick(&ids).cloned() else { return Ok(()) };
    let reason = "Because.".to_owned();
    let to = Status::ALL[world.dice.below(6)];
    let command = match world.dice.below(22) {
        0 | 1 => Command::Hold { id, reason },
        2..=4 => Command::Unhold { id, note: None },
        5 => Command::Override { id, to, reason },
        6 => Command::Release { id, reason, report: None },
        7 => Command::Assign { id, assignee: Some("Sam".to_owned()) },
        8 => Command::Assign { id, assignee: None },
        9 => Command::Close { id, note: None },
        10 => Command::Reopen { id, reason },
        11 | 12 => Command::Approve { id, note: None },
        13 => Command::Reject { id, reason },
        14 => {
            let priority = Some(Priority::ALL[world.dice.below(6)]);
            Command::Edit { id, changes: Box::new(Changes { priority, ..Changes::default() }) }
        }
        15 | 16 => return answer(world),
        17 => return commit_to_main(world),
        18 => {
            let control = [Control::Running, Control::Paused, Control::Draining, Control::Stopping]
                [world.dice.below(4)];
            world.say(format!("a person wants the loop to be {control:?}"));
            world.set_control(control);
            return Ok(());
        }
        19 => {
            world.set_control(Control::Running);
            return Ok(());
        }
        20 => {
            let many = world.agents.len();
            let at = world.dice.below(many);
            if let Some(agent) = world.agents.get_mut(at) {
                agent.claimed = !agent.claimed;
            }
            return Ok(());
        }
        _ => return hand_in(world, id),
    };
    world.say(format!("a person asks {command:?}"));
    world.write(&HUMAN, &command)?;
    Ok(())
}

fn answer(world: &mut World) -> Result<(), Stop> {
    let pending: Vec<String> = world.book.pending().map(|one| one.id.clone()).collect();
    let Some(id) = world.dice.pick(&pending).cloned() else { return Ok(()) };
    let wish = if world.dice.once_in(4) {
        Wish::Withdraw { id, reason: String::new() }
    } else {
        Wish::Answer { id, reply: Reply::Words("Try again.".to_owned()) }
    };
    world.ask(&HUMAN, &wish)?;
    Ok(())
}

/// Main moves, with something that is as it should be.
fn commit_to_main(world: &mut World) -> Result<(), Stop> {
    let main = world.git.main.clone();
    let mut files = world.git.files(&main);
    let path = if world.dice.once_in(3) { "src/shared0.rs" } else { "README.md" };
    files.insert(path.to_owned(), format!("by hand {}", world.elapsed));
    let commit = world.git.commit(Some(&main), files, None);
    world.git.move_main(&main, &commit, false);
    world.say(format!("a person moves main to {commit}"));
    Ok(())
}

/// Work that a person did in their own checkout.
fn hand_in(world: &mut World, id: TicketId) -> Result<(), Stop> {
    let Some(topic) = world.topics.get(&id).cloned() else { return Ok(()) };
    world.write(&HUMAN, &Command::Pick { id: id.clone() })?;
    let main = world.git.main.clone();
    let mut files = world.git.files(&main);
    files.insert(format!("src/{}.rs", topic.letter), format!("impl {} by hand", topic.letter));
    let commit = world.git.commit(Some(&main), files, None);
    let handed = Handed { commit, branch: "mine".to_owned(), place: Place::Repository };
    world.write(&HUMAN, &Command::Submit { id, note: Some("By hand.".to_owned()), handed: Some(handed) })?;
    Ok(())
}
