/** Habits of curl and HTTPie: what is meant works, or is answered with what to write. */
import { describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'

const ok = answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')

async function run(words: readonly string[]): Promise<readonly [code: number | null, out: string, err: string]> {
  const { code, stdout, stderr } = await runCommand(words, { cwd: temporaryDirectory() })
  return [code, stdout.toString(), stderr.toString()]
}

describe('options before the URL', () => {
  it.each<[words: readonly string[], sent: string]>([
    [['--offline', ':1/a'], 'GET /a HTTP/1.1\r\nHost: localhost:1\r\n\r\n'],
    [['--form', '--offline', 'PUT', ':1/a', 'b=c'], 'PUT /a HTTP/1.1'],
    [['-u', 'joe:secret', '--offline', ':1/a'], 'Authorization: Basic'],
  ])('need no sub-command: %j', async (words, sent) => {
    const [code, out, err] = await run(words)
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(sent)
  })

  it.each([
    ['-v', /unknown option -v\. Write -l/],
    ['-I', /unknown option -I\. Write HEAD <url>/],
    ['--verify=no', /unknown option --verify\. Write -i/],
    ['--password=x', /unknown option --password\. Write -u <user:password>/],
    ['--response-mime=a/b', /unknown option --response-mime\. Write -p body/],
    ['-sSL', /unknown option -s in -sSL\. -s: omit it.*; -S: omit it/],
  ])('are read as those of send: %s', async (option, message) => {
    const [code, , err] = await run([option, ':1/a'])
    expect(code).toBe(1)
    expect(err).toMatch(/^httpcli send: /)
    expect(err).toMatch(message)
  })

  it('a method in lower case is named', async () => {
    const [code, , err] = await run(['get', ':1/a'])
    expect([code, err]).toEqual([1, expect.stringContaining('Write the method in upper case: httpcli GET :1/a')])
  })

  it('alone still belong to the command', async () => {
    expect((await run(['-v']))[1]).toMatch(/^httpcli \d/)
  })
})

describe('a letter with another meaning in other tools', () => {
  it.each<[words: readonly string[], message: RegExp]>([
    [['-f', ':1/a'], /--file took ":1\/a" as its value.*curl's -f write --fail/],
    [['-g', ':1/a'], /--body-file took ":1\/a".*curl's -g is not needed/],
    [['-c', ':1/a'], /--cookiejar took ":1\/a".*HTTPie's -c write --continue/],
    [[':1/a', '-c'], /-c\/--cookiejar needs a value.*HTTPie's -c write --continue/],
    [[':1/a', '-f', 'name=x'], /cannot be used together.*HTTPie's --form/],
    [[':1/a', '-p', 'HBhb'], /must be response.*HTTPie's letters/],
  ])('is named: %j', async (words, message) => {
    const [code, out, err] = await run(words)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(message)
  })

  it('-i without TLS is explained', async () => {
    const peer = await startPeer(ok)
    const [code, , err] = await run([peer.origin, '-i'])
    expect([code, err]).toEqual([
      0,
      'note: -i skips certificate checks and has no effect on http; the head is always printed\n',
    ])
  })

  it('a refused POST without a body says how to give one', async () => {
    const peer = await startPeer(answering('HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\n\r\n'))
    const [, , err] = await run(['POST', peer.origin])
    expect(err).toMatch(/^note: the POST was sent without a body; [^\n]*-g - sends standard input\n$/)
  })

  it.each<[status: string, words: readonly string[], notes: RegExp]>([
    [
      '405 Method Not Allowed',
      ['-b', 'a=b; c=d'],
      /^note: -b sent "a=b; c=d" as the body of a POST; .*Cookie:a=b;c=d\n$/,
    ],
    ['415 Unsupported Media Type', ['-b', '{"a":1}'], /^note: the body was sent without a Content-Type; [^\n]*\n$/],
    [
      '400 Bad Request',
      ['-b', '@data.json', '-H', 'Content-Type: application/json'],
      /^note: -b sent the text "@data.json" as the body; write -g data.json for the content of the file\n$/,
    ],
    ['415 Unsupported Media Type', ['a=b'], /^$/],
    ['411 Length Required', ['X:1'], /^$/],
    ['404 Not Found', ['-b', '{"a":1}'], /^$/],
    ['200 OK', ['-b', 'a=b'], /^$/],
  ])('a %s of %j', async (status, words, notes) => {
    const peer = await startPeer(answering(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`))
    const [code, , err] = await run([peer.origin, ...words])
    expect(code).toBe(0)
    expect(err).toMatch(notes)
  })

  it.each<[challenge: string, words: readonly string[], notes: string]>([
    [
      'Digest realm="r", nonce="n"',
      ['-u', 'joe:pw'],
      'note: the server asks for Digest authentication; add --digest\n',
    ],
    [
      'Basic realm="r"',
      ['-u', 'joe:pw', '--digest'],
      'note: the server asks for Basic authentication; omit --digest\n',
    ],
    ['Basic realm="r", Digest realm="r", nonce="n"', ['-u', 'joe:pw'], ''],
    ['Digest realm="r", nonce="n"', ['-u', 'joe:pw', '--digest'], ''],
    ['Digest realm="r", nonce="n"', ['-B', 'token'], ''],
    [
      'Bearer realm="r", Negotiate',
      ['-u', 'joe:pw', '--digest'],
      'note: --digest had no effect: the server offers bearer, negotiate; not Digest\n',
    ],
    [
      'Digest realm="r", nonce="n", algorithm=SHA-512',
      ['-u', 'joe:pw', '--digest'],
      'note: --digest had no effect: the Digest challenge has the algorithm "SHA-512", expected MD5, SHA-256 or SHA-512-256\n',
    ],
    [
      'Digest realm="r"',
      ['-u', 'joe:pw', '--digest'],
      'note: --digest had no effect: the Digest challenge has no nonce\n',
    ],
    [
      'Digest realm="r", nonce="n", qop="x"',
      ['-u', 'joe:pw', '--digest'],
      'note: --digest had no effect: the Digest challenge has the qop "x", expected auth or auth-int\n',
    ],
  ])('a 401 that asks for %s of %j', async (challenge, words, notes) => {
    const head = `HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: ${challenge}\r\nContent-Length: 0\r\n\r\n`
    const peer = await startPeer(answering(head))
    const [code, , err] = await run([peer.origin, ...words])
    expect([code, err]).toEqual([0, notes])
  })
})
