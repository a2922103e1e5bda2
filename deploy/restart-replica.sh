#!/bin/sh
# Restarts one replica behind nginx without losing a request:
#
#   deploy/restart-replica.sh 172.30.0.11:3000 docker compose up --detach --build --no-deps vitrine-1
#   deploy/restart-replica.sh 172.30.0.12:3000 docker compose up --detach --build --no-deps vitrine-2
#
# The first argument is a server of the upstream file. The rest is a command that returns when the old
# process has exited and a new one is starting. DRAIN_SECONDS of the replica must not be 0, because old
# processes of nginx still send requests to it for a moment after a reload. If the command fails, or the
# replica is not ready within a minute, nginx does not use it again. UPSTREAM_FILE names another
# upstream file, and NGINX_RELOAD another command that reloads nginx. This machine must be able to connect
# to the replica.
set -eu

upstream=${UPSTREAM_FILE:-$(dirname "$0")/upstream.conf}
reload=${NGINX_RELOAD:-docker compose exec -T proxy nginx -s reload}

fail() {
  echo "restart-replica: $1" >&2
  exit 1
}

[ $# -ge 2 ] || fail 'usage: restart-replica.sh SERVER COMMAND…'
server=$1
shift

mkdir "$upstream.lock" 2>/dev/null ||
  fail "another restart is running. If none is, run: rmdir $upstream.lock"
trap 'rmdir "$upstream.lock"' EXIT
# Without this, dash ends at a signal without the trap above.
trap 'fail "interrupted: run this again if $upstream has $server as down"' HUP INT TERM

line="^[[:space:]]*server $(echo "$server" | sed 's/[].[]/\\&/g')( [^;]*)?;"
grep -Eq "$line" "$upstream" || fail "$upstream has no server $server"
grep -E '^[[:space:]]*server ' "$upstream" | grep -Ev "$line| down;" | grep -q . ||
  fail "no other server in $upstream is up"

# Writes the file in place, because a container sees the mounted file and not a replacement.
edit() {
  before=$(cat "$upstream")
  changed=$(sed -E "$1" "$upstream")
  echo "$changed" >"$upstream"
  $reload && return
  echo "$before" >"$upstream"
  fail "nginx could not be reloaded; $upstream is as it was"
}

edit "/$line/s/( down)?;/ down;/"
"$@" || fail "the command failed, and $server stays out"
attempts=60
until curl --fail --silent --output /dev/null --max-time 2 "http://$server/health/ready"; do
  attempts=$((attempts - 1))
  [ "$attempts" -gt 0 ] || fail "$server is not ready, and stays out"
  sleep 1
done
edit "/$line/s/ down;/;/"
