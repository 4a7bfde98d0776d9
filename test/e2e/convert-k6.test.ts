/**
 * Request files exported for k6 send what `run` sends, request by request, and their checks have the same outcome.
 *
 * Rules: K6 names the program of k6: then all request files of the project are run in it. Without it, those of a few
 * pages are run in QuickJS with k6's modules replaced.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { type ExampleServer, type RecordedRequest, startExampleServer } from '../helpers/example-server.ts'
import { k6Engine, k6Program, quickJsEngine, type ScriptEngine } from '../helpers/k6-engine.ts'
import { type CorpusFile, writeCorpus } from '../helpers/request-corpus.ts'

/** What QuickJS runs; k6 runs everything. The executable makes the same text: a sample shows that it does. */
const fewPages = isStandalone
  ? /^(?:test\/fixtures\/load|docs\/scripts)\b/
  : /^(?:test\/fixtures\/load|docs\/(?:request-file|assertions|scripts|dialects|tutorial-0[5-8]))\b/

const directory = mkdtempSync(join(tmpdir(), 'httpcli-k6-'))
let server: ExampleServer
let engine: ScriptEngine
let corpus: readonly CorpusFile[] = []

beforeAll(async () => {
  server = await startExampleServer(directory)
  engine = k6Program === undefined ? quickJsEngine() : k6Engine(k6Program)
  corpus = writeCorpus(directory, `127.0.0.1:${server.port}`)
})

afterAll(async () => {
  await engine.close()
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

interface Outcome {
  readonly wire: readonly string[]
  readonly checks: Readonly<Record<string, readonly [passed: number, failed: number]>>
}

/** Fields that frame a message or belong to its connection. */
const framing = /^(?:connection|content-length|transfer-encoding|upgrade|sec-websocket-(?:key|version|extensions)):/

/**
 * Names of fields in small letters and in order: k6 writes them in its own. Values that are new each time are alike.
 */
function wireOf(requests: readonly RecordedRequest[]): readonly string[] {
  return requests.map(({ line, headers, body }) => {
    const fields = headers.map((field) => field.replace(/^[^:]*/, (name) => name.toLowerCase()))
    const shown = [line, ...fields.filter((field) => !framing.test(field)).sort(), '', body].join('\n')
    return shown.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
  })
}

/** With words and numbers alike, for files with random values. */
function vague(wire: readonly string[]): readonly string[] {
  return wire.map((text) => text.replace(/[\w+/=%:.-]+/g, 'x'))
}

interface Report {
  readonly jobs: readonly {
    readonly requests: readonly {
      readonly name: string
      readonly method: string
      readonly target: string
      readonly tests: readonly { readonly name: string; readonly failure?: object }[]
    }[]
  }[]
}

async function byRun({ directory: cwd, file, environment }: CorpusFile): Promise<Outcome> {
  server.takeRequests()
  const words = environment === undefined ? [] : ['-e', environment]
  await runCommand(['run', file, ...words, '--report', 'json=out.json'], { cwd })
  const wire = wireOf(server.takeRequests())
  const report = JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8')) as Report
  rmSync(join(cwd, 'out.json'))
  const checks: Record<string, [number, number]> = {}
  for (const { name, method, target, tests } of report.jobs.flatMap(({ requests }) => requests)) {
    for (const test of tests) {
      // k6 has "::" between the names of groups.
      const key = `${name === '' ? `${method} ${target}` : name} > ${test.name}`.replaceAll('::', ': :')
      checks[key] ??= [0, 0]
      checks[key][test.failure === undefined ? 0 : 1]++
    }
  }
  return { wire, checks }
}

describe.each([k6Program === undefined ? 'QuickJS' : 'k6'])('in %s', () => {
  it('sends the same requests as run, and its checks have the same outcome', { timeout: 600_000 }, async () => {
    const counts = { files: 0, invalid: 0, lossy: 0, same: 0 }
    const differing: string[] = []
    for (const given of corpus.filter(({ name }) => k6Program !== undefined || fewPages.test(name))) {
      counts.files++
      const { directory: cwd, file, environment, name } = given
      const script = `${file.replace(/\W/g, '-')}.load.js`
      const words = environment === undefined ? [] : ['-e', environment]
      const converted = await runCommand(['convert', file, '--to', 'k6', '-o', script, ...words], { cwd })
      if (converted.code !== 0) counts.invalid++
      else if (converted.stderr.includes('not converted')) counts.lossy++
      // The replaced modules have no WebSocket.
      if (converted.code !== 0 || converted.stderr.includes('not converted')) continue
      const text = readFileSync(join(cwd, script), 'utf8')
      if (k6Program === undefined && text.includes("'k6/websockets'")) continue
      for (const secret of Object.values(given.secrets)) {
        if (secret.length > 5) expect(text, `${name}: a secret in the script`).not.toContain(secret)
      }
      const expected = await byRun(given)
      server.takeRequests()
      const { checks, log } = await engine.run(join(cwd, script), given.secrets)
      const wire = wireOf(server.takeRequests())
      const isRandom = /\{\{\$|\$random|\$uuid|Date\b|timestamp/i.test(readFileSync(join(cwd, file), 'utf8'))
      const [sent, wanted] = isRandom ? [vague(wire), vague(expected.wire)] : [wire, expected.wire]
      try {
        expect(sent).toEqual(wanted)
        expect(checks).toEqual(expected.checks)
        counts.same++
      } catch (error) {
        differing.push(`${name}: ${(error as Error).message}\n${JSON.stringify([sent, wanted])}\n${log}`)
      }
    }
    expect(differing).toEqual([])
    expect(counts.same).toBeGreaterThan(isStandalone ? 5 : 30)
    // Most files have no loss.
    expect(counts.lossy).toBeLessThan(counts.files / 3)
  })
})

describe('the commands at the top of a script', () => {
  it.each([
    ['shop.js', 'shop.js'],
    ['scripts/', 'scripts/top.js'],
  ])('name it: -o %s', async (output, path) => {
    writeFileSync(join(directory, 'top.http'), 'GET http://localhost/\n')
    const { code } = await runCommand(['convert', 'top.http', '--to', 'k6', '-o', output], { cwd: directory })
    expect(code).toBe(0)
    expect(readFileSync(join(directory, path), 'utf8')).toContain(` *   k6 run ${path.split('/').at(-1)}\n`)
  })
})

describe('a file that run refuses', () => {
  it('is refused: a path that cannot be parsed', async () => {
    writeFileSync(join(directory, 'path.http'), '# @assert $.a-b == 1\nGET http://localhost/\n')
    const { code, stderr } = await runCommand(['convert', 'path.http', '--to', 'k6'], { cwd: directory })
    expect(String(stderr)).toContain('path.http:1:14: $.a-b is not a JSONPath: unexpected "-"')
    expect(code).toBe(2)
  })
})
