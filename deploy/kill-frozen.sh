#!/bin/sh
# Checks a replica every two seconds, and runs a command that kills it when it accepts a connection but
# does not respond within five seconds:
#
#   deploy/kill-frozen.sh http://127.0.0.1:13001/health/live systemctl kill --signal=KILL vitrine@3001
#
# A replica that is stopped or starting refuses connections, and is left alone. The end of the process closes
# its connections: nginx sends safe requests to another replica at once, and responds to POST and PATCH with 502.
set -eu

[ $# -ge 2 ] || {
  echo 'kill-frozen: usage: kill-frozen.sh URL COMMAND…' >&2
  exit 1
}
url=$1
shift

while sleep 2; do
  status=0
  curl --silent --output /dev/null --max-time 5 "$url" || status=$?
  # CURLE_OPERATION_TIMEDOUT
  [ "$status" -ne 28 ] || {
    echo "kill-frozen: $url does not respond" >&2
    "$@" || true
  }
done
