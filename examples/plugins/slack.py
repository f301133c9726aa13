#!/usr/bin/env python3
"""Post an event to a Slack channel through an incoming webhook.

config: url = "https://hooks.slack.com/services/…"   or better: url_env = "SLACK_WEBHOOK_URL", the variable that holds it
"""

import json
import os
import sys
import urllib.error
import urllib.request


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A webhook that sends us elsewhere is no webhook."""

    def redirect_request(self, *_):
        return None


def escaped(text):
    """The three characters that Slack gives a meaning to."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def message(event):
    data = event.get("data") or {}
    what = event["event"].removeprefix("status.")
    text = f"*{escaped(what)}* {escaped(event.get('ticket') or '')} by {escaped(event.get('actor') or 'somebody')}"
    if event.get("project"):
        text += f" in {escaped(event['project'])}"
    why = data.get("reason") or data.get("note") or data.get("title")
    if why:
        text += "\n> " + escaped(why)[:500].replace("\n", "\n> ")
    return text


def main():
    told = json.load(sys.stdin)
    config = told.get("config") or {}
    url = config.get("url") or os.environ.get(config.get("url_env", "SLACK_WEBHOOK_URL"), "")
    if not url.startswith(("https://", "http://")):
        sys.exit("there is no address: set `url` in the plugin's config, or the variable that `url_env` names")
    body = json.dumps({"text": message(told["event"])}).encode()
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
    try:
        urllib.request.build_opener(NoRedirect).open(request, timeout=8).read(1024)
    except urllib.error.HTTPError as error:
        # The address is a secret, and the error would show it.
        sys.exit(f"Slack answered {error.code}: {error.read(200).decode(errors='replace')}")
    except (urllib.error.URLError, OSError) as error:
        sys.exit(f"Slack could not be reached: {getattr(error, 'reason', error)}")


if __name__ == "__main__":
    main()
