/**
 * Options of `serve`, http-server, sirv, Caddy's file-server and Python's http.server that `serve` does not have, and
 * their replacements.
 */
import { byWord } from './by-word.ts'

const certificate = 'write -k <file> for the certificate, --key <file> for its key if it is in another file'
const pages = 'write --spa'
const address = 'write --host <address>, or --public for every address'
const directory = 'write the directory without an option before it'

export const foreignServeOptions: Readonly<Record<string, string>> = byWord({
  '-a --address --bind -H': address,
  '-b': `${address}; for the -b of http-server, --compress`,
  '--root --directory --dir': directory,
  '-d': `${directory}; for the -d false of http-server, --no-listing`,

  '--cert --ssl-cert --tls-cert': certificate,
  '--ssl-key --tls-key -K': 'write --key <file>',
  '--ssl-pass': 'write -w <password>; @<file> keeps it off the command line',
  '-C': `${certificate}; for the -C of serve, --cors`,
  '-S': 'write --tls-self-signed or -k <file>; for the -S of serve, --follow-symlinks',
  '--ssl --tls --https': 'write --tls-self-signed or -k <file>',
  '--symlinks': 'write --follow-symlinks',
  '--http2': 'omit it: HTTPS offers HTTP/2',

  '-s': `${pages}; for the -s of http-server, omit it`,
  '--single --history-api-fallback': pages,
  '-c': 'write --rules <file> for a configuration; for seconds, --cache-control',
  '--config': 'write --rules <file>; a serve.json in the directory is read without it',
  '--cache --maxage -M': "write --cache-control 'max-age=<seconds>'",
  '--immutable': "write --cache-control 'max-age=31536000, immutable'",
  '--no-cache': 'omit it: browsers ask for each file whether it has changed',
  '-E --no-dotfiles': 'omit it: that is the default',
  '--no-etag': 'omit it: an entity tag is always sent',
  '-u --no-compression': 'omit it: nothing is compressed without --compress',
  '-g --gzip -B --brotli': 'write --compress; files that end in .br, .zst or .gz are used without it',
  '--browse': 'omit it: directories are listed; --no-listing prevents it',
  '--autoindex': 'write --no-listing',
  '-e --ext': 'omit it: /about finds about.html',
  '--mimetypes': 'write -m <file>',
  '--robots': 'put a robots.txt into the directory',

  '--username --password --user': 'write --auth <user:password>',
  '-P --proxy': 'write --backend /<prefix>=<url>',
  '-t --timeout': 'write --idle-timeout <seconds>',
  '-o -O': 'write --open',
  '--watch': 'write --live',
  '-D --dev': 'write --live, which reloads pages when a file changes',
  '-q --quiet --silent -L --no-request-logging': 'omit it: requests are logged only with -l',
  '--access-log': 'write -l',
  '--log-ip': 'write -l, which logs the address of the client',
  '-n --no-clipboard': 'omit it: nothing is copied to the clipboard',
  '--no-port-switching': 'omit it: a port in use is an error',
})
