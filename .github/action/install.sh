#!/bin/sh
# Downloads the executable of a release, verifies its checksum and unpacks it: the directory is complete or not there.
#
# Environment: VERSION, TARGET, DIRECTORY (the outputs of locate.sh), RELEASES_URL (empty: the releases of the repository of
# the action), GITHUB_SERVER_URL, ACTION_REPOSITORY.
set -eu

fail() {
  echo "::error title=httpcli::$1"
  exit 1
}

releases=${RELEASES_URL:-}
if [ -z "$releases" ]; then
  [ -n "${ACTION_REPOSITORY:-}" ] || fail 'the repository of the action is not known: set releases-url'
  releases=$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download
fi

name=httpcli-$VERSION-$TARGET
case $TARGET in
  windows-*) archive=$name.zip ;;
  *) archive=$name.tar.gz ;;
esac

# The programs of Git for Windows want its own form of a path.
directory=$(cygpath "$DIRECTORY" 2>/dev/null || echo "$DIRECTORY")
mkdir -p "$(dirname "$directory")"
work=$(mktemp -d "$directory.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

for file in SHA256SUMS "$archive"; do
  url=${releases%/}/v$VERSION/$file
  # No redirect leads from https to plain http.
  curl --fail --silent --show-error --location --proto-redir =https --retry 3 --output "$file" "$url" ||
    fail "cannot download $url"
done

grep "  $archive\$" SHA256SUMS >checksum || fail "SHA256SUMS of release $VERSION does not list $archive"
if command -v sha256sum >/dev/null; then
  sha256sum -c checksum
else
  shasum -a 256 -c checksum
fi || fail "$archive does not have the checksum that SHA256SUMS lists"

case $archive in
  *.zip) unzip -q "$archive" ;;
  *) tar -xzf "$archive" ;;
esac
rm -rf "$directory"
mv "$name" "$directory"
