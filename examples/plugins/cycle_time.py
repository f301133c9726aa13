#!/usr/bin/env python3
"""Keep a table of how long tickets take: one row for each that is done.

config: file = "cycle-times.csv"   a relative path is below the folder of plugins
"""

import csv
import fcntl
import json
import subprocess
import sys
from datetime import datetime

COLUMNS = ["ticket", "project", "created", "started", "submitted", "done", "hours_waiting", "hours_working", "reworks"]


def hours(start, end):
    if not start or not end:
        return ""
    moment = lambda text: datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round((moment(end) - moment(start)).total_seconds() / 3600, 2)


def main():
    told = json.load(sys.stdin)
    event, config = told["event"], told.get("config") or {}
    if event["event"] != "status.done" or not event.get("ticket"):
        return
    ticket = event["ticket"]
    # The log knows the whole story, also of what happened before this plugin was there.
    query = ["sb", "query", "--report", "flow", "--ticket", ticket, "--json"]
    rows = json.loads(subprocess.run(query, check=True, stdout=subprocess.PIPE).stdout)
    if not rows:
        return
    flow = rows[0]
    row = {
        "ticket": ticket,
        "project": event.get("project") or "",
        "hours_waiting": hours(flow["created"], flow["started"]),
        "hours_working": hours(flow["started"], flow["done"]),
        **{name: flow[name] or "" for name in ("created", "started", "submitted", "done")},
        "reworks": flow["reworks"] or 0,
    }
    with open(config.get("file", "cycle-times.csv"), "a+", newline="", encoding="utf-8") as file:
        # Two tickets may be done at once.
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = {(old["ticket"], old["done"]) for old in csv.DictReader(file)}
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not file.tell():
            writer.writeheader()
        # Being told twice is no second ticket.
        if (row["ticket"], row["done"]) not in known:
            writer.writerow(row)


if __name__ == "__main__":
    main()
