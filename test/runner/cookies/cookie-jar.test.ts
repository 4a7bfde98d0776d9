/** Cookies of a run: stored, sent, kept in a file (RFC 6265). */
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HeaderList, parseResponse } from '../../../src/message/index.ts'
import { RunCookies } from '../../../src/runner/cookies/cookie-jar.ts'
import { responseCookies } from '../../../src/runner/cookies/response-cookies.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

const NOW = Date.UTC(2026, 0, 1)
const now = (): number => NOW

/** As they come from a server, which may send what no program can set. */
const fields = (...values: string[]): HeaderList => {
  const lines = values.map((value) => `Set-Cookie: ${value}\r\n`).join('')
  const limits = { headerCount: values.length, headerSection: lines.length + 2 }
  return parseResponse(Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n`, 'latin1'), { limits }).headers
}

async function valuesAfter(url: string, set: string[], ...targets: string[]): Promise<(string | undefined)[]> {
  const cookies = RunCookies.read(undefined, '/', Date.now)
  await cookies.store(new URL(url), fields(...set))
  const values: (string | undefined)[] = []
  for (const target of targets) values.push(await sentTo(cookies, target))
  return values
}

/** The value of Cookie; undefined if none is sent. */
async function sentTo(cookies: RunCookies, url: string): Promise<string | undefined> {
  const { pairs } = await cookies.pairsFor(new URL(url))
  return pairs.length === 0 ? undefined : pairs.join('; ')
}

describe('a cookie is sent', () => {
  it.each<[string, string, string[], string, string | undefined]>([
    ['to its host', 'http://a.test/', ['n=v'], 'http://a.test/x', 'n=v'],
    ['to another port of its host', 'http://a.test:1/', ['n=v'], 'http://a.test:2/', 'n=v'],
    ['not to another host', 'http://a.test/', ['n=v'], 'http://b.test/', undefined],
    ['not to a host below, without Domain', 'http://a.test/', ['n=v'], 'http://x.a.test/', undefined],
    ['to hosts below its Domain', 'http://x.a.test/', ['n=v; Domain=a.test'], 'http://y.a.test/', 'n=v'],
    [
      'not to hosts below, if an empty Domain is last',
      'http://a.test/',
      ['n=v; Domain=a.test; Domain='],
      'http://x.a.test/',
      undefined,
    ],
    [
      'to its host, if an empty Domain is last',
      'http://a.test/',
      ['n=v; Domain=b.test; Domain'],
      'http://a.test/',
      'n=v',
    ],
    [
      'to hosts below, if an empty Domain is first',
      'http://a.test/',
      ['n=v; Domain=; Domain=a.test'],
      'http://x.a.test/',
      'n=v',
    ],
    ['not when its Domain is another', 'http://a.test/', ['n=v; Domain=b.test'], 'http://b.test/', undefined],
    ['not for all of a public suffix', 'http://a.com/', ['n=v; Domain=com'], 'http://b.com/', undefined],
    ['to a host whose Domain is its only label', 'http://api/', ['n=v; Domain=api'], 'http://api/', 'n=v'],
    ['not to hosts below such a Domain', 'http://api/', ['n=v; Domain=api'], 'http://x.api/', undefined],
    ['below its Path', 'http://a.test/', ['n=v; Path=/x'], 'http://a.test/x/y', 'n=v'],
    ['below its Path with escapes', 'http://a.test/', ['n=v; Path=/a%20b'], 'http://a.test/a%20b/c', 'n=v'],
    ['not for other escapes of its Path', 'http://a.test/', ['n=v; Path=/a'], 'http://a.test/%61', undefined],
    ['below a directory with escapes', 'http://a.test/%7Ea/%C3%A9/', ['n=v'], 'http://a.test/%7Ea/%C3%A9/b', 'n=v'],
    ['not beside its Path', 'http://a.test/', ['n=v; Path=/x'], 'http://a.test/xy', undefined],
    ['below the directory it was set in', 'http://a.test/x/y', ['n=v'], 'http://a.test/x/z', 'n=v'],
    ['not above the directory it was set in', 'http://a.test/x/y', ['n=v'], 'http://a.test/', undefined],
    ['Secure: by https', 'https://a.test/', ['n=v; Secure'], 'https://a.test/', 'n=v'],
    ['Secure: not by http', 'https://a.test/', ['n=v; Secure'], 'http://a.test/', undefined],
    ['Secure: not by http to this machine', 'https://127.0.0.1/', ['n=v; Secure'], 'http://127.0.0.1/', undefined],
    ['to an IP address', 'http://127.0.0.1/', ['n=v'], 'http://127.0.0.1/', 'n=v'],
    ['to localhost', 'http://localhost:80/', ['n=v'], 'http://localhost:81/', 'n=v'],
    ['not when it has expired', 'http://a.test/', ['n=v; Max-Age=0'], 'http://a.test/', undefined],
    [
      'not with a date that has passed',
      'http://a.test/',
      ['n=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
      'http://a.test/',
      undefined,
    ],
    ['the last value counts', 'http://a.test/', ['n=v', 'n=w'], 'http://a.test/', 'n=w'],
    ['longer paths first', 'http://a.test/', ['a=1; Path=/', 'b=2; Path=/x'], 'http://a.test/x', 'b=2; a=1'],
    ['with its quotes and equals signs', 'http://a.test/', ['n="a=b"'], 'http://a.test/', 'n="a=b"'],
    ['not without a name', 'http://a.test/', ['nothing'], 'http://a.test/', undefined],
    ['not for a suffix of two labels', 'http://a.co.uk/', ['n=v; Domain=co.uk'], 'http://b.co.uk/', undefined],
    ['to a host without a dot that is its Domain', 'http://api/', ['n=v; Domain=api'], 'http://api/', 'n=v'],
    ['to a suffix that is its Domain', 'http://github.io/', ['n=v; Domain=.github.io'], 'http://github.io/', 'n=v'],
    ['not below a suffix that is its Domain', 'http://api/', ['n=v; Domain=api'], 'http://b.api/', undefined],
    [
      'not for localhost from a host below',
      'http://x.localhost/',
      ['n=v; Domain=localhost'],
      'http://localhost/',
      undefined,
    ],
    ['not for a reserved suffix', 'http://x.test/', ['n=v; Domain=.test'], 'http://test/', undefined],
    ['not for local', 'http://x.local/', ['n=v; Domain=local'], 'http://local/', undefined],
    ['to localhost that is its Domain', 'http://localhost/', ['n=v; Domain=.localhost'], 'http://localhost/', 'n=v'],
    ['not for a part of an address', 'http://10.0.0.1/', ['n=v; Domain=0.0.1'], 'http://10.0.0.1/', undefined],
    ['to an address of IPv6 alone', 'http://[::1]/', ['n=v'], 'http://[::1]/', 'n=v'],
    [
      'with any SameSite, since no page sends the request',
      'http://a.test/',
      ['n=v; SameSite=Strict'],
      'http://a.test/',
      'n=v',
    ],
    ['with a SameSite that nothing knows', 'http://a.test/', ['n=v; SameSite=x'], 'http://a.test/', 'n=v'],
    [
      '__Host- with all that it demands',
      'https://a.test/',
      ['__Host-n=v; Secure; Path=/'],
      'https://a.test/',
      '__Host-n=v',
    ],
    [
      'not __Host- with a Domain',
      'https://a.test/',
      ['__Host-n=v; Secure; Path=/; Domain=a.test'],
      'https://a.test/',
      undefined,
    ],
    ['not __Host- below a path', 'https://a.test/', ['__Host-n=v; Secure; Path=/x'], 'https://a.test/x', undefined],
    ['not __host- in small letters', 'https://a.test/', ['__host-n=v; Secure'], 'https://a.test/', undefined],
    ['not __Secure- without Secure', 'https://a.test/', ['__Secure-n=v'], 'https://a.test/', undefined],
    ['not __SECURE- over http', 'http://a.test/', ['__SECURE-n=v; Secure'], 'https://a.test/', undefined],
    [
      'without an attribute of 1025 bytes',
      'http://a.test/',
      [`n=v; Path=/${'x'.repeat(1020)}`],
      'http://a.test/',
      'n=v',
    ],
    [
      'up to 4096 bytes of name and value',
      'http://a.test/',
      [`n=${'v'.repeat(4095)}`],
      'http://a.test/',
      `n=${'v'.repeat(4095)}`,
    ],
    ['not with one byte more', 'http://a.test/', [`n=${'v'.repeat(4096)}`], 'http://a.test/', undefined],
    ['with tabs around its attributes', 'http://a.test/', ['n=v;\tPath=/x'], 'http://a.test/x', 'n=v'],
    ['with tabs around its equals signs', 'http://a.test/', ['\tn\t=\tv\t;\tPath\t=\t/x\t'], 'http://a.test/x', 'n=v'],
  ])('%s', async (_, url, set, target, expected) => {
    expect(await valuesAfter(url, set, target)).toEqual([expected])
  })

  it('if it is one of the 180 newest of its site, from all its hosts', async () => {
    const cookies = RunCookies.read(undefined, '/', Date.now)
    for (const host of ['a.example.com', 'b.example.com']) {
      const set = Array.from({ length: 95 }, (_, i) => `${host}${i}=1; Domain=example.com`)
      await cookies.store(new URL(`http://${host}/`), fields(...set))
    }
    const names = (await sentTo(cookies, 'http://example.com/'))?.split('; ').map((pair) => pair.split('=')[0])
    expect(names).toHaveLength(180)
    expect(names).not.toContain('a.example.com9')
    expect(names).toContain('a.example.com10')
  })

  it('a site with many cookies leaves those of others, and 300 are kept in all', async () => {
    const cookies = RunCookies.read(undefined, '/', Date.now)
    await cookies.store(new URL('http://kept.test/'), fields('first=1'))
    await cookies.store(new URL('http://flood.test/'), fields(...Array.from({ length: 5000 }, (_, i) => `c${i}=1`)))
    expect(await sentTo(cookies, 'http://kept.test/')).toBe('first=1')
    for (let site = 0; site < 300; site++) await cookies.store(new URL(`http://s${site}.test/`), fields('n=v'))
    expect(await sentTo(cookies, 'http://kept.test/')).toBeUndefined()
    expect(await sentTo(cookies, 'http://s0.test/')).toBe('n=v')
  })

  it('as long as the field has room; the rest is counted', async () => {
    const cookies = RunCookies.read(undefined, '/', Date.now)
    const set = Array.from({ length: 20 }, (_, i) => `c${i}=${'v'.repeat(4000)}`)
    await cookies.store(new URL('http://a.test/'), fields(...set))
    const { pairs, leftOut } = await cookies.pairsFor(new URL('http://a.test/'))
    expect(pairs.join('; ').length).toBeLessThanOrEqual(64 * 1024)
    expect(pairs.length + leftOut).toBe(20)
    expect(leftOut).toBeGreaterThan(0)
  })

  it('not after its Max-Age, however often it was sent before', async () => {
    let nowMs = NOW
    const cookies = RunCookies.read(undefined, '/', () => nowMs)
    await cookies.store(new URL('http://a.test/'), fields('n=v; Max-Age=60'))
    expect(await sentTo(cookies, 'http://a.test/')).toBe('n=v')
    nowMs += 59_000
    expect(await sentTo(cookies, 'http://a.test/')).toBe('n=v')
    nowMs += 2_000
    expect(await sentTo(cookies, 'http://a.test/')).toBeUndefined()
  })

  it('if it is one of the first, which two responses set at the same time', async () => {
    const cookies = RunCookies.read(undefined, '/', now)
    const url = new URL('http://a.test/')
    await Promise.all([cookies.store(url, fields('a=1')), cookies.store(url, fields('b=2'))])
    expect(await sentTo(cookies, 'http://a.test/')).toBe('a=1; b=2')
  })

  it('Secure: what comes over http does not replace it', async () => {
    const cookies = RunCookies.read(undefined, '/', Date.now)
    await cookies.store(new URL('https://a.test/'), fields('sid=good; Secure; Domain=a.test'))
    await cookies.store(new URL('http://a.test/'), fields('sid=evil; Domain=a.test', 'sid=evil', 'other=v'))
    expect(await sentTo(cookies, 'https://a.test/')).toBe('sid=good; other=v')
  })

  it.each(['test', 'local', 'example', 'invalid', 'localhost'])('to a host with the reserved name %s', async (host) => {
    const cookies = RunCookies.read(undefined, '/', now)
    await cookies.store(new URL(`http://${host}/`), fields('a=1', 'b=2; Path=/x', `c=3; Domain=${host}`))
    await cookies.store(new URL(`https://a.${host}/`), fields('a=other'))
    expect(await sentTo(cookies, `http://${host}/`)).toBe('a=1; c=3')
    expect(await sentTo(cookies, `http://${host}/x`)).toBe('b=2; a=1; c=3')
  })

  it.each(['/x', '//', '//b.test/', '//['])(
    'Secure: what comes over http for the path %s does not hide it',
    async (path) => {
      const cookies = RunCookies.read(undefined, '/', Date.now)
      await cookies.store(new URL('https://a.test/'), fields('sid=good; Secure'))
      await cookies.store(new URL('http://a.test/'), fields(`sid=evil; Path=${path}`, `other=v; Path=${path}`))
      expect(await sentTo(cookies, `https://a.test${path}`)).toBe('other=v; sid=good')
    },
  )

  it('Secure: what comes over http for a path above its own is another cookie', async () => {
    const cookies = RunCookies.read(undefined, '/', Date.now)
    await cookies.store(new URL('https://a.test/'), fields('sid=good; Secure; Path=/x'))
    await cookies.store(new URL('http://a.test/'), fields('sid=other; Path=/'))
    expect(await sentTo(cookies, 'https://a.test/x')).toBe('sid=good; sid=other')
  })
})

describe('whatever a server sends', () => {
  const pieces =
    'a = v ; Path= Domain= Expires= Max-Age= Secure / // [ ] % . .. test com 127.0.0.1 [::1] xn-- \\ @ : ? # 1 - 99999'
  const field = fc.array(fc.constantFrom(...pieces.split(' '), ' ', '\u00ff', '9'.repeat(400)), { maxLength: 12 })
  const url = fc.constantFrom(
    'http://a.test/',
    'https://a.test/%zz',
    'http://127.0.0.1/',
    'http://[::1]/x',
    'http://test./',
  )

  it('is stored or ignored, and ends no run', async () => {
    await fc.assert(
      fc.asyncProperty(url, field, url, async (from, parts, to) => {
        const cookies = RunCookies.read(undefined, '/', now)
        const headers = fields(parts.join(''))
        await cookies.store(new URL(from), headers)
        for (const { name } of await responseCookies(new URL(from), headers, NOW)) expect(name).not.toBe('')
        for (const target of [from, to]) expect(await sentTo(cookies, target)).not.toBe('')
      }),
      { numRuns: 1000 },
    )
  })
})

describe('an ignored cookie', () => {
  const controls = Array.from({ length: 33 }, (_, code) => (code === 32 ? 0x7f : code)).map((code) =>
    String.fromCharCode(code),
  )
  const places: readonly (readonly [string, (c: string) => string])[] = [
    ['its name', (c) => `n${c}m=v`],
    ['its value', (c) => `n=v${c}w`],
    ['Domain', (c) => `n=v; Domain=a.te${c}st`],
    ['Path', (c) => `n=v; Path=/x${c}y`],
    ['Expires', (c) => `n=v; Expires=Fri, 01 Jan${c} 2100 00:00:00 GMT`],
    ['an attribute that nothing knows', (c) => `n=v; Priority=Hi${c}gh`],
  ]

  it.each(places)('has a control character in %s', async (_, field) => {
    for (const control of controls) {
      const cookies = RunCookies.read(undefined, '/', Date.now)
      // Not every control character gets through the parser of messages; the jar does not rely on that.
      const refused: string[] = []
      const headers = { all: () => [field(control)] } as unknown as HeaderList
      await cookies.store(new URL('http://a.test/x'), headers, (message) => void refused.push(message))
      expect([control, refused]).toEqual([control, [expect.stringMatching(/control character|it has a tab/)]])
      expect(await sentTo(cookies, 'http://a.test/x')).toBeUndefined()
    }
  })

  it.each(places)('does not make the jar unreadable with a tab in %s', async (_, field) => {
    const path = join(temporaryDirectory(), 'jar')
    const first = RunCookies.read(path, '/', now)
    await first.store(new URL('http://a.test/x'), fields('good=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT', field('\t')))
    await first.save()
    const second = RunCookies.read(path, '/', now)
    expect(second.warnings).toEqual([])
    expect(await sentTo(second, 'http://a.test/x')).toBe('good=1')
  })

  it('is named in the message, without terminal control characters', async () => {
    const cookies = RunCookies.read(undefined, '/', Date.now)
    const refused: string[] = []
    const set = fields('a\x1b[31m=\x07', `n=${'v'.repeat(5000)}`)
    await cookies.store(new URL('http://a.test/'), set, (message) => void refused.push(message))
    expect(refused).toEqual([
      'a.test set the cookie "a\\u001b[31m": it has a control character; it was ignored',
      'a.test set the cookie "n": its name and value have more than 4096 bytes; it was ignored',
    ])
  })
})

describe('the jar file', () => {
  it('has one line for a cookie of a directory with escaped line ends and tabs', async () => {
    const path = join(temporaryDirectory(), 'cookies')
    const cookies = RunCookies.read(path, '/', now)
    const other = 'b.test\tFALSE\t/\tFALSE\t0\tsid\tfixed'
    await cookies.store(new URL(`http://a.test/x\n${other}/y`.replace(/\s/g, encodeURIComponent)), fields('n=v'))
    await cookies.save()
    const lines = readFileSync(path, 'latin1').split('\n')
    expect(lines.filter((line) => line.includes('\t'))).toHaveLength(1)
    expect(RunCookies.read(path, '/', now).warnings).toEqual([])
  })

  const line = (name: string, expiry: number | string = 0): string => `a.test\tFALSE\t/\tFALSE\t${expiry}\t${name}\tv\n`
  const later = NOW / 1000 + 1000

  it('is read, and written in Netscape format with session cookies at 0', async () => {
    const path = join(temporaryDirectory(), 'jar')
    writeFileSync(path, `a.test\t/\tide\tv\t-1\n${line('old', 1)}${line('kept', later)}`)
    const cookies = RunCookies.read(path, '/', now)
    expect(await sentTo(cookies, 'http://a.test/')).toBe('ide=v; kept=v')
    await cookies.store(new URL('https://a.test/'), fields('new=1; Secure; HttpOnly; Domain=a.test'))
    await cookies.save()
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((text) => text.includes('\t'))
    expect(lines.toSorted()).toEqual([
      '#HttpOnly_.a.test\tTRUE\t/\tTRUE\t0\tnew\t1',
      'a.test\tFALSE\t/\tFALSE\t0\tide\tv',
      `a.test\tFALSE\t/\tFALSE\t${later}\tkept\tv`,
    ])
  })

  it('is written without the cookie library even if nothing was sent', async () => {
    const path = join(temporaryDirectory(), 'jar')
    writeFileSync(path, line('kept', later))
    await RunCookies.read(path, '/', now).save()
    expect(readFileSync(path, 'utf8')).toContain(line('kept', later))
  })

  it('may be missing, and is then created for its owner alone', async () => {
    const directory = temporaryDirectory()
    await RunCookies.read('jar', directory, now).save()
    expect(statSync(join(directory, 'jar')).mode & 0o777).toBe(0o600)
  })

  it('keeps its mode, and a link to it stays a link', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'jar'), '')
    chmodSync(join(directory, 'jar'), 0o640)
    symlinkSync('jar', join(directory, 'link'))
    await RunCookies.read('link', directory, now).save()
    expect(statSync(join(directory, 'jar')).mode & 0o777).toBe(0o640)
    expect(readFileSync(join(directory, 'jar'), 'utf8')).toContain('Netscape')
  })

  it('has warnings with the place of unreadable lines, which are kept', async () => {
    const path = join(temporaryDirectory(), 'jar')
    const broken = 'a.test\tFALSE\t/\tFALSE\t0\tn\tv\twith a tab'
    writeFileSync(path, `garbage\n${line('a')}${broken}\n`)
    const cookies = RunCookies.read(path, '/', now)
    expect(cookies.warnings.map(({ where }) => where)).toMatchObject([
      { file: path, line: 1, column: 1 },
      { file: path, line: 3, column: 1 },
    ])
    expect(await sentTo(cookies, 'http://a.test/')).toBe('a=v')
    await cookies.save()
    expect(readFileSync(path, 'utf8')).toContain(
      `${line('a')}\n# Lines that httpcli cannot read, kept unchanged:\ngarbage\n${broken}\n`,
    )
    expect(RunCookies.read(path, '/', now).warnings).toHaveLength(2)
  })

  it('without any readable line is not a jar: an error, and it is unchanged', () => {
    const path = join(temporaryDirectory(), 'jar')
    writeFileSync(path, '{"not": "a jar"}\n')
    expect(() => RunCookies.read(path, '/', now)).toThrow(
      expect.objectContaining({
        code: 'invalid-cookie-jar',
        errors: [expect.objectContaining({ where: expect.objectContaining({ file: path, line: 1, column: 1 }) })],
      }),
    )
    expect(readFileSync(path, 'utf8')).toBe('{"not": "a jar"}\n')
  })

  it('that begins with the header of a jar may have no readable line', () => {
    const path = join(temporaryDirectory(), 'jar')
    writeFileSync(path, '# Netscape HTTP Cookie File\nbroken\n')
    expect(RunCookies.read(path, '/', now).warnings).toHaveLength(1)
  })

  it('does not grow from run to run with the cookies of a server', async () => {
    const path = join(temporaryDirectory(), 'jar')
    for (let run = 0; run < 4; run++) {
      const cookies = RunCookies.read(path, '/', now)
      const set = Array.from({ length: 100 }, (_, i) => `r${run}c${i}=1; Max-Age=1000`)
      await cookies.store(new URL('http://a.test/'), fields(...set))
      await cookies.save()
    }
    const lines = readFileSync(path, 'utf8').split('\n')
    expect(lines.filter((text) => text.includes('\t'))).toHaveLength(180)
  })

  it.each(['Max-Age=0', 'Max-Age=-1', 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
    'does not contain a cookie that the server has removed: %s',
    async (attribute) => {
      const path = join(temporaryDirectory(), 'jar')
      writeFileSync(path, line('n'))
      const cookies = RunCookies.read(path, '/', now)
      await cookies.store(new URL('http://a.test/'), fields(`n=v; ${attribute}`))
      await cookies.save()
      expect(readFileSync(path, 'utf8')).not.toContain('a.test')
    },
  )

  it('is read back with an expiry beyond any date', async () => {
    const path = join(temporaryDirectory(), 'jar')
    const cookies = RunCookies.read(path, '/', now)
    const set = fields(`n=v; Max-Age=${'9'.repeat(40)}`, 'm=v; Max-Age=99999999999999')
    await cookies.store(new URL('http://a.test/'), set)
    await cookies.save()
    expect(RunCookies.read(path, '/', now).warnings).toEqual([])
  })

  it.each([
    ['a directory', '.', /is a directory/],
    ['in a directory that is not there', 'none/jar', /^the directory of the cookie jar none\/jar does not exist$/],
  ])('that cannot be read is an error: %s', (_, path, message) => {
    expect(() => RunCookies.read(path, temporaryDirectory(), now)).toThrow(message)
  })

  it('is not replaced if it is a device', async () => {
    const cookies = RunCookies.read('/dev/null', '/', now)
    await cookies.save()
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })
})

it.each([
  ['Max-Age=60', NOW + 60_000],
  ['Max-Age=60; Expires=Thu, 01 Jan 2099 00:00:00 GMT', NOW + 60_000],
  ['Max-Age=0', 0],
  ['Max-Age=-1', 0],
  ['Expires=Wed, 31 Dec 1969 23:00:00 GMT', 0],
  [`Max-Age=${'9'.repeat(40)}`, 253_402_300_799_000],
])('the expiry of a cookie is a moment: %s', async (attribute, expiresAt) => {
  const [cookie] = await responseCookies(new URL('http://a.test/'), fields(`n=v; ${attribute}`), NOW)
  expect(cookie?.expiresAt).toBe(expiresAt)
})

it('the cookies of a response are reported with their attributes', async () => {
  const url = new URL('http://a.test/x/y')
  const set = fields('a=1', 'b=2; Domain=A.test; Path=/z; Expires=Fri, 01 Jan 2100 00:00:00 GMT; Secure; HttpOnly', '')
  expect(await responseCookies(url, set, Date.now())).toEqual([
    { name: 'a', value: '1', domain: 'a.test', path: '/x', expiresAt: undefined, secure: false, httpOnly: false },
    { name: 'b', value: '2', domain: 'a.test', path: '/z', expiresAt: 4102444800000, secure: true, httpOnly: true },
  ])
})
