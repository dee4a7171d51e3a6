#!/bin/sh
# Runs a command in a control group that may use so many bytes of memory, files in the cache included. Needs root.
# Usage: with_memory.sh BYTES COMMAND...
set -eu
bytes=$1
shift
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    group=/sys/fs/cgroup/sibp-bench limit=memory.max
else
    group=/sys/fs/cgroup/memory/sibp-bench limit=memory.limit_in_bytes
fi
mkdir -p "$group"
echo "$bytes" > "$group/$limit"
status=0
sh -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$group" "$@" || status=$?
rmdir "$group"
exit "$status"
