/** Libraries that templates need are loaded before they are rendered, and nothing else. */
import { describe, expect, it } from 'vitest'
import { type JsonValue, parseTemplate } from '../../../src/http-file/index.ts'
import { FileScope } from '../../../src/runner/variables/file-scope.ts'
import { SharedVariables } from '../../../src/runner/variables/shared-variables.ts'
import { Variables } from '../../../src/runner/variables/variables.ts'
import { noFiles } from '../../helpers/file-root.ts'
import { recordingServer, runText } from '../running.ts'

interface Scene {
  readonly environment?: Readonly<Record<string, JsonValue>>
  readonly commandLine?: Readonly<Record<string, JsonValue>>
  readonly inPlace?: Readonly<Record<string, string>>
}

function sceneOf({ environment = {}, commandLine = {}, inPlace = {} }: Scene) {
  const acquired: string[] = []
  let drawnBytes = 0
  const shared = new SharedVariables({
    environment: new Map(Object.entries(environment)),
    commandLine: new Map(Object.entries(commandLine)),
    sources: {
      now: () => 0,
      randomBytes: (count) => {
        drawnBytes += count
        return new Uint8Array(count)
      },
    },
    tokens: {
      known: (id, kind) => (acquired.includes(`${kind} ${id}`) ? `${id}!` : undefined),
      acquire: async (id, kind) => void acquired.push(`${kind} ${id}`),
    },
    files: noFiles,
  })
  const scope = new FileScope({ path: 'x', text: '' }, '/x')
  for (const [name, text] of Object.entries(inPlace)) {
    scope.inPlace.set(name, { template: parseTemplate(text), scope, made: new Map() })
  }
  return { variables: new Variables(shared, scope), acquired, drawnBytes: () => drawnBytes }
}

const token = '{{$auth.token("svc")}}'

describe('a token is fetched', () => {
  it.each<[string, string, Scene, readonly string[]]>([
    ['where the text names it', `a ${token}`, {}, ['access svc']],
    ['once for two uses', `${token}${token}`, {}, ['access svc']],
    ['of each kind', '{{$auth.token("a")}}{{$auth.idToken(\'b\')}}', {}, ['access a', 'id b']],
    ['through a variable of the file', '{{t}}', { inPlace: { t: `Bearer ${token}` } }, ['access svc']],
    ['through a variable of the environment', '{{t}}', { environment: { t: token } }, ['access svc']],
    ['through a path', '{{t.a}}', { environment: { t: { a: [token] } } }, ['access svc']],
    ['through JSONPath', '{{$..a}}', { environment: { t: { a: token } } }, ['access svc']],
    ['through several variables', '{{a}}', { inPlace: { a: '{{b}}' }, environment: { b: token } }, ['access svc']],
    ['not where another variable wins', '{{t}}', { inPlace: { t: token }, commandLine: { t: 'own' } }, []],
    ['not where nothing uses it', '{{a}}', { inPlace: { a: '1', t: token } }, []],
    ['not after an unknown variable', `{{nope}}${token}`, {}, []],
    ['before an unknown variable', `${token}{{nope}}`, {}, ['access svc']],
  ])('%s', async (_where, text, scene, expected) => {
    const { variables, acquired } = sceneOf(scene)
    await variables.load([parseTemplate(text)])
    expect(acquired).toEqual(expected)
  })

  it('after an unknown variable that is kept', async () => {
    const { variables, acquired } = sceneOf({})
    await variables.load([parseTemplate(`{{nope}}${token}`)], true)
    expect(acquired).toEqual(['access svc'])
    expect(variables.tryRender(parseTemplate(`{{nope}} ${token}`))).toBe('{{nope}} svc!')
  })
})

describe('loading', () => {
  it('draws no random bytes', async () => {
    const { variables, drawnBytes } = sceneOf({ inPlace: { id: '{{$uuid}}' } })
    await variables.load([parseTemplate('{{id}} {{$random.name.firstName}} {{$random.locale.name.lastName("de")}}')])
    expect(drawnBytes()).toBe(0)
  })

  it('handles circles and chains that rendering refuses', async () => {
    const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`v${index}`, `{{v${index + 1}}}`]))
    const { variables } = sceneOf({ inPlace: { ...chain, a: '{{b}}', b: '{{a}}' } })
    const template = parseTemplate('{{v0}}{{a}}')
    await variables.load([template])
    expect(() => variables.render(template)).toThrow('nested in more than 200 others')
  })
})

describe('with a seed', () => {
  it('a token, a fake name and a file with variables do not change random values', async () => {
    const server = await recordingServer({
      '/token': (_request, response) => {
        response.setHeader('Content-Type', 'application/json')
        response.end('{"access_token": "t"}')
      },
    })
    const { seededSources } = await import('../../../src/runner/variables/dynamic/value-sources.ts')
    const auth = { Type: 'OAuth2', 'Grant Type': 'Client Credentials', 'Token URL': `${server.origin}/token` }
    const security = { Security: { Auth: { svc: { ...auth, 'Client ID': 'c' } } } }
    const paths = async (field: string): Promise<readonly string[]> => {
      server.requests.length = 0
      await runText(`POST ${server.origin}/{{$uuid}}\nX: ${field}\n\n<@ t.txt\n###\nGET ${server.origin}/{{$uuid}}`, {
        sources: seededSources({ seed: 'a', nowMs: 0 }, 1),
        environmentName: 'dev',
        files: {
          't.txt': '{{$random.company.name}} {{deep..x}}',
          'http-client.env.json': JSON.stringify({ dev: { ...security, deep: { y: { x: 1 } } } }),
        },
      })
      return server.requests.map(({ line }) => line).filter((line) => !line.includes('/token'))
    }
    const plain = await paths('none')
    expect(plain).toHaveLength(2)
    expect(await paths(token)).toEqual(plain)
    await server.close()
  })
})
