/**
 * The content of the package, the types of all its entries, and its command, away from the repository.
 *
 * Rules: how its library behaves for a stranger is in package.test.ts.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutPreparedWorld } from '../../src/runner/scripting/engine/prepared-world.ts'
import { coreCode } from '../../src/runner/scripting/engine/sandbox-code.ts'
import { commandEnvironment, startCommand } from '../helpers/command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const execute = promisify(execFile)
const entries = ['', '/message', '/wire', '/convert', '/http-file', '/runner', '/server']

/** A project of somebody else, with the package in its node_modules and nothing besides. */
let project: string
let installed: string

/** The report of npm about a package. */
interface Packed {
  readonly filename: string
  /** Bytes of the tarball. */
  readonly size: number
  /** Bytes of all its files. */
  readonly unpackedSize: number
}
let packed: Packed

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'httpcli-package-'))
  installed = join(project, 'node_modules/httpcli')
  mkdirSync(installed, { recursive: true })
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', project]
  const { stdout } = await execute('npm', words, { cwd: root })
  packed = (JSON.parse(stdout) as [Packed])[0]
  const { filename } = packed
  await execute('tar', ['-xzf', join(project, filename), '-C', installed, '--strip-components=1'])
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

function write(name: string, text: string): string {
  const file = join(project, name)
  writeFileSync(file, text)
  return file
}

async function run(...words: string[]): Promise<string> {
  return (await execute(process.execPath, words, { cwd: project, env: commandEnvironment() })).stdout
}

/** The text of a module, unpacked if it is compressed. */
function textOf(path: string): string {
  const bytes = readFileSync(path)
  return (path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString('utf8')
}

describe('the package', () => {
  it('installs nothing besides itself and runs no install script', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(manifest).not.toHaveProperty('dependencies')
    expect(Object.keys(manifest.scripts).filter((name) => /install|^prepare$/.test(name))).toEqual([])
  })

  it('stays as small as docs/install.md says', () => {
    expect(packed.size).toBeLessThan(4_500_000)
    expect(packed.unpackedSize).toBeLessThan(11_000_000)
  })

  it('holds no source maps and no large file twice', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => name.endsWith('.map'))).toEqual([])
    const texts = files
      .filter((name) => /\.(?:c?js|br)$/.test(name))
      .map((name) => [name, textOf(join(installed, 'dist', name))] as const)
    const holders = (mark: string): readonly string[] =>
      texts.filter(([, text]) => text.includes(mark)).map(([name]) => name)
    for (const mark of ['well-modulated', 'Żuk', coreCode.slice(-200, -100)]) expect(holders(mark)).toHaveLength(1)
    expect(files.filter((name) => name.endsWith('.wasm'))).toHaveLength(1)
  })

  it('has the pages that its README and its documents link to', () => {
    const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    expect(pages).toContain('README.md')
    const missing = pages.flatMap((page) => {
      const prose = readFileSync(join(installed, page), 'utf8').replace(/^ *```.*?^ *```$|`[^`\n]*`/gms, '')
      const links = [...prose.matchAll(/\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g)].map(([, link = '']) => link)
      return links.filter((link) => !existsSync(join(installed, dirname(page), link))).map((link) => `${page}: ${link}`)
    })
    expect(missing).toEqual([])
  })

  it('has the script engine with the prepared memory of these sources', () => {
    const program = readFileSync(join(installed, 'dist/shared/quickjs.wasm'))
    expect(withoutPreparedWorld(program, coreCode).readWorld()).toBeDefined()
  })

  it('installs the command globally, into an empty prefix', async () => {
    const prefix = join(project, 'prefix')
    const words = ['install', '--global', '--prefix', prefix, '--offline', '--no-audit', '--no-fund']
    await execute('npm', [...words, join(project, packed.filename)], { cwd: project })
    const { stdout } = await execute(join(prefix, 'bin/httpcli'), ['--version'], { env: commandEnvironment() })
    expect(stdout).toMatch(/^httpcli \S+ \(node v\S+, npm package\)\n$/)
  })

  it('starts with npx from the tarball, without being installed', async () => {
    const words = [
      'exec',
      '--yes',
      '--offline',
      '--package',
      join(project, packed.filename),
      '--',
      'httpcli',
      '--version',
    ]
    const { stdout } = await execute('npm', words, { cwd: project, env: commandEnvironment() })
    expect(stdout).toMatch(/^httpcli \S+ \(node v\S+, npm package\)\n$/)
  })

  it('holds the build and its documents, no sources and no tests', () => {
    const documents = ['ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md']
    const folders = ['dist', 'docs', 'examples', 'man']
    expect(readdirSync(installed).sort()).toEqual([...documents, ...folders, 'package.json'])
    expect(readdirSync(join(installed, 'examples'))).toEqual(['library'])
    expect(readdirSync(join(installed, 'dist')).sort()).toEqual(['cli', 'lib', 'shared'])
  })
})

it('names the licences of the packages whose code it holds', () => {
  const notices = ['lib', 'cli'].map((part) =>
    readFileSync(join(installed, 'dist', part, 'THIRD-PARTY-NOTICES.txt'), 'utf8'),
  )
  for (const text of notices) expect(text).toMatch(/^quickjs-wasi \d[\s\S]*MIT License[\s\S]*Fabrice Bellard/m)
  expect(notices[1]).toMatch(/^fastest-levenshtein \d/m)
})

describe('its types', () => {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true }

  it.each([
    ['an ES module with NodeNext', 'mts', { module: 'nodenext' }],
    ['a CommonJS module with NodeNext', 'cts', { module: 'nodenext' }],
    ['a bundled project', 'ts', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('compile in a strict project: %s', async (_title, ending, options) => {
    const typesOfNode = join(root, 'node_modules/@types')
    const imports = entries.map((entry, index) => `import * as entry${index} from 'httpcli${entry}'`)
    const use = [
      "const request: entry0.HttpRequest<'memory'> = entry0.parseRequest('GET http://localhost/')",
      'const method: string = request.method',
      '// @ts-expect-error: messages do not change',
      "request.method = 'PUT'",
      `export default [method, ${entries.map((_, index) => `entry${index}`).join(', ')}]`,
    ]
    write(`use.${ending}`, [...imports, ...use].join('\n'))
    const compilerOptions = { ...strict, target: 'es2022', typeRoots: [typesOfNode], types: ['node'], ...options }
    const config = write('tsconfig.json', JSON.stringify({ compilerOptions, files: [`use.${ending}`] }))
    await expect(run(compiler, '-p', config)).resolves.toBe('')
  })

  it('of the portable part need no Node.js types', async () => {
    write(
      'portable.mts',
      "import { parseRequest } from 'httpcli/message'\nexport const { method } = parseRequest('GET /')",
    )
    const compilerOptions = {
      ...strict,
      target: 'es2022',
      module: 'nodenext',
      types: [],
      lib: ['es2022', 'dom', 'dom.asynciterable'],
    }
    const config = write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['portable.mts'] }))
    await expect(run(compiler, '-p', config)).resolves.toBe('')
  })
})

describe('in a bundle', () => {
  it('keeps content decoding when only part of the library is used', async () => {
    const input = write('entry.mjs', "export { parseResponse } from 'httpcli'")
    const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' })
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
    await bundle.close()
    // Compared apart from the code, which would be a thousand lines in a failure.
    expect(output[0].code.includes('node:zlib')).toBe(true)
  })
})

describe('its command', () => {
  it('is executable', async () => {
    const command = join(installed, 'dist/cli/main.cjs')
    expect((await execute(command, ['--version'], { env: commandEnvironment() })).stdout).toMatch(/^httpcli \d/)
  })

  it('finds its script engine from another working directory', async () => {
    const server = await startCommand(['serve', installed, '-p', '0'], / on (http:\/\/127\.0\.0\.1:\d+)/)
    try {
      const script = "client.test('it runs', function () { client.assert(response.status === 200, 'no') })"
      const requests = write('x.http', `GET ${server.match[1]}/package.json\n\n> {% ${script} %}\n`)
      const output = await run(join(installed, 'dist/cli/main.cjs'), 'run', requests)
      expect(output).toContain('passed  it runs\n')
    } finally {
      await server.stop()
    }
  })
})
