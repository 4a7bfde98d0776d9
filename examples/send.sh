#!/bin/sh
# Ways to send a request. Serve the site first: httpcli serve examples/site
# Run: sh examples/send.sh [base URL]
set -eu
base=${1:-http://127.0.0.1:8080}

# Only the status line.
httpcli send -t "GET $base/" -p status

# A request on standard input; only the body of the response.
printf 'GET %s/about\nAccept: application/json\n\n' "$base" | httpcli send -p body

# What would be sent, with a body from an argument. Nothing is sent.
httpcli send --offline -t "POST $base/users
Content-Type: application/json" -b '{"name":"Joe"}'

# A status of 400 or more as an exit code.
httpcli send -t "GET $base/nowhere" -p status --fail || echo "exit code $?"
