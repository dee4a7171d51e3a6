#!/usr/bin/env bash
# Compiles the library for AArch64 and runs its tests of search and of vector loops under emulation. When run as root on
# Debian it installs what that needs; elsewhere it says what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=aarch64-unknown-linux-gnu
has_library() { [ -d "$("$1" --print sysroot 2>/dev/null)/lib/rustlib/$target/lib" ]; }

# rustup's compiler where it has the target, else Debian's, whose libraries for other processors are packages.
compiler=rustc
has_library "$compiler" || compiler=/usr/bin/rustc
missing=()
has_library "$compiler" || missing+=(rustc-web libstd-rust-web-dev:arm64)
command -v aarch64-linux-gnu-gcc >/dev/null || missing+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
command -v qemu-aarch64-static >/dev/null || missing+=(qemu-user-static)
# Programs run with this library; with that of the cross compiler new threads hang under emulation.
[ -e /lib/ld-linux-aarch64.so.1 ] || missing+=(libc6:arm64)

if ((${#missing[@]})); then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    dpkg --add-architecture arm64
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends "${missing[@]}" >&2
  else
    echo "missing packages: ${missing[*]}" >&2
    echo "on Debian: sudo dpkg --add-architecture arm64 && sudo apt-get update && sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi

export RUSTC="$compiler"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static"
# In a folder of its own, as another compiler's work is of no use to the other targets. Emulated programs cannot start
# others, as one test does.
"${CARGO:-cargo}" test --release --target "$target" --target-dir "${CARGO_TARGET_DIR:-target}/arm" --package sibp \
  --features internals,test-model --lib -- index:: numerics:: --skip the_environment_holds_a_process "$@"
