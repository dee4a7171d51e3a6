#!/usr/bin/env bash
# Installs Java 17 for Spark from Debian's packages when run as root; without it the tests of Spark are skipped, visibly.
set -euo pipefail

if command -v java >/dev/null || [ -n "${JAVA_HOME:-}" ]; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq >&2 &&
    DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends openjdk-17-jre-headless >&2 && exit 0
fi
echo "skipped: Spark needs Java 17; on Debian or Ubuntu: sudo apt-get install openjdk-17-jre-headless" >&2
