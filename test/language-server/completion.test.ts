/** Completion, place by place: what is offered, and the text once it is taken. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { completed, labelsAt, suggestedAt } from './at-cursor.ts'

let files: ReturnType<typeof directoryWith>
const scene = (environment?: string): { readonly directory: string; readonly environment?: string } =>
  environment === undefined ? { directory: files.path } : { directory: files.path, environment }

beforeAll(() => {
  files = directoryWith({
    'http-client.env.json': JSON.stringify({
      $shared: { origin: 'http://shared.test' },
      dev: { origin: 'http://dev.test', user: { name: 'Ada', roles: { first: 'admin' } }, password: 'pw-public' },
      prod: { only: 'p', Security: { Auth: { svc: { Type: 'OAuth2' } } } },
    }),
    'http-client.private.env.json': JSON.stringify({ dev: { apiId: 'hidden-value', user2: { key: 'k-hidden' } } }),
    'lib.http': '### logout\n# @capture bye = $.id\nGET http://localhost/\n',
    'data.json': '{}',
    'hook.js': '',
    '.hidden': '',
  })
  mkdirSync(join(files.path, '.git'))
  mkdirSync(join(files.path, 'parts'))
  writeFileSync(join(files.path, 'parts', 'one.bin'), '')
  symlinkSync('/', join(files.path, 'outside'))
})

afterAll(() => files.remove())

describe('a request line', () => {
  it.each([
    ['GE¦', 'GET', 'GET '],
    ['¦', 'POST', 'POST '],
    ['\n\n### x\nGRA¦', 'GRAPHQL', '\n\n### x\nGRAPHQL '],
    ['GE¦ http://h/', 'GET', 'GET http://h/'],
    ['G¦ET http://h/', 'POST', 'POST http://h/'],
    ['im¦', 'import', 'import '],
    ['GET http://h/ HT¦', 'HTTP/2', 'GET http://h/ HTTP/2'],
    ['GET {{h}}/a/b\n\n###\nGET ¦', '{{h}}/', 'GET {{h}}/a/b\n\n###\nGET {{h}}/'],
    ['GET http://h:1/a\n\n###\nGET htt¦', 'http://h:1/a', 'GET http://h:1/a\n\n###\nGET http://h:1/a'],
  ])('%j takes %s', async (text, label, wanted) => {
    expect(await completed(text, label)).toBe(wanted)
  })

  it.each(['### GE¦', '# GE¦', 'GET http://h/\n  /pa¦'])('%j offers nothing', async (text) => {
    expect(await labelsAt(text)).toEqual([])
  })
})

describe('header fields', () => {
  it.each([
    ['GET http://h/\nConte¦', 'Content-Type', 'GET http://h/\nContent-Type: '],
    ['GET http://h/\nConte¦: x', 'Content-Type', 'GET http://h/\nContent-Type: x'],
    ['\ufeffGET http://h/\nAcc¦', 'Accept', '\ufeffGET http://h/\nAccept: '],
    ['GET http://h/\rAcc¦', 'Accept', 'GET http://h/\rAccept: '],
    [
      '\ufeff@a = \ud83d\ude00{{b\n\n###\nGET http://h/\nAcc¦',
      'Accept',
      '\ufeff@a = \ud83d\ude00{{b\n\n###\nGET http://h/\nAccept: ',
    ],
    ['GET http://h/\r\nA: b\r\n¦', 'Accept', 'GET http://h/\r\nA: b\r\nAccept: '],
    ['GET http://h/\nAccept: app¦', 'application/json', 'GET http://h/\nAccept: application/json'],
    ['GET http://h/\nAccept:¦', 'text/html', 'GET http://h/\nAccept: text/html'],
    ['GET http://h/\nAccept: text/html, ¦', '*/*', 'GET http://h/\nAccept: text/html, */*'],
    ['GET http://h/\nAccept: text/html;¦', 'q=0.9', 'GET http://h/\nAccept: text/html; q=0.9'],
    ['GET http://h/\nAccept: a/b,\n  te¦', 'text/html', 'GET http://h/\nAccept: a/b,\n  text/html'],
    ['GET http://h/\ncache-control: no¦', 'no-store', 'GET http://h/\ncache-control: no-store'],
    ['GET http://h/\nAuthorization: ¦', 'Bearer', 'GET http://h/\nAuthorization: Bearer'],
    ['POST http://h/\n\n--B\nContent-D¦', 'Content-Disposition', 'POST http://h/\n\n--B\nContent-Disposition: '],
    ['POST http://h/\n\n--B\nContent-Type: te¦', 'text/plain', 'POST http://h/\n\n--B\nContent-Type: text/plain'],
  ])('%j takes %s', async (text, label, wanted) => {
    expect(await completed(text, label)).toBe(wanted)
  })

  it('are not offered in a body', async () => {
    expect(await labelsAt('POST http://h/\n\nConte¦')).toEqual([])
    expect(await labelsAt('POST http://h/\n\n--B\n\nConte¦')).toEqual([])
  })
})

describe('variables', () => {
  it.each([
    ['@host = a\nGET {{ho¦', 'host', '@host = a\nGET {{host}}'],
    ['@host = a\nGET {{ho¦}}/x', 'host', '@host = a\nGET {{host}}/x'],
    ['@host = a\nGET {{h¦ost}}/x', 'host', '@host = a\nGET {{host}}/x'],
    ['@host = a\nGET {{¦}/x', 'host', '@host = a\nGET {{host}}/x'],
    ['@host = a\nGET {{ ¦ }}/x', 'host', '@host = a\nGET {{ host }}/x'],
    ['@host = a\nGET http://x\n\n{"a": "{{¦"}', 'host', '@host = a\nGET http://x\n\n{"a": "{{host}}"}'],
    ['GET {{$ra¦', '$random.uuid', 'GET {{$random.uuid}}'],
    ['GET {{$random.na¦}}', '$random.name.firstName', 'GET {{$random.name.firstName}}'],
    ['GET {{$random.int¦', '$random.integer', 'GET {{$random.integer()}}'],
    ['GET {{$env.H¦', '$env.HOME', 'GET {{$env.HOME}}'],
    [
      '# @name login\nGET h/\n\n###\nGET h/{{lo¦',
      'login.response.body.$.',
      '# @name login\nGET h/\n\n###\nGET h/{{login.response.body.$.',
    ],
    [
      '# @name login\nGET h/\n\n###\nGET h/{{login.¦}}',
      'login.request.body.*',
      '# @name login\nGET h/\n\n###\nGET h/{{login.request.body.*}}',
    ],
    [
      '# @name a\nGET h/\n\n###\nGET h/{{a.response.headers.¦}}',
      'a.response.headers.Location',
      '# @name a\nGET h/\n\n###\nGET h/{{a.response.headers.Location}}',
    ],
    ['# @capture t = $.t\nGET h/\n\n###\nGET h/{{¦', 't', '# @capture t = $.t\nGET h/\n\n###\nGET h/{{t}}'],
    ['# @prompt code The code\nGET h/{{¦', 'code', '# @prompt code The code\nGET h/{{code}}'],
    [
      'GET h/\n\n> {% client.global.set("g", 1) %}\n\n###\nGET h/{{¦',
      'g',
      'GET h/\n\n> {% client.global.set("g", 1) %}\n\n###\nGET h/{{g}}',
    ],
    ['< {% request.variables.set("r", 1) %}\nGET h/{{¦', 'r', '< {% request.variables.set("r", 1) %}\nGET h/{{r}}'],
  ])('%j takes %s', async (text, label, wanted) => {
    expect(await completed(text, label, { processEnvironment: { HOME: '/home/ada' } })).toBe(wanted)
  })

  it('are not visible before their definition, nor those of another request', async () => {
    const labels = await labelsAt('# @prompt p\nGET h/\n\n###\nGET h/{{¦}}\n\n###\n@later = 1\nGET h/')
    expect(labels).not.toContain('later')
    expect(labels).not.toContain('p')
  })

  it('show the effective value and its environment, and secrets show none', async () => {
    const list = await suggestedAt('@origin = here\n@token = abc\nGET {{¦}}', scene('dev'))
    const details = new Map(list.map(({ label, detail }) => [label, detail]))
    expect(details.get('origin')).toBe('http://dev.test (dev)')
    const chosen = await suggestedAt('GET {{¦}}', { ...scene('dev'), chosen: 'prod' })
    expect(chosen.find(({ label }) => label === 'only')?.detail).toBe('p (prod)')
    expect(details.get('apiId')).toBe('*** (dev)')
    expect(details.get('password')).toBe('*** (dev)')
    expect(details.get('token')).toBe('*** (this file)')
    expect(details.get('only')).toBe('only in prod')
    expect(details.get('svc')).toBeUndefined()
    expect(list.map(({ label }) => label)).toContain('$auth.token("svc")')
    expect(JSON.stringify(list)).not.toMatch(/hidden|pw-public/)
    expect(list.filter(({ label }) => label === 'origin')).toHaveLength(1)
  })

  it('that are objects offer members', async () => {
    expect(await labelsAt('GET h/{{user.¦}}', scene('dev'))).toEqual(['user.name', 'user.roles'])
    expect(await labelsAt('GET h/{{user.roles.f¦}}', scene('dev'))).toEqual(['user.roles.first'])
    expect(JSON.stringify(await suggestedAt('GET h/{{user2.¦}}', scene('dev')))).not.toContain('k-hidden')
  })

  it('come from imported files, too, if requests there set them', async () => {
    expect(await labelsAt('import lib.http\n\n###\nGET h/{{¦}}', scene())).toContain('bye')
  })
})

describe('tags', () => {
  it.each([
    ['# @na¦', 'name', '# @name '],
    ['// @no-r¦', 'no-redirect', '// @no-redirect'],
    ['# @¦', 'timeout', '# @timeout '],
    ['# @na¦me login', 'no-log', '# @no-log login'],
    ['# @timeout ¦', '5 s', '# @timeout 5 s'],
    ['# @tag smoke\nGET h/\n\n###\n# @tag s¦', 'smoke', '# @tag smoke\nGET h/\n\n###\n# @tag smoke'],
    ['# @assert sta¦', 'status', '# @assert status '],
    ['# @assert ¦', '$.', '# @assert $.'],
    ['# @assert status ¦', '==', '# @assert status == '],
    ['# @assert status == 4¦', '404', '# @assert status == 404'],
    ['# @assert status not ¦', 'in', '# @assert status not in '],
    ['# @assert header con¦', 'Content-Type', '# @assert header Content-Type'],
    ['# @assert header content-type ¦', 'contains', '# @assert header content-type contains '],
    ['# @assert header content-type == ¦', 'application/json', '# @assert header content-type == application/json'],
    ['# @assert certificate ¦', 'expires', '# @assert certificate expires'],
    ['# @assert cookie sid[S¦', 'secure', '# @assert cookie sid[secure'],
    ['# @assert $.items cou¦', 'count', '# @assert $.items count '],
    ['# @capture id = hea¦', 'header', '# @capture id = header '],
    ['# @capture id = $.a spl¦', 'split', '# @capture id = $.a split '],
  ])('%j takes %s', async (text, label, wanted) => {
    expect(await completed(text, label)).toBe(wanted)
  })

  it.each(['# @name ¦', '# @assert nonsense ¦', '# @capture ¦', '# @assert status exists ¦'])(
    '%j offers nothing',
    async (text) => {
      expect(await labelsAt(text)).toEqual([])
    },
  )

  it('of captures have no predicates', async () => {
    expect(await labelsAt('# @capture id = status ¦')).not.toContain('==')
  })
})

describe('files', () => {
  it.each([
    ['POST http://h/\n\n< da¦', 'data.json', 'POST http://h/\n\n< data.json'],
    ['POST http://h/\n\n< ./parts/¦', 'one.bin', 'POST http://h/\n\n< ./parts/one.bin'],
    ['POST http://h/\n\n> ho¦', 'hook.js', 'POST http://h/\n\n> hook.js'],
    ['import l¦', 'lib.http', 'import lib.http'],
    ['import lib.http\nrun #lo¦', '#logout', 'import lib.http\nrun #logout'],
    ['import lib.http\nrun ¦', '#logout', 'import lib.http\nrun #logout'],
    ['< ¦', 'hook.js', '< hook.js'],
    ['GET h/\n\n>> par¦', 'parts/', 'GET h/\n\n>> parts/'],
    ['GET h/\n\n< .h¦', '.hidden', 'GET h/\n\n< .hidden'],
  ])('%j takes %s', async (text, label, wanted) => {
    expect(await completed(text, label, scene())).toBe(wanted)
  })

  it('are only of the matching kind, and not hidden', async () => {
    expect(await labelsAt('import ¦', scene())).toEqual(['outside/', 'parts/', 'lib.http'])
  })

  it.each(['../¦', 'outside/¦', '/¦', 'none/¦', 'data.json/¦', '\0/¦'])('of %j are not listed', async (path) => {
    expect(await labelsAt(`GET h/\n\n< ${path}`, scene())).toEqual([])
  })
})

describe('scripts', () => {
  it.each([
    ['GET h/\n\n> {% client.¦ %}', 'test', 'GET h/\n\n> {% client.test %}'],
    ['GET h/\n\n> {% cli¦', 'client', 'GET h/\n\n> {% client'],
    ['GET h/\n\n> {%\n  client.global.s¦', 'set', 'GET h/\n\n> {%\n  client.global.set'],
    ['< {% request.variables.¦ %}\nGET h/', 'set', '< {% request.variables.set %}\nGET h/'],
    [
      '< {% crypto.hmac.sha256().withTextSecret("a)")\n  .up¦ %}\nGET h/',
      'updateWithText',
      '< {% crypto.hmac.sha256().withTextSecret("a)")\n  .updateWithText %}\nGET h/',
    ],
    [
      '< {% crypto.sha256().updateWithText("x").digest().¦ %}\nGET h/',
      'toHex',
      '< {% crypto.sha256().updateWithText("x").digest().toHex %}\nGET h/',
    ],
    [
      'GET h/\n\n> {% request.headers.findByName("a").¦ %}',
      'value',
      'GET h/\n\n> {% request.headers.findByName("a").value %}',
    ],
    ['< {% $random.name.fi¦ %}\nGET h/', '$random.name.firstName', '< {% $random.name.firstName %}\nGET h/'],
    ['< {% $ti¦ %}\nGET h/', '$timestamp', '< {% $timestamp %}\nGET h/'],
    [
      '@a = 1\nGET h/\n\n> {% client.variables.file.get("¦") %}',
      'a',
      '@a = 1\nGET h/\n\n> {% client.variables.file.get("a") %}',
    ],
    [
      'GET h/\n\n> {% response.headers.valueOf("loc¦") %}',
      'Location',
      'GET h/\n\n> {% response.headers.valueOf("Location") %}',
    ],
  ])('%j takes %s', async (text, label, wanted) => {
    expect(await completed(text, label)).toBe(wanted)
  })

  it('offer the response only after the request', async () => {
    expect(await labelsAt('< {% ¦ %}\nGET h/')).not.toContain('response')
    expect(await labelsAt('GET h/\n\n> {% ¦ %}')).toContain('response')
  })

  it.each(['< {% unknown.¦ %}\nGET h/', '< {% 1.¦ %}\nGET h/', '< {% client.test("a").¦ %}\nGET h/'])(
    '%j offers nothing',
    async (text) => {
      expect(await labelsAt(text)).toEqual([])
    },
  )
})
