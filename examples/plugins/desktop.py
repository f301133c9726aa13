#!/usr/bin/env python3
"""Show an event as a desktop notification: notify-send on Linux, osascript on macOS.

config: title = "Signalbox", urgency = "normal" (low, normal, critical; notify-send alone)
"""

import html
import json
import shutil
import subprocess
import sys

SENTENCES = {
    "status.review": "{ticket} waits for a review",
    "status.rework": "{ticket} was sent back",
    "status.done": "{ticket} is done",
    "status.blocked": "{ticket} is blocked",
    "hook.notification": "{actor}: {message}",
}


def plain(text):
    """One short line without anything that a desktop could act on."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= 200 else line[:199] + "…"


def sentence(event):
    data = event.get("data") or {}
    known = {
        "ticket": event.get("ticket") or "a ticket",
        "actor": event.get("actor") or "somebody",
        "message": data.get("message") or "",
    }
    text = SENTENCES.get(event["event"], event["event"] + " of {ticket} by {actor}").format(**known)
    why = data.get("reason") or data.get("note")
    return plain(f"{text}: {why}" if why else text)


def main():
    told = json.load(sys.stdin)
    config = told.get("config") or {}
    title = plain(config.get("title", "Signalbox"))
    body = sentence(told["event"])
    if shutil.which("notify-send"):
        urgency = str(config.get("urgency", "normal"))
        # The body is read as markup.
        command = ["notify-send", "--app-name=Signalbox", f"--urgency={urgency}", "--", title, html.escape(body, quote=False)]
    elif shutil.which("osascript"):
        script = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"]
        command = ["osascript", *[word for line in script for word in ("-e", line)], title, body]
    else:
        sys.exit("neither notify-send nor osascript is on PATH")
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
