/** Input of a run, as rows of the test of hostile lengths: answers, request files, scripts and data. */
import { parseEnvironmentFile } from '../../src/http-file/environment.ts'
import { formatHttpFile } from '../../src/http-file/format.ts'
import { readGraphql } from '../../src/http-file/graphql-document.ts'
import { parseHttpFile } from '../../src/http-file/parser.ts'
import { parseJsonSource } from '../../src/http-file/syntax/json-source.ts'
import { parseTemplate } from '../../src/http-file/syntax/template.ts'
import { HeaderList } from '../../src/message/head/headers.ts'
import { readReport } from '../../src/report/reading/report-reader.ts'
import { bodyRecord } from '../../src/report/record/body-record.ts'
import { receivedCookies, sentCookies, traceOf } from '../../src/report/record/message-fields.ts'
import { escapedControls } from '../../src/report/record/printable-text.ts'
import { readDate, writeDate } from '../../src/runner/assertions/date-patterns.ts'
import { type Lookups, loadLookups, ResponseContent } from '../../src/runner/assertions/response-content.ts'
import { setterFinder } from '../../src/runner/context/variable-setters.ts'
import { parseCookieFile } from '../../src/runner/cookies/cookie-file.ts'
import { RunCookies } from '../../src/runner/cookies/cookie-jar.ts'
import { responseCookies } from '../../src/runner/cookies/response-cookies.ts'
import { declaredNames, scriptAdvice } from '../../src/runner/dry-run/script-advice.ts'
import { textAdvice } from '../../src/runner/dry-run/text-advice.ts'
import { lineTap, StreamQueue } from '../../src/runner/exchange/stream-queue.ts'
import { FrameReader } from '../../src/runner/grpc/frames.ts'
import { grpcStatus } from '../../src/runner/grpc/status.ts'
import { parseCsv } from '../../src/runner/plan/csv-source.ts'
import { decodeLeniently } from '../../src/runner/request/charset.ts'
import { grpcTarget } from '../../src/runner/request/grpc-request.ts'
import { parseMediaType } from '../../src/runner/request/media-type.ts'
import { failureOf } from '../../src/runner/scripting/engine/failure-description.ts'
import { vendorPath } from '../../src/runner/scripting/guest/libraries/vendor-json-path.ts'
import { codeWithModules } from '../../src/runner/scripting/operations/script-needs.ts'
import { parsePlainScript } from '../../src/runner/scripting/plain/plain-parser.ts'
import { ModuleFiles } from '../../src/runner/scripting/source/module-files.ts'
import { importDeclarations } from '../../src/runner/scripting/source/script-imports.ts'
import { namesSetIn } from '../../src/runner/scripting/source/script-names.ts'
import { assembleProgram } from '../../src/runner/scripting/source/script-program.ts'
import { scriptTokens } from '../../src/runner/scripting/source/script-tokens.ts'
import { dateText } from '../../src/runner/variables/dynamic/editor-dates.ts'
import { editorValue } from '../../src/runner/variables/dynamic/editor-variables.ts'
import { AnsweredRequests, parseReference } from '../../src/runner/variables/request-references.ts'
import { parseVariablePath } from '../../src/runner/variables/variable-path.ts'
import { SecretMask } from '../../src/secrets/masking.ts'
import {
  collectReceivedSecrets,
  collectSentSecrets,
  collectUrlSecrets,
  collectWrittenSecrets,
} from '../../src/secrets/secret-discovery.ts'
import { noFiles } from '../helpers/file-root.ts'
import { repeated } from './hostile-values.ts'
import type { Row } from './row.ts'

const url = new URL('http://localhost/a/b')
const nothing = { add: () => undefined }
const lookups: Lookups = await loadLookups(new Set(['jsonpath', 'xpath']))

function contentOf(text: string, type: string): ResponseContent {
  return new ResponseContent(Buffer.from(text), HeaderList.of([['Content-Type', type]]), lookups)
}

const editorContext = {
  sources: { now: () => 0, randomBytes: (count: number) => new Uint8Array(count) },
  processValue: () => ({ text: '', isBare: false }),
  dotenvValue: () => ({ text: '', isBare: false }),
  variable: () => undefined,
}

/** Errors of the input do not matter to the test. */
function ignored(read: () => unknown): void {
  try {
    read()
  } catch {
    // As it should be.
  }
}

/** The lines of a text that comes in pieces of this size. */
async function linesInPieces(text: string, pieceBytes: number): Promise<void> {
  const tap = lineTap(new StreamQueue(() => undefined) as never, '')
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    await tap.write(bytes.subarray(start, start + pieceBytes))
  }
}

export const runnerRows: readonly Row[] = [
  {
    name: 'JSON reports',
    call: (text) =>
      readReport(
        (async function* () {
          yield Buffer.from(text)
        })(),
        { request: () => undefined, job: () => undefined },
      ).catch(() => undefined),
    prefixes: ['', '{"jobs": [', '{"jobs": [{"requests": [', '{"jobs": [{"requests": [{"name": "'],
    also: [repeated('{"jobs": [', '{}'), repeated('{"jobs": [{"requests": [', '{}'), repeated('', '[')],
  },
  {
    name: 'Content-Type',
    call: (text) => parseMediaType(text),
    prefixes: ['', 'a/b;', 'a/b; charset="', 'a/b; charset='],
  },
  { name: 'charsets', call: (text) => decodeLeniently(Buffer.from(text), text), prefixes: [''] },
  {
    name: 'Set-Cookie',
    call: async (text) => {
      const headers = HeaderList.of([['Set-Cookie', text]])
      const cookies = RunCookies.read(undefined, '/', () => 0)
      await cookies.store(url, headers)
      return [await cookies.pairsFor(url), await responseCookies(url, headers, 0)]
    },
    prefixes: ['', 'a=b;', 'a=b; Expires=', 'a=b; Domain=', 'a=b; Path=', 'a=b; Max-Age='],
    // Without the control character, for which a cookie is refused unread.
    also: [' ', ';', 'a', 'a=', ', ', '-', '0:'].map((unit) => repeated('a=b; Expires=', unit, 'x')),
  },
  {
    name: 'fields and bodies in reports',
    call: (text) => {
      const body = { mediaType: text, bytes: Buffer.from(text), sizeBytes: undefined }
      return [
        receivedCookies([['Set-Cookie', text]], (value) => value),
        sentCookies([['Cookie', text]], (value) => value),
        traceOf([['traceparent', text]]),
        bodyRecord(body, Number.POSITIVE_INFINITY, (bytes) => bytes),
      ]
    },
    prefixes: ['', 'a=b; Expires=', 'a/b; charset="', '00-'],
  },
  {
    name: 'cookie jars',
    call: (text) => parseCookieFile(text),
    prefixes: ['', 'a\tTRUE\t', 'http://a/\n "', 'http://a/\n '],
  },
  {
    name: 'JSON of a response',
    call: (text) => contentOf(text, 'application/json').atPath('$.a'),
    prefixes: ['', '{"a":"', '{"a":12345678901234567890', '[', '1234567890123456'],
    also: [repeated('"', '\\"', '\\\n1234567890123456'), repeated('', '1', 'e')],
  },
  {
    name: 'XML of a response',
    call: (text) => contentOf(text, 'application/xml').atXPath('//a'),
    prefixes: ['', '<a>', '<a b="', '<!DOCTYPE '],
    also: [repeated('<r>', '<a b="1"/>', '</r>'), repeated('<r>', '<a b="1">x</a>\n', '</r>')],
    maxLength: 4096,
  },
  {
    name: 'HTML of a response',
    call: (text) => contentOf(text, 'text/html').atXPath('//a'),
    prefixes: ['', '<p>', '<a b="'],
    maxLength: 2048,
  },
  {
    name: 'lines of a stream in pieces of one byte',
    call: (text) => linesInPieces(text, 1),
    prefixes: [],
    also: [repeated('', 'a'), repeated('', '\r'), repeated('', ' ')],
    maxLength: 1 << 15,
  },
  {
    name: 'a line of a stream in many pieces',
    call: (text) => linesInPieces(text, 1024),
    prefixes: [],
    also: [repeated('', 'data')],
    maxLength: 1 << 19,
  },
  {
    name: 'request files',
    call: (text) => parseHttpFile(text),
    prefixes: ['', 'GET http://a/', 'GET /\nA: ', 'GET /\n\n', '@a=', '# @', 'GET /\n\n> {%'],
    also: [
      repeated('GET /', '\n\n# @a\n', 'GET /'),
      repeated('', 'GET /\n\n', ''),
      repeated('GET /\n\nHTTP/1.1 200 OK', '\n\n', ''),
    ],
  },
  {
    name: 'advice about the text of request files',
    call: (text) => parseHttpFile(text).file.sections.map((section) => textAdvice(section, false)),
    prefixes: ['GET http://a/', 'GET http://a/ HTTP', 'GET /\nA: ', 'POST /\n\nx\n', 'POST /\n\n{{'],
    also: [
      repeated('POST /\n\n', '{{{'),
      repeated('POST /\n\nx\n\n', '@a'),
      repeated('GET /', '{a'),
      repeated('POST /\n\n?? a', ' '),
      repeated('POST /\n\n?? body.', 'a '),
      repeated('POST /\n\n?? a b', ' '),
      repeated('POST /\n\n?? a ', '='),
      ...[repeated('POST /', ' {'), repeated('POST /', '/:')],
      ...[repeated('POST /', ' # ', '\u2028'), repeated('POST /', ' {"', '\u2028')],
    ],
    maxLength: 1 << 15,
  },
  {
    name: 'requests that set the variables which others lack',
    call: (text) => {
      const source = { path: 'a.http', text }
      const loaded = { path: '/a.http', source, file: parseHttpFile(text).file }
      const { sections } = loaded.file
      const find = setterFinder(() => sections.map((section) => ({ loaded, section })))
      for (const { request } of sections) {
        if (request !== undefined) ignored(() => find('a', { source, span: request.line.span }))
      }
    },
    prefixes: ['GET /\n'],
    also: [
      repeated('', 'GET /\n\n> {% client.global.set("b", 1) %}\n###\n'),
      repeated('', '# @capture a = body\nGET /\n###\n'),
    ],
    maxLength: 1 << 16,
  },
  {
    name: 'assertions',
    call: (text) => parseHttpFile(`${text}\nGET http://a/\n`),
    prefixes: [
      '# @assert ',
      '# @assert header "a"',
      '# @assert cookie "a"[',
      '# @assert body == "',
      '# @assert jsonpath "$',
      '# @assert body matches /',
      '# @capture a = ',
      '# @retry 1',
    ],
    maxLength: 2048,
  },
  {
    name: 'request files that are laid out',
    call: (text) => formatHttpFile(text),
    prefixes: ['', 'GET http://a/', 'GET /\nA: ', 'GET /\n\n', '# @a', 'POST http://a\n\n<'],
    also: [repeated('GET http://a/\n\n', '\r\n', 'x'), repeated('GET http://a/\n\n', '\r\n \r\n', 'x')],
    maxLength: 2048,
  },
  {
    name: 'request files of many lines that are laid out',
    call: (text) => formatHttpFile(text),
    prefixes: [],
    also: [repeated('GET http://a/\n\n', '# c\n'), repeated('', '# @tag a\n')],
    maxLength: 1 << 18,
  },
  {
    name: 'assertions of httpYac',
    call: (text) => parseHttpFile(`GET http://h/\n?? ${text}\n`),
    prefixes: ['', 'status ', 'body ', 'js ', 'js response.parsedBody', 'body sha256 '],
    also: [repeated('', '{{'), repeated('', '\n{{\n'), repeated('', ' == ')],
  },
  { name: 'references to requests', call: (text) => parseReference(text), prefixes: ['', 'a.response.body.'] },
  {
    name: 'texts that refer to requests',
    call: (text) => new AnsweredRequests().open([], [text], false),
    prefixes: ['', '{{', '{{a.response.'],
  },
  {
    name: 'variables of other editors',
    call: (text) => ignored(() => editorValue(text, editorContext)),
    prefixes: ['', '$datetime ', '$datetime "', '$timestamp ', '$processEnv '],
  },
  { name: 'dates in formats', call: (text) => dateText(0, text, false), prefixes: ['', 'y', '[', "y'"] },
  {
    name: 'dates by patterns',
    call: (text) => ignored(() => readDate(text, '%Y-%m-%d %e %B %z %f')),
    prefixes: ['', '2026-01-01 '],
  },
  { name: 'date patterns', call: (text) => ignored(() => writeDate(new Date(0), text)), prefixes: ['', '%'] },
  {
    name: "the vendor's paths",
    call: (text) => ignored(() => vendorPath({ a: [1] }, text)),
    prefixes: ['$', '$..', '$[?(@.a', "$['"],
    // A path calls itself for what is nested.
    maxLength: 1 << 12,
  },
  { name: 'templates', call: (text) => parseTemplate(text), prefixes: ['', '{{'] },
  { name: 'variable paths', call: (text) => parseVariablePath(text), prefixes: ['', 'a.', '$.a', 'a['] },
  {
    name: 'GraphQL',
    call: (text) => readGraphql(text),
    prefixes: ['', 'query a {', '{ a(b: "', '"""'],
    also: [repeated('', '"\\', ''), repeated('', '"\\""')],
  },
  {
    name: 'JSON sources',
    call: (text) => parseJsonSource(text, { isRelaxed: true }),
    prefixes: ['', '{"a":', '[1,', '"', '//', '/*'],
  },
  { name: 'environment files', call: (text) => parseEnvironmentFile(text), prefixes: ['', '{"a":{"b":"'] },
  { name: 'CSV', call: (text) => parseCsv(text), prefixes: ['', 'a,b\n', 'a,b\n"'] },
  {
    name: 'words of scripts',
    call: (text) => importDeclarations(scriptTokens(text)),
    prefixes: ['', 'import ', 'a = /', '`', '`${', '"'],
    also: [repeated('', '/*/'), repeated('', '`${')],
  },
  {
    name: 'names of other tools in scripts',
    call: (code) => {
      const span = { offset: 0, line: 1, column: 1, length: code.length }
      return scriptAdvice(
        { kind: 'script', text: code, span, phase: 'handler', source: { type: 'inline', code, span } },
        declaredNames(code),
      )
    },
    prefixes: ['pm function', 'pm import', 'test(', 'const test', '{test'],
    also: [
      ...[repeated('class A {', 'test() {}'), repeated('{', 'test('), repeated('', 'function pm')],
      ...[repeated('', 'client.tset()\n'), repeated('', 'a(response.code)\n')],
    ],
  },
  {
    name: 'failures in each line of a script',
    call: (text) => {
      const program = assembleProgram([text])
      const modules = new ModuleFiles()
      for (const line of text.split('\n').keys()) {
        const stack = `at a (user-script:${line + 2}:3)`
        for (const message of ['no', 'TypeError: not a function']) {
          failureOf(JSON.stringify({ assertion: message === 'no', message, stack }), program, modules)
        }
      }
    },
    also: [repeated('', 'client.assert(a === b)\n'), repeated('', 'a.b(() => { c.d(1) })\n')],
  },
  {
    name: 'scripts without an engine',
    call: (text) => parsePlainScript(text),
    prefixes: ['', 'client.global.set("a", ', 'client.log('],
    also: [repeated('', 'f((a,'), repeated('[].map(', '(a) => [', ''), repeated('"', '\\\\', '')],
  },
  {
    name: 'names that scripts set',
    call: (text) => namesSetIn(text),
    prefixes: ['', 'a.set(', 'a = client.', 'a = client.variables.a'],
    also: [
      repeated('', 'a.', 'set'),
      repeated('a = client.variables.', 'a', '.'),
      repeated('a = request.variables', ' ', '.'),
    ],
  },
  {
    name: 'imports of scripts',
    call: (text) => codeWithModules([{ parts: [text], path: '/a', files: noFiles }]),
    prefixes: ['', 'import ', 'import('],
  },
  {
    name: 'secrets in messages',
    call: (text) => {
      const headers = HeaderList.of([
        ['Authorization', text],
        ['Cookie', text],
        ['Set-Cookie', text],
        ['Location', text],
      ])
      collectSentSecrets(headers, nothing)
      collectReceivedSecrets(headers, nothing)
      collectUrlSecrets(text, nothing)
    },
    prefixes: ['', 'Basic ', 'Digest a="', 'http://a:', 'http://a@', 'a='],
  },
  {
    name: 'secrets in request files',
    call: (text) => collectWrittenSecrets(text, nothing),
    prefixes: ['', 'Authorization: ', 'Cookie: ', 'Authorization: Basic {{'],
  },
  {
    name: 'masking',
    call: (text) => {
      const mask = new SecretMask()
      mask.add('a secret that is "long"')
      mask.add('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
      return [mask.mask(text), escapedControls(text)]
    },
    prefixes: ['', 'a secret'],
  },
  {
    name: 'messages and statuses of gRPC',
    call: (text) => {
      const bytes = Buffer.from(text)
      const reader = new FrameReader('h', 'gzip')
      ignored(() => {
        for (let at = 0; at < bytes.length; at += 7) for (const _ of reader.push(bytes.subarray(at, at + 7)));
        reader.end()
      })
      ignored(() => grpcStatus(HeaderList.of([['grpc-status', text]])))
      ignored(() =>
        grpcStatus(
          HeaderList.of([
            ['grpc-status', '5'],
            ['grpc-message', text],
          ]),
        ),
      )
    },
    prefixes: ['', '\0\0\x01\0\0', '%', '%E2%98'],
  },
  {
    name: 'targets of gRPC requests',
    call: (text) => grpcTarget(text),
    prefixes: ['', 'grpc://', 'host:1 '],
  },
]
