#!/bin/sh
# Decides which executable this runner needs and where it is installed, and puts that directory on the PATH of later steps.
#
# Environment: VERSION (empty: that of this copy of the action), RUNNER_OS, RUNNER_ARCH, RUNNER_TEMP, GITHUB_ACTION_PATH.
# Outputs: version, target (as in scripts/standalone-targets.ts), directory.
set -eu

version=${VERSION#v}
if [ -z "$version" ]; then
  version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$GITHUB_ACTION_PATH/package.json")
fi
# It becomes a part of a URL and of a path.
case $version in
  '' | *[!0-9A-Za-z.-]*)
    echo "::error title=httpcli::invalid version \"$version\": expected one such as 2.0.0"
    exit 1
    ;;
esac

case $RUNNER_OS in
  Linux) system=linux ;;
  macOS) system=darwin ;;
  Windows) system=windows ;;
  *) system=$RUNNER_OS ;;
esac
case $RUNNER_ARCH in
  X64) target=$system-x64 ;;
  ARM64) target=$system-arm64 ;;
  *)
    echo "::error title=httpcli::no executable for $RUNNER_OS on $RUNNER_ARCH: install the npm package instead"
    exit 1
    ;;
esac
# The C library of Alpine: its ldd prints its name.
case $(ldd --version 2>&1 || true) in
  *musl*) target=$target-musl ;;
esac

directory=$RUNNER_TEMP/httpcli-$version-$target
{
  echo "version=$version"
  echo "target=$target"
  echo "directory=$directory"
} >>"$GITHUB_OUTPUT"
echo "$directory" >>"$GITHUB_PATH"
