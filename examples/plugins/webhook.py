#!/usr/bin/env python3
"""Post an event as it stands in the log to any address.

config: url = "https://example.org/hook"
        headers = { Authorization = "Bearer …" }
        secret_env = "MY_HOOK_SECRET"   the variable with a secret: then the body is signed, as GitHub does it
"""

import hashlib
import hmac
import json
import os
import sys
import urllib.error
import urllib.request


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """What is posted is for this address and no other."""

    def redirect_request(self, *_):
        return None


def main():
    told = json.load(sys.stdin)
    config = told.get("config") or {}
    url = str(config.get("url", ""))
    if not url.startswith(("https://", "http://")):
        sys.exit("there is no address: set `url` in the plugin's config")
    body = json.dumps(told["event"], ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "X-Signalbox-Event": told["event"]["event"]}
    headers.update({str(name): str(value) for name, value in (config.get("headers") or {}).items()})
    if config.get("secret_env"):
        secret = os.environ.get(config["secret_env"]) or sys.exit(f"{config['secret_env']} is not set")
        headers["X-Signalbox-Signature"] = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        urllib.request.build_opener(NoRedirect).open(request, timeout=8).read(1024)
    except urllib.error.HTTPError as error:
        sys.exit(f"it answered {error.code}")
    except (urllib.error.URLError, OSError) as error:
        sys.exit(f"it could not be reached: {getattr(error, 'reason', error)}")


if __name__ == "__main__":
    main()
