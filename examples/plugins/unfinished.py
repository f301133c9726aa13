#!/usr/bin/env python3
"""Refuse to hand in a ticket while words such as TODO stand in its title, its description or what was last noted.

It decides: `decides = true`, `events = ["status.review"]`.
config: words = ["TODO", "FIXME"]
"""

import json
import re
import subprocess
import sys

SQL = """
SELECT 'title' AS place, title AS text FROM tickets WHERE id = :ticket
UNION ALL SELECT * FROM (
    SELECT 'description', json_extract(data, '$.body') FROM events
    WHERE ticket = :ticket AND event IN ('ticket.created', 'ticket.edited') AND json_extract(data, '$.body') IS NOT NULL
    ORDER BY seq DESC LIMIT 1)
UNION ALL SELECT * FROM (
    SELECT 'last note', json_extract(data, '$.text') FROM events
    WHERE ticket = :ticket AND event = 'note.added' ORDER BY seq DESC LIMIT 1)
""".strip()


def main():
    told = json.load(sys.stdin)
    event, config = told["event"], told.get("config") or {}
    if event["event"] != "status.review" or not event.get("ticket"):
        return
    words = [re.escape(str(word)) for word in config.get("words", ["TODO", "FIXME"])]
    if not words:
        return
    pattern = re.compile(r"\b(" + "|".join(words) + r")\b")
    query = ["sb", "query", SQL, "--ticket", event["ticket"], "--json"]
    texts = json.loads(subprocess.run(query, check=True, stdout=subprocess.PIPE).stdout)
    note = (event.get("data") or {}).get("note")
    if note:
        # What is said now takes the place of what was noted before.
        texts = [row for row in texts if row["place"] != "last note"] + [{"place": "note", "text": note}]
    for row in texts:
        found = pattern.search(row["text"] or "")
        if found:
            reason = f"`{found.group(1)}` stands in its {row['place']}"
            hint = "Finish it, or file what is left as a ticket of its own: `sb new`."
            print(json.dumps({"allow": False, "reason": reason, "hint": hint}))
            return


if __name__ == "__main__":
    main()
