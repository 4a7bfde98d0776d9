/**
 * The rooms of src/ and the arrows between them, as ARCHITECTURE.md draws them: read from the imports, not believed.
 *
 * Rules: a room imports the rooms of its row and no others, through their index.ts; what is allowed for types only is
 * imported with `import type`. Folders within a room are layers: values are imported downwards. This is the readable
 * twin of the import rules in biome.json.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))

interface Room {
  readonly imports: readonly string[]
  /** Rooms whose types it may import, and nothing else of them. */
  readonly types?: readonly string[]
  /** Modules of Node.js: none, or all but those of Node's own HTTP. */
  readonly node: 'none' | 'no-http'
}

/** A file at the top of src/ is a separate room: `index.ts`, the face of the package. */
const rooms: Readonly<Record<string, Room>> = {
  message: { imports: [], node: 'none' },
  'message-node': { imports: ['message'], node: 'no-http' },
  wire: { imports: ['message', 'message-node'], node: 'no-http' },
  'http-file': { imports: [], types: ['message'], node: 'none' },
  convert: { imports: ['http-file', 'message'], node: 'none' },
  secrets: { imports: [], types: ['http-file', 'message'], node: 'none' },
  runner: { imports: ['http-file', 'wire', 'secrets', 'keystore', 'message', 'message-node'], node: 'no-http' },
  report: { imports: ['secrets'], types: ['runner'], node: 'no-http' },
  keystore: { imports: ['message'], node: 'no-http' },
  'language-server': {
    imports: ['http-file', 'runner', 'report', 'convert', 'secrets', 'message'],
    node: 'no-http',
  },
  server: { imports: ['keystore', 'message', 'message-node'], node: 'no-http' },
  cli: {
    imports: [
      ...['message', 'message-node', 'wire', 'http-file', 'convert', 'secrets', 'runner', 'report', 'server'],
      ...['keystore', 'language-server'],
    ],
    node: 'no-http',
  },
  'index.ts': { imports: ['message', 'message-node'], node: 'none' },
}

/**
 * The folders of each room, from the lowest to the highest: a file imports values of its own folder and of those before
 * it. Types may come from anywhere in the room. `.` is the room itself.
 */
const folders: Readonly<Record<string, readonly string[]>> = {
  message: ['syntax', 'head', 'body', 'fast', 'reading', 'messages', 'connection', '.'],
  wire: ['base', 'tls', 'connection', 'http1', 'http2', 'websocket', '.'],
  'http-file': ['syntax', 'assertions', 'sections', '.'],
  convert: [
    ...['draft', 'script', 'request-file', 'curl-writer', 'k6-writer', 'curl', 'postman', 'bruno', 'insomnia'],
    ...['openapi', 'hurl', '.'],
  ],
  runner: [
    ...['base', 'files', 'grpc', 'request', 'cookies', 'exchange', 'auth', 'variables/dynamic', 'variables', 'plan'],
    ...['scripting/guest/libraries', 'scripting/guest', 'scripting/plain', 'scripting/source', 'scripting/engine'],
    ...['scripting/thread', 'scripting/operations', 'scripting', 'assertions', 'context', 'dry-run'],
    ...['load/platform', 'load/light', 'load/light/scripts', 'load', '.'],
  ],
  report: ['record', 'html', 'reading', '.'],
  'language-server': [
    ...['base', 'workspace', 'diagnostics', 'knowledge', 'cursor', 'variables', 'completion', 'hover', 'navigation'],
    ...['layout', 'results', 'running', 'commands', 'fixes', '.'],
  ],
  server: ['semantics', 'limits', 'files', 'listing', 'features', 'rules', 'backend', 'http1', 'http2', 'tls', '.'],
  cli: [
    ...['frame', 'options', 'streams', 'failures', 'help', 'send/response', 'send/building', 'send/source', 'send'],
    ...['send/session', 'run/files', 'run', 'run/output', 'run/shards', 'run/jobs'],
    ...['completion', 'rewrite', 'serve', 'commands', 'programs'],
  ],
}

const httpOfNode = ['node:http', 'node:https', 'undici']

interface Import {
  readonly file: string
  readonly target: string
  readonly typesOnly: boolean
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'))

const code = new Map(files.map((file) => [file, withoutComments(readFileSync(join(source, file), 'utf8'))]))

const allImports: readonly Import[] = files.flatMap((file) =>
  [
    ...code
      .get(file)!
      .matchAll(/\b(import|export)\s+(type\s)?[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g),
  ].map((match) => ({
    file,
    target: match[3] ?? match[4]!,
    typesOnly: match[2] !== undefined,
  })),
)
const isLibraryFile = ({ target }: Import): boolean => target.includes('/node_modules/')
const imports = allImports.filter((one) => !isLibraryFile(one))

describe('the rooms of src/', () => {
  it('are all listed in the table', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in rooms))).toEqual([])
  })

  it('have imports that this test can read', () => {
    // The checks below pass on an empty list: this one does not.
    expect(imports.length).toBeGreaterThan(50)
    expect(
      imports.some(({ file, target }) => file === 'cli/programs/loaders.ts' && target === '../commands/serve.ts'),
    ).toBe(true)
  })

  it.each(Object.keys(rooms))('%s imports only the rooms that its row allows', (name) => {
    const room = rooms[name]!
    const wrong = crossings(name).filter(
      ({ typesOnly, to }) => !room.imports.includes(to) && !(typesOnly && room.types?.includes(to)),
    )
    expect(wrong.map(shown)).toEqual([])
  })

  it.each(Object.keys(rooms))('%s imports other rooms only through their index.ts', (name) => {
    expect(
      crossings(name)
        .filter(({ path, to }) => path !== `${to}/index.ts`)
        .map(shown),
    ).toEqual([])
  })

  it.each(Object.keys(rooms))('%s imports only the modules of Node.js that its row allows', (name) => {
    const wrong = imports
      .filter(({ file, target }) => roomOf(file) === name && (isBuiltin(target) || httpOfNode.includes(target)))
      .filter(
        ({ target }) => rooms[name]!.node === 'none' || httpOfNode.includes(`node:${target.replace('node:', '')}`),
      )
    expect(wrong.map(shown)).toEqual([])
  })

  it('name the modules of Node.js with the prefix node:', () => {
    expect(imports.filter(({ target }) => isBuiltin(target) && !target.startsWith('node:')).map(shown)).toEqual([])
  })

  it('import files with their extension', () => {
    expect(imports.filter(({ target }) => target.startsWith('.') && !target.endsWith('.ts')).map(shown)).toEqual([])
  })

  it('import libraries by name, except the one that a runtime would replace', () => {
    const byPath = allImports.filter(isLibraryFile).map(({ file }) => file)
    expect([...new Set(byPath)]).toEqual(['wire/websocket/frames.ts'])
  })
})

describe('the folders of a room', () => {
  it.each(Object.keys(rooms))('%s has all its folders in the table', (name) => {
    const found = new Set(files.filter((file) => roomOf(file) === name && file.includes('/')).map(folderOf))
    expect([...found].sort()).toEqual([...(folders[name] ?? (found.size === 0 ? [] : ['.']))].sort())
  })

  it.each(Object.keys(folders))('%s imports values from lower folders only', (name) => {
    const order = folders[name]!
    const wrong = imports
      .filter(({ file, target, typesOnly }) => roomOf(file) === name && target.startsWith('.') && !typesOnly)
      .filter(({ file, target }) => {
        const path = posix.normalize(posix.join(dirname(file), target))
        return roomOf(path) === name && order.indexOf(folderOf(path)) > order.indexOf(folderOf(file))
      })
    expect(wrong.map(shown)).toEqual([])
  })

  it('have 4 to 17 entries', () => {
    const entries = new Map<string, Set<string>>()
    for (const file of files) {
      const parts = file.split('/')
      for (let depth = 1; depth < parts.length; depth++) {
        const folder = parts.slice(0, depth).join('/')
        entries.set(folder, (entries.get(folder) ?? new Set()).add(parts[depth]!))
      }
    }
    const wrong = [...entries].filter(([, { size }]) => size < 4 || size > 17)
    expect(wrong.map(([folder, { size }]) => `${folder}: ${size}`)).toEqual([])
  })
})

/** Texts of programs that run elsewhere. */
const programTexts = [
  'runner/scripting/engine/core-code.generated.ts',
  'runner/scripting/engine/sandbox-code.generated.ts',
  'runner/scripting/thread/thread-code.generated.ts',
] as const

describe('the sources', () => {
  it.each([
    // These files are the texts of programs, or name the console of scripts.
    ['write to no console', /\bconsole\s*\./, [...programTexts, 'convert/script/dialect.ts']],
    ['call no fetch', /(?<![.\w])fetch\s*\(/, programTexts],
    ['format nothing with Intl or toLocale…', /\bIntl\s*\.|\.toLocale\w+\(/, []],
    // Support for zstd is read from the runtime's version table, because asking the module would load it. Partial files
    // have the id of the process in their names and are deleted when it exits.
    [
      'touch process at the edge only',
      /(?<![.\w'-])process\s*\./,
      [
        ...[
          'cli/programs/code-cache.ts',
          'cli/programs/launcher.ts',
          'cli/programs/main.ts',
          'cli/programs/node-descriptor.ts',
          'cli/programs/runtime-descriptor.ts',
          'cli/programs/standalone-program.ts',
        ],
        ...['message-node/partial-files.ts', 'message-node/zlib-decoders.ts'],
        ...programTexts,
      ],
    ],
  ] as const)('%s', (_title, pattern, exceptions) => {
    const found = files.filter(
      (file) => !(exceptions as readonly string[]).includes(file) && pattern.test(code.get(file)!),
    )
    expect(found).toEqual([])
  })

  it('stay below 400 lines, except for data tables', () => {
    const long = files
      .filter((file) => !/\.(?:data|generated)\.ts$/.test(file))
      .filter((file) => readFileSync(join(source, file), 'utf8').split('\n').length > 401)
    expect(long).toEqual([])
  })

  it('begin with a comment that says what the file is for', () => {
    expect(files.filter((file) => !readFileSync(join(source, file), 'utf8').startsWith('/**'))).toEqual([])
  })
})

interface Crossing extends Import {
  /** The imported file, from src/. */
  readonly path: string
  readonly to: string
}

function crossings(name: string): readonly Crossing[] {
  return imports
    .filter(({ file, target }) => roomOf(file) === name && target.startsWith('.'))
    .map((one) => {
      const path = posix.normalize(posix.join(dirname(one.file), one.target))
      return { ...one, path, to: roomOf(path) }
    })
    .filter(({ to }) => to !== name)
}

function roomOf(file: string): string {
  return file.split('/')[0]!
}

/** The folder of a file within its room. */
function folderOf(file: string): string {
  return file.split('/').slice(1, -1).join('/') || '.'
}

function shown({ file, target }: Import): string {
  return `${relative('.', join('src', file))} imports ${target}`
}

/** Comments blanked, strings kept: enough to find imports and calls. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1')
}
