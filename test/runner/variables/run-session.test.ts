/** A session: later runs see what earlier ones have set, runs without one see nothing. */
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  loadEnvironment,
  openHttpFile,
  type RunEvent,
  type RunOptions,
  RunResources,
  RunSession,
  runHttpFile,
} from '../../../src/runner/index.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../running.ts'

let server: RecordingServer
let files: ReturnType<typeof directoryWith>

beforeEach(async () => {
  server = await recordingServer({
    '/login': (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end('{"token":"t1"}')
    },
  })
  files = directoryWith({ '.git': '' })
})

afterEach(async () => {
  await server.close()
  files.remove()
})

const text = (): string => `### login
POST ${server.origin}/login
> {%
client.global.set('id', response.body.token + '-id')
client.global.headers.set('X-Session', 'on')
%}

### me
GET ${server.origin}/me?{{id}}
X-Token: {{login.response.body.$.token}}
`

/** Runs the request on a line. @returns the codes of its errors */
async function send(line: number, options: Partial<RunOptions> = {}, name = 'test.http'): Promise<readonly unknown[]> {
  const loaded = openHttpFile(text(), `${files.path}/${name}`)
  const events: RunEvent[] = []
  await runHttpFile(loaded, {
    environment: loadEnvironment(loaded.path, undefined),
    listener: (event) => void events.push(event),
    choice: { names: [], lines: [{ path: loaded.path, line }], tags: [] },
    ...options,
  })
  return events.flatMap((event) => (event.type === 'error' ? [(event.error as { readonly code: string }).code] : []))
}

describe('a session', () => {
  it('keeps values, headers and responses for the next run', async () => {
    const session = new RunSession()
    expect(await send(2, { session })).toEqual([])
    expect(await send(9, { session })).toEqual([])
    expect(server.requests.at(-1)?.line).toBe('GET /me?t1-id HTTP/1.1')
    expect(server.requests.at(-1)?.headers).toEqual(expect.arrayContaining(['X-Token: t1', 'X-Session: on']))
  })

  it('keeps responses only for the file that was run', async () => {
    const session = new RunSession()
    await send(2, { session })
    expect(await send(9, { session }, 'other.http')).toEqual(['unknown-variable'])
  })

  it('ends with the run if none is passed', async () => {
    await send(2)
    expect(await send(9)).toEqual(['unknown-variable'])
  })

  it('is not changed through a copy', async () => {
    const session = new RunSession()
    await send(2, { session: session.copy() })
    expect(await send(9, { session })).toEqual(['unknown-variable'])
  })
})

describe('a file that is open in an editor', () => {
  const main = (): string => `import lib.http\n\nrun #one\n`

  async function runMain(inEditor: string): Promise<void> {
    const resources = new RunResources(undefined, undefined, false, (path) =>
      path.endsWith('lib.http') ? inEditor : undefined,
    )
    const loaded = openHttpFile(main(), `${files.path}/main.http`)
    const environment = loadEnvironment(loaded.path, undefined)
    await runHttpFile(loaded, { environment, listener: () => undefined, resources }).finally(() => resources.close())
  }

  it('is run as shown in the editor', async () => {
    writeFileSync(`${files.path}/lib.http`, 'not valid\n')
    await runMain(`### one\nGET ${server.origin}/one\n`)
    expect(server.requests.map(({ line }) => line)).toEqual(['GET /one HTTP/1.1'])
  })

  it('is not run if it has errors, even if the saved file has none', async () => {
    writeFileSync(`${files.path}/lib.http`, `### one\nGET ${server.origin}/one\n`)
    await expect(runMain(`### one\nGET ${server.origin}/one\n> {% (\nGET\n`)).rejects.toThrow(/error/)
    expect(server.requests).toEqual([])
  })
})
