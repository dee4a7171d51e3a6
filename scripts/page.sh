#!/usr/bin/env bash
# Builds, lints, tests and measures the browser code of `sibp page`.
#   scripts/page.sh build|lint|test|bench [FILES]
# What it needs is installed: Node and chromium from Debian when run as root, the rest by npm. Where that cannot be, lint and
# test say `skipped: ` and why; build and bench fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

web=crates/sibp-page/web
tests=tests/page

# Ends: a skip for lint and test, a failure for what somebody asked for by name.
give_up() {
  case "$task" in
    lint) printf 'skipped: page bundle: %s\npage bundle: 0 passed, 0 failed, 1 skipped\n' "$1" ;;
    test) printf 'skipped: page: %s\npage: 0 passed, 0 failed, 1 skipped\n' "$1" ;;
    *) echo "$1" >&2; exit 1 ;;
  esac
  exit 0
}

debian() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends "$@"; } >&2
}

need_node() {
  if ! { command -v node && command -v npm; } >/dev/null; then
    # Linting does not need what the bundle is built with: whoever changes the page has it.
    [ "$task" != lint ] && debian nodejs npm || give_up "Node and npm are missing (Debian: nodejs npm)"
  fi
  node -e 'process.exit(process.versions.node.split(".")[0] < 18 ? 1 : 0)' || give_up "Node 18 or later is needed; this is $(node --version)"
}

need_browser() {
  [ -x "${SIBP_CHROMIUM:-/usr/bin/chromium}" ] || debian chromium || give_up "chromium is missing (Debian: chromium)"
}

# Installs exactly what the lock file names, once.
need_packages() {
  local folder=$1 said
  [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] && return
  if ! said=$(npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error 2>&1); then
    grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH' <<<"$said" && give_up "npm cannot reach its registry"
    echo "$said" >&2
    exit 1
  fi
}

task=${1:?build, lint, test or bench}
shift
need_node
need_packages "$web"
case "$task" in
  build)
    (cd "$web" && node_modules/.bin/tsc --noEmit && node build.mjs)
    ;;
  lint)
    (cd "$web" && node_modules/.bin/tsc --noEmit && node build.mjs --check)
    ;;
  test)
    need_browser
    need_packages "$tests"
    node "$tests/run.mjs" "$@"
    ;;
  bench)
    need_browser
    need_packages "$tests"
    node benches/page/bench.mjs "$@"
    ;;
  *)
    echo "build, lint, test or bench, not $task" >&2
    exit 2
    ;;
esac
