/**
 * Commands of curl in the forms that shells and browsers give them. The bytes sent are compared with curl's in
 * test/e2e.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts are texts here
import { describe, expect, it } from 'vitest'
import { ConvertSyntaxError } from '../../src/convert/index.ts'
import { converted, headerOf, lossesOf, sentOf } from './converting.ts'

describe('an option of curl', () => {
  it.each<[string, string]>([
    ['-r 600', 'bytes=600-'],
    ['-r 0-9', 'bytes=0-9'],
    ['-r -5', 'bytes=-5'],
  ])('requests a range: %s', async (option, range) => {
    const [sent] = await sentOf((await converted(`curl http://h.test/ ${option}`)).text)
    expect(headerOf(sent!, 'Range')).toBe(range)
  })

  it.each<[string, string]>([
    ["-T a.txt 'http://h.test/d/?x=1'", 'PUT /d/a.txt?x=1 HTTP/1.1'],
    ["-T a.txt 'http://h.test/d?x=/'", 'PUT /d?x=/ HTTP/1.1'],
    ['-T . http://h.test/d/ <<< b', 'PUT /d/ HTTP/1.1'],
  ])('uploads to the path that curl completes: %s', async (options, line) => {
    const [sent] = await sentOf((await converted(`curl ${options}`)).text, { 'a.txt': 'FILE' })
    expect(sent?.line).toBe(line)
  })

  it.each(['/dev/null', '/dev/stdout', 'NUL', '-'])('saves no response if its output is %s', async (path) => {
    expect((await converted(`curl -o ${path} http://h.test/`)).text).toBe('# @no-redirect\nGET http://h.test/\n')
  })

  it.each<[string, readonly string[]]>([
    ['-L --max-redirs 5', ['line 1: --max-redirs 5']],
    ['--max-redirs 5', []],
    ['-L --post301 -d a', ['line 1: --post301']],
    ["-L -e 'a;auto'", ['line 1: the Referer of redirects']],
    ["-e 'a;auto'", []],
    ['--tr-encoding', ['line 1: --tr-encoding']],
    ['--capath d', ['line 1: --capath d']],
    ['-T -', ['line 1: the standard input']],
    ['-X post', ['line 1: the method post: "httpcli run" sends it in capitals']],
    ['-X purge', []],
  ])('is reported if "run" does not do the same: %s', async (options, losses) => {
    expect(lossesOf(await converted(`curl http://h.test/ ${options}`))).toEqual(losses)
  })

  it('sends a variable as cookies unless it is named like a file', async () => {
    const { text, losses } = await converted('curl http://h.test/ -b "$SESSION" -b "$COOKIE_JAR"')
    expect(text).toContain('Cookie: {{SESSION}}\n')
    expect(losses).toHaveLength(1)
  })

  it('is reported if it reads a file into the query', async () => {
    const result = await converted('curl http://h.test/ --url-query a@b.txt --url-query c=d@e')
    expect(lossesOf(result)).toEqual(['line 1: the content of the file b.txt in the query'])
    const [sent] = await sentOf(result.text)
    expect(sent?.line).toBe('GET /?c=d%40e HTTP/1.1')
  })

  it('is reported if it reads the whole query from a file', async () => {
    const result = await converted('curl http://h.test/ -G -d @b.txt')
    expect(lossesOf(result)).toEqual(['line 1: the content of the file b.txt in the query'])
  })

  it('is reported if its globs name too many URLs', async () => {
    const result = await converted('curl http://h.test/[1-1001]')
    expect(lossesOf(result)).toEqual(['line 1: the URLs of http://h.test/[1-1001] after the first 1000'])
    expect(lossesOf(await converted('curl http://h.test/[1-1000]'))).toEqual([])
  })

  it('makes the parts attachments if the type is not a form', async () => {
    const command = `curl http://h.test/ -H 'Content-Type: multipart/related' -F 'a={"b": 1};type=application/json' -F '=c'`
    const [sent] = await sentOf((await converted(command)).text)
    expect(headerOf(sent!, 'Content-Type')).toBe('multipart/related; boundary=boundary')
    expect(sent?.body.toString()).toBe(
      '--boundary\r\nContent-Disposition: attachment; name="a"\r\nContent-Type: application/json\r\n\r\n{"b": 1}\r\n--boundary\r\n\r\nc\r\n--boundary--\r\n',
    )
  })
})

describe('a header that curl leaves out or sends empty', () => {
  const removal = (name: string): string => `line 1: the removal of the header ${name}, which "httpcli run" sends`
  const empty = (name: string): string => `line 1: the empty header ${name}: "httpcli run" sends it with a value`

  it.each<[string, readonly string[]]>([
    ["-H 'Host:'", [removal('Host')]],
    ["-H 'host: '", [removal('host')]],
    ["-H 'User-Agent:' -H 'Accept:'", [removal('User-Agent'), removal('Accept')]],
    ["-A ''", [removal('User-Agent')]],
    ["--compressed -H 'Accept-Encoding:'", [removal('Accept-Encoding')]],
    ["--json '{}' -H 'Accept:'", [removal('Accept')]],
    ["-d a=b -H 'Content-Length:'", [removal('Content-Length')]],
    ["-X POST -H 'Content-Length:'", [removal('Content-Length')]],
    ["-F a=b -H 'Content-Type:'", [removal('Content-Type')]],
    ["-H 'Host;'", [empty('Host')]],
    ["-d a=b -H 'Content-Length;' -H 'Transfer-Encoding;'", [empty('Content-Length'), empty('Transfer-Encoding')]],
    ["-F a=b -H 'Content-Type;'", [empty('Content-Type')]],
  ])('is reported if it is still sent: %s', async (options, losses) => {
    const result = await converted(`curl http://h.test/ ${options}`)
    expect(lossesOf(result)).toEqual(losses)
    for (const loss of losses) expect(result.text).toContain(`# Not converted: ${loss.slice('line 1: '.length)}`)
    await sentOf(result.text)
  })

  it.each([
    ["-H 'Host:' -H 'Host: x'"],
    ["-A '' -H 'User-Agent: x'"],
    ["-H 'Connection:' -H 'Expect:' -H 'Content-Length:' -H 'Content-Type:' -H 'X-Unknown:'"],
    ["-d a=b -H 'Content-Type:' -H 'Transfer-Encoding:'"],
    ["-d a=b -H 'Content-Length:' -H 'Transfer-Encoding: chunked'"],
    ["-u a:b -H 'Authorization:' -r 0-5 -H 'Range:' -e x -H 'Referer:' -b c=d -H 'Cookie:'"],
  ])('is not reported if it is not sent: %s', async (options) => {
    expect(lossesOf(await converted(`curl http://h.test/ ${options}`))).toEqual([])
  })

  it('keeps a form with an empty media type as a multipart body', async () => {
    const [sent] = await sentOf((await converted("curl http://h.test/ -F a=b -H 'Content-Type;'")).text)
    expect(headerOf(sent!, 'Content-Type')).toBe('multipart/form-data; boundary=boundary')
  })

  it.each(["-H 'X; y'", "-H 'X'", "-H 'X; '", "-H ': y'"])(
    'is not a header if curl does not treat it as one: %s',
    async (option) => {
      const [sent] = await sentOf((await converted(`curl http://h.test/ ${option}`)).text)
      expect(sent?.headers.some((line) => /^X/.test(line))).toBe(false)
    },
  )

  it('has a name that ends at the colon, even after a semicolon', async () => {
    const result = await converted("curl http://h.test/a -H 'X;y: z'")
    expect(lossesOf(result)).toEqual(['http://h.test/a: the header "X;y": a request file cannot hold its name'])
  })
})

describe('a curl command for the Windows prompt', () => {
  it.each<[string, string, string]>([
    [
      'of older browsers',
      'curl "http://h.test/a?b=1&c=2" ^\r\n  -H "X: y" ^\r\n  --data-raw "{\\"a\\":\\"b c\\"}"',
      '{"a":"b c"}',
    ],
    [
      'of newer browsers',
      'curl ^"http://h.test/a?b=1^&c=2^" ^\n  -H ^"X: y^" ^\n  --data-raw ^"^{^\\^"a^\\^":^\\^"b c^\\^"^}^"',
      '{"a":"b c"}',
    ],
    [
      'with a line end in a value',
      'curl ^"http://h.test/a?b=1^&c=2^" -H ^"X: y^" --data-raw ^"one^\n\ntwo^"',
      'one\ntwo',
    ],
  ])('is read: %s', async (_, command, body) => {
    const { text } = await converted(command)
    const [request] = await sentOf(text)
    expect(request?.line).toBe('POST /a?b=1&c=2 HTTP/1.1')
    expect(headerOf(request!, 'X')).toBe('y')
    expect(request?.body.toString()).toBe(body)
  })

  it('ends where the next one begins', async () => {
    const source =
      'curl ^"http://h.test/1?a^&b^" &\r\n\r\ncurl "http://h.test/2" ^\r\n  -H "X: y" && curl http://h.test/3 | findstr x\r\n'
    const result = await converted(source)
    expect(result.text.match(/^GET .*$/gm)).toEqual([
      'GET http://h.test/1?a&b',
      'GET http://h.test/2',
      'GET http://h.test/3',
    ])
    expect(lossesOf(result)).toEqual([])
  })
})

describe('a PowerShell command', () => {
  it('is read if it is curl.exe', async () => {
    const { text } = await converted(
      "curl.exe 'http://h.test/' `\n  -H 'X: it''s' `\n  -d \"a`tb\" -H \"Content-Type: text/plain\"",
    )
    const [request] = await sentOf(text)
    expect(headerOf(request!, 'X')).toBe("it's")
    expect(request?.body.toString()).toBe('a\tb')
  })

  const table = '$t = @{\n  "a b" = "c&d"\n  n = 5; m = \'{{x}}\'\n}\n'

  it('has a table as its query with GET', async () => {
    const result = await converted(`${table}$r = Invoke-RestMethod -Uri "http://h.test/?q=1" -Body $t`)
    expect((await sentOf(result.text))[0]?.line).toBe('GET /?q=1&a+b=c%26d&n=5&m=%7B%7Bx%7D%7D HTTP/1.1')
    expect(lossesOf(result)).toEqual([])
  })

  it('has a table as a form with other methods, in upper case', async () => {
    const [sent] = await sentOf(
      (await converted(`${table}Invoke-RestMethod "http://h.test/" -Method Put -Body $t`)).text,
    )
    expect(sent?.line).toBe('PUT / HTTP/1.1')
    expect(sent?.body.toString()).toBe('a+b=c%26d&n=5&m=%7B%7Bx%7D%7D')
    expect(headerOf(sent!, 'Content-Type')).toBe('application/x-www-form-urlencoded')
  })

  it('has a table as the text of a form if its media type is another', async () => {
    const source = `${table}Invoke-RestMethod "http://h.test/" -Method Post -ContentType text/plain -Body $t`
    const [sent] = await sentOf((await converted(source)).text)
    expect(headerOf(sent!, 'Content-Type')).toBe('text/plain')
    expect(sent?.body.toString()).toBe('a+b=c%26d&n=5&m=%7B%7Bx%7D%7D')
  })

  it('has a form with files', async () => {
    const source =
      '$f = @{\n  "a" = "b"\n  "f" = Get-Item "f.txt"\n}\nInvoke-WebRequest -Uri "http://h.test/" -CustomMethod x -AllowUnencryptedAuthentication -MaximumRedirection 0 -Form $f'
    const result = await converted(source)
    const [sent] = await sentOf(result.text, { 'f.txt': 'content' })
    expect(sent?.line).toBe('X / HTTP/1.1')
    expect(sent?.body.toString()).toMatch(/name="a"\r\n\r\nb\r\n.*name="f"; filename="f.txt"\r\n.*\r\n\r\ncontent\r\n/s)
    expect(result.text).toContain('# @no-redirect')
    expect(lossesOf(result)).toEqual([])
  })

  it('reports what only PowerShell can compute, and does not take it for the URL', async () => {
    const source =
      'Invoke-WebRequest -Uri "http://h.test/" -Method Post -Unknown -Form @{ a = $x.y } -Authentication Basic'
    const result = await converted(source)
    expect((await sentOf(result.text))[0]?.line).toBe('POST / HTTP/1.1')
    expect(lossesOf(result)).toEqual(['line 1: -unknown', 'line 1: -authentication', 'line 1: the form @{ a = $x.y }'])
  })

  it('has no character for a code point above those of Unicode', async () => {
    const result = await converted('Invoke-WebRequest -Uri "http://h.test/?a=`u{110000}"')
    expect((await sentOf(result.text))[0]?.line).toBe('GET /?a=%EF%BF%BD HTTP/1.1')
  })

  it('is read if it is Invoke-WebRequest', async () => {
    const { text } = await converted(
      [
        '$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession',
        '$session.UserAgent = "Browser/1"',
        '$session.Cookies.Add((New-Object System.Net.Cookie("sid", "abc", "/", "h.test")))',
        'Invoke-WebRequest -UseBasicParsing -Uri "http://h.test/a?b=1" `',
        '-Method "POST" `',
        '-WebSession $session `',
        '-Headers @{',
        '"authority"="h.test"',
        '  "x-one"="say `"hi`""',
        '} `',
        '-ContentType "application/json" `',
        '-Body "{`"a`":1}"',
      ].join('\n'),
    )
    const [request] = await sentOf(text)
    expect(request?.line).toBe('POST /a?b=1 HTTP/1.1')
    expect(request?.headers).toEqual(
      expect.arrayContaining([
        'User-Agent: Browser/1',
        'x-one: say "hi"',
        'Content-Type: application/json',
        'Cookie: sid=abc',
      ]),
    )
    expect(request?.body.toString()).toBe('{"a":1}')
  })
})

describe('options of curl that a request does not have', () => {
  it.each([
    '--false-start',
    '--doh-insecure',
    '--random-file x',
    '--no-clobber',
    '--dns-ipv4-addr ::1',
    '--mail-from a@b',
  ])('are left out without a report if they change no request: %s', async (option) => {
    const result = await converted(`curl ${option} http://h.test/`)
    expect((await sentOf(result.text))[0]?.line).toBe('GET / HTTP/1.1')
    expect(lossesOf(result)).toEqual([])
  })

  it('are reported without their secrets', async () => {
    const result = await converted(
      'curl -U u:secret1 --proxy-pass secret2 --httpsig-key secret3 --ech x http://h.test/',
    )
    expect(lossesOf(result)).toEqual(
      ['-U', '--proxy-pass', '--httpsig-key', '--ech x'].map((each) => `line 1: ${each}`),
    )
    expect(result.text).not.toContain('secret')
  })

  it.each([
    ['--preproxy socks5://u:secret@p.test', '--preproxy socks5://u:<password>@p.test'],
    ['--socks4 u:secret@p.test:1', '--socks4 u:<password>@p.test:1'],
    ["--proxy-header 'Proxy-Authorization: Basic secret'", '--proxy-header'],
    ['--proxy-cert p.pem:secret', '--proxy-cert'],
    ['--cert c.pem:secret', '--cert c.pem: give --cert c.pem to "httpcli run"'],
    ["-E 'C:\\c.pem:secret'", '-E C:\\c.pem: give --cert C:\\c.pem to "httpcli run"'],
  ])('are reported without the password in %s', async (option, message) => {
    const result = await converted(`curl ${option} http://h.test/`)
    expect(lossesOf(result)).toEqual([`line 1: ${message}`])
    expect(result.text).not.toContain('secret')
  })
})

describe('a PowerShell request', () => {
  it.each<[string, string, string]>([
    [
      'bytes of a text, as browsers copy what is not ASCII',
      'Invoke-WebRequest -Uri "http://h.test/" -Method POST -Body ([System.Text.Encoding]::UTF8.GetBytes("{`"a`":`"h$([char]233)$([char]0x4f60)`"}"))',
      '{"a":"hé你"}',
    ],
    [
      'a variable with a here-string',
      '$body = @"\n{ "a": "it\'s \\"x\\"" }\n"@\nInvoke-RestMethod \'http://h.test/\' -Method \'POST\' -Body $body',
      '{ "a": "it\'s \\"x\\"" }',
    ],
    [
      'a text with escapes of JSON',
      `Invoke-RestMethod http://h.test/ -Method Post -Body '{"a":"\\"b\\\\"}'`,
      '{"a":"\\"b\\\\"}',
    ],
    [
      'a table whose text ends in a backslash',
      'Invoke-RestMethod http://h.test/ -Method Post -Body @{ a = "c:\\"; b = "d" }',
      'a=c%3A%5C&b=d',
    ],
    [
      'a here-string in single quotes',
      "$body = @'\n$a `b\n'@\nInvoke-RestMethod 'http://h.test/' -Method 'POST' -Body $body",
      '$a `b',
    ],
  ])('takes its body from %s', async (_, source, body) => {
    const [sent] = await sentOf((await converted(source)).text)
    expect(sent?.body.toString()).toBe(body)
  })

  it('takes headers from a variable assigned before', async () => {
    const source = [
      '$headers = New-Object "System.Collections.Generic.Dictionary[[String],[String]]"',
      '$headers.Add("X-One", "1")',
      '$headers.Add("X-Two", "2")',
      "$response = Invoke-RestMethod 'http://h.test/' -Method 'GET' -Headers $headers",
      '$response | ConvertTo-Json',
    ].join('\n')
    const [sent] = await sentOf((await converted(source)).text)
    expect(headerOf(sent!, 'X-One')).toBe('1')
    expect(headerOf(sent!, 'X-Two')).toBe('2')
  })

  it('takes parameters from a table', async () => {
    const source =
      '$h = @{ Authorization = "Bearer $env:TOKEN"; "X-One" = $one; Accept = \'a/b\' }\n$p = @{\n  Uri = "http://h.test/a"\n  Method = "Put"; Headers = $h\n  Body = @{ b = 1 }\n  SkipCertificateCheck = $true\n}\nInvoke-RestMethod @p -TimeoutSec 5 -OutFile c.json'
    const result = await converted(source)
    expect(lossesOf(result)).toEqual([])
    expect(result.text).toBe(
      '# @timeout 5 s\nPUT http://h.test/a\nAuthorization: Bearer {{TOKEN}}\nX-One: {{one}}\nAccept: a/b\nContent-Type: application/x-www-form-urlencoded\n\nb = 1\n\n>>! c.json\n',
    )
  })

  it.each<[string, string]>([
    ['http://h.test/ -Headers @{ A = "b" + $c; D = "e" }', 'line 1: the header A: its value is computed'],
    ['http://h.test/ -Headers (Get-It)', 'line 1: the headers, which are not a table'],
    ['"http://h.test/?a=$($b.c)"', 'line 1: the expression $($b.c) in a text'],
    ['http://h.test/ -TimeoutSec $t', 'line 1: -timeoutsec'],
  ])('is reported where PowerShell computes a value: %s', async (parameters, loss) => {
    expect(lossesOf(await converted(`Invoke-RestMethod ${parameters}`))).toEqual([loss])
  })

  it('uses a variable for one without a value, and reports a computed body', async () => {
    const result = await converted(
      "Invoke-RestMethod -Uri 'http://h.test/' -Method Post -Body $body\nInvoke-RestMethod -Uri 'http://h.test/' -Method Post -Body ($x | ConvertTo-Json)",
    )
    expect(result.text).toContain('{{body}}')
    expect(lossesOf(result)).toEqual(['line 2: the body ($x | ConvertTo-Json)'])
  })
})

describe('standard input from a file', () => {
  it.each<[string, readonly string[], string]>([
    ['curl http://h.test/ --data-binary @- < b.txt', [], 'POST'],
    ['cat b.txt | curl http://h.test/ --json @-', [], 'POST'],
    ['cat < b.txt | curl http://h.test/ -T -', [], 'PUT'],
    ['cat b.txt | curl -d @- http://h.test/', ['line 1: line ends of b.txt are sent: -d removes them'], 'POST'],
  ])('is the body: %s', async (command, losses, method) => {
    const result = await converted(command)
    const [sent] = await sentOf(result.text, { 'b.txt': 'FILE' })
    expect([sent?.line, sent?.body.toString()]).toEqual([`${method} / HTTP/1.1`, 'FILE'])
    expect(lossesOf(result)).toEqual(losses)
  })

  it('is a part of a form', async () => {
    const { text, losses } = await converted("curl http://h.test/ -F 'a=@-;filename=c' < b.txt")
    const [sent] = await sentOf(text, { 'b.txt': 'FILE' })
    expect(sent?.body.toString()).toContain('name="a"; filename="c"\r\n\r\nFILE\r\n')
    expect(losses).toEqual([])
  })

  it.each([
    ['cat a.txt b.txt | curl http://h.test/ -d @-', 'line 1: the standard input'],
    ['curl http://h.test/ -G -d @- < b.txt', 'line 1: the content of the file b.txt in the query'],
    ['curl http://h.test/ --data-binary @<(gunzip secret)', 'line 1: the substitution <(gunzip …)'],
    ['curl http://h.test/ -F a=@<(date)', 'line 1: the substitution <(date)'],
    ['curl http://h.test/ --data-binary @- < <(date)', 'line 1: the substitution <(date)'],
    ['curl http://h.test/ -T f > >(tee log)', 'line 1: the substitution >(tee …)'],
  ])('is reported if it cannot be read: %s', async (command, loss) => {
    const result = await converted(command)
    expect(lossesOf(result)).toEqual([loss])
    expect(result.text).not.toContain('###')
  })
})

it('sends a form with -G as well', async () => {
  const { text } = await converted('curl http://h.test/ -G -F a=b')
  const [sent] = await sentOf(text)
  expect(sent?.line).toBe('POST / HTTP/1.1')
  expect(sent?.body.toString()).toContain('name="a"\r\n\r\nb\r\n')
})

describe('standard input from printf', () => {
  it('has the escapes of its format', async () => {
    const { text } = await converted(`printf 'a\\tb 5%%\\n' | curl --data-binary @- http://h.test/`)
    expect((await sentOf(text))[0]?.body.toString()).toBe('a\tb 5%\n')
  })

  it.each(["'%d'", "'\\0101'"])('is reported if its format computes a text: %s', async (format) => {
    const result = await converted(`printf ${format} | curl --data-binary @- http://h.test/`)
    expect(lossesOf(result)).toContain('line 1: the standard input')
  })
})

describe('a form part', () => {
  it.each<[string, string, string, string]>([
    ['a=@b.txt;type=text/plain; charset=utf-8', 'name="a"; filename="b.txt"', 'text/plain; charset=utf-8', 'FILE'],
    ['a=@b.txt;type=x/y;charset=u;filename=c;skipped=d', 'name="a"; filename="c"', 'x/y;charset=u', 'FILE'],
    ['a=@b.txt; filename=c', 'name="a"; filename="c"', 'text/plain', 'FILE'],
    ['a=@b.txt;TYPE=x/y', 'name="a"; filename="b.txt"', 'x/y', 'FILE'],
    ['a=<b.html', 'name="a"', 'text/html', 'FILE'],
    ['a=<b.txt', 'name="a"', '', 'FILE'],
    ['a=b;filename=c.html', 'name="a"; filename="c.html"', 'text/html', 'b'],
    ['a=b;skipped', 'name="a"', '', 'b'],
    ['a=b;skipped;type=x/y;z', 'name="a"', 'x/y;z', 'b'],
    ['a="b;c\\""skipped;type=x/y', 'name="a"', 'x/y', 'b;c"'],
  ])('has the parameters that curl reads: %s', async (option, disposition, type, content) => {
    const { text, losses } = await converted(`curl http://h.test/ -F '${option}'`)
    expect(losses).toEqual([])
    const [sent] = await sentOf(text, { 'b.txt': 'FILE', 'b.html': 'FILE' })
    const field = type === '' ? '' : `Content-Type: ${type}\r\n`
    expect(sent?.body.toString()).toBe(
      `--boundary\r\nContent-Disposition: form-data; ${disposition}\r\n${field}\r\n${content}\r\n--boundary--\r\n`,
    )
  })

  it('has the type of each of several files', async () => {
    const { text } = await converted("curl http://h.test/ -F 'a=@b.txt;type=x/1,b.html;type=x/2'")
    expect(text.match(/filename=.*\n.*/g)).toEqual([
      'filename="b.txt"\nContent-Type: x/1',
      'filename="b.html"\nContent-Type: x/2',
    ])
  })

  it('has no type if it is standard input', async () => {
    expect((await converted("curl http://h.test/ -F 'a=@-' <<< b")).text).not.toContain('octet-stream')
  })
})

describe('a form part without an equivalent', () => {
  it.each([
    ['curl http://h.test/ -F \'a=b;headers="X: y"\'', 'line 1: headers of the part a'],
    ["curl http://h.test/ -F 'a=@b,c'", 'line 1: several files in the part a: each is a separate part'],
    ["curl http://h.test/ -F 'a=@-'", 'line 1: the standard input'],
    [
      "curl http://h.test/ -F 'a=(;type=multipart/mixed' -F b=c -F '=)'",
      'line 1: the multipart body a in the form: its parts become parts of the form',
    ],
    ['curl http://h.test/ --form-escape -F a=b', 'line 1: --form-escape'],
  ])('is reported: %s', async (command, loss) => {
    expect(lossesOf(await converted(command))).toEqual([loss])
  })
})

describe('a command substitution', () => {
  it('that calls curl is a request before the one that uses it', async () => {
    const script = `TOKEN=$(curl -s "http://h.test/login" -d 'u=(1)' \\\n  -u a:b | jq -r '(.token)')\ncurl http://h.test/ -H "X: $TOKEN"`
    const result = await converted(script)
    expect(lossesOf(result)).toEqual(['line 1: the value of TOKEN, from a response: "# @capture TOKEN = …" sets it'])
    expect(result.text).toMatch(/POST http:\/\/h\.test\/login\n[\s\S]*GET http:\/\/h\.test\/\nX: \{\{TOKEN\}\}\n$/)
    expect(result.text).not.toContain('@TOKEN')
  })

  it('can be the only place of a request', async () => {
    const [sent] = await sentOf((await converted('export STATUS="$(curl -so /dev/null http://h.test/a)"')).text)
    expect(sent?.line).toBe('GET /a HTTP/1.1')
  })

  it.each<[string, string]>([
    ['D=$(date +%F)\ncurl http://h.test/$D', 'line 1: the substitution $(date …)'],
    ['curl http://h.test/ -H "A: $(echo -n a:b | base64)"', 'line 1: the substitution $(echo …)'],
    ['curl http://h.test/ -d "$(jq -n \'(1)\')"', 'line 1: the substitution $(jq …)'],
    ['curl http://h.test/$((1 + 2))', 'line 1: the substitution $((1 + 2))'],
    ['curl http://h.test/ -d "${A[@]+"${A[@]}"}"', 'line 1: the substitution ${A[@]+"${A[@]}"}'],
    ['curl http://h.test/${A:-${B}}', 'line 1: the substitution ${A:-${B}}'],
    ['curl http://h.test/ -d "$(curl http://h.test/a)"', 'line 1: the substitution $(curl …)'],
  ])('is reported, without its arguments: %s', async (script, loss) => {
    expect(lossesOf(await converted(script))).toEqual([loss])
  })

  it('has the lines of the script in errors', async () => {
    const error = await converted('\nA=$(\n curl --unknown http://h.test/)').catch((reason) => reason)
    expect(error).toMatchObject({ where: { line: 3, column: 7 } })
  })

  it.each(['A=$(curl http://h.test/)\n', '"$("', '$($(a))', '${a${b}'])(
    'takes linear time: many of %j',
    async (piece) => {
      const started = performance.now()
      await converted(`${piece.repeat(10_000)}\ncurl http://h.test/`)
      expect(performance.now() - started).toBeLessThan(40_000)
    },
  )
})

describe('a shell expansion', () => {
  it('becomes a variable, and assignments give it a value', async () => {
    const { text } = await converted(`TOKEN=secret\ncurl "http://h.test/$ID" -H "Authorization: Bearer \${TOKEN}"`)
    expect(text).toContain('@TOKEN = secret')
    expect(text).toContain('/{{ID}}')
    expect(text).toContain('Bearer {{TOKEN}}')
  })

  it.each([
    ['a user alone', '"$KEY:"', 'key:'],
    ['a password alone', '":$KEY"', ':key'],
    ['both', '"$KEY:a $KEY"', 'key:a key'],
  ])('is encoded in Basic credentials with %s', async (_, user, credentials) => {
    const { text } = await converted(`KEY=key; curl -u ${user} http://h.test/`)
    const [sent] = await sentOf(text)
    expect(headerOf(sent!, 'Authorization')).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`)
  })

  it('is reported in a user that request files cannot hold', async () => {
    const result = await converted('curl -u "$A b:c" http://h.test/')
    expect(lossesOf(result)).toEqual([
      'line 1: Basic authorization with this user or password: "Basic user password" cannot hold it',
    ])
  })

  it('stays literal in single quotes', async () => {
    const { text } = await converted(`curl 'http://h.test/' -H 'X: $HOME \`a\`'`)
    expect(headerOf((await sentOf(text))[0]!, 'X')).toBe('$HOME `a`')
  })

  it('becomes a dynamic variable for a command that generates such values', async () => {
    const { text } = await converted('curl "http://h.test/$(uuidgen)?t=$(date +%s)"')
    expect(text).toContain('/{{$uuid}}?t={{$timestamp}}')
  })

  it('sends braces of a URL literally, and reports it', async () => {
    const result = await converted(`curl 'http://h.test/{{id}}' -H 'X: {{value}}'`)
    const [sent] = await sentOf(result.text)
    expect(sent?.line).toBe('GET /{{id}} HTTP/1.1')
    expect(headerOf(sent!, 'X')).toBe('{{value}}')
    expect(lossesOf(result)).toEqual(['line 1: the braces "{{" in the URL: curl has no variables, so they are sent'])
  })

  it('keeps credentials with braces on the way back to curl', async () => {
    const { text } = await converted(`curl -u 'a{{b}}:c d' http://h.test/`)
    expect((await converted(text, { from: 'http', to: 'curl' })).text).toContain("-u 'a{{b}}:c d'")
  })

  it('sends other braces literally', async () => {
    const { text } = await converted(`curl 'http://h.test/' -H 'X: {{value}} {{{y}}}'`)
    expect(headerOf((await sentOf(text))[0]!, 'X')).toBe('{{value}} {{{y}}}')
  })
})

describe('shell statements', () => {
  it('are reported if they decide what runs', async () => {
    const source =
      'if curl http://h.test/1; then\n  sudo curl http://h.test/2\nfi\nfor i in 1 2; do\n  curl "http://h.test/$i"\ndone'
    const result = await converted(source)
    expect(result.text.match(/^GET .*$/gm)).toEqual([
      'GET http://h.test/1',
      'GET http://h.test/2',
      'GET http://h.test/{{i}}',
    ])
    expect(lossesOf(result)).toEqual(['line 1: the condition "if"', 'line 4: the command for'])
  })

  it('are reported if a backquoted command has no equivalent', async () => {
    const result = await converted('curl http://h.test/ -H "X: `hostname`" -H "Y: `uuidgen`"')
    expect(result.text).toContain('Y: {{$uuid}}')
    expect(lossesOf(result)).toEqual(['line 1: the substitution `hostname`'])
  })
})

describe('other options of a command', () => {
  it('names the request after the comment above it', async () => {
    const { text } = await converted('# Log in\ncurl http://h.test/')
    expect(text).toContain('### Log in')
  })

  it('sets time limits and does not follow redirects', async () => {
    const { text } = await converted('curl --max-time 1.5 --connect-timeout 3 http://h.test/')
    expect(text).toContain('# @no-redirect\n# @timeout 1500 ms\n# @connection-timeout 3 s\n')
  })

  it('reports times and counts that the shell computes', async () => {
    const result = await converted('curl -m $A --connect-timeout 0 --retry "$B" --retry-delay $C http://h.test/')
    expect(lossesOf(result)).toEqual(
      ['-m {{A}}', '--retry {{B}}', '--retry-delay {{C}}'].map((each) => `line 1: ${each}`),
    )
    expect(result.text).not.toMatch(/# @(?!no-redirect)/)
  })

  it('keeps the number of retries', async () => {
    const { text } = await converted('curl --retry 3 --retry-delay 2 http://h.test/')
    expect(text).toContain('# @retry 3 2 s\n')
    expect((await converted(text, { from: 'http', to: 'curl' })).text).toContain('--retry 3 \\\n  --retry-delay 2\n')
  })

  it('follows redirects with -L', async () => {
    expect((await converted('curl -L http://h.test/')).text).not.toContain('no-redirect')
  })

  it('keeps the output file', async () => {
    expect((await converted('curl -o out.json http://h.test/')).text).toContain('>>! out.json')
    expect((await converted('curl -O http://h.test/a/b.zip?x')).text).toContain('>>! b.zip')
  })

  it.each([
    ['-k', '-k: give -i to "httpcli run"'],
    ['-x http://p:1', '-x http://p:1: give --proxy http://p:1 to "httpcli run"'],
    ['-x http://u:hush@p:1', '-x http://u:<password>@p:1: give --proxy http://u:<password>@p:1 to "httpcli run"'],
    ['--socks5 p:1', '--socks5 p:1: give --proxy socks5://p:1 to "httpcli run"'],
    [
      '--socks5-hostname u:hu@sh@p:1',
      '--socks5-hostname u:<password>@p:1: give --proxy socks5h://u:<password>@p:1 to "httpcli run"',
    ],
    ['--socks4 p:1', '--socks4 p:1'],
    ['--resolve h:80:1.2.3.4', '--resolve h:80:1.2.3.4: give --resolve h:80:1.2.3.4 to "httpcli run"'],
    ['-b jar.txt', 'cookies of the file jar.txt: give -c to "httpcli run"'],
    ['--ntlm', '--ntlm'],
    ['--digest -u "a b:c"', 'Digest authorization with this user or password: "Digest user password" cannot hold it'],
    ['-K curlrc', '-K curlrc'],
    ['-d a -d @f', 'the content of f between other data'],
  ])('reports what has no equivalent: %s', async (option, message) => {
    const result = await converted(`curl http://h.test/ ${option}`)
    expect(lossesOf(result)).toContain(`line 1: ${message}`)
    expect(result.text).toMatch(/^# (?:Not converted|Run with): /m)
  })

  it.each(['--ntlm', '--negotiate', '--aws-sigv4 aws:amz:eu:s'])(
    'sends no password in another form than with %s',
    async (option) => {
      for (const given of ['-u ada:hush http://h.test/', 'http://ada:hush@h.test/']) {
        const result = await converted(`curl ${option} ${given}`)
        expect(lossesOf(result)).toEqual([`line 1: ${option}`])
        expect(result.text).not.toMatch(/Authorization|hush/)
      }
    },
  )

  it.each([
    ['an unknown option', 'curl http://h/\ncurl --nonsense http://h/', 2, 6, '--nonsense is not an option of curl'],
    ['an option without its value', 'curl http://h/ -H', 1, 16, '-H needs a value'],
    ['a quote that is not closed', "curl 'http://h/", 1, 6, "a quote is not closed: expected '"],
    ['a command without a URL', '  curl -s', 1, 3, 'a curl command without a URL'],
  ])('is an error with its place: %s', async (_, command, line, column, message) => {
    const error = await converted(command).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConvertSyntaxError)
    expect(error).toMatchObject({ code: 'convert-syntax', message, where: { file: 'source', line, column } })
  })
})

describe('a request file as curl', () => {
  it.each<[string, string, string]>([
    ['a header with a quote', "GET http://h.test/\nX: it's", "curl -L http://h.test/ \\\n  -H 'X: it'\\''s'\n"],
    ['an undefined variable', 'GET http://h.test/{{id}}?a={{b}}', `curl -L http://h.test/"$id"'?a='"$b"\n`],
    ['a variable of the file', '@host = http://h.test\nGET {{host}}/', 'host=http://h.test\ncurl -L "$host"/\n'],
    [
      'a variable that is a setting of the shell',
      '@PATH = /evil\n@LD_PRELOAD = x.so\nGET http://h.test/{{PATH}}/{{LD_PRELOAD}}',
      'curl -L http://h.test//evil/x.so\n',
    ],
    ['a dynamic variable', 'GET http://h.test/{{$uuid}}', 'curl -L http://h.test/"$(uuidgen)"\n'],
    ['the name', '### One\nGET http://h.test/', '# One\ncurl -L http://h.test/\n'],
    ['Basic', 'GET http://h.test/\nAuthorization: Basic ada {{pw}}', `curl -L http://h.test/ \\\n  -u ada:"$pw"\n`],
    [
      'Basic with an LDAP name',
      'GET http://h.test/\nAuthorization: Basic uid=a,ou=b {{pw}}',
      `curl -L http://h.test/ \\\n  -u uid=a,ou=b:"$pw"\n`,
    ],
    [
      'Digest',
      'GET http://h.test/\nAuthorization: Digest ada pw',
      'curl -L http://h.test/ \\\n  --digest \\\n  -u ada:pw\n',
    ],
    [
      'Basic with a colon',
      'GET http://h.test/\nAuthorization: Basic {{user}}:{{pw}}',
      `curl -L http://h.test/ \\\n  -u "$user":"$pw"\n`,
    ],
    [
      'Basic without a user',
      'GET http://h.test/\nAuthorization: Basic :{{pw}}',
      `curl -L http://h.test/ \\\n  -u :"$pw"\n`,
    ],
    [
      'Basic without a password',
      'GET http://h.test/\nAuthorization: Basic ada:',
      'curl -L http://h.test/ \\\n  -u ada:\n',
    ],
    [
      'a variable in the value of one before it',
      '@url = {{host}}/a\n@host = http://h.test\nGET {{url}}',
      'host=http://h.test\nurl="$host"/a\ncurl -L "$url"\n',
    ],
    [
      'a variable in the value of one whose name a shell does not allow',
      '@my-url = {{my-host}}/a\n@my-host = http://h.test\nGET {{my-url}}',
      'curl -L http://h.test/a\n',
    ],
    [
      'a variable that is defined twice',
      '@a = 1\n@b = {{a}}\n@a = 2\nGET http://h.test/{{b}}',
      'a=2\nb="$a"\ncurl -L http://h.test/"$b"\n',
    ],
    [
      'a variable that is defined again for a later request',
      '@a = 1\n@b = {{a}}\nGET http://h.test/{{b}}\n###\n@a = 2\nGET http://h.test/{{b}}',
      'a=1\nb="$a"\ncurl -L http://h.test/"$b"\n\na=2\nb="$a"\ncurl -L http://h.test/"$b"\n',
    ],
    [
      'a variable again only before a request that uses it, if the one in its value has changed',
      '@a = 1\n@b = {{a}}\nGET http://h.test/\n###\n@a = 2\nGET http://h.test/\n###\nGET http://h.test/{{b}}',
      'a=1\nb="$a"\ncurl -L http://h.test/\n\na=2\ncurl -L http://h.test/\n\nb="$a"\ncurl -L http://h.test/"$b"\n',
    ],
    [
      'variables that name each other',
      '@a = {{b}}\n@b = {{a}}\nGET http://h.test/',
      'b="$a"\na="$b"\ncurl -L http://h.test/\n',
    ],
    ['a path with the variable host', '@host = h.test\nGET /a', 'host=h.test\ncurl -L "$host"/a\n'],
    ['a path with a Host', 'GET /a\nHost: h.test:8080', 'curl -L http://h.test:8080/a\n'],
    [
      'a body without a media type',
      'POST http://h.test/\n\na\nb',
      "curl -L http://h.test/ \\\n  -H 'Content-Type:' \\\n  --data-raw 'a\nb'\n",
    ],
    [
      'data of length 0 for a body that is missing',
      'PUT http://h.test/\nX-A: {{empty}}\n\n###\n@empty =\nPOST http://h.test/\nContent-Type: a/b',
      `curl -L -X PUT http://h.test/ \\\n  -H 'X-A;' \\\n  -H 'Content-Type:' \\\n  --data-raw ''\n\ncurl -L http://h.test/ \\\n  -H 'Content-Type: a/b' \\\n  --data-raw ''\n`,
    ],
    [
      'a form',
      'POST http://h.test/\nContent-Type: application/x-www-form-urlencoded\n\na = b c &\nd = {{e}}',
      `curl -L http://h.test/ \\\n  -H 'Content-Type: application/x-www-form-urlencoded' \\\n  --data-raw a=b+c \\\n  --data-urlencode d="$e"\n`,
    ],
    [
      'a variable next to escaped bytes that are not UTF-8',
      'POST http://h.test/\nContent-Type: application/x-www-form-urlencoded\n\na=%E4{{b}}&c={{d}}..v9..',
      `curl -L http://h.test/ \\\n  -H 'Content-Type: application/x-www-form-urlencoded' \\\n  --data-raw a=%E4"$b" \\\n  --data-urlencode c="$d"..v9..\n`,
    ],
    [
      'GraphQL',
      'GRAPHQL http://h.test/\n\nquery A { b }',
      `curl -L http://h.test/ \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{"query":"query A { b }","variables":{},"operationName":"A"}'\n`,
    ],
    [
      'GraphQL by a field of REST Client',
      'POST http://h.test/\nX-REQUEST-TYPE: GraphQL\n\n{ b }',
      `curl -L http://h.test/ \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{"query":"{ b }","variables":{}}'\n`,
    ],
    [
      'the parts that are sent, also one after a line that closes nothing',
      'POST http://h.test/\nContent-Type: multipart/form-data; boundary = b\n\n--b\nContent-Disposition: form-data;\n  name="x"\n\n1\n--b--\nContent-Disposition: form-data; name="y"\n\n2\n--b--',
      'curl -L http://h.test/ \\\n  --form-string x=1 \\\n  --form-string y=2\n',
    ],
    [
      'quotes in the name of a file',
      'POST http://h.test/\nContent-Type: multipart/form-data; boundary=b\n\n--b\nContent-Disposition: form-data; name="x"; filename="a\\"b\\c"\n\n< ./d\n--b--',
      `curl -L http://h.test/ \\\n  -F 'x=@./d;filename="a\\"b\\\\c"'\n`,
    ],
    [
      'time limits and versions',
      '# @timeout 1500 ms\n# @no-redirect\nGET http://h.test/ HTTP/2',
      'curl http://h.test/ \\\n  --http2 \\\n  --max-time 1.5\n',
    ],
  ])('has %s', async (_, file, expected) => {
    expect((await converted(file, { from: 'http', to: 'curl' })).text).toBe(expected)
  })

  it.each<[target: string, values: Readonly<Record<string, string>>, url: string]>([
    ['http://h.test/{{id}}', { id: 'a b' }, 'http://h.test/a%20b'],
    [
      '{{base}}/{{id}}?q={{id}}',
      { base: 'http://[::1]:80/v 1', id: '[{{a}}]' },
      'http://[::1]:80/v%201/%5B%7B%7Ba%7D%7D%5D?q=[%7B%7Ba%7D%7D]',
    ],
    ['{{base}}/{{id}}', { base: 'http://ü.test', id: 'ü#1' }, 'http://ü.test/%C3%BC'],
    ['http://{{name}}:{{key}}@h.test/', { name: 'a@b', key: 'c/d' }, 'http://a%40b:c%2Fd@h.test/'],
  ])('fills in known values as they are sent: %s', async (target, values, url) => {
    const { text } = await converted(`# @no-redirect\nGET ${target}`, { from: 'http', to: 'curl', values })
    expect(text.replace(/ -g|'/g, '')).toBe(`curl ${url}\n`)
  })

  it('reports a value that names another host', async () => {
    const result = await converted('GET http://{{name}}.test/', { from: 'http', to: 'curl', values: { name: 'a/b' } })
    expect(lossesOf(result)).toEqual([
      'line 1: the value of {{name}} has "/", which would make the URL name another host',
    ])
  })

  it('reports scripts, calls and checks', async () => {
    const file = 'run other.http\n###\n# @assert status == 200\n< {% x() %}\nGET http://h.test/\n\n> {% y() %}\n'
    expect(lossesOf(await converted(file, { from: 'http', to: 'curl' }))).toEqual([
      'line 1: run other.http',
      'line 3: @assert',
      'line 4: a pre-request script',
      'line 7: a handler script',
    ])
  })

  it('reports what -F cannot send of a multipart body', async () => {
    const lines = ['before', '--b', 'Content-Disposition: form-data; name="x"', 'X-One: 1', '', '1', '--b--', 'after']
    const file = `POST http://h.test/\nContent-Type: multipart/form-data; boundary=b\n\n${lines.join('\n')}`
    expect(lossesOf(await converted(file, { from: 'http', to: 'curl' }))).toEqual([
      'line 4: the text before the first delimiter of a multipart body',
      'line 4: the header X-One of the part x',
    ])
  })
})
