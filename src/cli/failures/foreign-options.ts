/**
 * Options of other tools that a sub-command does not have, and their replacements; this file has those of curl, HTTPie
 * and Wget for `send`.
 *
 * Rules: the table contains options that `send` does not have; if those tools use an option differently, all
 * meanings are named. Letters that all three have, with different meanings, are in `sharedLetters`. Loaded only when
 * something has gone wrong.
 */
import type { SendValues } from '../options/send.ts'
import { byWord } from './by-word.ts'
import {
  foreignCheckOptions,
  foreignCompletionOptions,
  foreignConvertOptions,
  foreignFmtOptions,
  foreignLspOptions,
  foreignReportOptions,
  foreignSubCommands,
  unwrittenFormats,
} from './foreign-file-options.ts'
import { foreignRunOptions } from './foreign-run-options.ts'
import { foreignServeOptions } from './foreign-serve-options.ts'

const omitDefault = 'omit it: that is the default'
const userAgent = "write User-Agent:<name> after the URL, or -H 'User-Agent: <name>'"
const bodyText = 'write -b <text>, or items after the URL: name=value'
const unsupported = 'not supported: use curl; "httpcli convert" writes the curl command'

const foreignSendOptions: Readonly<Record<string, string>> = byWord({
  '-X --request --method': 'write the method before the URL: httpcli PUT <url>',
  '-I': 'write HEAD <url> (standard input is read only with -g -)',
  '--head': 'write HEAD <url>',
  '--spider': 'write HEAD <url> --fail',
  '-G --get --url-query': 'write name==value after the URL',
  '--url': 'write the URL without an option before it',
  '-Z --parallel': 'write the requests into a file, and httpcli run <file> --parallel <count>',
  '--next': 'write the requests into a file, and httpcli run <file>',
  '-K --config': 'write the request into a file',

  '-d': `${bodyText} (for a download, -O)`,
  '--data --body-data': bodyText,
  '--data-raw --data-ascii': 'write -b <text>',
  '--data-binary': 'write -b <text>, or -g <file>',
  '--data-urlencode --form-string': 'write --form name=value after the URL',
  '-F': 'write name=value and name@file after the URL (to follow redirects, --follow)',
  '--multipart': 'write name@file after the URL',
  '--boundary': 'omit it: a boundary is generated',
  '-j': omitDefault,
  '-T --upload-file': 'write PUT <url> -g <file>',
  '--post-data': 'write POST <url> -b <text>, or items after the URL: name=value',
  '--post-file': 'write POST <url> -g <file>',
  '--compress': 'write -g <file> and Content-Encoding:<coding> after the URL, with a file that is compressed already',
  '--chunked': 'write -H "Transfer-Encoding: chunked"',
  '--ignore-stdin': 'omit it: standard input is read only with -g -',

  '-A': `${userAgent} (for authentication, --digest or --bearer)`,
  '--user-agent': userAgent,
  '-e': "write -H 'Referer: <url>'",
  '--referer': "write Referer:<url> after the URL, or -H 'Referer: <url>'",
  '-r --range': "write -H 'Range: bytes=<from>-<to>'",
  '-z --time-cond': "write -H 'If-Modified-Since: <date>'",
  '--compressed': "write -H 'Accept-Encoding: gzip, br'; the body is always decoded",
  '--cookie': 'write Cookie:name=value after the URL, or -c <file> for a jar',
  '--cookie-jar --load-cookies --save-cookies': 'write -c <file>, which is read and written',
  '--keep-session-cookies': 'omit it: -c keeps them',
  '--session --session-read-only': 'write -c <file> for the cookies, and --save <file> for the request',

  '-a --auth': 'write -u <user:password>',
  '--auth-type': 'write --digest, or --bearer <token>',
  '--oauth2-bearer': 'write --bearer <token>',
  '--basic': 'omit it: -u is Basic',
  '--anyauth': 'write -u <user:password> for Basic, with --digest for Digest',
  '-n --netrc --password --http-user --http-password':
    'write -u <user:password>; @<file> keeps the password off the command line',
  '--ignore-netrc': 'omit it: .netrc is not read',
  '--auth-no-challenge': 'omit it: -u is sent with the first request',
  '--ntlm --negotiate --aws-sigv4': unsupported,

  '--location': 'write --follow',
  '--location-trusted': 'write --follow; credentials are not sent to another origin',
  '--max-redirs --max-redirect': 'write --max-redirects <count>',
  '--all': 'write --follow -l, which prints every hop',
  '-m': 'write --max-time <seconds> (for times and sizes, -p stats)',
  '--retry-delay --waitretry': 'write --retry-interval <time>',
  '--tries': 'write --retry <count>',
  '--read-timeout': 'write --timeout <seconds>',
  '--retry-max-time': 'write --max-time <seconds>',

  '-k --insecure --no-check-certificate': 'write -i',
  '--verify': 'write -i to skip the check of certificates, or --cacert <file>',
  '--capath --ca-certificate --ca-directory': 'write --cacert <file>',
  '--certificate -E': 'write --cert <file>',
  '--private-key --cert-key': 'write --key <file>',
  '--cert-type --key-type': 'omit it: the format follows from the file',
  '--pass --cert-key-pass': 'write --key-password <password>',
  '--tlsv1.2 --tlsv1.3 --ssl': 'omit it: TLS 1.2 and 1.3 are offered',
  '--ciphers': unsupported,

  '-x': 'write --proxy <url>',
  '--proxy-user --proxy-password':
    'write user and password in the URL of the proxy: --proxy http://user:password@host:port',
  '--no-proxy': "write --proxy '' for none, or --noproxy <hosts>",
  '--proxy-basic --proxy-anyauth': 'omit it: Basic is sent to proxies, with --proxy-digest Digest',
  '--proxytunnel': 'omit it: https goes through a tunnel, and http does not need one',
  '--socks5': 'write --proxy socks5://host:port',
  '--socks5-hostname': 'write --proxy socks5h://host:port',
  '--connect-to': 'write --resolve <host:port:addr>',
  '-4 -6 --ipv4 --ipv6 --inet4-only --inet6-only':
    'write --resolve <host:port:addr> with the address, or the address in the URL',
  '--interface --limit-rate': unsupported,
  '--default-scheme': 'write --https, or the scheme before the host',
  '-0 --http1.0': "write -t 'GET <url> HTTP/1.0'",
  '--http1.1': omitDefault,
  '--http2-prior-knowledge': 'write "HTTP/2 (Prior Knowledge)" in a request file',
  '--http3': 'omit it: HTTP/1.1 is the default, --http2 offers HTTP/2',
  '--path-as-is': 'omit it: the path is sent as written',
  '--globoff': 'omit it: no character of a URL is a pattern',
  '--request-target': "write -t '<METHOD> <target>' and -H 'Host: <host>'",

  '-s --silent -q --quiet --no-verbose': 'omit it: only the response is printed, and errors on standard error',
  '-S --show-error': 'omit it: errors are always printed',
  '-v --trace --trace-ascii': 'write -l to also print the request, or --verbose for connection and TLS',
  '--include --show-headers --server-response --save-headers': 'omit it: the head is always printed',
  '-D --dump-header': 'omit it: the head is always printed; --json has it as data',
  '--body': 'write -p body',
  '--headers': 'write -p response, which prints the head and the body',
  '--meta': 'write -p stats',
  '--print': 'write -p response, body or status; -l also prints the request',
  '--pretty --style --format-options': 'write --color always or never; JSON is formatted on a terminal',
  '--sorted': 'omit it: headers and JSON are printed in the order received',
  '--unsorted --stream -N --no-buffer': omitDefault,
  '--response-charset': 'write -p body, and pipe it to iconv -f <charset>',
  '--response-mime': 'write -p body, and pipe it to a formatter',
  '-w --write-out': 'write -p stats, or --json',
  '-# --progress-bar': 'omit it: a terminal shows a progress bar',
  '--no-progress-meter': 'omit it: a bar is shown only on a terminal',
  '--download': 'write -O, or -o <file>',
  '-J --remote-header-name --content-disposition':
    'write -O for the name in the URL, or -o <file>; a server does not choose the file',
  '--output-document': 'write -o <file>',
  '--directory-prefix --output-dir': 'write -o <file> with the directory',
  '--content-on-error': 'omit it: the body of every status is printed',
  '--create-dirs': 'omit it, and make the directory first',
  '--etag-save --etag-compare': 'write -H \'If-None-Match: "<etag>"\'',
  '--max-filesize -R --remote-time': unsupported,
  '-C --continue-at': 'write --continue',
  '--check-status': 'write --fail',
  '--fail-with-body': 'write --fail, which also prints the body',
  '-V --version': 'write httpcli --version',
})

/** Letters after which the rest of a word is a value, in curl or HTTPie. */
const lettersWithValue = 'XdFTArezaEmxCwDK'

/** The meaning in other tools of letters that `send` has, for values that make no sense for `send`. */
const sharedLetters: Readonly<Partial<Record<keyof SendValues, string>>> = {
  file: "for curl's -f write --fail, for HTTPie's --form",
  'body-text': "for HTTPie's -b write -p body, for curl's Cookie:name=value after the URL",
  'body-file': "curl's -g is not needed: no character of a URL is a pattern",
  cookiejar: "for HTTPie's -c write --continue",
  'print-response-mode': "HTTPie's letters are -p response, -p body and -p status; -l also prints the request",
}

/** By sub-command, then by the option as written. */
export const foreignOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  send: foreignSendOptions,
  run: foreignRunOptions,
  check: foreignCheckOptions,
  report: foreignReportOptions,
  serve: foreignServeOptions,
  convert: foreignConvertOptions,
  fmt: foreignFmtOptions,
  lsp: foreignLspOptions,
  completion: foreignCompletionOptions,
}

/**
 * The replacement for an option of another tool; for a letter with its value attached, such as `-c10`, not in `send`.
 * @param command undefined if `word` stands where a sub-command is expected
 */
export function foreignAdvice(command: string | undefined, word: string): string | undefined {
  const table = command === undefined && !word.startsWith('-') ? foreignSubCommands : foreignOptions[command ?? 'send']
  if (table === undefined) return undefined
  const option = command !== 'send' && /^-[^-]./.test(word) ? word.slice(0, 2) : word
  return Object.hasOwn(table, option) ? table[option] : undefined
}

/** Advice on an invalid value. @param option the long name of its option */
export function foreignValueAdvice(command: string | undefined, option: string, value: string): string | undefined {
  if (command !== 'convert' || option !== 'to' || !unwrittenFormats.has(value.toLowerCase())) return undefined
  return 'that is a format for --from only'
}

/** The same for letters in one word, such as `-sSL` or `-XPUT`; the value of the last letter may be attached. */
export function foreignLettersAdvice(word: string): string | undefined {
  if (!/^-[^-]/.test(word)) return undefined
  const found: string[] = []
  for (const letter of word.slice(1)) {
    const advice = foreignSendOptions[`-${letter}`]
    if (advice !== undefined) found.push(`-${letter}: ${advice}`)
    if (lettersWithValue.includes(letter)) break
  }
  const [first, ...others] = found
  return others.length > 0 ? found.join('; ') : first?.replace(/^-.: /, '')
}

/**
 * Another meaning that the user may have intended with an option of `send`. @param name the option's long name @param
 * value its value, if that is invalid
 */
export function sharedLetterAdvice(name: string, value: string | undefined): string | undefined {
  if (value !== undefined && !/^[HBhbm]{1,5}$/.test(value)) return undefined
  return Object.hasOwn(sharedLetters, name) ? sharedLetters[name as keyof SendValues] : undefined
}
