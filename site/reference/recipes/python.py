# BASE is where the API is served, such as https://wheel.example
import json
import os
import urllib.error
import urllib.request

BASE = os.environ["BASE"]


def get(path, tag=None):
    """Status, tag and body; 304 has no body."""
    request = urllib.request.Request(BASE + path, headers={"If-None-Match": tag} if tag else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers["ETag"], json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 304:
            return 304, tag, None
        raise


_, tag, process = get("/v4/public/process")
builder = process["builder"]
if builder["status"] == "available":
    # Accepted, not settled: a projection is no reward. Python's int holds every decimal string.
    print("projected block height:", int(builder["projected"]["blockHeight"]))
else:
    print("projected block height: not known,", builder["reason"])

status, _, _ = get("/v4/public/process", tag)
print("asked again:", status)
