//! The real agent CLIs with the hooks of the real `sb`, on a scripted model: what is refused is not executed, what is
//! told reaches the model, and what happened is in the log.
//!
//! The hooks are always installed by `sb hooks install`. What each test found goes into the published table, where
//! `cargo xtask matrix` asks for it.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod agents;
mod claude;
mod claude_demo;
mod claude_finish;
mod claude_interactive;
mod claude_mcp;
mod claude_quota;
mod claude_subagent;
mod claude_ticket;
mod codex;
mod copilot;
mod core_set;
mod drafts;
mod drafts_person;
mod failure;
mod gemini;
mod goose;
mod mcp_every_tool;
mod mcp_installed;
mod mcp_sdk;
mod self_addressed;
mod support;
mod watched;
mod wrapped;

/// No further arguments.
const NOTHING: [&str; 0] = [];
