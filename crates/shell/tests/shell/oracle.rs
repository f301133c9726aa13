//! Another parser as a second opinion: whatever brush finds to be run, we must have found too.

use super::effects_of;
use super::properties::command;
use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList, Pipeline, Program,
};
use proptest::prelude::*;
use signalbox_shell::Effect;

fn programs(program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    for list in &program.complete_commands {
        in_list(list, &mut found);
    }
    found
}

fn in_list(list: &CompoundList, found: &mut Vec<String>) {
    for item in &list.0 {
        in_pipeline(&item.0.first, found);
        for more in &item.0.additional {
            let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = more;
            in_pipeline(pipeline, found);
        }
    }
}

fn in_pipeline(pipeline: &Pipeline, found: &mut Vec<String>) {
    for command in &pipeline.seq {
        match command {
            Command::Simple(simple) => {
                found.extend(simple.word_or_name.iter().map(|word| word.value.clone()));
                for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
                    if let CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) = item {
                        in_list(&subshell.list, found);
                    }
                }
            }
            Command::Compound(compound, _) => in_compound(compound, found),
            Command::Function(function) => in_compound(&function.body.0, found),
            Command::ExtendedTest(..) => {}
        }
    }
}

fn in_compound(compound: &CompoundCommand, found: &mut Vec<String>) {
    match compound {
        CompoundCommand::BraceGroup(group) => in_list(&group.list, found),
        CompoundCommand::Subshell(subshell) => in_list(&subshell.list, found),
        CompoundCommand::ForClause(clause) => in_list(&clause.body.list, found),
        CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
            in_list(&clause.0, found);
            in_list(&clause.1.list, found);
        }
        CompoundCommand::IfClause(clause) => {
            in_list(&clause.condition, found);
            in_list(&clause.then, found);
            for other in clause.elses.iter().flatten() {
                in_list(&other.body, found);
            }
        }
        CompoundCommand::CaseClause(clause) => {
            for case in &clause.cases {
                case.cmd.iter().for_each(|list| in_list(list, found));
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn every_program_that_brush_finds_is_found(command in command()) {
        let options = brush_parser::ParserOptions::default();
        let parsed = brush_parser::Parser::new(command.as_bytes(), &options).parse_program();
        prop_assume!(parsed.is_ok());
        let effects = effects_of(&command);
        for name in programs(&parsed.unwrap()) {
            // Names of programs that are neither wrappers nor builtins stand in the effects as they are.
            if !["rm", "cp", "mv", "ls", "cat", "tee", "git", "curl", "find", "unknown-tool"].contains(&name.as_str()) {
                continue;
            }
            let runs = |effect: &Effect| matches!(effect, Effect::Run { program, .. } if *program == name);
            prop_assert!(effects.list.iter().any(runs), "{name} is missing in {effects}");
        }
    }
}
