#!/usr/bin/env python3
"""Say an event aloud, or play a sound for it.

config: says = { "status.review" = "Ticket {ticket} waits for you" }   sentences of your own, by event
        sounds = { "status.done" = "/path/to/bell.wav" }               played instead of speaking
        voice = "Samantha"                                             for `say` alone
"""

import json
import shutil
import subprocess
import sys

SPEAKERS = ["say", "spd-say", "espeak-ng", "espeak"]
PLAYERS = ["afplay", "paplay", "aplay"]
SENTENCES = {
    "status.review": "{ticket} waits for a review",
    "status.rework": "{ticket} was sent back",
    "status.done": "{ticket} is done",
}


def first(programs):
    found = next((program for program in programs if shutil.which(program)), None)
    return found or sys.exit(f"none of {', '.join(programs)} is on PATH")


def main():
    told = json.load(sys.stdin)
    event, config = told["event"], told.get("config") or {}
    sound = (config.get("sounds") or {}).get(event["event"])
    if sound:
        command = [first(PLAYERS), str(sound)]
    else:
        known = {"ticket": event.get("ticket") or "a ticket", "actor": event.get("actor") or "somebody"}
        pattern = (config.get("says") or {}).get(event["event"]) or SENTENCES.get(event["event"], event["event"].replace(".", " "))
        text = str(pattern)
        for name, value in known.items():
            text = text.replace("{" + name + "}", value)
        # A sentence that begins with a dash must not become an option.
        text = " ".join(text.replace("_", " ").split()).lstrip("-")
        speaker = first(SPEAKERS)
        voice = ["-v", str(config["voice"])] if speaker == "say" and config.get("voice") else []
        wait = ["--wait"] if speaker == "spd-say" else []
        command = [speaker, *voice, *wait, text]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
