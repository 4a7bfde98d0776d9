/**
 * Options of curl and HTTPie that `send` does not have, and what to write in their place.
 *
 * Rules: an option is here when it is none of `send`; where the two tools mean different things by it, both are named.
 * Loaded when something went wrong.
 */
const foreign: Readonly<Record<string, string>> = {
  '-X': 'write the method before the URL: httpcli PUT <url>',
  '--request': 'write the method before the URL: httpcli PUT <url>',
  '-d': 'write -b <text>, or items after the URL: name=value (for a download, -O)',
  '--data': 'write -b <text>, or items after the URL: name=value',
  '--data-raw': 'write -b <text>',
  '--data-ascii': 'write -b <text>',
  '--data-binary': 'write -b <text>, or -g <file>',
  '--data-urlencode': 'write --form name=value after the URL',
  '-F': 'write name=value and name@file after the URL (to follow redirects, --follow)',
  '--form-string': 'write --form name=value after the URL',
  '--multipart': 'write name@file after the URL',
  '-T': 'write PUT <url> -g <file>',
  '--upload-file': 'write PUT <url> -g <file>',
  '-G': 'write name==value after the URL',
  '--get': 'write name==value after the URL',
  '-I': 'write HEAD <url>',
  '--head': 'write HEAD <url>',
  '-L': 'write --follow',
  '--location': 'write --follow',
  '-k': 'write -i',
  '--insecure': 'write -i',
  '--verify': 'write -i where the certificate is not to be checked, or --cacert <file>',
  '-A': "write User-Agent:<name> after the URL, or -H 'User-Agent: <name>' (for authentication, --digest or --bearer)",
  '--user-agent': "write User-Agent:<name> after the URL, or -H 'User-Agent: <name>'",
  '--referer': "write Referer:<url> after the URL, or -H 'Referer: <url>'",
  '-e': "write -H 'Referer: <url>'",
  '--cookie': 'write Cookie:name=value after the URL, or -c <file> for a jar',
  '--cookie-jar': 'write -c <file>, which is read and written',
  '--session': 'write -c <file> for the cookies, and --save <file> for the request',
  '-a': 'write -u <user:password>',
  '--auth': 'write -u <user:password>',
  '--auth-type': 'write --digest, or --bearer <token>',
  '--oauth2-bearer': 'write --bearer <token>',
  '--basic': 'leave it away: -u is Basic',
  '-j': 'leave it away: items are JSON',
  '-s': 'leave it away: nothing but the response is printed',
  '--silent': 'leave it away: nothing but the response is printed',
  '-S': 'leave it away: errors are always shown',
  '-v': 'write -l to see the request, too',
  '--include': 'leave it away: the head is printed, too',
  '--body': 'write -p body',
  '--headers': 'write -p response, which prints the head and the body',
  '-w': 'write -p stats, or --json',
  '--write-out': 'write -p stats, or --json',
  '--download': 'write -O, or -o <file>',
  '-C': 'write --continue',
  '--continue-at': 'write --continue',
  '-m': 'write --max-time <seconds>',
  '-x': 'write --proxy <url>',
  '-E': 'write --cert <file>',
  '--pass': 'write --key-password <password>',
  '--cert-key': 'write --key <file>',
  '--cert-key-pass': 'write --key-password <password>',
  '--compressed': "write -H 'Accept-Encoding: gzip, br'; the coding is undone in any case",
  '-r': "write -H 'Range: bytes=<from>-<to>'",
  '--range': "write -H 'Range: bytes=<from>-<to>'",
  '--url': 'write the URL without an option before it',
  '--check-status': 'write --fail',
  '-K': 'write the request into a file',
}

/** What to write for an option of another tool: `-X`, also with its value attached. */
export function foreignAdvice(word: string): string | undefined {
  if (Object.hasOwn(foreign, word)) return foreign[word]
  const letter = word.startsWith('--') ? undefined : word.slice(0, 2)
  return letter !== undefined && /^-[A-Z]./.test(word) && Object.hasOwn(foreign, letter) ? foreign[letter] : undefined
}
