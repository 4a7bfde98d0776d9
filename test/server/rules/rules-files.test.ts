/**
 * Rules files: which are read, what is wrong with them, what happens when they change, and that no client reads them.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HttpcliError } from '../../../src/message/index.ts'
import { type InvalidRulesError, RulesFiles } from '../../../src/server/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { startRuled } from './ruled-server.ts'

async function open(files: Readonly<Record<string, string>>, named?: readonly string[]): Promise<RulesFiles> {
  const root = temporaryDirectory()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content)
  return RulesFiles.open({
    files: named?.map((name) => join(root, name)),
    directory: root,
    rootPath: undefined,
    site: {
      visibility: { allowsDotfiles: false, allowsOutsideSymlinks: false },
      isSecure: false,
      optionFields: new Set(),
      isPasswordRequired: false,
    },
  })
}

async function mistake(name: string, content: string): Promise<string> {
  const error = await open({ [name]: content }).catch((failure: unknown) => failure)
  if (!(error instanceof HttpcliError)) throw new Error(`no mistake was found in ${content}`)
  expect([error.code, error.hint !== undefined]).toEqual(['rules-syntax', true])
  return `${error.where?.line}:${error.where?.column}: ${error.message}`
}

describe('a mistake in _redirects', () => {
  it.each([
    ['/a', '1:1: the rule has no destination: a path that begins with "/", or a URL'],
    ['# x\n\n  /a 301', '3:3: the rule has no destination: a path that begins with "/", or a URL'],
    ['/a b=c 301', '1:1: the rule has no destination: a path that begins with "/", or a URL'],
    ['a /b', '1:1: "a" is not a path that begins with "/"'],
    ['/a /b 3xx', '1:7: "3xx" is not a status of a rule: expected one of 200, 301, 302, 303, 307, 308, 404, 410'],
    ['/a /b 500', '1:7: "500" is not a status of a rule: expected one of 200, 301, 302, 303, 307, 308, 404, 410'],
    ['/ /china 302 Country=ch,tw', '1:14: the condition Country cannot be evaluated by a file server'],
    ['/ /il 302 Language=he', '1:11: the condition Language cannot be evaluated by a file server'],
    ['/a/* /a/:splat 200! Role=admin', '1:21: the condition Role cannot be evaluated by a file server'],
    ['/a /b Country=us', '1:7: the condition Country cannot be evaluated by a file server'],
    ['/a /b 301 more', '1:11: unexpected "more" after the status'],
    ['/a x /b', '1:4: "x" is not a query parameter: name=value'],
    ['/a b=1&c=2 /b', '1:4: "b=1&c=2" is not a query parameter: name=value'],
    ['/a =1 /b', '1:4: "=1" is not a query parameter: name=value'],
    ['/a.php?id=1 /b', '1:7: a path has no query (a question mark in a name is %3F)'],
    ['/a/*/b /c', '1:4: an asterisk is allowed only at the end of the path'],
    ['/a/%zz /c', '1:4: broken percent escape in "%zz"'],
    ['/50%25/% /c', '1:8: broken percent escape in "%"'],
    ['/a /b/:id', '1:4: the placeholder :id is not in the path of the rule'],
    ['/a /b/:splat', '1:4: the placeholder :splat is not in the path of the rule'],
    ['/a //evil.example/', '1:4: "//evil.example/" begins with two slashes, which browsers read as another host'],
    [
      '/:h https://:h/',
      '1:5: "https://:h" is not the origin of a web site: scheme, host and port without placeholders',
    ],
    [
      '/:h https://a:h/',
      '1:5: "https://a:h" is not the origin of a web site: scheme, host and port without placeholders',
    ],
    ['/a /.netlify/functions/x 200', "1:4: paths below /.netlify/ belong to Netlify's platform: no file answers them"],
    ['/api/* https://api.example.com/:splat 200', '1:8: status 200 with another origin would be a proxy'],
  ])('%s', async (content, expected) => {
    expect(await mistake('_redirects', content)).toBe(expected)
  })

  it.each([
    ['/api/* https://api.example.com/api/:splat', '/api=https://api.example.com'],
    ['/api/* https://api.example.com/:splat', '/api=https://api.example.com,strip'],
    ['/api/* https://api.example.com:8443/v1/:splat', '/api=https://api.example.com:8443/v1,strip'],
    ['/api/* https://api.example.com/v1/api/:splat', '/api=https://api.example.com/v1'],
    ['/api/users/:id https://api.example.com/users/:id', '/api/users=https://api.example.com/users,strip'],
    ['/* https://app.example.com/:splat', '/=https://app.example.com'],
    ['/ping https://api.example.com/ping', '/ping=https://api.example.com'],
    // No backend does the same.
    ['/ping https://api.example.com/health', '<prefix>=<url>'],
    ['/api/* https://api.example.com/', '<prefix>=<url>'],
    ['/api/* https://api.example.com/?path=:splat', '<prefix>=<url>'],
    ['/:version/api/* https://api.example.com/:splat', '<prefix>=<url>'],
  ])('%s: refers to --backend %s', async (rule, backend) => {
    const error = await open({ _redirects: `${rule} 200` }).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ hint: `Forward the requests with --backend ${backend}, and remove the rule.` })
  })
})

describe('a mistake in _headers', () => {
  it.each([
    ['X-A: b', '1:1: the header comes before the first path'],
    ['/a\n  nothing', '2:3: "nothing" is neither a path nor a header'],
    ['/a\n  ! X-A', '2:3: the removal of a header, as Cloudflare Pages reads it, is not supported'],
    ['/a\n  X-A:', '2:6: the header "X-A" has no value'],
    ['/a\n  : b', '2:3: the header ": b" has an invalid name, ""'],
    ['/a\n  X A: b', '2:3: the header "X A: b" has an invalid name, "X A"'],
    ['/a\n  Content-Length: 1', '2:3: the header "Content-Length: 1" cannot be set: it says where a response ends'],
    ['/a\n  X-A: b\rX-B: c', '2:3: the value "b\\rX-B: c" has a character that is not allowed in a header, U+000D'],
    ['/a\n  Basic-Auth: joe', '2:15: the credentials have no colon between user and password'],
    [
      'https://a.example/*\n  X-A: b',
      '1:1: headers for one host are not supported: expected a path that begins with "/"',
    ],
    ['/%zz', '1:2: broken percent escape in "%zz"'],
  ])('%j', async (content, expected) => {
    expect(await mistake('_headers', content)).toBe(expected)
  })

  it('does not show a password', async () => {
    const error = await open({ _headers: '/a\n  Basic-Auth: joe:secret ann' }).catch((failure: unknown) => failure)
    expect(JSON.stringify(error) + String((error as HttpcliError).excerpt)).not.toContain('secret')
  })
})

describe('a mistake in serve.json', () => {
  it.each([
    ['{"a"', /^1:5: not JSON: expected ":" after the name$/],
    ['{\n  "public": site,\n  "etag": true\n}', /^2:13: not JSON: expected a value$/],
    ['{"rewrites": [{"source": "", "destination": "/b"}]}', /^1:16: rewrites\.0\.source is empty$/],
    ['[]', /^1:1: the file is not an object$/],
    ['{\n  "cleanUrl": true\n}', /^2:3: unknown property "cleanUrl"$/],
    ['{\n  "etag": true,\n  "etag": false\n}', /^3:3: the property "etag" is repeated: line 2, column 3 has it too$/],
    [
      '{"headers": [{"source": "*", "headers": [{"key": "a", "value": "b", "value": "c"}]}]}',
      /^1:69: the property "value" is repeated: line 1, column 55 has it too$/,
    ],
    ['{"rewrites": {}}', /^1:2: rewrites is not a list$/],
    ['{"rewrites": [{"source": "/a"}]}', /^1:15: rewrites\.0\.destination is not a string$/],
    [
      '{"rewrites": [\n{"source": "/a", "destination": "https://b.example/"}]}',
      /^2:18: a rewrite to another origin would be a proxy$/,
    ],
    [
      '{"redirects": [{"source": "/a", "destination": "/b", "type": 200}]}',
      /^1:54: 200 is not the status of a redirect/,
    ],
    [
      '{"redirects": [{"source": "/a", "destination": "/b", "typo": 301}]}',
      /^1:54: unknown property "typo" in redirects\.0$/,
    ],
    [
      '{"redirects": [{"source": "/a", "destination": "/b/:id"}]}',
      /^1:33: the placeholder :id is not in the path of the rule$/,
    ],
    [
      '{"redirects": [{"source": "/!(a)", "destination": "/b"}]}',
      /^1:17: a negated group !\(\.\.\.\) is not supported/,
    ],
    [
      '{"redirects": [{"source": "/:a(x+y)", "destination": "/b"}]}',
      /^1:17: the regular expression "x\+y" is not supported/,
    ],
    ['{"unlisted": ["{a"]}', /^1:15: expected "}", found the end of the pattern/],
    [
      '{"headers": [{"source": "a", "headers": [{"key": "ETag", "value": "x"}]}]}',
      /^1:42: the header "ETag: x" cannot be set/,
    ],
    ['{"symlinks": true}', /^1:2: symlinks: true would serve files outside the directory$/],
    ['{"trailingSlash": "no"}', /^1:2: trailingSlash is not true or false$/],
  ])('%s', async (content, expected) => {
    expect(await mistake('serve.json', content)).toMatch(expected)
  })
})

describe('several mistakes', () => {
  const mistakes = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const error = await open(files).catch((failure: unknown) => failure)
    const { errors, message, where } = error as InvalidRulesError
    expect([message, where]).toEqual([errors[0]?.message, errors[0]?.where])
    return errors.map(
      (each) => `${basename(each.where?.file ?? '')}:${each.where?.line}:${each.where?.column} ${each.message}`,
    )
  }

  it('are reported together, from both Netlify files', async () => {
    const headers = '  X-A: b\n  X-B: c\n/a\n  nothing\n  Basic-Auth: joe\n/%zz\n  ETag: x\n/b\n  X-Good: yes\n'
    const redirects = '/a\n/b /c\nd x /e/:f 999 more\n/g /h 302 Country=ch Role=admin\n'
    expect(await mistakes({ _headers: headers, _redirects: redirects })).toEqual([
      '_headers:1:3 the header comes before the first path',
      '_headers:4:3 "nothing" is neither a path nor a header',
      '_headers:5:15 the credentials have no colon between user and password',
      '_headers:6:2 broken percent escape in "%zz"',
      '_headers:7:3 the header "ETag: x" cannot be set: the server computes it for each response',
      '_redirects:1:1 the rule has no destination: a path that begins with "/", or a URL',
      '_redirects:3:1 "d" is not a path that begins with "/"',
      '_redirects:3:3 "x" is not a query parameter: name=value',
      '_redirects:3:11 "999" is not a status of a rule: expected one of 200, 301, 302, 303, 307, 308, 404, 410',
      '_redirects:3:15 unexpected "more" after the status',
      '_redirects:4:11 the condition Country cannot be evaluated by a file server',
      '_redirects:4:22 the condition Role cannot be evaluated by a file server',
    ])
  })

  it('are reported together from serve.json', async () => {
    const text = `{
  "cleanUrl": true,
  "symlinks": true,
  "public": "",
  "cleanUrls": [1, "{a"],
  "rewrites": [{"source": "", "destination": 5, "x": 1}, {"source": "/:a", "destination": "/:b"}, 7],
  "redirects": [{"source": "/!(a)", "destination": "/b", "type": 200}],
  "headers": [{"source": "a", "headers": [{"key": "ETag", "value": "x"}, {"key": "X-A"}]}],
  "etag": "yes"
}`
    expect(await mistakes({ 'serve.json': text })).toEqual([
      'serve.json:2:3 unknown property "cleanUrl"',
      'serve.json:3:3 symlinks: true would serve files outside the directory',
      'serve.json:4:3 public is not the path of a directory',
      'serve.json:5:17 cleanUrls.0 is not a string',
      'serve.json:5:20 expected "}", found the end of the pattern (character 3 of the pattern)',
      'serve.json:6:49 unknown property "x" in rewrites.0',
      'serve.json:6:17 rewrites.0.source is empty',
      'serve.json:6:31 rewrites.0.destination is not a string',
      'serve.json:6:76 the placeholder :b is not in the path of the rule',
      'serve.json:6:99 rewrites.2 is not an object',
      'serve.json:7:18 a negated group !(...) is not supported (character 2 of the pattern)',
      'serve.json:7:58 200 is not the status of a redirect: expected 301, 302, 303, 307 or 308',
      'serve.json:8:43 the header "ETag: x" cannot be set: the server computes it for each response',
      'serve.json:8:74 headers.0.headers.1.value is not a string',
      'serve.json:9:3 etag is not true or false',
    ])
  })

  it('past the first 50 are counted', async () => {
    const found = await mistakes({ _redirects: '/a\n'.repeat(1_000) })
    expect(found).toHaveLength(51)
    expect(found.at(-1)).toContain('more mistakes in the rules: 950')
  })

  it('in one long line are shown with their context', async () => {
    const error = await open({ _redirects: `/${'a'.repeat(500)} /b 999 ${'x'.repeat(500)}` }).catch(
      (failure) => failure,
    )
    const [line = '', caret = ''] = (error as InvalidRulesError).errors[0]!.excerpt!.split('\n')
    expect(line).toHaveLength(102)
    expect(line.slice(caret.length - 1)).toMatch(/^999 x+…$/)
  })

  it('in a change are reported one by one', async () => {
    const { root, rules } = await startRuled({})
    const notes: string[] = []
    writeFileSync(join(root, '_redirects'), '/a\n/b /c 999\n')
    await rules.refresh((note) => notes.push(note))
    expect(notes.map((note) => note.replace(root, ''))).toEqual([
      expect.stringMatching(/^rules not changed: \/_redirects:1:1: the rule has no destination: .* Write a rule as: /),
      expect.stringMatching(/^rules not changed: \/_redirects:2:7: "999" is not a status of a rule: /),
    ])
  })
})

describe('rules files', () => {
  it('must all have the same format', async () => {
    const error = await open({ 'serve.json': '{}', _headers: '' }).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'rules-conflict' })
  })

  it('must be UTF-8', async () => {
    const root = temporaryDirectory()
    writeFileSync(join(root, '_headers'), Buffer.from([0x2f, 0xff]))
    const opened = RulesFiles.open({
      files: [join(root, '_headers')],
      directory: root,
      rootPath: undefined,
      site: {
        visibility: { allowsDotfiles: false, allowsOutsideSymlinks: false },
        isSecure: false,
        optionFields: new Set(),
        isPasswordRequired: false,
      },
    })
    await expect(opened).rejects.toMatchObject({ code: 'not-utf-8' })
  })

  it('that were named must exist', async () => {
    await expect(open({}, ['_headers'])).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('are reread when they change, and stay in effect if the change is invalid', async () => {
    const { go, root, rules } = await startRuled({ 'a.txt': 'a' })
    const notes: string[] = []
    const change = async (content: string | undefined) => {
      if (content === undefined) rmSync(join(root, '_redirects'))
      else {
        writeFileSync(join(root, 'new'), content)
        renameSync(join(root, 'new'), join(root, '_redirects'))
      }
      await rules.refresh((note) => notes.push(note))
    }
    expect(await go('/x')).toBe('404')
    await change('/x /y')
    expect(await go('/x')).toBe('301 /y')
    await change('/x /z 999')
    expect(await go('/x')).toBe('301 /y')
    await change('/x /zz')
    expect(await go('/x')).toBe('301 /zz')
    await change(undefined)
    expect(await go('/x')).toBe('404')
    await rules.refresh((note) => notes.push(note))
    expect(notes).toEqual([
      'rules changed: read again',
      `rules not changed: ${join(root, '_redirects')}:1:7: "999" is not a status of a rule: expected one of 200, 301, 302, 303, 307, 308, 404, 410. Write a rule as: /from [name=value] /to [status], for example /old/* /new/:splat 301.`,
      'rules changed: read again',
      'rules changed: read again',
    ])
  })
})

describe('no client reads a rules file', () => {
  const names = ['_headers', '_redirects', '_headers.gz', '_redirects.br', 'serve.json.zst']

  it.each([
    ...names.map((name) => `/${name}`),
    '/_HEADERS',
    '/%5Fheaders',
    '/_h%65aders',
    '//_headers',
    '/./_redirects',
    '/sub/../_headers',
    '/_headers/',
    '/link',
    '/serve',
    '/Serve.JSON',
    '/%C5%BFerve.json',
    '/_redirects?x',
  ])('at %s', async (target) => {
    const { go, root } = await startRuled({ _headers: '/x\n  X-A: b', _redirects: '/y /z' })
    for (const name of ['_headers.gz', '_redirects.br', 'serve.json.zst', '_HEADERS'])
      writeFileSync(join(root, name), 'x')
    symlinkSync('_headers', join(root, 'link'))
    expect(await go(target)).toBe('404')
  })

  it.each([
    ['/docs/_headers', { rootPath: '/docs' }],
    ['/docs/_headers', { rootPath: '/docs', visibility: { allowsDotfiles: true, allowsOutsideSymlinks: true } }],
    ['/link', { visibility: { allowsDotfiles: true, allowsOutsideSymlinks: true } }],
  ])('at %s with %j', async (target, settings) => {
    const { go, root } = await startRuled({ _headers: '/x\n  X-A: b' }, settings)
    symlinkSync('_headers', join(root, 'link'))
    expect(await go(target)).toBe('404')
  })

  it('in a listing, and in subdirectories they are ordinary files', async () => {
    const { get, root } = await startRuled({ _headers: '/x\n  X-A: b', 'a.txt': 'a' })
    mkdirSync(join(root, 'sub'))
    writeFileSync(join(root, 'sub', '_headers'), 'sub')
    const listing = (await get('/')).body.toString()
    expect(listing).toContain('a.txt')
    expect(listing).not.toContain('_headers')
    expect((await get('/sub/_headers')).body.toString()).toBe('sub')
  })
})
