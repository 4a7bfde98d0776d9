/**
 * The options of curl (8.x): which of them take a value, and what each means for a request.
 *
 * Rules: `use` is the action in command.ts; `ignored` affects curl's output or operation but no request; `run` has an
 * equivalent in `httpcli run`; `lost` has none; `redirect` has none and matters only if redirects are followed. An
 * option that is not listed is not an option of curl.
 */
export type OptionUse =
  | 'url' | 'next' | 'method' | 'header' | 'data' | 'data-raw' | 'data-binary' | 'data-urlencode' | 'json' | 'form'
  | 'form-string' | 'user' | 'oauth2-bearer' | 'cookie' | 'user-agent' | 'referer' | 'get' | 'head' | 'upload-file'
  | 'location' | 'compressed' | 'version' | 'max-time' | 'connect-timeout' | 'auth-scheme' | 'output' | 'remote-name'
  | 'range' | 'url-query' | 'globoff' | 'path-as-is' | 'retry' | 'retry-delay' | 'ignored' | 'run' | 'lost' | 'redirect'

export interface CurlOption {
  readonly long: string
  readonly short?: string
  readonly takesValue: boolean
  readonly use: OptionUse
  /** For `run`: the option of `httpcli run`. For `version`, `auth-scheme`: its value. */
  readonly detail?: string
}

const flag = (long: string, use: OptionUse, short?: string, detail?: string): CurlOption => ({
  long, takesValue: false, use, ...(short === undefined ? {} : { short }), ...(detail === undefined ? {} : { detail }),
})
const valued = (long: string, use: OptionUse, short?: string, detail?: string): CurlOption => ({
  long, takesValue: true, use, ...(short === undefined ? {} : { short }), ...(detail === undefined ? {} : { detail }),
})
const ignoredFlags = [
  ['silent', 's'], ['show-error', 'S'], ['verbose', 'v'], ['include', 'i'], ['show-headers'], ['fail', 'f'],
  ['fail-with-body'], ['fail-early'], ['progress-bar', '#'], ['no-progress-meter'], ['progress-meter'], ['parallel', 'Z'],
  ['parallel-immediate'], ['no-buffer', 'N'], ['buffer'], ['tcp-nodelay'], ['tcp-fastopen'], ['no-keepalive'],
  ['keepalive'], ['styled-output'], ['remote-time', 'R'], ['remote-name-all'], ['remote-header-name', 'J'],
  ['create-dirs'], ['raw'], ['trace-time'], ['trace-ids'], ['disable', 'q'], ['retry-all-errors'],
  ['retry-connrefused'], ['ipv4', '4'], ['ipv6', '6'], ['http0.9'], ['basic'],
  ['ssl-no-revoke'], ['ssl-revoke-best-effort'], ['ssl'], ['ssl-reqd'],
  ['junk-session-cookies', 'j'], ['no-sessionid'], ['sessionid'], ['alpn'], ['npn'], ['clobber'], ['skip-existing'],
  ['remove-on-error'], ['tcp-keepalive'], ['ca-native'], ['no-alpn'], ['suppress-connect-headers'], ['xattr'],
  ['tlsv1', '1'], ['tlsv1.0'], ['tlsv1.1'], ['tlsv1.2'], ['tlsv1.3'], ['sslv2', '2'], ['sslv3', '3'], ['use-ascii', 'B'],
  ['list-only', 'l'], ['append', 'a'], ['fail-fast'], ['test-event'],
  ['disallow-username-in-url'], ['doh-cert-status'], ['doh-insecure'], ['dump-ca-embed'], ['false-start'],
  ['ignore-content-length'], ['metalink'], ['mptcp'], ['out-null'], ['proxy-ca-native'], ['proxy-ssl-allow-beast'],
  ['proxy-ssl-auto-client-cert'], ['proxy-tlsv1'], ['socks5-basic'], ['socks5-gssapi'], ['socks5-gssapi-nec'],
  ['ssl-allow-beast'], ['ssl-auto-client-cert'], ['tls-earlydata'],
  // Of other protocols.
  ['compressed-ssh'], ['disable-eprt'], ['disable-epsv'], ['ftp-create-dirs'], ['ftp-pasv'], ['ftp-pret'],
  ['ftp-skip-pasv-ip'], ['ftp-ssl-ccc'], ['ftp-ssl-control'], ['mail-rcpt-allowfails'], ['sasl-ir'], ['tftp-no-options'],
] as const
const ignoredValues = [
  ['write-out', 'w'], ['stderr'], ['dump-header', 'D'], ['trace'], ['trace-ascii'], ['trace-config'], ['output-dir'],
  ['parallel-max'], ['limit-rate'], ['rate'], ['keepalive-time'], ['keepalive-cnt'], ['retry-max-time'],
  ['speed-limit', 'Y'], ['speed-time', 'y'], ['happy-eyeballs-timeout-ms'], ['expect100-timeout'],
  ['dns-servers'], ['dns-interface'], ['local-port'], ['hsts'], ['alt-svc'], ['cookie-jar', 'c'], ['max-filesize'],
  ['tls-max'], ['tls13-ciphers'], ['ciphers'], ['curves'], ['libcurl'], ['create-file-mode'], ['etag-save'],
  ['proto'], ['proto-redir'], ['proto-default'], ['cert-type'], ['key-type'], ['crlfile'], ['engine'],
  ['cert-status'], ['ip-tos'], ['vlan-priority'], ['quote', 'Q'], ['telnet-option', 't'], ['ftp-port', 'P'],
  ['dns-ipv4-addr'], ['dns-ipv6-addr'], ['egd-file'], ['ipfs-gateway'], ['parallel-max-host'], ['proxy-service-name'],
  ['random-file'], ['service-name'], ['sigalgs'], ['socks5-gssapi-service'], ['ssl-sessions'],
  // Of other protocols.
  ['ftp-account'], ['ftp-alternative-to-user'], ['ftp-method'], ['ftp-ssl-ccc-mode'], ['hostpubmd5'], ['hostpubsha256'],
  ['knownhosts'], ['krb'], ['login-options'], ['mail-auth'], ['mail-from'], ['mail-rcpt'], ['pubkey'], ['sasl-authzid'],
  ['tftp-blksize'], ['upload-flags'],
] as const

const proxyTlsValues = [
  'proxy-capath', 'proxy-cert-type', 'proxy-ciphers', 'proxy-crlfile', 'proxy-key-type', 'proxy-pass',
  'proxy-pinnedpubkey', 'proxy-tls13-ciphers', 'proxy-tlsauthtype', 'proxy-tlspassword', 'proxy-tlsuser',
] as const
const signatureValues = ['httpsig-algo', 'httpsig-headers', 'httpsig-key', 'httpsig-keyid'] as const

/** Options whose value is a secret, or contains one. */
export const secretOptions: ReadonlySet<string> = new Set([
  'proxy-user', 'pass', 'proxy-pass', 'tlspassword', 'proxy-tlspassword', 'httpsig-key', 'proxy-header', 'proxy-cert',
])

/** Options without an equivalent whose value is the address of a proxy, possibly with a password. */
export const proxyOptions: ReadonlySet<string> = new Set(['preproxy', 'socks4', 'socks4a'])

export const curlOptions: readonly CurlOption[] = [
  valued('url', 'url'), flag('next', 'next', ':'), valued('request', 'method', 'X'), valued('header', 'header', 'H'),
  valued('data', 'data', 'd'), valued('data-ascii', 'data'), valued('data-raw', 'data-raw'),
  valued('data-binary', 'data-binary'), valued('data-urlencode', 'data-urlencode'), valued('json', 'json'),
  valued('form', 'form', 'F'), valued('form-string', 'form-string'), valued('user', 'user', 'u'),
  valued('oauth2-bearer', 'oauth2-bearer'), valued('cookie', 'cookie', 'b'), valued('user-agent', 'user-agent', 'A'),
  valued('referer', 'referer', 'e'), flag('get', 'get', 'G'), flag('head', 'head', 'I'),
  valued('upload-file', 'upload-file', 'T'), flag('location', 'location', 'L'), flag('location-trusted', 'location'),
  flag('compressed', 'compressed'), valued('max-time', 'max-time', 'm'), valued('connect-timeout', 'connect-timeout'),
  flag('http1.0', 'version', '0', 'HTTP/1.0'), flag('http1.1', 'version', undefined, 'HTTP/1.1'),
  flag('http2', 'version', undefined, 'HTTP/2'),
  flag('http2-prior-knowledge', 'version', undefined, 'HTTP/2 (Prior Knowledge)'),
  flag('digest', 'auth-scheme', undefined, 'Digest'), flag('anyauth', 'auth-scheme', undefined, 'Digest'),
  valued('output', 'output', 'o'), flag('remote-name', 'remote-name', 'O'), valued('range', 'range', 'r'),
  valued('url-query', 'url-query'), flag('globoff', 'globoff', 'g'), flag('path-as-is', 'path-as-is'), valued('retry', 'retry'), valued('retry-delay', 'retry-delay'),
  flag('insecure', 'run', 'k', '-i'), valued('proxy', 'run', 'x', '--proxy'), valued('socks5', 'run', undefined, '--proxy socks5://'),
  valued('socks5-hostname', 'run', undefined, '--proxy socks5h://'), valued('socks4', 'lost'), valued('socks4a', 'lost'),
  valued('cacert', 'run', undefined, '--cacert'),
  valued('cert', 'run', 'E', '--cert'), valued('key', 'run', undefined, '--key'),
  valued('resolve', 'run', undefined, '--resolve'), valued('unix-socket', 'run', undefined, '--unix-socket'),
  valued('noproxy', 'run', undefined, '--noproxy'), flag('proxy-insecure', 'ignored'), valued('proxy-user', 'lost', 'U'),
  valued('proxy-header', 'lost'), valued('connect-to', 'lost'), valued('preproxy', 'lost'),
  flag('proxytunnel', 'lost', 'p'), flag('http3', 'lost'), flag('http3-only', 'lost'), flag('ntlm', 'lost'),
  flag('negotiate', 'lost'), valued('aws-sigv4', 'lost'), valued('delegation', 'lost'), flag('proxy-ntlm', 'lost'),
  flag('proxy-digest', 'lost'), flag('proxy-negotiate', 'lost'), flag('proxy-anyauth', 'lost'), flag('proxy-basic', 'ignored'),
  valued('request-target', 'lost'), valued('interface', 'lost'), valued('pass', 'lost'), valued('config', 'lost', 'K'),
  valued('continue-at', 'lost', 'C'), valued('time-cond', 'lost', 'z'), valued('etag-compare', 'lost'),
  flag('netrc', 'lost', 'n'), flag('netrc-optional', 'ignored'), valued('netrc-file', 'lost'),
  valued('abstract-unix-socket', 'lost'), flag('crlf', 'lost'), valued('doh-url', 'lost'), valued('pinnedpubkey', 'lost'),
  valued('proxy-cert', 'lost'), valued('proxy-key', 'lost'), valued('proxy-cacert', 'lost'), valued('variable', 'lost'),
  valued('expand-url', 'lost'), valued('expand-data', 'lost'), valued('tlsuser', 'lost'), valued('tlspassword', 'lost'),
  valued('tlsauthtype', 'lost'), valued('ech', 'lost'), flag('ntlm-wb', 'lost'), flag('follow', 'location'),
  valued('proxy1.0', 'run', undefined, '--proxy'), flag('proxy-http2', 'lost'), flag('proxy-http3', 'lost'),
  ...proxyTlsValues.map((long) => valued(long, 'lost')), ...signatureValues.map((long) => valued(long, 'lost')),
  flag('haproxy-protocol', 'lost'), valued('haproxy-clientip', 'lost'),
  flag('post301', 'redirect'), flag('post302', 'redirect'), flag('post303', 'redirect'), valued('max-redirs', 'redirect'),
  flag('tr-encoding', 'lost'), valued('capath', 'lost'), flag('form-escape', 'lost'), flag('no-location', 'ignored'), flag('no-compressed', 'ignored'),
  ...ignoredFlags.map(([long, short]) => flag(long, 'ignored', short)),
  ...ignoredValues.map(([long, short]) => valued(long, 'ignored', short)),
]
