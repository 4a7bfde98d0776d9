/**
 * Nothing but Node.js and the package itself is loaded: not what a bundled library would use if it were installed, and
 * no module of the directory that the command runs in.
 */
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { builtCommand, isStandalone, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { closing, frame, opcodes, webSocketServer } from '../helpers/websocket-peer.ts'
import { listening } from '../wire/peer.ts'

const dist = fileURLToPath(new URL('../../dist', import.meta.url))

const filesBelow = (directory: string, ending: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name))

/** Comments have words before words in quotation marks that look like imports: those are in grave accents. */
const importPatterns = [/(?:require\w*|import)\(\s*(["'`])([@\w./:-]+)\1/g, /\b(?:import|from)\s*(["'])([@\w./:-]+)\1/g]

/** Every id that the code of a file requires or imports. */
function requiredBy(file: string): readonly string[] {
  const code = readFileSync(file, 'utf8').replace(/^\s*\*.*$/gm, '')
  return importPatterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[2]!))
}

const isFile = (file: string, id: string): boolean => id.startsWith('.') && existsSync(join(dirname(file), id))

describe.skipIf(isStandalone)('a module that the built files load', () => {
  it.each([
    ['the command', 'cli', '.cjs', 'run.websocket.cjs', ['stream', 'crypto']],
    ['the library', 'lib', '.js', 'packages/ws.js', ['stream', 'crypto']],
    ['what both load', 'shared', '.cjs', 'faker-english.cjs', ['./en.cjs']],
  ])('is part of Node.js or of the package: %s', (_title, part, ending, known, ids) => {
    const files = filesBelow(join(dist, part), ending)
    const required = files.flatMap((file) => requiredBy(file).map((id) => ({ file, id })))
    // The search finds what it has to: this file loads these, modules of Node.js by their bare names among them.
    const found = required.filter(({ file }) => file.endsWith(known)).map(({ id }) => id)
    expect(found).toEqual(expect.arrayContaining(ids))
    const foreign = required.filter(({ file, id }) => !(isBuiltin(id) || isFile(file, id)))
    expect(foreign.map(({ file, id }) => `${basename(file)} ${id}`)).toEqual([])
  })

  it('is an error if it is missing, as in Node.js', () => {
    const directory = temporaryDirectory()
    copyFileSync(builtCommand, join(directory, 'main.cjs'))
    const attempt = "try { require('bufferutil') } catch (error) { console.log(error.code, error.message) }"
    writeFileSync(join(directory, 'send.cjs'), `(function(exports,require,module){${attempt}})`)
    const out = execFileSync(process.execPath, [join(directory, 'main.cjs'), 'send'], { encoding: 'utf8' })
    expect(out).toBe("MODULE_NOT_FOUND Cannot find module 'bufferutil'\n")
  })
})

/** Sends each message back and closes. */
const echo = webSocketServer(({ opcode, payload }, socket) => {
  if (opcode !== opcodes.text) return
  socket.write(Buffer.concat([frame(opcodes.text, payload), frame(opcodes.close, closing(1000))]))
})

it.skipIf(isStandalone)('the library is complete: WebSockets work with nothing else installed', async () => {
  const directory = temporaryDirectory()
  cpSync(join(dist, 'lib'), join(directory, 'lib'), { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  const port = await listening(createServer(echo))
  writeFileSync(join(directory, 'a.http'), `WEBSOCKET ws://127.0.0.1:${port}/\n\n${'x'.repeat(200)}\n`)
  writeFileSync(
    join(directory, 'main.js'),
    `import { loadEnvironment, loadHttpFile, runHttpFile } from './lib/runner/index.js'
    const loaded = loadHttpFile('a.http', process.cwd())
    const environment = loadEnvironment(loaded.path, undefined)
    const events = []
    await runHttpFile(loaded, { environment, listener: (event) => void events.push(event) })
    const received = events.filter(({ type, direction }) => type === 'message' && direction === 'received')
    console.log(received.map(({ data }) => data).join())`,
  )
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['main.js'], { cwd: directory })
  expect([stdout, stderr]).toEqual([`${'x'.repeat(200)}\n`, ''])
})

it('loads no module of the directory that it runs in', async () => {
  const directory = temporaryDirectory()
  const mark = join(directory, 'loaded')
  for (const name of ['bufferutil', 'utf-8-validate', 'ws', 'http', 'jsdom', 'encoding']) {
    const place = join(directory, 'node_modules', name)
    mkdirSync(place, { recursive: true })
    writeFileSync(
      join(place, 'index.js'),
      `require('node:fs').writeFileSync(${JSON.stringify(mark)}, ${JSON.stringify(name)})`,
    )
  }
  const port = await listening(createServer(echo))
  writeFileSync(join(directory, 'a.http'), `WEBSOCKET ws://127.0.0.1:${port}/\n\n${'x'.repeat(200)}\n`)
  const { code, stderr } = await runCommand(['run', 'a.http'], {
    cwd: directory,
    env: { NODE_PATH: join(directory, 'node_modules') },
  })
  expect([code, stderr.toString(), existsSync(mark)]).toEqual([0, '', false])
})

/** Each of these takes 0.5 to 4 ms to load, and a plain request needs none of them. */
const slowModules = ['child_process', 'crypto', 'fs/promises', 'http', 'os', 'readline', 'tls', 'v8', 'zlib']

it.skipIf(isStandalone).each(['send', 'run'])('%s loads no large module for a plain request', async (command) => {
  const directory = temporaryDirectory()
  const hook = "process.on('exit', () => console.error(process.moduleLoadList.join()))"
  writeFileSync(join(directory, 'hook.cjs'), hook)
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
  const port = await listening(createServer((socket) => socket.once('data', () => socket.end(answer))))
  writeFileSync(join(directory, 'a.http'), `GET http://127.0.0.1:${port}/ HTTP/1.1\nHost: h\n`)
  const words = ['-r', './hook.cjs', builtCommand, command, 'a.http']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { cwd: directory })
  expect(stdout).toContain('200 OK')
  const loaded = stderr.split(',')
  expect(loaded).toContain('NativeModule net')
  expect(slowModules.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([])
})
