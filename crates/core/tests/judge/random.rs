//! The judge takes anything: it never panics, and what it refuses it still refuses when more is appended.

use proptest::prelude::*;
use signalbox_core::charter::Charter;

use crate::world::{assistant, discussing, doer, judged, shell, write};

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "ls",
            "rm",
            "git checkout",
            "git push origin",
            "sed -i s/a/b/",
            "tee",
            "cat",
            "python3 -c",
            "bash -c",
            "find . -exec",
            "xargs",
            "cp a",
            "mv a",
            "ln -s",
            "env X=1",
            "sudo",
            "cd",
            "echo x >",
            "cat <<EOF\nx\nEOF\n",
            "$(",
            ")",
            "`",
            "'",
            "\"",
            "{",
            "}",
            ";",
            "&&",
            "||",
            "|",
            "&",
            ">",
            ">>",
            "<(",
            "\\",
            "$HOME",
            "${x:-",
            "*",
            "tests/a.rs",
            ".git/config",
            "src/a.rs",
            "/etc/passwd",
            "~/.bashrc",
            "main",
            "--",
            "-rf",
            "if",
            "then",
            "fi",
            "for f in a b; do",
            "done",
            "case x in",
            "esac",
            "[[",
            "]]",
            "((",
            "))",
            "function f",
            "f()",
            "sb override",
        ])
        .prop_map(ToOwned::to_owned),
        "[ -~]{0,12}",
        any::<String>(),
    ]
}

fn line() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..14).prop_map(|pieces| pieces.join(" "))
}

fn charters() -> [Charter; 3] {
    [assistant(), discussing(), doer()]
}

proptest! {
    #[test]
    fn anything_is_judged(command in line(), path in any::<String>()) {
        for charter in charters() {
            let _ = judged(&charter, &shell(&command));
            let _ = judged(&charter, &write(&path));
        }
    }

    #[test]
    fn what_is_refused_stays_refused(first in line(), second in line()) {
        for charter in charters() {
            if !judged(&charter, &shell(&first)).is_empty() && bash_takes(&first) {
                let both = format!("{first}; {second}");
                prop_assert!(!judged(&charter, &shell(&both)).is_empty(), "{both:?}");
            }
        }
    }
}

/// Whether a line stands on its own, so that something can be appended to it with a semicolon.
fn bash_takes(line: &str) -> bool {
    let plain =
        !line.contains(['\'', '"', '`', '\\', '#', '(', ')', '{', '}', '<', '\n', '\r', '\0', '$', '!']);
    let words = [
        "if", "then", "fi", "for", "do", "done", "case", "esac", "[[", "]]", "function", "&", "&&", "|",
        "||", ";",
    ];
    plain
        && !line.trim().is_empty()
        && !line.split_whitespace().any(|word| words.contains(&word))
        && !line.trim_end().ends_with(['&', '|', ';', '>'])
}
