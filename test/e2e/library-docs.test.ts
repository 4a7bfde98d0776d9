/**
 * The documents of the library are true: the pages of docs/api are those of the built library, and every example of the
 * doc comments and of every page compiles strictly, runs, and gives what the comment after it says.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiPages } from '../../scripts/api-pages.ts'
import { readDeclarations } from '../../scripts/declarations.ts'
import { commandEnvironment } from '../helpers/command.ts'
import { pages } from '../helpers/document.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const library = join(root, 'dist/lib')

describe('docs/api', () => {
  it('is what `npm run docs` writes', () => {
    const pages = apiPages(library)
    expect(readdirSync(join(root, 'docs/api')).sort()).toEqual([...pages.keys()].sort())
    for (const [name, text] of pages) expect(readFileSync(join(root, 'docs/api', name), 'utf8'), name).toBe(text)
  })
})

interface Example {
  readonly name: string
  readonly code: string
}

/** Indented paragraphs of doc comments. */
function commentExamples(): readonly Example[] {
  return ['message', 'message-node'].flatMap((room) =>
    readdirSync(join(library, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .flatMap((file) =>
        readDeclarations(readFileSync(join(library, room, file), 'utf8')).flatMap((declaration) =>
          [declaration, ...declaration.members].flatMap(({ name, comment }) =>
            comment
              .split('\n\n')
              .filter((paragraph) => paragraph.startsWith('  '))
              .map((paragraph) => ({ name: `${declaration.name} ${name}`, code: paragraph.replace(/^ {2}/gm, '') })),
          ),
        ),
      ),
  )
}

/** The blocks of TypeScript of every page. */
const documentExamples: readonly Example[] = pages
  .flatMap(({ blocks }) => blocks)
  .filter(({ language, notRun }) => language === 'ts' && notRun === undefined)
  .map(({ place, text }) => ({ name: place, code: text }))

const examples = [...commentExamples(), ...documentExamples]

/** Declarations that the short examples of doc comments assume. */
const surroundings = `
import { HttpRequest, type RequestHead } from 'httpcli'
export { createReadStream } from 'node:fs'
export { createServer } from 'node:net'
const octets = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = 'GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'
export const request = new HttpRequest({ method: 'POST', url: 'http://a/', headers: { Cookie: 'b' } })
export const written: Uint8Array[] = []
export const answered: RequestHead[] = []
export const answer = (head: RequestHead): void => void answered.push(head)
export const digest = (): string => 'sha-256=:AA==:'
const connection = (text: string) => ({
  write: (bytes: Uint8Array): void => void written.push(bytes),
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> { yield octets(text) },
})
export const requestSocket = connection(text)
export const responseSocket = connection('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi')
export { deepStrictEqual as isSame } from 'node:assert'
`

const statement = /^(?:import|const|let|for|if|else|try|catch|async|function|export|type|throw|}|\s|\/\/)/
const literal = /^(?:['"[{\d]|true$|false$|undefined$)/

/** Turns `expression // value`, and an expression with lines of text below it, into comparisons. */
function withChecks(code: string): string {
  const lines = code.trimEnd().split('\n')
  const checked: string[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string
    const [, expression, value] = /^(.*?) \/\/ (.*)$/.exec(line) ?? []
    if (expression !== undefined && value !== undefined && !statement.test(line) && literal.test(value)) {
      checked.push(`isSame(${expression}, ${value})`)
      continue
    }
    const text: string[] = []
    while (/^\/\/(?: |$)/.test(lines[i + 1 + text.length] ?? ''))
      text.push((lines[i + 1 + text.length] as string).slice(3))
    if (text.length > 0 && line !== '' && !statement.test(line)) {
      checked.push(`isSame((${line}).replaceAll('\\r\\n', '\\n'), ${JSON.stringify(text.join('\n'))})`)
      i += text.length
    } else {
      checked.push(line)
    }
  }
  return checked.join('\n')
}

/** A separate module for an example: names that it does not import are imported for it. */
function moduleOf({ code }: Example): string {
  const body = withChecks(code)
  const exported = [
    ...apiPages(library)
      .get('README.md')!
      .matchAll(/^\| \[`(\w+)`\]/gm),
  ].map((match) => match[1] as string)
  const isUsed = (name: string): boolean => new RegExp(`(?<![.\\w])${name}\\b`).test(body)
  const isFree = (name: string): boolean =>
    isUsed(name) && !new RegExp(`(?:const|let|function\\*?) ${name}\\b|import [^']*\\b${name}\\b`).test(body)
  const given = ['createReadStream', 'createServer', 'text', 'request', 'answer', 'digest', 'isSame'].filter(isFree)
  const socket = !isFree('socket')
    ? []
    : [/responses\(/.test(body) ? 'responseSocket as socket' : 'requestSocket as socket']
  return [
    `import { ${[...new Set(exported)].filter(isFree).join(', ')} } from 'httpcli'`,
    `import { ${[...given, ...socket].join(', ')} } from './surroundings.ts'`,
    body,
    'export {}',
  ].join('\n')
}

describe('the examples of the documents', () => {
  const project = mkdtempSync(join(tmpdir(), 'httpcli-docs-'))
  afterAll(() => rmSync(project, { recursive: true, force: true }))
  const files = examples.map((example, index) => [example.name, `example-${index}.js`] as const)

  beforeAll(() => {
    mkdirSync(join(project, 'node_modules'))
    symlinkSync(root, join(project, 'node_modules/httpcli'))
    symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'))
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2023',
          module: 'NodeNext',
          strict: true,
          outDir: 'out',
          rewriteRelativeImportExtensions: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          types: ['node'],
          skipLibCheck: true,
        },
      }),
    )
    writeFileSync(join(project, 'surroundings.ts'), surroundings)
    for (const file of ['log.txt', 'photo.png']) writeFileSync(join(project, file), 'octets')
    for (const [index, example] of examples.entries()) {
      writeFileSync(join(project, `example-${index}.ts`), moduleOf(example))
    }
  })

  it('are found', () => {
    expect(commentExamples().length).toBeGreaterThan(7)
    expect(examples.length).toBeGreaterThan(16)
  })

  it('compile strictly', () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.'], { cwd: project, encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  it.each(files)('run and print what they claim: %s', (_name, file) => {
    const { stderr, status } = spawnSync(process.execPath, [join('out', file)], {
      cwd: project,
      env: commandEnvironment(),
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })
})
