/**
 * The language server: time from start to the first diagnostics, from a change to its diagnostics, completion, memory.
 *
 * Rules: starts alternate with starts of an empty program; the ratio of the medians counts. Response times in a file of
 * 2,000 lines are medians over many edits. Memory is the kernel's figure for the process (VmRSS) after 1,000 edits, and
 * its peak. The run fails if a figure is above its budget.
 *
 * Run: npm run build && npx tsx bench/language-server.ts [edits]
 * HTTPCLI_MAIN names another build: a `.cjs` for Node.js, or an executable.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type CompletionList,
  createProtocolConnection,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node'

const budgets = { startRatio: 5, diagnosticsMs: 10, completionMs: 20, memoryMib: 120 }
const edits = Number(process.argv[2] ?? 1000)
const main = process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
const [program, ...first] = main.endsWith('js') ? [process.execPath, main] : [main]
const environment = { ...process.env }
delete environment.NODE_EXTRA_CA_CERTS

const uri = 'untitled:bench.http'
const STARTS = 15
/** Each has 20 lines. */
const REQUESTS = 110

function section(index: number): string {
  const lines = [
    `### request ${index}`,
    `# @name request-${index}`,
    `@id${index} = ${index}`,
    '# @assert status == 200',
  ]
  lines.push(
    `POST {{host}}/items/{{id${index}}}?q={{$uuid}}`,
    'Accept: application/json',
    'X-Trace: {{$random.uuid}}',
    '',
  )
  lines.push(`{"id": {{id${index}}},`, '  "name": "{{name}}"', '}', '', '> {%', `  client.test("${index}", () => {`)
  return [
    ...lines,
    '    client.assert(response.status === 200)',
    `    client.log("${index}")`,
    '  })',
    '%}',
    '',
    '',
  ].join('\n')
}

const text = `@host = http://localhost\n@name = Ada\n${Array.from({ length: REQUESTS }, (_, index) => section(index)).join('')}`

interface Server {
  readonly process: ChildProcessWithoutNullStreams
  readonly connection: ProtocolConnection
  /** Resolves when the diagnostics of that version have arrived. */
  published(version: number): Promise<void>
}

async function startServer(): Promise<Server> {
  const server = spawn(program as string, [...first, 'lsp'], { env: environment })
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  )
  const waiting = new Map<number, () => void>()
  connection.onNotification('textDocument/publishDiagnostics', ({ version = -1 }: PublishDiagnosticsParams) => {
    waiting.get(version)?.()
    waiting.delete(version)
  })
  connection.onRequest('client/registerCapability', () => null)
  connection.listen()
  await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} })
  await connection.sendNotification('initialized', {})
  const published = (version: number): Promise<void> => new Promise((resolve) => waiting.set(version, resolve))
  return { process: server, connection, published }
}

async function open({ connection, published }: Server, content: string): Promise<void> {
  const shown = published(1)
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'http', version: 1, text: content },
  })
  await shown
}

async function stop({ connection, process: server }: Server): Promise<void> {
  const ended = once(server, 'close')
  await connection.sendRequest('shutdown')
  await connection.sendNotification('exit')
  await ended
  connection.dispose()
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}
const median = (values: readonly number[]): number => quantile(values, 0.5)

function memoryMib({ process: { pid } }: Server, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
}

/** User and system time of the process and its threads. */
function cpuSeconds({ process: { pid } }: Server): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The time until the first diagnostics, and its ratio to a start of an empty program. */
async function starts(): Promise<{ readonly ms: number; readonly ratio: number }> {
  const served: number[] = []
  const empty: number[] = []
  for (let round = 0; round < STARTS; round++) {
    let from = performance.now()
    spawnSync(process.execPath, ['-e', ''], { env: environment })
    empty.push(performance.now() - from)
    from = performance.now()
    const server = await startServer()
    await open(server, section(0))
    served.push(performance.now() - from)
    await stop(server)
  }
  return { ms: median(served), ratio: median(served) / median(empty) }
}

/** Types a character, or deletes it again; returns the milliseconds until the diagnostics have arrived. */
async function type(server: Server, version: number, at: Position): Promise<number> {
  const { connection, published } = server
  const isTyped = version % 2 === 0
  const end = { line: at.line, character: at.character + 1 }
  const change = { range: { start: at, end: isTyped ? at : end }, text: isTyped ? 'x' : '' }
  const shown = published(version)
  const from = performance.now()
  await connection.sendNotification('textDocument/didChange', {
    textDocument: { uri, version },
    contentChanges: [change],
  })
  await shown
  return performance.now() - from
}

async function complete({ connection }: Server, position: Position): Promise<number> {
  const from = performance.now()
  const { items } = await connection.sendRequest<CompletionList>('textDocument/completion', {
    textDocument: { uri },
    position,
  })
  if (items.length === 0) throw new Error(`nothing is offered at ${JSON.stringify(position)}`)
  return performance.now() - from
}

const lines = text.split('\n')
const lineOf = (part: string, from: number): number =>
  lines.findIndex((line, index) => index > from && line.includes(part))
const middle = lineOf('### request 50', 0)
/** Places in a URL, a header, a tag, a script. */
const places: readonly Position[] = [
  { line: lineOf('POST', middle), character: 'POST {{ho'.length },
  { line: lineOf('Accept', middle), character: 'Accept: appl'.length },
  { line: lineOf('# @assert', middle), character: '# @assert sta'.length },
  { line: lineOf('client.test', middle), character: '  client.te'.length },
]

const start = await starts()
const server = await startServer()
await open(server, text)
const typing: number[] = []
const completing: number[] = []
const memory: string[] = []
for (let edit = 0; edit < edits; edit++) {
  typing.push(await type(server, edit + 2, { line: lineOf('"name"', middle), character: 6 }))
  completing.push(await complete(server, places[edit % places.length] as Position))
  // The file is checked only when the user pauses.
  if (edit % 20 === 0) await wait(300)
  if (edit === 60) memory.push(`${memoryMib(server, 'VmRSS').toFixed(0)} MiB after 60 edits`)
}
await wait(1000)
const rss = memoryMib(server, 'VmRSS')
const cpu = cpuSeconds(server)
memory.push(`${rss.toFixed(0)} MiB after ${edits}`, `peak ${memoryMib(server, 'VmHWM').toFixed(0)} MiB`)
await stop(server)

const typed = median(typing)
const completed = median(completing)
console.log(`start to first diagnostics  ${start.ms.toFixed(0)} ms, ${start.ratio.toFixed(2)} of an empty program`)
console.log(`change to diagnostics       ${typed.toFixed(2)} ms, 95 %: ${quantile(typing, 0.95).toFixed(2)} ms`)
console.log(`completion                  ${completed.toFixed(2)} ms, 95 %: ${quantile(completing, 0.95).toFixed(2)} ms`)
console.log(`processor time              ${((cpu / edits) * 1000).toFixed(2)} ms for each edit, completion and checks`)
console.log(`memory                      ${memory.join(', ')}`)

const failures = [
  ...(start.ratio > budgets.startRatio ? [`start: ratio ${start.ratio} is above ${budgets.startRatio}`] : []),
  ...(typed > budgets.diagnosticsMs ? [`diagnostics: ${typed} ms is above ${budgets.diagnosticsMs}`] : []),
  ...(completed > budgets.completionMs ? [`completion: ${completed} ms is above ${budgets.completionMs}`] : []),
  ...(rss > budgets.memoryMib ? [`memory: ${rss} MiB is above ${budgets.memoryMib}`] : []),
]
for (const failure of failures) console.error(failure)
if (failures.length > 0) process.exitCode = 1
