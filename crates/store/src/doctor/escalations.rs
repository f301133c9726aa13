//! Files of escalations that are not what the log says.

use super::{Finding, Repair};
use crate::escalation;
use crate::home::Home;
use crate::store::StoreError;
use signalbox_core::escalation::Book;

pub(super) fn examine(home: &Home, book: &Book) -> Result<Vec<Finding>, StoreError> {
    let wrong = escalation::wrong_files(home, book)?;
    let finding = |id: String| {
        let what = format!("the file of {id} is missing, was changed, or is in the wrong folder");
        // Whoever wrote the newest may have been killed, and the next one writes it.
        let newest = book.last().is_some_and(|last| last.id == id);
        let finding =
            if newest { Finding::note("escalations", what) } else { Finding::problem("escalations", what) };
        finding.repair(Repair::RestoreEscalation(id))
    };
    Ok(wrong.into_iter().map(|one| finding(one.id)).collect())
}
