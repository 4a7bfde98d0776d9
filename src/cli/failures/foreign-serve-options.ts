/**
 * Options of `serve`, http-server, sirv, Caddy's file-server and Python's http.server that `serve` does not have, and
 * their replacements.
 */

const certificate = 'write -k <file> for the certificate, --key <file> for its key if it is in another file'
const key = 'write --key <file>'
const password = 'write -w <password>; @<file> keeps it off the command line'
const pages = 'write --spa'
const address = 'write --host <address>, or --public for every address'
const compression = 'write --compress; files that end in .br, .zst or .gz are used without it'
const directory = 'write the directory without an option before it'
const caching = "write --cache-control 'max-age=<seconds>'"
const credentials = 'write --auth <user:password>'
const quiet = 'omit it: requests are logged only with -l'
const listing = 'write --no-listing'
const omitDefault = 'omit it: that is the default'

export const foreignServeOptions: Readonly<Record<string, string>> = {
  '-a': address,
  '--address': address,
  '--bind': address,
  '-b': `${address}; for the -b of http-server, --compress`,
  '-H': address,
  '--root': directory,
  '-d': `${directory}; for the -d false of http-server, --no-listing`,
  '--directory': directory,
  '--dir': directory,

  '--cert': certificate,
  '--ssl-cert': certificate,
  '--tls-cert': certificate,
  '--ssl-key': key,
  '--tls-key': key,
  '-K': key,
  '--ssl-pass': password,
  '-C': `${certificate}; for the -C of serve, --cors`,
  '-S': 'write --tls-self-signed or -k <file>; for the -S of serve, --follow-symlinks',
  '--ssl': 'write --tls-self-signed or -k <file>',
  '--tls': 'write --tls-self-signed or -k <file>',
  '--https': 'write --tls-self-signed or -k <file>',
  '--symlinks': 'write --follow-symlinks',
  '--http2': 'omit it: HTTPS offers HTTP/2',

  '-s': `${pages}; for the -s of http-server, omit it`,
  '--single': pages,
  '--history-api-fallback': pages,
  '-c': 'write --rules <file> for a configuration; for seconds, --cache-control',
  '--config': 'write --rules <file>; a serve.json in the directory is read without it',
  '--cache': caching,
  '--maxage': caching,
  '-M': caching,
  '--immutable': "write --cache-control 'max-age=31536000, immutable'",
  '--no-cache': 'omit it: browsers ask for each file whether it has changed',
  '-E': omitDefault,
  '--no-etag': 'omit it: an entity tag is always sent',
  '-u': 'omit it: nothing is compressed without --compress',
  '--no-compression': 'omit it: nothing is compressed without --compress',
  '-g': compression,
  '--gzip': compression,
  '-B': compression,
  '--brotli': compression,
  '--browse': 'omit it: directories are listed; --no-listing prevents it',
  '--autoindex': listing,
  '-e': 'omit it: /about finds about.html',
  '--ext': 'omit it: /about finds about.html',
  '--no-dotfiles': omitDefault,
  '--mimetypes': 'write -m <file>',
  '--robots': 'put a robots.txt into the directory',

  '--username': credentials,
  '--password': credentials,
  '--user': credentials,
  '-P': 'write --backend /<prefix>=<url>',
  '--proxy': 'write --backend /<prefix>=<url>',
  '-t': 'write --idle-timeout <seconds>',
  '--timeout': 'write --idle-timeout <seconds>',
  '-o': 'write --open',
  '-O': 'write --open',
  '--watch': 'write --live',
  '-D': 'write --live, which reloads pages when a file changes',
  '--dev': 'write --live, which reloads pages when a file changes',
  '-q': quiet,
  '--quiet': quiet,
  '--silent': quiet,
  '-L': quiet,
  '--no-request-logging': quiet,
  '--access-log': 'write -l',
  '--log-ip': 'write -l, which logs the address of the client',
  '-n': 'omit it: nothing is copied to the clipboard',
  '--no-clipboard': 'omit it: nothing is copied to the clipboard',
  '--no-port-switching': 'omit it: a port in use is an error',
}
