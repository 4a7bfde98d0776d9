/** Parallel runs that share a few script engines: none of them sees anything of another. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunResources } from '../../../../src/runner/context/run-resources.ts'
import { type RecordingServer, recordingServer, runText } from '../../running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer()
})
afterAll(() => server.close())

const RUNS = Array.from({ length: 12 }, (_, index) => index)

/** Three requests, each with this script. */
const threeRequests = (script: string): string => `###\nGET ${server.origin}/\n\n> {%\n${script}\n%}\n\n`.repeat(3)

async function logsOfRuns(textOf: (run: number) => string, files: Readonly<Record<string, string>> = {}) {
  const resources = new RunResources()
  const runs = await Promise.all(RUNS.map((run) => runText(textOf(run), { resources, files })))
  const idle = resources.engines.idle.length
  await resources.close()
  return { idle, logs: runs.map(({ results }) => results) }
}

it('variables stay with their run, and runs take turns on a few engines', async () => {
  const script = (run: number): string =>
    `await sleep(100); client.global.set('seen', (client.global.get('seen') ?? '') + '${run};'); client.log(client.global.get('seen'))`
  const { idle, logs } = await logsOfRuns((run) => threeRequests(script(run)))
  expect(logs).toEqual(RUNS.map((run) => [1, 2, 3].map((count) => `log ${`${run};`.repeat(count)}`)))
  expect(idle).toBeLessThanOrEqual(4)
})

it('modules keep their state only for their run', async () => {
  const script = (run: number): string =>
    `import { add } from './counter.js'\n[1].forEach(() => client.log(add('${run};')))\n`
  const files = { 'counter.js': "let text = ''\nexport const add = (more) => (text += more)\n" }
  const { idle, logs } = await logsOfRuns((run) => threeRequests(script(run)), files)
  expect(logs).toEqual(RUNS.map((run) => [1, 2, 3].map((count) => `log ${`${run};`.repeat(count)}`)))
  expect(idle).toBeLessThanOrEqual(4)
})
