/**
 * The package of the message library alone, and the declarations of both packages, as a stranger's compiler sees them:
 * the least version that docs/install.md names and the newest, with skipLibCheck off.
 */
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandEnvironment } from '../helpers/command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)
const name = 'httpcli-message'

/** A project of somebody else, with both packages in its node_modules and nothing besides. */
const project = mkdtempSync(join(tmpdir(), 'httpcli-message-'))
afterAll(() => rmSync(project, { recursive: true, force: true }))
let unpackedSizeBytes = 0

beforeAll(async () => {
  for (const [folder, directory] of [
    [name, join(root, 'dist', 'message')],
    ['httpcli', root],
  ] as const) {
    const installed = join(project, 'node_modules', folder)
    mkdirSync(installed, { recursive: true })
    const words = ['pack', directory, '--json', '--ignore-scripts', '--pack-destination', project]
    const { stdout } = await execute('npm', words, { cwd: root })
    const [packed] = JSON.parse(stdout) as [{ readonly filename: string; readonly unpackedSize: number }]
    await execute('tar', ['-xzf', join(project, packed.filename), '-C', installed, '--strip-components=1'])
    if (folder === name) unpackedSizeBytes = packed.unpackedSize
  }
  mkdirSync(join(project, 'node_modules', '@types'))
  for (const types of ['@types/node', 'undici-types']) {
    symlinkSync(join(root, 'node_modules', types), join(project, 'node_modules', types), 'junction')
  }
}, 600_000)

function write(file: string, text: string): string {
  writeFileSync(join(project, file), text)
  return join(project, file)
}

async function run(...words: readonly string[]): Promise<string> {
  try {
    return (await execute(process.execPath, words, { cwd: project, env: commandEnvironment() })).stdout
  } catch (error) {
    return String((error as { readonly stdout?: string }).stdout) + String(error)
  }
}

describe('the package of the message library', () => {
  it('is as small as documented, and holds no source maps', () => {
    expect(unpackedSizeBytes).toBeLessThan(300_000)
    const files = readdirSync(join(project, 'node_modules', name), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([])
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
  })

  it('has the version of httpcli, and exports the names of httpcli/message to both kinds of modules', async () => {
    const versions = [name, 'httpcli'].map((folder) => {
      const file = join(project, 'node_modules', folder, 'package.json')
      return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
    })
    expect(versions[0]).toBe(versions[1])
    const module = write(
      'names.mjs',
      `import { createRequire } from 'node:module'
       import * as own from '${name}'
       import * as others from 'httpcli/message'
       const required = createRequire(import.meta.url)('${name}')
       const names = (object) => Object.keys(object).sort()
       const text = (library) => library.parseRequest('GET http://h/\\n').eagerly().toString()
       const isSame = required.HttpRequest === own.HttpRequest
       console.log(JSON.stringify([names(own), names(required), names(others), isSame, text(own), text(required)]))`,
    )
    const [own, required, others, isSame, ...texts] = JSON.parse(await run('--throw-deprecation', module)) as unknown[]
    expect(own).toEqual(others)
    expect(required).toEqual(others)
    expect(isSame).toBe(true)
    expect(texts).toEqual(Array(2).fill('GET / HTTP/1.1\r\nHost: h\r\n\r\n'))
  })
})

const messageUse = (from: string, use: string): string => `${from}
const request: library.HttpRequest<'memory'> = library.parseRequest('GET http://localhost/').eagerly()
const octets: Uint8Array = library.octetsOf('a')
const decoder = new library.HttpDecoder('server')
for (const event of decoder.push(octets)) if (event.type === 'request') console.log(event.head.method)
// @ts-expect-error: messages do not change
request.method = 'PUT'
${use}
`
const libraryEntries = ['', '/message', '/wire', '/http-file', '/runner', '/server']
const allEntries = libraryEntries.map((entry, index) => `import * as entry${index} from 'httpcli${entry}'`)
const allUsed = `console.log(${libraryEntries.map((_, index) => `entry${index}`).join(', ')})`

const sources: Readonly<Record<string, string>> = {
  'message.mts': messageUse(`import * as library from '${name}'`, ''),
  'message.cts': messageUse(`import library = require('${name}')`, ''),
  'message.ts': messageUse(`import * as library from '${name}'`, ''),
  'all.mts': messageUse(["import * as library from 'httpcli'", ...allEntries].join('\n'), allUsed),
  'all.ts': messageUse(["import * as library from 'httpcli'", ...allEntries].join('\n'), allUsed),
}

/** The least version is in a separate package: `npm --prefix test/compilers ci` installs it. */
const compilers = [
  ['of the least version', join(root, 'test/compilers/node_modules/typescript/bin/tsc')],
  ['of the newest version', join(root, 'node_modules/typescript/bin/tsc')],
] as const

describe.each(compilers)('declarations, to the compiler %s', (_title, compiler) => {
  it.skipIf(!existsSync(compiler)).each([
    { files: ['message.mts'], options: { module: 'nodenext' } },
    { files: ['message.cts', 'all.mts'], options: { module: 'node16' } },
    { files: ['message.ts', 'all.ts'], options: { module: 'esnext', moduleResolution: 'bundler' } },
  ])(
    'compile in a strict project: $files $options',
    async ({ files, options }) => {
      for (const file of files) write(file, sources[file]!)
      const compilerOptions = {
        ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
        ...{ noEmit: true, target: 'es2022', types: ['node'], ...options },
      }
      const config = write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
      expect(await run(compiler, '-p', config)).toBe('')
    },
    300_000,
  )
})

describe('for a browser', () => {
  async function bundled(source: string): Promise<{ readonly code: string; readonly imports: readonly string[] }> {
    const bundle = await rolldown({ input: write('browser.mjs', source), platform: 'browser', logLevel: 'silent' })
    const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })
    await bundle.close()
    return output[0]
  }

  it('httpcli includes only its portable part', async () => {
    const { code, imports } = await bundled("export { HttpDecoder, parseRequest } from 'httpcli'")
    expect(imports).toEqual([])
    expect(code.includes('node:')).toBe(false)
  })

  it.each(['httpcli', 'httpcli/message', name])('the decoder for %s includes only what it needs', async (entry) => {
    const { code } = await bundled(`export { HttpDecoder } from '${entry}'`)
    expect(code.length).toBeLessThan(40_000)
    const foreign = ['Not Found', 'FormData', 'DecompressionStream', 'WebAssembly', 'newBuilder']
    expect(foreign.filter((word) => code.includes(word))).toEqual([])
  })

  it.each(['httpcli', name])('%s gives the same results as elsewhere', async (entry) => {
    const { code } = await bundled(`export { HttpDecoder, parseRequest } from '${entry}'`)
    write('bundle.mjs', code)
    const module = write(
      'same.mjs',
      `import * as bundled from './bundle.mjs'
       import * as own from '${name}'
       const messages = [
         'GET /a?b HTTP/1.1\\r\\nHost: h\\r\\n\\r\\nPOST / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 1\\r\\n\\r\\na',
         'POST / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n1;e\\r\\na\\r\\n0\\r\\nT: 1\\r\\n\\r\\n',
         'GET / HTTP/1.1\\r\\nHost: h\\r\\nA B: 1\\r\\n\\r\\n',
       ]
       const read = (library, message) => {
         try {
           const events = new library.HttpDecoder('server').push(new TextEncoder().encode(message))
           const parts = Array.from(events, ({ type, head, bytes, trailers }) => [type, head, String(bytes), trailers])
           return JSON.stringify([parts, library.parseRequest(message).eagerly().toString()])
         } catch (error) {
           return [error.code, error.message, error.offset, error.excerpt].join()
         }
       }
       for (const message of messages) console.log(read(bundled, message) === read(own, message) ? 'same' : message)`,
    )
    expect(await run(module)).toBe('same\n'.repeat(3))
  })
})
