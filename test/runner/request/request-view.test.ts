/** Requests and variables as scripts see them, before it is sent and after it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../src/http-file/index.ts'
import { loadHttpFile } from '../../../src/runner/plan/request-file.ts'
import { planRun } from '../../../src/runner/plan/run-plan.ts'
import { type PreparedRequest, requestRounds } from '../../../src/runner/request/request-builder.ts'
import type { RequestContext } from '../../../src/runner/request/request-context.ts'
import { requestView } from '../../../src/runner/request/request-view.ts'
import { SharedVariables } from '../../../src/runner/variables/shared-variables.ts'
import { scriptVariables } from '../../../src/runner/variables/variable-scopes.ts'
import { filesBelow } from '../../helpers/file-root.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'

let directory: ReturnType<typeof directoryWith> | undefined

beforeEach(() => {
  directory = undefined
})
afterEach(() => directory?.remove())

const sources = { now: () => 1_000_000, randomBytes: (count: number) => new Uint8Array(count) }

async function stepOf(text: string, environment: Readonly<Record<string, JsonValue>> = {}): Promise<RequestContext> {
  directory = directoryWith({ '.git': '', 'body.txt': 'content', 'test.http': text })
  const shared = new SharedVariables({
    environment: new Map(Object.entries(environment)),
    commandLine: new Map([['given', 'by hand']]),
    processEnvironment: { HOME: '/home/ada' },
    sources,
    files: filesBelow(directory.path),
  })
  const [step] = (await planRun(loadHttpFile('test.http', directory.path), shared)).steps()
  return step as RequestContext
}

async function sentOf(step: RequestContext): Promise<PreparedRequest> {
  for (const { build } of requestRounds(step)) return build()
  throw new Error('nothing to send')
}

const text = `@v = place
POST http://h.test/{{v}}/{{late}}?é
X-A: {{v}}
X-A: {{late}}
Authorization: Basic ada {{late}}

<{{v}}> {{late}}
`

describe('a request that is not sent yet', () => {
  it('is shown as written, and with known variables replaced', async () => {
    const view = requestView(await stepOf(text))
    expect(view.method).toBe('POST')
    expect([view.url.raw, view.url.substituted()]).toEqual([
      'http://h.test/{{v}}/{{late}}?é',
      'http://h.test/place/{{late}}?é',
    ])
    expect([view.body.raw, view.body.substituted()]).toEqual(['<{{v}}> {{late}}', '<place> {{late}}'])
    expect(view.headers.map(({ name, raw, substituted }) => [name, raw, substituted()])).toEqual([
      ['X-A', '{{v}}', 'place'],
      ['X-A', '{{late}}', '{{late}}'],
      ['Authorization', 'Basic ada {{late}}', 'Basic ada {{late}}'],
    ])
    expect([view.iteration, view.templateValue(0)]).toEqual([0, undefined])
  })

  it('reflects what a script sets meanwhile', async () => {
    const step = await stepOf(text)
    const view = requestView(step)
    scriptVariables(step.variables).scopes.request.set?.('late', 'now')
    expect(view.url.substituted()).toBe('http://h.test/place/now?é')
  })

  it('has the line that refers to a file as its body', async () => {
    const { body } = requestView(await stepOf('POST http://h.test/\n\na\n< ./body.txt\n<@latin1 ./body.txt'))
    expect(body.substituted()).toBe('a\n< ./body.txt\n<@latin1 ./body.txt')
  })

  it('has no body and the method GET by default', async () => {
    const { body, method } = requestView(await stepOf('http://h.test/'))
    expect([method, body.raw, body.substituted()]).toEqual(['GET', '', ''])
  })
})

describe('a request that was sent', () => {
  it('is shown as sent', async () => {
    const step = await stepOf(text)
    step.variables.request.set('late', 'sent')
    const prepared = await sentOf(step)
    step.variables.request.set('late', 'changed')
    const view = requestView(step, prepared)
    expect(view.url.substituted()).toBe('http://h.test/place/sent?%C3%A9')
    expect(view.body.substituted()).toBe('<place> sent')
    expect(view.headers.map(({ substituted }) => substituted())).toEqual(['place', 'sent', 'Basic YWRhOnNlbnQ='])
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((index) => view.templateValue(index))).toEqual([
      ...['place', 'sent', 'place', 'sent', 'sent', 'place', 'sent'],
      undefined,
    ])
  })
})

describe('the variables of a script', () => {
  const file = '@a = <{{b}}>\n@b = 1\n@one = {{$uuid}}\nGET http://h.test/{{a}}{{r}}'

  it('are those of four scopes', async () => {
    const { scopes } = scriptVariables((await stepOf(file, { env: 'x{{b}}', list: [1, '{{b}}'] })).variables)
    expect([scopes.file.get('a'), scopes.file.get('none')]).toEqual(['<1>', undefined])
    expect(scopes.file.get('one')).toBe(scopes.file.get('one'))
    expect([scopes.environment.get('env'), scopes.environment.get('list'), scopes.environment.get('given')]).toEqual([
      'x1',
      [1, '1'],
      'by hand',
    ])
    expect(Object.values(scopes).map((scope) => scope.isEmpty())).toEqual([true, true, false, false])
    expect(scopes.environment.set).toBeUndefined()
  })

  it('can be set and cleared, and affect the request', async () => {
    const step = await stepOf(file)
    const { scopes } = scriptVariables(step.variables)
    scopes.file.set?.('a', '{{b}}')
    scopes.request.set?.('r', { n: [1] })
    scopes.global.set?.('g', 1)
    expect((await sentOf(step)).message.target).toBe('http://h.test/%7B%7Bb%7D%7D%7B%22n%22:%5B1%5D%7D')
    expect(step.variables.globals.get('g')).toBe(1)
    scopes.global.clear?.('g')
    scopes.file.clear?.('a')
    scopes.request.clearAll?.()
    expect([scopes.global.isEmpty(), scopes.file.get('a'), scopes.request.isEmpty()]).toEqual([true, undefined, true])
  })

  it('treat headers for later requests case-insensitively', async () => {
    const { variables } = await stepOf(file)
    const { globalHeaders } = scriptVariables(variables)
    globalHeaders.set('X-Session', '1')
    globalHeaders.set('x-session', '2')
    expect([...variables.shared.globalHeaders.values()]).toEqual([['x-session', '2']])
    globalHeaders.clear('X-SESSION')
    expect(variables.shared.globalHeaders.size).toBe(0)
  })

  it('include dynamic values by name', async () => {
    const own = scriptVariables((await stepOf(file)).variables)
    await own.loadFor('$random')
    expect([own.dynamic('$timestamp'), own.dynamic('$env.HOME'), own.dynamic('$nope')]).toEqual([
      1000,
      '/home/ada',
      undefined,
    ])
    expect(own.dynamic('$random.integer(5, 6)')).toBe(5)
    expect(own.dynamic('$random.bool.bool')).toBeTypeOf('boolean')
    const kinds = ['$random', '$random.address', '$random.address.city', '$random.integer', '$uuid', '$env', '$env.X']
    expect(kinds.map(own.dynamicKind)).toEqual(['group', 'group', 'value', 'function', 'value', 'group', 'value'])
    const others = ['$auth', '$auth.token', '$random.locale', '$random.locale.name', '$random.locale.name.name', '$x']
    expect(others.map(own.dynamicKind)).toEqual(['group', 'function', 'group', 'group', 'function', undefined])
  })
})
