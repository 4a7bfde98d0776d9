/** Cookies of a run: stored, sent, kept in a file (RFC 6265). */
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HeaderList } from '../../src/message/index.ts'
import { RunCookies, responseCookies } from '../../src/runner/cookie-jar.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const NOW = Date.UTC(2026, 0, 1)
const now = (): number => NOW

const fields = (...values: string[]): HeaderList => HeaderList.of(values.map((value) => ['Set-Cookie', value] as const))

async function valuesAfter(url: string, set: string[], ...targets: string[]): Promise<(string | undefined)[]> {
  const cookies = RunCookies.read(undefined, '/', Date.now)
  await cookies.store(new URL(url), fields(...set))
  const values: (string | undefined)[] = []
  for (const target of targets) values.push(await cookies.valueFor(new URL(target)))
  return values
}

describe('a cookie is sent', () => {
  it.each<[string, string, string[], string, string | undefined]>([
    ['to its host', 'http://a.test/', ['n=v'], 'http://a.test/x', 'n=v'],
    ['to another port of its host', 'http://a.test:1/', ['n=v'], 'http://a.test:2/', 'n=v'],
    ['not to another host', 'http://a.test/', ['n=v'], 'http://b.test/', undefined],
    ['not to a host below, without Domain', 'http://a.test/', ['n=v'], 'http://x.a.test/', undefined],
    ['to hosts below its Domain', 'http://x.a.test/', ['n=v; Domain=a.test'], 'http://y.a.test/', 'n=v'],
    ['not when its Domain is another', 'http://a.test/', ['n=v; Domain=b.test'], 'http://b.test/', undefined],
    ['not for all of a public suffix', 'http://a.com/', ['n=v; Domain=com'], 'http://b.com/', undefined],
    ['below its Path', 'http://a.test/', ['n=v; Path=/x'], 'http://a.test/x/y', 'n=v'],
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
  ])('%s', async (_, url, set, target, expected) => {
    expect(await valuesAfter(url, set, target)).toEqual([expected])
  })

  it('only the 300 newest that servers set are kept', async () => {
    const set = Array.from({ length: 310 }, (_, i) => `c${i}=1`)
    const [value] = await valuesAfter('http://a.test/', set, 'http://a.test/')
    const names = value?.split('; ').map((pair) => pair.split('=')[0])
    expect(names).toHaveLength(300)
    expect(names).not.toContain('c9')
    expect(names).toContain('c10')
  })
})

describe('the jar file', () => {
  const line = (name: string, expiry: number | string = 0): string => `a.test\tFALSE\t/\tFALSE\t${expiry}\t${name}\tv\n`
  const later = NOW / 1000 + 1000

  it('is read, and written as Netscape with session cookies at 0', async () => {
    const path = join(temporaryDirectory(), 'jar')
    writeFileSync(path, `a.test\t/\tide\tv\t-1\n${line('old', 1)}${line('kept', later)}`)
    const cookies = RunCookies.read(path, '/', now)
    expect(await cookies.valueFor(new URL('http://a.test/'))).toBe('ide=v; kept=v')
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

  it('is written without the library when nothing was sent, too', async () => {
    const path = join(temporaryDirectory(), 'jar')
    writeFileSync(path, line('kept', later))
    await RunCookies.read(path, '/', now).save()
    expect(readFileSync(path, 'utf8')).toContain(line('kept', later))
  })

  it('need not be there, and is then for its owner alone', async () => {
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

  it('that is malformed is an error with its line, and stays as it is', () => {
    const path = join(temporaryDirectory(), 'jar')
    writeFileSync(path, `${line('a')}garbage\n`)
    expect(() => RunCookies.read(path, '/', now)).toThrow(
      expect.objectContaining({
        code: 'invalid-cookie-jar',
        errors: [expect.objectContaining({ where: { file: path, line: 2, column: 1 } })],
      }),
    )
    expect(readFileSync(path, 'utf8')).toBe(`${line('a')}garbage\n`)
  })

  it.each([
    ['a directory', '.', /is a directory/],
    ['in a directory that is not there', 'none/jar', /directory that does not exist/],
  ])('that cannot be read is an error: %s', (_, path, message) => {
    expect(() => RunCookies.read(path, temporaryDirectory(), now)).toThrow(message)
  })

  it('is not replaced where it is a device', async () => {
    const cookies = RunCookies.read('/dev/null', '/', now)
    await cookies.save()
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })
})

it('the cookies of a response are told with their attributes', async () => {
  const url = new URL('http://a.test/x/y')
  const set = fields('a=1', 'b=2; Domain=A.test; Path=/z; Expires=Fri, 01 Jan 2100 00:00:00 GMT; Secure; HttpOnly', '')
  expect(await responseCookies(url, set, Date.now())).toEqual([
    { name: 'a', value: '1', domain: 'a.test', path: '/x', expiresAt: undefined, secure: false, httpOnly: false },
    { name: 'b', value: '2', domain: 'a.test', path: '/z', expiresAt: 4102444800000, secure: true, httpOnly: true },
  ])
})
