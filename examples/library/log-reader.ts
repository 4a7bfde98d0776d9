/**
 * Reads the recorded input of a server's connection: prints one line for each request, however large its body, and the
 * place where the bytes are no longer HTTP.
 *
 * Run: npx tsx examples/library/log-reader.ts [file]
 */
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpParseError, HttpParser } from 'httpcli'

async function report(file: string): Promise<void> {
  let count = 0
  try {
    for await (const request of new HttpParser({ preset: 'strict' }).requests(createReadStream(file))) {
      count += 1
      let sizeBytes = 0
      for await (const piece of request.body ?? []) sizeBytes += piece.length
      const agent = request.headers.get('user-agent') ?? '-'
      process.stdout.write(`${count}. ${request.method} ${request.url?.href} ${sizeBytes} bytes, ${agent}\n`)
    }
  } catch (error) {
    if (!(error instanceof HttpParseError)) throw error
    process.stdout.write(`message ${count + 1}, line ${error.line}, column ${error.column}: ${error.message}\n`)
    process.stdout.write(`${error.excerpt}\n`)
  }
}

const given = process.argv[2]
if (given !== undefined) {
  await report(given)
} else {
  const directory = mkdtempSync(join(tmpdir(), 'log-reader-'))
  const file = join(directory, 'connection.log')
  writeFileSync(
    file,
    `GET /a HTTP/1.1\r\nHost: example.com\r\nUser-Agent: Joe/1.0\r\n\r\n${'POST /b HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n'}3\r\nabc\r\n100000\r\n${'x'.repeat(0x100000)}\r\n0\r\n\r\n${'GET /c HTTP/1.1\r\nHost: example.com\r\nAccept : */*\r\n\r\n'}`,
  )
  await report(file)
  rmSync(directory, { recursive: true })
}
