//! Git commands about branches, tags and remotes' branches.

use super::super::super::effect::{GitAct, Nature};
use super::super::super::text::Field;
use super::super::call::Call;
use super::sorted;

pub(super) fn switch(call: &mut Call<'_, '_>) {
    let sorted = sorted(call, "c C orphan create force-create conflict");
    let created = sorted.value("c C orphan create force-create");
    let to = match created {
        Some(name) => name.text(),
        None => sorted.operands.first().and_then(Field::text),
    };
    let creates = created.is_some();
    call.git(GitAct::Switch { to, creates });
    if sorted.has("f force discard-changes") {
        call.git(GitAct::Discard);
    }
}

const LISTS: &str = "l list a all r remotes v vv verbose show-current merged no-merged contains no-contains sort \
                     points-at format column no-column i ignore-case abbrev no-abbrev color no-color";

pub(super) fn branch(call: &mut Call<'_, '_>) -> Nature {
    let sorted = sorted(call, "u set-upstream-to sort format points-at");
    let names = |index: usize| sorted.operands.get(index).and_then(Field::text);
    if sorted.has("d D delete") {
        for operand in &sorted.operands {
            call.git(GitAct::DeleteBranch { name: operand.text() });
        }
        return Nature::Listed;
    }
    if sorted.has("m M move") {
        call.git(GitAct::RenameBranch);
        return Nature::Listed;
    }
    if sorted.has("c C copy") {
        let name = names(sorted.operands.len().saturating_sub(1));
        call.git(GitAct::CreateBranch { name });
        return Nature::Listed;
    }
    if sorted.has("u set-upstream-to unset-upstream edit-description") {
        call.git(GitAct::Configure { key: Some("branch".to_owned()) });
        return Nature::Listed;
    }
    let only_lists = sorted.says(LISTS);
    if sorted.operands.is_empty() || only_lists && !sorted.has("f force") {
        call.git(GitAct::Read);
        return Nature::Reads;
    }
    call.git(GitAct::CreateBranch { name: names(0) });
    if sorted.has("f force") {
        call.git(GitAct::Reset { hard: false });
    }
    Nature::Listed
}

pub(super) fn tag(call: &mut Call<'_, '_>) -> Nature {
    let sorted = sorted(call, "m F u message file local-user sort format points-at cleanup");
    let lists = sorted.says("l list n contains no-contains merged no-merged v verify points-at sort");
    if sorted.operands.is_empty() && !sorted.has("d delete") || lists && !sorted.has("d delete a f s") {
        call.git(GitAct::Read);
        return Nature::Reads;
    }
    call.git(GitAct::Tag);
    Nature::Listed
}

const PUSH: &str = "o push-option repo receive-pack exec recurse-submodules signed";

pub(super) fn push(call: &mut Call<'_, '_>) {
    runs_option(call, "receive-pack exec");
    let sorted = sorted(call, PUSH);
    let mut force = sorted.has("f force force-with-lease force-if-includes mirror");
    let mut deletes = sorted.has("d delete prune mirror");
    let everything = sorted.has("all mirror tags branches follow-tags");
    let mut operands = sorted.operands.iter();
    let remote = operands.next().or_else(|| sorted.value("repo"));
    let mut to = Vec::new();
    for refspec in operands {
        let shown = refspec.shown();
        let plain = shown.strip_prefix('+').unwrap_or(&shown);
        force |= shown.starts_with('+');
        let (from, target) = plain.split_once(':').unwrap_or((plain, plain));
        deletes |= from.is_empty() && plain.contains(':');
        to.push(target.trim_start_matches("refs/heads/").to_owned());
    }
    let remote = remote.map(Field::shown);
    call.network(remote.clone());
    if !sorted.says("n dry-run") {
        call.git(GitAct::Push { force, deletes, everything, remote, to });
    } else {
        call.git(GitAct::Read);
    }
}

/// An option whose value is a program that git starts.
pub(super) fn runs_option(call: &mut Call<'_, '_>, names: &str) {
    let sorted = sorted(call, names);
    if let Some(program) = sorted.value(names).cloned() {
        super::other(call);
        call.code(&program);
    }
}
