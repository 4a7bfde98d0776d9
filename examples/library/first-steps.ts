/**
 * The message library: parse what a person typed, look at it, change it, write it for the wire.
 *
 * Run: npx tsx examples/library/first-steps.ts
 */
import { HttpParseError, HttpParser, ParserOptions, parseRequest, parseResponse, StringBody } from 'httpcli'

// Bare line ends, no version and no Host: all of it is repaired and reported.
const request = parseRequest('POST http://localhost:8080/users?from=cli\nAccept: */*\n\n')
for (const repair of request.repairs) process.stdout.write(`repaired: ${repair.code} in line ${repair.line}\n`)

// Messages never change: withBody gives a new one, with the headers that belong to the body.
const withBody = request.withBody(new StringBody('{"name":"Joe"}', 'application/json'))
process.stdout.write(`\n${withBody.eagerly().toString()}\n\n`)

// A response, with the headers in their order and spelling.
const response = parseResponse('HTTP/1.1 200 OK\r\nX-Odd-CASE: yes\r\nContent-Length: 2\r\n\r\nhi')
process.stdout.write(`${response.status} ${response.reason}: ${response.eagerly().content?.text()}\n`)

// Options as a builder (or as a plain object): here a parser that mends nothing.
const strict = new HttpParser(ParserOptions.newBuilder({ preset: 'strict' }).build())
try {
  strict.parseRequest('GET / HTTP/1.1\r\nHost : localhost\r\n\r\n')
} catch (error) {
  if (!(error instanceof HttpParseError)) throw error
  process.stdout.write(`\n${error.code} at ${error.line}:${error.column}: ${error.message}\n${error.excerpt}\n`)
}
