//! The ways into a running Copilot CLI.

use serde_json::json;

use crate::door::{Door, Extension};

pub(crate) const DOORS: &[Door] = &[Door::Extension(EXTENSION), Door::Keyboard];

pub(crate) const EXTENSION: Extension = Extension {
    path: "extensions/signalbox/extension.mjs",
    text: |sb| TEXT.replace("PROGRAM", &json!(sb).to_string()),
    needs: &["--experimental"],
};

/// It runs the waiter again and again, and hands over what it prints. A waiter that fails at once must not make it spin,
/// and nothing of this may outlive the session or be printed: standard output belongs to the protocol. In a session that
/// `sb agent` did not start there is nobody to wait for.
const TEXT: &str = r#"// Written by Signalbox: hands messages to this session. `sb hooks uninstall` takes it away.
import { spawn } from "node:child_process";
import { joinSession } from "@github/copilot-sdk/extension";

const session = await joinSession({});
const input = JSON.stringify({ sessionId: session.sessionId, cwd: process.cwd() });
let child;
process.on("exit", () => child?.kill());

function wait() {
  return new Promise((resolve) => {
    child = spawn(PROGRAM, ["hook", "wait", "--cli", "copilot"], { stdio: ["pipe", "pipe", "ignore"] });
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece) => (text += piece));
    child.on("error", () => resolve(null));
    child.on("close", (code) => resolve(code === 0 ? text : null));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

while (process.env.SIGNALBOX_AGENT) {
  const text = await wait();
  if (text && text.trim()) {
    await session.send({ prompt: text });
  } else {
    await new Promise((resolve) => setTimeout(resolve, 5000));
  }
}
"#;
