#!/usr/bin/env bash
# Checks that the tools the Makefile needs are there; installs missing Debian packages when run as root.
set -euo pipefail

missing=()
command -v cc >/dev/null || missing+=(build-essential)
command -v python3 >/dev/null || missing+=(python3)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)

if ((${#missing[@]})); then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends "${missing[@]}" >&2
  else
    echo "missing packages: ${missing[*]}" >&2
    echo "on Debian or Ubuntu: sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "Python 3.11 or later is needed; this is $(python3 --version)" >&2
  exit 1
fi

if ! command -v "${CARGO:-cargo}" >/dev/null; then
  echo "cargo is missing: install Rust from https://rustup.rs, then open a new shell" >&2
  exit 1
fi
for component in rustfmt clippy-driver; do
  if ! command -v "$component" >/dev/null; then
    echo "$component is missing: rustup component add rustfmt clippy" >&2
    exit 1
  fi
done
