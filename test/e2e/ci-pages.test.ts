/**
 * The pipelines of docs/ci.md: each file is read as its CI reads it, and every command of `httpcli` in it is executed
 * in the project that the page shows, with the example server as its application.
 *
 * Rules: commands are taken from the parsed files, so that quotes and blocks of YAML have been undone. `npx` and the
 * variables of a matrix are resolved as the CI does; `args` of the action is a command, too. The commands of a file are
 * executed in their order: the reports of shards are there when they are merged.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Block, pageAt, projectRoot } from '../helpers/document.ts'
import {
  type DocumentServers,
  DocumentWorkspace,
  startDocumentServers,
  stopDocumentServers,
} from '../helpers/document-workspace.ts'

const { blocks } = pageAt('docs/ci.md')
const files = blocks.filter((block): block is Block & { file: string } => block.file !== undefined)
const pipelines = files.filter(({ file }) => !file.startsWith('requests/'))

/** Every text in a parsed document. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Every value of a key in a parsed document. */
function valuesOf(key: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => (name === key ? [each] : valuesOf(key, each)))
}

/** The scripts of a pipeline, as its CI gives them to a shell. */
function scriptsOf({ language, text }: Block): readonly string[] {
  switch (language) {
    case 'yaml': {
      const document: unknown = parse(text)
      return [...textsIn(document), ...valuesOf('args', document).map((args) => `httpcli ${args}`)]
    }
    case 'groovy':
      return [...text.matchAll(/\bsh ('''|')(.*?)\1/gs)].map(([, , script = '']) => script)
    default:
      return [text]
  }
}

const commandsOf = (block: Block): readonly string[] =>
  scriptsOf(block)
    .flatMap((script) => script.split('\n'))
    .map((line) => line.trim().replace(/^npx /, ''))
    .filter((line) => /^httpcli [\w:]/.test(line))

/** The variable of a matrix, once for each of its values. */
const tagged = (command: string): readonly string[] =>
  command.includes('"$TAG"') ? ['smoke', '!smoke'].map((tag) => command.replace('"$TAG"', `'${tag}'`)) : [command]

/** The command of a shard, once for each shard, with the variables that each CI sets. */
const sharded = (command: string): readonly string[] =>
  command.includes('--shard')
    ? [1, 2].map((number) => `SHARD=${number} SHARDS=2 CI_NODE_INDEX=${number} CI_NODE_TOTAL=2\n${command}`)
    : [command]

const cases = pipelines.flatMap((block) =>
  commandsOf(block)
    .flatMap(tagged)
    .flatMap(sharded)
    .map((command) => [block.file, command] as const),
)

let servers: DocumentServers
let workspace: DocumentWorkspace

beforeAll(async () => {
  servers = await startDocumentServers()
  workspace = new DocumentWorkspace(servers, 'ci-pages', {})
  for (const { file, text } of files) workspace.write(file, text)
})

afterAll(async () => {
  await workspace.close()
  await stopDocumentServers(servers)
})

describe('docs/ci.md', () => {
  it('has a file for each CI', () => {
    expect(pipelines.map(({ file }) => file)).toEqual([
      '.github/workflows/api.yml',
      '.github/workflows/api-groups.yml',
      '.gitlab-ci.yml',
      'Jenkinsfile',
      '.github/workflows/api-shards.yml',
      '.gitlab-ci-shards.yml',
      'Jenkinsfile.shards',
      'azure-pipelines.yml',
      'ci.sh',
    ])
  })

  it.each(pipelines.map((block) => [block.file, block] as const))(
    '%s runs the requests, and each of its commands is found',
    (_file, block) => {
      const commands = commandsOf(block)
      expect(commands.filter((command) => command.startsWith('httpcli run requests'))).toHaveLength(1)
      // A line with the command that is not found as one would not be executed here.
      const mentions = block.text.match(/httpcli (?:run|check|fmt|send|report|:\d)|args: /g)
      expect(commands).toHaveLength(mentions?.length ?? 0)
    },
  )

  it('starts all the shards of its total', () => {
    const [github, gitlab, jenkins] = pipelines.filter(({ text }) => text.includes('--shard ')).map(({ text }) => text)
    const { requests } = (parse(github!) as { jobs: { requests: { strategy: { matrix: { shard: unknown } } } } }).jobs
    expect(requests.strategy.matrix.shard).toEqual([1, 2])
    expect((parse(gitlab!) as { requests: { parallel: unknown } }).requests.parallel).toBe(2)
    expect(jenkins).toMatch(/SHARDS = '2'[\s\S]*values '1', '2'\n[\s\S]*unstash 'shard-1'\n.*unstash 'shard-2'\n/)
  })

  it('splits requests by values of its matrices', () => {
    const matrices = pipelines
      .filter(({ language, text }) => language === 'yaml' && text.includes('"$TAG"'))
      .map(({ text }) => JSON.stringify(valuesOf('matrix', parse(text))))
    expect(matrices).toHaveLength(2)
    for (const matrix of matrices) expect(matrix).toMatch(/"smoke".*"!smoke"/)
  })

  it('gives the action only inputs that exist', () => {
    const { inputs } = parse(readFileSync(join(projectRoot, 'action.yml'), 'utf8')) as { inputs: object }
    const [workflow] = pipelines
    const steps = valuesOf('steps', parse(workflow!.text)).flat() as readonly { uses?: string; with?: object }[]
    const uses = steps.filter((step) => step.uses?.startsWith('OWNER/httpcli@'))
    expect(uses).toHaveLength(2)
    for (const step of uses) expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})))
  })
})

describe('a command of a pipeline', () => {
  it.each(cases)('%s: %s', async (_file, command) => {
    const printed = await workspace.perform(`export API_TOKEN=a1b2c3d4e5f6\n${command}`)
    expect(printed).not.toContain('(ended with')
    if (command.startsWith('httpcli report')) expect(printed).toContain('2 reports; 2 requests: 2 passed, 0 failed')
    if (/^httpcli run/m.test(command)) expect(printed).toMatch(/ [1-9]\d* tests: [1-9]\d* passed, 0 failed/)
  })

  it('fails without the secret', async () => {
    const printed = await workspace.perform('httpcli check requests -e ci')
    expect(printed).toContain('API_TOKEN')
    expect(printed).toContain('(ended with')
  })
})
