/** `httpcli URL item…`: the message made of words, and the errors for invalid words. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'
import { type Outcome, response } from './send-outcome.ts'

async function httpcli(words: readonly string[], cwd?: string, stdin?: string): Promise<Outcome> {
  const { code, stdout, stderr } = await runCommand(words, {
    ...(cwd === undefined ? {} : { cwd }),
    ...(stdin === undefined ? {} : { stdin }),
  })
  return { code, out: stdout.toString('latin1'), err: stderr.toString() }
}

const lines = (...text: readonly string[]): string => text.join('\r\n')

describe('what --offline shows of', () => {
  it.each([
    [['localhost:3000'], lines('GET / HTTP/1.1', 'Host: localhost:3000', '', '')],
    [['send', ':3000/a'], lines('GET /a HTTP/1.1', 'Host: localhost:3000', '', '')],
    [['http:/a.example/x'], lines('GET /x HTTP/1.1', 'Host: a.example', '', '')],
    [['POST', 'a.example'], lines('POST / HTTP/1.1', 'Host: a.example', 'Content-Length: 0', '', '')],
    [['PUT', 'a.example', 'Content-Length:0'], lines('PUT / HTTP/1.1', 'Host: a.example', 'Content-Length: 0', '', '')],
    [
      ['PATCH', 'a.example', '-H', 'content-length: 0'],
      lines('PATCH / HTTP/1.1', 'Host: a.example', 'content-length: 0', '', ''),
    ],
    [['DELETE', 'a.example'], lines('DELETE / HTTP/1.1', 'Host: a.example', '', '')],
    [['://a.example/x'], lines('GET /x HTTP/1.1', 'Host: a.example', '', '')],
    [['https:///a.example'], lines('GET / HTTP/1.1', 'Host: a.example', '', '')],
    [[`a.example/${'x'.repeat(5000)}`], lines(`GET /${'x'.repeat(5000)} HTTP/1.1`, 'Host: a.example', '', '')],
    [['DELETE', 'a.example/x?y=1#z'], lines('DELETE /x?y=1 HTTP/1.1', 'Host: a.example', '', '')],
    [
      ['PUT', ':3000/users/1', 'name=Joe', 'age:=41', 'active==true', 'X-Id:7'],
      lines(
        'PUT /users/1?active=true HTTP/1.1',
        'Host: localhost:3000',
        'X-Id: 7',
        'Content-Type: application/json',
        'Content-Length: 23',
        '',
        '{"name":"Joe","age":41}',
      ),
    ],
    [
      ['a.example', '--form', 'a=b c', 'd=&'],
      lines(
        'POST / HTTP/1.1',
        'Host: a.example',
        'Content-Type: application/x-www-form-urlencoded',
        'Content-Length: 11',
        '',
        'a=b+c&d=%26',
      ),
    ],
    [
      ['a.example', 'big:=12345678901234567890', 'Content-Type:application/x'],
      lines(
        'POST / HTTP/1.1',
        'Host: a.example',
        'Content-Type: application/x',
        'Content-Length: 28',
        '',
        '{"big":12345678901234567890}',
      ),
    ],
    [['a.example/p q/{x}|ä', 'q==a b'], lines('GET /p%20q/%7Bx%7D%7C%C3%A4?q=a+b HTTP/1.1', 'Host: a.example', '', '')],
    [
      ['http://joe:s%40fe@a.example/'],
      lines('GET / HTTP/1.1', 'Host: a.example', 'Authorization: Basic am9lOnNAZmU=', '', ''),
    ],
    [
      ['a.example', '-u', 'joe:pw'],
      lines('GET / HTTP/1.1', 'Host: a.example', 'Authorization: Basic am9lOnB3', '', ''),
    ],
    [['a.example', '-u', ':T'], lines('GET / HTTP/1.1', 'Host: a.example', 'Authorization: Basic OlQ=', '', '')],
    [['a.example', '--bearer', 'T'], lines('GET / HTTP/1.1', 'Host: a.example', 'Authorization: Bearer T', '', '')],
    [
      ['a.example', '-H', 'A: 1', '-H', 'A: 2', '-H', 'Empty;'],
      lines('GET / HTTP/1.1', 'Host: a.example', 'A: 1', 'A: 2', 'Empty: ', '', ''),
    ],
    [
      ['send', '-t', 'GET http://a.example/\nAuthorization: Basic joe my secret'],
      lines('GET / HTTP/1.1', 'Host: a.example', 'Authorization: Basic am9lOm15IHNlY3JldA==', '', ''),
    ],
    [
      ['send', '-t', 'GET http://a.example/\nA: old\nB: b', '-H', 'a: new'],
      lines('GET / HTTP/1.1', 'Host: a.example', 'A: new', 'B: b', '', ''),
    ],
    [
      ['send', '-t', 'GET http://a.example/\nA: old\nB: b', '-H', 'a:', '-H', 'C:'],
      lines('GET / HTTP/1.1', 'Host: a.example', 'B: b', '', ''),
    ],
    [
      ['a.example', 'a=b', '-H', 'Content-Type:', '-H', 'Transfer-Encoding:'],
      lines('POST / HTTP/1.1', 'Host: a.example', 'Content-Length: 9', '', '{"a":"b"}'),
    ],
    [
      ['a.example', 'a=b', 'Content-Type:'],
      lines('POST / HTTP/1.1', 'Host: a.example', 'Content-Length: 9', '', '{"a":"b"}'),
    ],
    [['a.example', '-b', 'text'], lines('POST / HTTP/1.1', 'Host: a.example', 'Content-Length: 4', '', 'text')],
  ])('%j', async (words, message) => {
    expect(await httpcli([...words, '--offline'])).toEqual({ code: 0, out: message, err: '' })
  })

  it('files of unknown type: multipart parts of application/octet-stream', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'core'), 'ELF')
    const { out } = await httpcli([':3000', 'dump@core', '--offline'], directory)
    expect(out).toContain('name="dump"; filename="core"\r\nContent-Type: application/octet-stream\r\n\r\nELF\r\n')
  })

  it('files of text: parts with a type and without a charset, as browsers send them', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.csv'), 'a,b')
    const part = await httpcli([':3000', 'table@a.csv', '--offline'], directory)
    expect(part.out).toContain('filename="a.csv"\r\nContent-Type: text/csv\r\n\r\na,b\r\n')
    const whole = await httpcli([':3000', '@a.csv', '--offline'], directory)
    expect(whole.out).toContain('\r\nContent-Type: text/csv; charset=utf-8\r\n')
  })

  it('files: multipart, with a boundary that no file contains', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.png'), 'PNG')
    const { code, out } = await httpcli(['--', ':3000', 'title=Me', 'photo@a.png', '--offline'], directory)
    expect(code).toBe(1)
    expect(out).toBe('')
    const right = await httpcli([':3000', 'title=Me', 'photo@a.png', '--offline'], directory)
    const boundary = /boundary=(\w{32})\r\n/.exec(right.out)?.[1]
    const body = lines(
      `--${boundary}`,
      'Content-Disposition: form-data; name="title"',
      '',
      'Me',
      `--${boundary}`,
      'Content-Disposition: form-data; name="photo"; filename="a.png"',
      'Content-Type: image/png',
      '',
      'PNG',
      `--${boundary}--`,
      '',
    )
    expect(right.out.split('\r\n\r\n').slice(1).join('\r\n\r\n')).toBe(body)
    expect(right.out).toContain(`Content-Length: ${body.length}\r\n`)
  })

  it('a file as the whole body', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.png'), 'PNG')
    expect(await httpcli(['PUT', 'a.example', '@a.png', 'q==1', '--offline'], directory)).toEqual({
      code: 0,
      out: lines('PUT /?q=1 HTTP/1.1', 'Host: a.example', 'Content-Type: image/png', 'Content-Length: 3', '', 'PNG'),
      err: '',
    })
    writeFileSync(join(directory, 'a.woff2'), 'F')
    writeFileSync(join(directory, 'a.nobody-knows'), 'N')
    const sentAs = async (file: string) => (await httpcli(['a.example', `@${file}`, '--offline'], directory)).out
    expect(await sentAs('a.woff2')).toContain('\r\nContent-Type: font/woff2\r\n')
    expect(await sentAs('a.nobody-knows')).not.toContain('Content-Type')
    const both = await httpcli(['a.example', '@a.png', 'a=b', '--offline'], directory)
    expect([both.code, both.err]).toEqual([1, expect.stringContaining('"@a.png" is a whole body, and "a=b" is part')])
    const missing = await httpcli(['a.example', '@b.png', '--offline'], directory)
    expect([missing.code, missing.err]).toEqual([4, expect.stringContaining('sends the file b.png as the body')])
  })

  it.each([
    ['a.json;type=application/vnd.a+json', 'application/vnd.a+json'],
    ['a.json;type=text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ])('a file with a type of its own: %s', async (value, type) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.json'), '[]')
    const part = await httpcli([':3000', `part@${value}`, '--offline'], directory)
    expect(part.out).toContain(`filename="a.json"\r\nContent-Type: ${type}\r\n\r\n[]\r\n`)
    const whole = await httpcli([':3000', `@${value}`, '--offline'], directory)
    expect(whole.out).toContain(`\r\nContent-Type: ${type}\r\n`)
  })

  it.each([
    [
      'X-Token:@a.txt',
      /sends? the text @a\.txt.*Write X-Token:"\$\(cat a\.txt\)" for the content; -H 'X-Token: @a\.txt'/,
    ],
    ['q==@a.txt', /the text @a\.txt.*Write q=="\$\(cat a\.txt\)" for the content; \?q=@a\.txt in the URL/],
  ])('%s is an error if that file exists, because HTTPie sends its content', async (item, message) => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'a.txt'))
    expect((await httpcli([':3000', item, '--offline'], directory)).out).toMatch(/@a\.txt|%40a\.txt/)
    rmdirSync(join(directory, 'a.txt'))
    expect((await httpcli([':3000', item, '--offline'], directory)).out).toMatch(/@a\.txt|%40a\.txt/)
    writeFileSync(join(directory, 'a.txt'), 'one')
    const { code, out, err } = await httpcli([':3000', item, '--offline'], directory)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(message)
  })

  it('files whose text is inserted', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.txt'), 'one\n"two"')
    writeFileSync(join(directory, 'a.json'), '[1, 2]\n')
    const { out } = await httpcli([':3000', 'text=@a.txt', 'list:=@a.json', '--offline'], directory)
    expect(out.split('\r\n\r\n')[1]).toBe('{"text":"one\\n\\"two\\"","list":[1, 2]}')
  })

  it.each([
    ['an item', ['Transfer-Encoding:chunked']],
    ['-H', ['-H', 'transfer-encoding: Chunked']],
  ])('a body in chunks, by %s', async (_title, words) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a'), 'text')
    const { code, out } = await httpcli(['PUT', ':3000', '-g', 'a', ...words, '--offline'], directory)
    expect([code, out.split('\r\n\r\n').slice(1).join('|')]).toEqual([0, '4\r\ntext\r\n0|'])
    expect(out).not.toContain('Content-Length')
  })

  it('standard input as the body', async () => {
    const { out } = await httpcli([':3000', '-g', '-', '--offline'], undefined, 'from a pipe')
    expect(out).toBe(lines('POST / HTTP/1.1', 'Host: localhost:3000', 'Content-Length: 11', '', 'from a pipe'))
  })

  it('a text with --https: the same, and it is sent over TLS', async () => {
    const report = await httpcli(['send', '--https', '--json', '--offline', '-t', 'GET /x\nHost: a.example'])
    expect(JSON.parse(report.out).request.url).toBe('https://a.example/x')
  })

  it('OPTIONS * with --https: it is sent over TLS, with its body', async () => {
    const text = lines('OPTIONS * HTTP/1.1', 'Host: a.example', 'Content-Length: 3', '', 'abc')
    const words = ['send', '--https', '--offline', '-t', text]
    expect((await httpcli(words)).out).toBe(text)
    expect(JSON.parse((await httpcli([...words, '--json'])).out).request.url).toBe('https://a.example/')
  })
})

it('send sends what --offline shows', async () => {
  const peer = await startPeer(answering(response))
  const { code, out } = await httpcli(['PUT', `:${peer.port}/users`, 'name=Joe', '-p', 'BODY'])
  expect([code, out]).toEqual([0, 'hello'])
  expect(peer.received[0]).toContain('PUT /users HTTP/1.1\r\n')
  expect(peer.received[0]).toContain('\r\n\r\n{"name":"Joe"}')
})

describe('an existing file', () => {
  it('wins over a host of its name', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'example.org'), 'GET http://other.example/\n')
    expect((await httpcli(['send', 'example.org', '--offline'], directory)).out).toContain('Host: other.example')
    const bare = await httpcli(['example.org', '--offline'], directory)
    expect([bare.code, bare.err]).toEqual([1, expect.stringContaining('unknown sub-command "example.org"')])
  })

  it('accepts no items', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.http'), 'GET http://a.example/\n')
    const { code, err } = await httpcli(['send', 'a.http', 'name=Joe'], directory)
    expect([code, err]).toEqual([1, expect.stringContaining('unexpected argument "name=Joe"')])
  })
})

describe('a one-line error for', () => {
  it.each([
    [['sned', 'login.http'], 1, /unknown sub-command "sned"\. Did you mean send\?/],
    [['login.http'], 1, /unknown sub-command "login\.http"\. Write httpcli run login\.http/],
    [['version'], 1, /unknown sub-command "version"\. Write httpcli --version/],
    [['localhost:port/'], 1, /Write a port in digits after the host: localhost:3000/],
    [['http//localhost:3000/a'], 1, /has no colon after the scheme\. Write http:\/\/localhost:3000\/a\.$/m],
    [['http:localhost/a'], 1, /Write httpcli http:\/\/localhost\/a\.$/m],
    [['send', 'https:127.0.0.1'], 1, /has no \/\/ after the scheme\. Write https:\/\/127\.0\.0\.1\.$/m],
    [['GET', 'http:\\\\localhost\\a'], 1, /after the scheme\. Write http:\/\/localhost\/a\.$/m],
    [['GET'], 1, /GET is a method, and no URL follows it/],
    [['GET', 'users'], 1, /"users" after the method GET is not a URL/],
    [
      ['GET', '/users'],
      1,
      /"\/users" after the method GET is not a URL\. A path needs a host before it: write :3000\/users/,
    ],
    [['send', 'get', ':3000'], 1, /"get" is neither a method nor a file\. Write GET :3000/],
    [['send', 'GET http://a.example/'], 1, /is the text of a request, not a file\. Write -t before it/],
    [['send', 'missing.txt'], 4, /the file .*missing\.txt does not exist/],
    [[':3000', 'x:=[1'], 1, /"x:=\[1": the value of x is not JSON/],
    [[':3000', 'x=@no'], 4, /does not exist\. Check the path, or write x:='"@no"' for text that begins with @\.$/m],
    [
      [':3000', '@-'],
      4,
      /does not exist\. Write -g - for standard input as the body, or \.\/- for a file of that name\.$/m,
    ],
    [[':3000', 'x:=@no'], 4, /"x:=@no" sends the file no as x, but that file does not exist\. Check the path\.$/m],
    [[':3000', 'x:=@no', 'y:=[1'], 4, /"x:=@no" sends the file no as x/],
    [[':3000', 'a=1', 'a=2'], 1, /"a=2" gives a a second value/],
    [[':3000', 'a[b]=1'], 1, /names a place inside an object/],
    [[':3000', 'joe@example.org'], 4, /sends the file example\.org as joe, but that file does not exist/],
    [[':3000', 'http://other.example'], 1, /is a second URL/],
    [[':3000', '--form', 'a:=1'], 1, /is JSON, and the body is a form/],
    [[':3000', 'a=1', '-b', 'x'], 1, /the items make a body, and -b or -g gives another one/],
    [[':3000', '-u', 'joe'], 1, /no password after a colon/],
    [[':3000', '-u', ':'], 1, /no user before, and no password after, a colon/],
    [[':3000', '-B', ''], 1, /-B\/--bearer has an empty value/],
    [[':3000', '-B', '@/dev/null'], 1, /-B\/--bearer has an empty token/],
    [[':3000', ''], 1, /<item> is empty\. Check the variable that it comes from/],
    [['GET', ''], 1, /<item> is empty/],
    [[':3000/a', '-O', 'a.zip'], 1, /"a\.zip" is not part of a request\. Write -o a\.zip for a file of this name/],
    [[':3000', '-o', ''], 1, /-o\/--output has an empty value/],
    [['send', '-g', '-'], 1, /-g - reads the body from standard input, which is also the source of the request/],
    [[':3000', '--digest'], 1, /--digest is given without user and password/],
    [[':3000', '-H', 'nonsense'], 1, /invalid -H\/--header "nonsense"/],
    [[':3000', '-H', 'host:'], 1, /"host:" leaves out a header that the request needs/],
    [[':3000', '-H', 'a b: c'], 1, /"a b" is not the name of a header/],
    [[':3000', 'X:a\nb'], 1, /the value of the header X has a control character/],
    [[':3000', '-u', 'env:NOT_SET_ANYWHERE'], 1, /variable "NOT_SET_ANYWHERE" is not set/],
    [
      ['send', '-t', 'PUT http://a.example/', '-b', 'text', '-H', 'Content-Length: 1'],
      2,
      /the body has 4\. Omit Content-Length/,
    ],
    [[':3000', '--raw'], 1, /--raw sends bytes unchanged, and :3000 is a URL\. Omit --raw/],
    [['send', '--raw', '-t', 'x', '-H', 'A: b'], 1, /--raw sends bytes unchanged, which --header cannot change/],
  ])('%j', async (words, exit, message) => {
    const { code, out, err } = await httpcli([...words, '--offline'])
    expect([code, out]).toEqual([exit, ''])
    expect(err).toMatch(message)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('--save', () => {
  it('writes a request file that run sends identically', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.png'), 'PNG')
    const peer = await startPeer(answering(response))
    const url = `:${peer.port}/a/%7Bx%7D?q=1`
    const bodies: readonly (readonly string[])[] = [
      [],
      ['name={{$uuid}}', 'X-Id:{{7}}', '-u', 'joe:my secret'],
      ['--form', 'a=b c'],
      ['title=Me', 'photo@a.png'],
      ['-b', '### not a separator\n> {% no script %}\n'],
      ['-b', '@name = value'],
      ['-b', 'text\n?? status == 404\n@name = value'],
      ['-b', 'GET http://127.0.0.1:1/'],
      ['-b', 'HTTP/1.1 200 OK\n'],
      ['-g', 'a.png'],
      ['@a.png'],
    ]
    for (const [index, words] of bodies.entries()) {
      const file = `r${index}.http`
      const sent = await httpcli(['POST', url, ...words, '--save', file], directory)
      expect([sent.code, sent.err]).toEqual([0, expect.stringMatching(/^note: the request is in r\d+\.http/)])
      const run = await httpcli(['run', file], directory)
      expect([run.code, run.err]).toEqual([0, expect.not.stringContaining('error')])
      const [first, second] = peer.received.slice(-2).map(comparable)
      expect(second).toEqual(first)
    }
    expect(readFileSync(join(directory, 'r1.http'), 'utf8')).toContain('Authorization: Basic joe my secret')
  })

  it('replaces no file', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'a.http'), 'mine')
    const { code, err } = await httpcli([':3000', '--offline', '--save', 'a.http'], directory)
    expect([code, err]).toEqual([4, expect.stringContaining('--save: the file a.http exists')])
    expect(readFileSync(join(directory, 'a.http'), 'utf8')).toBe('mine')
  })

  it.each([
    ['a user with a space', 'a b:c'],
    ['a user with a comma', 'a,b:c'],
    ['a password that begins with a space', 'a: c'],
  ])('refuses Digest credentials that a request file would change: %s', async (_, user) => {
    const directory = temporaryDirectory()
    const { code, err } = await httpcli([':3000', '--offline', '--digest', '-u', user, '--save', 'a.http'], directory)
    expect([code, err]).toEqual([4, expect.stringContaining('cannot represent --digest with this user or password')])
    expect(readdirSync(directory)).toEqual([])
  })

  it('keeps Basic credentials that are not UTF-8 as they are', async () => {
    const directory = temporaryDirectory()
    const words = [':3000', '-H', 'Authorization: Basic YTrp', '--offline', '--save', 'a.http']
    expect((await httpcli(words, directory)).code).toBe(0)
    expect(readFileSync(join(directory, 'a.http'), 'utf8')).toContain('Authorization: Basic YTrp\n')
  })

  it('does not write to standard output', async () => {
    const directory = temporaryDirectory()
    const { code, err } = await httpcli([':3000', '--offline', '--save', '-'], directory)
    expect([code, err]).toEqual([1, expect.stringContaining('--save needs the name of a file, found "-"')])
    expect(readdirSync(directory)).toEqual([])
  })

  it.each(['a.http', 'a$&.http'])('puts binary data in a file next to it: %s', async (file) => {
    const directory = temporaryDirectory()
    const { code, stderr } = await runCommand([':3000', '-g', '-', '--offline', '--save', file], {
      cwd: directory,
      stdin: Buffer.from([0xff, 0xfe, 0x00]),
    })
    expect([code, stderr.toString()]).toEqual([0, expect.stringContaining(file)])
    const name = /< \.\/(\S+)/.exec(readFileSync(join(directory, file), 'utf8'))?.[1] ?? ''
    expect(existsSync(join(directory, name))).toBe(true)
    expect(readFileSync(join(directory, name))).toEqual(Buffer.from([0xff, 0xfe, 0x00]))
  })
})

/** Without what `run` adds, and with one boundary for another. */
function comparable(message: string): readonly string[] {
  const boundary = /boundary=(\S+)/.exec(message)?.[1]
  const text = boundary === undefined ? message : message.replaceAll(boundary, 'BOUNDARY')
  return text
    .split('\r\n')
    .filter((line) => !/^(?:User-Agent|Accept|Accept-Encoding|Connection|Content-Length):/i.test(line))
    .map((line, index, all) => (index < all.indexOf('') ? line.toLowerCase() : line))
}
