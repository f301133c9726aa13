//! What the person answers: typing a line, choosing one of several, and what follows from it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use signalbox_core::{Priority, Status};
use signalbox_desk::{Act, Loop, NewTicket, Sieve};

use super::{say, send, sieve_changed};
use crate::message::{Ask, Effect};
use crate::prompt::{self, Choice, Field, Prompt, Purpose};
use crate::state::State;

/// What stands for "all of them" among values to sift by.
pub const ALL: &str = "all";

/// A key while something is asked.
pub(super) fn press(state: &mut State, key: KeyEvent, effects: &mut Vec<Effect>) {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    if key.code == KeyCode::Esc || (is_control && key.code == KeyCode::Char('c')) {
        return give_up(state);
    }
    match &mut state.prompt {
        Some(Prompt::Line { line, refused, .. }) => {
            match key.code {
                KeyCode::Enter => return submit(state, effects),
                KeyCode::Char('a') if is_control => line.home(),
                KeyCode::Char('e') if is_control => line.end(),
                KeyCode::Char('u') if is_control => line.clear_before(),
                KeyCode::Char('w') if is_control => line.cut_word(),
                KeyCode::Char(c) if !is_control => line.insert(c.encode_utf8(&mut [0; 4])),
                KeyCode::Backspace => line.backspace(),
                KeyCode::Delete => line.delete(),
                KeyCode::Left => line.left(),
                KeyCode::Right => line.right(),
                KeyCode::Home => line.home(),
                KeyCode::End => line.end(),
                _ => return,
            }
            refused.clear();
            search(state);
        }
        Some(Prompt::Choose { options, cursor, .. }) => match key.code {
            KeyCode::Up | KeyCode::Char('k') => *cursor = cursor.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => {
                *cursor = (*cursor + 1).min(options.len().saturating_sub(1));
            }
            KeyCode::Home => *cursor = 0,
            KeyCode::End => *cursor = options.len().saturating_sub(1),
            KeyCode::Char(digit @ '1'..='9') => {
                let index = usize::from(digit as u8 - b'1');
                if index < options.len() {
                    *cursor = index;
                    chosen(state, effects);
                }
            }
            KeyCode::Enter => chosen(state, effects),
            _ => {}
        },
        None => {}
    }
}

/// What was pasted goes into the line that is typed, and nowhere else.
pub(super) fn paste(state: &mut State, text: &str) {
    if let Some(Prompt::Line { line, .. }) = &mut state.prompt {
        line.insert(text);
        search(state);
    }
}

/// The words that are looked for count as they are typed.
fn search(state: &mut State) {
    if let Some(Prompt::Line { purpose: Purpose::Search { .. }, line, .. }) = &state.prompt
        && state.sieve.text != line.text
    {
        state.sieve.text.clone_from(&line.text);
        sieve_changed(state);
    }
}

fn give_up(state: &mut State) {
    if let Some(Prompt::Line { purpose: Purpose::Search { before }, .. }) = state.prompt.take() {
        state.sieve.text = before;
        sieve_changed(state);
    }
}

/// The line is complete.
fn submit(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(Prompt::Line { purpose, line, .. }) = state.prompt.take() else { return };
    match purpose {
        Purpose::Search { .. } => {}
        Purpose::Title { project } if !line.text.trim().is_empty() => {
            let options = Priority::ALL.iter().map(|one| one.as_str().to_owned()).collect();
            let usual = Priority::ALL.iter().position(|one| *one == Priority::default()).unwrap_or(0);
            let choice = Choice::Priority { project, title: line.text };
            state.prompt = Some(Prompt::Choose { choice, options, cursor: usual });
        }
        purpose => match prompt::act(&purpose, &line.text) {
            Ok(act) => {
                let asked = Prompt::Line { purpose, line, refused: Vec::new() };
                send(state, act, Some(asked), effects);
            }
            Err(why) => state.prompt = Some(Prompt::Line { purpose, line, refused: vec![why] }),
        },
    }
}

/// One was chosen.
fn chosen(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(Prompt::Choose { choice, options, cursor }) = state.prompt.take() else { return };
    let Some(option) = options.get(cursor).cloned() else { return };
    match choice {
        Choice::Status { ticket, from } => move_to(state, ticket, &from, option, effects),
        Choice::Field => match Field::ALL.into_iter().find(|field| field.title() == option) {
            Some(field) => {
                state.prompt = Some(Prompt::choose(Choice::Value(field), Vec::new()));
                choices_came(state);
                // They are as old as the last time somebody chose.
                effects.push(Effect::Read(vec![Ask::Choices]));
                state.reading.outstanding += 1;
            }
            None => {
                state.sieve = Sieve::default();
                sieve_changed(state);
            }
        },
        Choice::Value(field) => {
            let value = if option == ALL { String::new() } else { option };
            match field {
                Field::Project => state.sieve.project = value,
                Field::Priority => state.sieve.priority = value,
                Field::Assignee => state.sieve.assignee = value,
                Field::Tag => state.sieve.tag = value,
            }
            sieve_changed(state);
        }
        Choice::Project => state.prompt = Some(Prompt::line(Purpose::Title { project: option })),
        Choice::Priority { project, title } => {
            let asked = Prompt::Line {
                purpose: Purpose::Title { project: project.clone() },
                line: prompt::Line::of(&title),
                refused: Vec::new(),
            };
            let new = NewTicket { project, title, priority: option, ..NewTicket::default() };
            send(state, Act::New(new), Some(asked), effects);
        }
        Choice::StopAgent(agent) if cursor == 1 => send(state, Act::Stop { agent }, None, effects),
        Choice::StopLoop(project) if cursor == 1 => {
            send(state, Act::Loop { project, wish: Loop::Stop, agents: None }, None, effects);
        }
        Choice::StopAgent(_) | Choice::StopLoop(_) => {}
    }
}

/// Move a ticket; where the rules want a reason, it is asked for first.
pub(super) fn move_to(state: &mut State, ticket: String, from: &str, to: String, effects: &mut Vec<Effect>) {
    let is = |word: &str, status: Status| word == status.as_str();
    let was_claimed = is(from, Status::InProgress) || is(from, Status::Rework);
    if is(&to, Status::Rework) || (is(&to, Status::Open) && was_claimed) {
        state.prompt = Some(Prompt::line(Purpose::Move { ticket, to }));
    } else {
        send(state, Act::Move { ticket, to, text: String::new() }, None, effects);
    }
}

/// Ask where a ticket is to go.
pub(super) fn choose_status(state: &mut State, ticket: String, from: String) {
    let options = Status::ALL.iter().map(|status| status.as_str().to_owned()).collect();
    state.prompt = Some(Prompt::choose(Choice::Status { ticket, from }, options));
}

/// Ask what to sift by.
pub(super) fn choose_field(state: &mut State) {
    let mut options: Vec<String> = Field::ALL.iter().map(|field| field.title().to_owned()).collect();
    options.push("everything again".to_owned());
    state.prompt = Some(Prompt::choose(Choice::Field, options));
}

/// What there is to choose from is known now.
pub(super) fn choices_came(state: &mut State) {
    let choices = &state.views.choices;
    let (new, first) = match &state.prompt {
        Some(Prompt::Choose { choice: Choice::Value(field), .. }) => {
            let values = match field {
                Field::Project => choices.projects.clone(),
                Field::Priority => Priority::ALL.iter().map(|one| one.as_str().to_owned()).collect(),
                Field::Assignee => choices.assignees.clone(),
                Field::Tag => choices.tags.clone(),
            };
            (values, Some(ALL.to_owned()))
        }
        Some(Prompt::Choose { choice: Choice::Project, .. }) => (choices.projects.clone(), None),
        _ => return,
    };
    if let Some(Prompt::Choose { options, cursor, .. }) = &mut state.prompt {
        *options = first.into_iter().chain(new).collect();
        *cursor = (*cursor).min(options.len().saturating_sub(1));
    }
}

/// Ask for an answer to a question.
pub(super) fn answer(state: &mut State, id: &str) {
    let known = state.decisions().into_iter().find(|one| one.id == id);
    let found =
        known.map(|one| (one.question.clone(), one.options.clone(), one.state.clone())).or_else(|| {
            let needs = state.views.now.as_ref()?.needs.iter();
            let need = needs.into_iter().find(|need| need.decision.as_deref() == Some(id))?;
            Some((need.words.clone(), need.options.clone(), String::new()))
        });
    let Some((question, options, how)) = found else { return };
    if how == "resolved" {
        return say(state, vec![format!("{id} is answered already.")], false);
    }
    state.prompt = Some(Prompt::line(Purpose::Answer { decision: id.to_owned(), question, options }));
}

/// Ask for what a new ticket needs: its project, unless it is clear, and its title.
pub(super) fn new_ticket(state: &mut State, effects: &mut Vec<Effect>) {
    let project =
        Some(state.sieve.project.clone()).filter(|name| !name.is_empty()).or(state.picked().project);
    match project {
        Some(project) => state.prompt = Some(Prompt::line(Purpose::Title { project })),
        None => {
            state.prompt = Some(Prompt::choose(Choice::Project, state.views.choices.projects.clone()));
            effects.push(Effect::Read(vec![Ask::Choices]));
            state.reading.outstanding += 1;
        }
    }
}
