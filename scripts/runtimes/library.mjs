/** Checks what a runtime must do with the installed library: parse, serve, exchange, run. Prints a line if it can. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseRequest, StringBody } from 'httpcli'
import { parseHttpFile } from 'httpcli/http-file'
import { HttpDecoder } from 'httpcli/message'
import { loadEnvironment, loadHttpFile, runHttpFile } from 'httpcli/runner'
import { serveDirectory } from 'httpcli/server'
import { exchange } from 'httpcli/wire'

function check(what, isTrue) {
  if (!isTrue) throw new Error(`${what} does not work`)
}

const request = parseRequest('POST http://localhost/a\n\n').withBody(new StringBody('ä', 'text/plain')).eagerly()
check('the parser', request.toString().endsWith('Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nä'))
const events = [...new HttpDecoder('server').push(new TextEncoder().encode('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))]
check('the decoder', events.map(({ type }) => type).join() === 'request,end')
check('the request-file format', parseHttpFile('GET http://localhost/\n') !== undefined)

const directory = mkdtempSync(join(tmpdir(), 'httpcli-runtime-'))
try {
  writeFileSync(join(directory, 'a.txt'), 'hello')
  const server = await serveDirectory({ directory, port: 0 })
  const { response, close } = await exchange(parseRequest(`GET ${server.url}/a.txt\n\n`))
  check('an exchange', response.status === 200 && (await response.eagerly()).content.text() === 'hello')
  close()

  const file = join(directory, 'a.http')
  const test = "client.test('hello', () => client.assert(response.body === 'hello'))"
  writeFileSync(file, `GET ${server.url}/a.txt\n\n> {% ${test} %}\n`)
  const results = []
  await runHttpFile(loadHttpFile(file, directory), {
    environment: loadEnvironment(file, undefined),
    listener: (event) => void (event.type.startsWith('test-') && results.push(event.type)),
  })
  check('a run', results.join() === 'test-passed')
  await server.close()
} finally {
  rmSync(directory, { recursive: true })
}
process.stdout.write('library ok\n')
