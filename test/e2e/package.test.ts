/**
 * The package as a stranger gets it: packed, installed into an empty project, compiled strictly, run, bundled.
 *
 * Rules: nothing of the repository is reachable from the project but the compiler, which takes the place of the user's
 * own.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const program = `
  const request = parseRequest('POST http://example.com/hello\\n').withBody(new StringBody('hello', 'text/plain'))
  const text: string = request.eagerly().toString()
  const options = ParserOptions.newBuilder().doNotAllowNewLineWithoutReturn().build()
  const parser = new HttpParser(options)
  const response = parser.parseResponse('HTTP/1.1 200 OK\\r\\nSet-Cookie: a=1\\r\\nSet-Cookie: b=2\\r\\nContent-Length: 2\\r\\n\\r\\nhi')
  const cookies: readonly string[] = response.headers.all('set-cookie')
  const body: string | undefined = response.eagerly().content?.text()
  const decoder = new HttpDecoder('server')
  const types: string[] = []
  for (const event of decoder.push(new TextEncoder().encode('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'))) types.push(event.type)
  let code: ErrorCode | undefined
  try { parseRequest('GET / HTTP/1.1\\nHost : a\\n\\n') } catch (error) { if (error instanceof HttpParseError) code = error.code }
  result = JSON.stringify({ text, cookies, body, types, code, file: typeof FileBody })
`

const expected = {
  text: 'POST /hello HTTP/1.1\r\nHost: example.com\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello',
  cookies: ['a=1', 'b=2'],
  body: 'hi',
  types: ['request', 'end'],
  code: 'WHITESPACE',
  file: 'function',
}

function run(
  command: string,
  words: readonly string[],
  cwd: string,
): { status: number | null; stdout: string; output: string } {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: 'utf8' })
  return { status, stdout, output: stdout + stderr }
}

/** Ten times what a busy machine needs. */
const PACKING_LIMIT_MS = 600_000

describe('the package', () => {
  const project = mkdtempSync(join(tmpdir(), 'httpcli-package-'))
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  beforeAll(() => {
    const packed = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], root)
    expect(packed.status, packed.output).toBe(0)
    const tarball = packed.stdout.trim()
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'stranger', private: true }))
    const installed = run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(project, tarball)], project)
    expect(installed.status, installed.output).toBe(0)
  }, PACKING_LIMIT_MS)

  it('installs nothing but itself', () => {
    const listed = run('npm', ['ls', '--all', '--parseable'], project)
    expect(listed.stdout.trim().split('\n').slice(1)).toEqual([join(project, 'node_modules', 'httpcli')])
  })

  it.each([
    {
      kind: 'ES modules',
      type: 'module',
      head: `import { type ErrorCode, FileBody, HttpDecoder, HttpParseError, HttpParser, ParserOptions, parseRequest, StringBody } from 'httpcli'`,
    },
    {
      kind: 'CommonJS',
      type: 'commonjs',
      head: `import httpcli = require('httpcli')
import type { ErrorCode } from 'httpcli' with { 'resolution-mode': 'import' }
const { FileBody, HttpDecoder, HttpParseError, HttpParser, ParserOptions, parseRequest, StringBody } = httpcli`,
    },
  ])("compiles and runs in a stranger's strict project of $kind", ({ type, head }) => {
    const folder = join(project, type)
    mkdirSync(folder)
    const source = `${head}\nlet result = ''\n${program}\nprocess.stdout.write(result)\n`
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(folder, 'main.ts'), source)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2023',
          module: 'NodeNext',
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
          types: ['node'],
          typeRoots: [join(root, 'node_modules', '@types')],
          outDir: 'out',
        },
        files: ['main.ts'],
      }),
    )
    const compiled = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder)
    expect(compiled.output).toBe('')
    const ran = run(process.execPath, ['--no-warnings', join(folder, 'out', 'main.js')], folder)
    expect(JSON.parse(ran.output)).toEqual(expected)
  })

  it.each(['message', 'wire', 'convert', 'http-file', 'runner', 'server'])(
    'gives the room %s a separate entry',
    (room) => {
      const script = `import('httpcli/${room}').then((names) => process.stdout.write(String(Object.keys(names).length > 0)))`
      expect(run(process.execPath, ['-e', script], project).output).toBe('true')
    },
  )

  it('has a portable part that runs in a browser: no imports, no Buffer, no process', async () => {
    writeFileSync(
      join(project, 'browser.js'),
      `import { HttpParser, parseRequest, StringBody } from 'httpcli/message'
       globalThis.answer = parseRequest('POST http://h/%20x?a\\n').withBody(new StringBody('ä')).eagerly().toString()
         + String(new HttpParser().parseResponse('HTTP/1.1 200 OK\\r\\n\\r\\nbody').eagerly())`,
    )
    const bundle = await rolldown({ input: join(project, 'browser.js'), platform: 'browser', cwd: project })
    const { output } = await bundle.generate({ format: 'iife' })
    const [{ code, imports, dynamicImports }] = output
    expect([...imports, ...dynamicImports]).toEqual([])
    expect(code).not.toMatch(/node:|\brequire\(/)
    const window: Record<string, unknown> = { TextEncoder, TextDecoder, URL, ReadableStream }
    runInContext(code, createContext(window))
    expect(window.answer).toBe(
      'POST /%20x?a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\näHTTP/1.1 200 OK\r\n\r\nbody',
    )
  })
})
