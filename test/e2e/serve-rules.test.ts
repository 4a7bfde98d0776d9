/** Rules files of `serve`, with the built command: options, mistakes, changes while it runs, several processes. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type RunningCommand, runCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

let root: string
let elsewhere: string

beforeEach(() => {
  root = temporaryDirectory()
  elsewhere = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
})

async function start(...words: string[]): Promise<RunningCommand & { readonly url: string }> {
  const running = await startCommand(['serve', root, '-p', '0', ...words], / on (http:\S+)$/)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return { ...running, url: running.match[1]! }
}

async function fail(...words: string[]): Promise<readonly [code: number | null, firstLine: string | undefined]> {
  const { code, stderr, stdout } = await runCommand(['serve', root, '-p', '0', ...words])
  expect(stdout.toString()).toBe('')
  return [code, stderr.toString().split('\n')[0]]
}

const ask = (url: string) => fetch(url, { redirect: 'manual' })

describe('rules of httpcli serve', () => {
  it('are those of the directory, without an option', async () => {
    writeFileSync(join(root, '_redirects'), '/old /new')
    writeFileSync(join(root, '_headers'), '/*\n  X-Rule: yes')
    const { url } = await start()
    expect((await ask(`${url}/old`)).headers.get('location')).toBe('/new')
    expect((await ask(`${url}/a.txt`)).headers.get('x-rule')).toBe('yes')
    expect((await ask(`${url}/_headers`)).status).toBe(404)
  })

  it('are those that --rules names, instead of the others', async () => {
    writeFileSync(join(root, '_redirects'), '/old /new')
    writeFileSync(join(elsewhere, 'my_redirects'), '/other /place')
    writeFileSync(join(elsewhere, 'my_headers'), '/*\n  X-Rule: other')
    const { url } = await start('--rules', join(elsewhere, 'my_redirects'), '--rules', join(elsewhere, 'my_headers'))
    expect((await ask(`${url}/old`)).status).toBe(404)
    expect((await ask(`${url}/other`)).headers.get('location')).toBe('/place')
    expect((await ask(`${url}/a.txt`)).headers.get('x-rule')).toBe('other')
  })

  it('are off with --no-rules, and the files stay hidden', async () => {
    writeFileSync(join(root, '_redirects'), 'nonsense')
    const { url } = await start('--no-rules')
    expect((await ask(`${url}/a.txt`)).status).toBe(200)
    expect((await ask(`${url}/_redirects`)).status).toBe(404)
  })

  it('are overridden by options', async () => {
    writeFileSync(
      join(root, '_headers'),
      '/*\n  X-Rule: rule\n  Access-Control-Allow-Origin: *\n  Cache-Control: no-store',
    )
    const { url } = await start(
      '--header',
      'x-rule: option',
      '--cors=https://a.example',
      '--cache-control',
      '/*.txt=max-age=1',
    )
    const { headers } = await ask(`${url}/a.txt`)
    expect(['x-rule', 'access-control-allow-origin', 'cache-control'].map((name) => headers.get(name))).toEqual([
      'option',
      'https://a.example',
      'max-age=1',
    ])
  })

  it('are applied by every worker, with one note per change', async () => {
    writeFileSync(join(root, '_redirects'), '/old /new')
    const { url, stderr } = await start('--workers', '2')
    for (let request = 0; request < 8; request++) expect((await ask(`${url}/old`)).status).toBe(301)
    writeFileSync(join(root, 'x'), '/old /newer')
    renameSync(join(root, 'x'), join(root, '_redirects'))
    await vi.waitUntil(() => stderr().includes('rules changed'), { timeout: 30_000 })
    expect(stderr().match(/rules changed/g)).toHaveLength(1)
  })

  it('change while it runs; a mistake leaves the last valid ones, with one line each', async () => {
    const { url, stderr } = await start()
    expect((await ask(`${url}/old`)).status).toBe(404)
    const change = async (content: string, note: RegExp) => {
      writeFileSync(join(root, 'x'), content)
      renameSync(join(root, 'x'), join(root, '_redirects'))
      await vi.waitUntil(() => note.test(stderr()), { timeout: 30_000 })
    }
    await change('/old /new', /^httpcli serve: rules changed: read again$/m)
    expect((await ask(`${url}/old`)).status).toBe(301)
    await change('/old /new 999', /^httpcli serve: rules not changed: .*_redirects:1:11: "999" is not a status/m)
    expect((await ask(`${url}/old`)).status).toBe(301)
    expect(stderr().trim().split('\n')).toHaveLength(2)
  })
})

describe('httpcli serve does not start', () => {
  it.each([[[]], [['--workers', '2']]])('with mistakes in rules files: exit code 2, all of them, %j', async (words) => {
    writeFileSync(join(root, '_headers'), '/a\n  Basic-Auth: secret\n')
    writeFileSync(join(root, '_redirects'), '/a /b\n/c\n/d /e 999\n')
    const { code, stderr } = await runCommand(['serve', root, '-p', '0', ...words])
    expect(code).toBe(2)
    expect(stderr.toString()).not.toContain('secret')
    const lines = stderr.toString().replaceAll(root, '').trim().split('\n')
    expect(lines).toEqual([
      'httpcli serve: /_headers:2:15: the credentials have no colon between user and password. Write them as user:password.',
      'httpcli serve: /_redirects:2:1: the rule has no destination: a path that begins with "/", or a URL',
      '  /c',
      '  ^',
      'hint: Write a rule as: /from [name=value] /to [status], for example /old/* /new/:splat 301.',
      'httpcli serve: /_redirects:3:7: "999" is not a status of a rule: expected one of 200, 301, 302, 303, 307, 308, 404, 410',
      '  /d /e 999',
      '        ^',
      'hint: Write a rule as: /from [name=value] /to [status], for example /old/* /new/:splat 301.',
    ])
  })

  it('with rules in two formats', async () => {
    writeFileSync(join(root, '_headers'), '')
    writeFileSync(join(root, 'serve.json'), '{}')
    const [code, line] = await fail()
    expect([code, line]).toEqual([2, expect.stringMatching(/^httpcli serve: rules in two formats: /)])
  })

  it('with mistakes in serve.json: exit code 2, all of them', async () => {
    writeFileSync(join(root, 'serve.json'), '{\n  "symlinks": true,\n  "redirects": [{"source": "/a", "to": "/b"}]\n}')
    const { code, stderr } = await runCommand(['serve', root, '-p', '0'])
    const places = [...stderr.toString().matchAll(/serve\.json:(\d+:\d+): /g)].map(([, place]) => place)
    expect([code, places]).toEqual([2, ['2:3', '3:34', '3:17']])
  })

  it('with a serve.json that points outside the directory', async () => {
    writeFileSync(join(root, 'serve.json'), '{"public": ".."}')
    const [code, line] = await fail()
    expect([code, line]).toEqual([2, expect.stringMatching(/^httpcli serve: public of serve\.json leads out of /)])
  })

  it('with a rules file that clients could read', async () => {
    mkdirSync(join(root, 'sub'))
    writeFileSync(join(root, 'sub', '_headers'), '')
    const [code, line] = await fail('--rules', join(root, 'sub', '_headers'))
    expect([code, line]).toEqual([1, expect.stringMatching(/is in the served directory/)])
  })

  it('with a rules file that is of unknown form, missing, or the second of its form', async () => {
    expect((await fail('--rules', 'rules.txt'))[0]).toBe(1)
    expect((await fail('--rules', join(elsewhere, '_headers')))[0]).toBe(4)
    expect((await fail('--rules', join(elsewhere, 'a.json'), '--rules', join(elsewhere, 'b.json')))[0]).toBe(1)
  })

  it('with passwords in the rules and in --auth', async () => {
    writeFileSync(join(root, '_headers'), '/x\n  Basic-Auth: a:b')
    expect((await fail('--auth', 'joe:pw'))[0]).toBe(2)
  })

  it.each([
    [['--cache-control', '/a'], '--cache-control: "/a" has no "=" between the path and the value'],
    [['--cache-control', '/a='], '--cache-control: "/a=" has no value'],
    [
      ['--cache-control', 'no-store', '--cache-control', 'no-cache'],
      '--cache-control: two values for all files: "no-store" and "no-cache"',
    ],
    [
      ['--cache-control', '/%zz=no-store'],
      '--cache-control: "/%zz=no-store" is invalid at character 2: broken percent escape in "%zz"',
    ],
  ])('with %j', async (words, expected) => {
    const [code, line] = await fail(...words)
    expect([code, line?.startsWith(`httpcli serve: ${expected}. `)]).toEqual([1, true])
  })
})

describe('--cache-control', () => {
  it('applies to matching files, the last pattern first, and never to errors', async () => {
    mkdirSync(join(root, 'assets'))
    for (const name of ['assets/a.js', 'assets/b.html', 'index.html']) writeFileSync(join(root, name), name)
    const { url } = await start(
      ...['--cache-control', '/assets/*=public, max-age=31536000, immutable'],
      ...['--cache-control', 'max-age=5', '--cache-control', '/*.html=no-cache, private'],
    )
    const cacheControl = async (target: string) => (await ask(`${url}${target}`)).headers.get('cache-control')
    expect(await cacheControl('/assets/a.js')).toBe('public, max-age=31536000, immutable')
    expect(await cacheControl('/assets/b')).toBe('no-cache, private')
    expect(await cacheControl('/')).toBe('no-cache, private')
    expect(await cacheControl('/a.txt')).toBe('max-age=5')
    expect(await cacheControl('/assets/none.js')).toBe('no-cache')
    expect(await cacheControl('/assets/')).toBe('no-cache')
  })
})
