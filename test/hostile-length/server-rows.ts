/** Input of the server from a client, as rows of the test of hostile lengths. */

import { readPem } from '../../src/keystore/pem.ts'
import { HttpcliError } from '../../src/message/index.ts'
import { createLogFormatter } from '../../src/server/access-log.ts'
import { BackendRoutes } from '../../src/server/backend/backend-routes.ts'
import { parseBackends } from '../../src/server/backend/backend-setting.ts'
import { createBasicAuth } from '../../src/server/features/basic-auth.ts'
import { answerPreflight, parseOrigin } from '../../src/server/features/cors.ts'
import { parseExtraField } from '../../src/server/features/extra-fields.ts'
import { Http2Request } from '../../src/server/http2/request.ts'
import { parseOrder } from '../../src/server/listing/listing-order.ts'
import { renderListing } from '../../src/server/listing/listing-page.ts'
import { GlobPattern } from '../../src/server/rules/glob-pattern.ts'
import { parseMediaTypes } from '../../src/server/rules/media-type-file.ts'
import { parseHeaders } from '../../src/server/rules/netlify-headers.ts'
import { parseRedirects } from '../../src/server/rules/netlify-redirects.ts'
import { parsePathPattern } from '../../src/server/rules/path-pattern.ts'
import { RulesMistakes } from '../../src/server/rules/rules-error.ts'
import { parseServeJson } from '../../src/server/rules/serve-json.ts'
import { acceptedCodings } from '../../src/server/semantics/coding-negotiation.ts'
import { judgePreconditions, matchesIfRange } from '../../src/server/semantics/conditional.ts'
import { parseHttpDate } from '../../src/server/semantics/http-date.ts'
import { acceptsHtmlByName, rankVariants } from '../../src/server/semantics/negotiation.ts'
import { planRequest } from '../../src/server/semantics/plan.ts'
import { parseRange } from '../../src/server/semantics/range.ts'
import { requestFor } from '../server/server-request.ts'
import { repeated } from './hostile-values.ts'
import type { Row } from './row.ts'

const variants = ['text/html; charset=utf-8', 'application/json', 'image/svg+xml'].map((mediaType, index) => ({
  name: `page${index}`,
  mediaType,
}))
const validators = { etag: '"1-2-3-4"', modifiedMs: 1_700_000_000_000 }
const site = { root: '/srv', rootNames: [], visibility: { allowsDotfiles: false, allowsOutsideSymlinks: false } }
const auth = createBasicAuth({ user: 'user', password: 'password' })
const rulePatterns = [
  ...['/*/*/*/x', '/:a/:b/*', '/a*a*a*a*b'].map((path) =>
    parsePathPattern(path, { isCaseInsensitive: true, isAsteriskLast: false }),
  ),
  ...['**/**/**/x', '+(a|aa|ab)*(a|b)c', '/:a*/:b*/x', '{*a,*ab}*b'].map((source) => GlobPattern.parse(source, true)),
] as readonly GlobPattern[]
const backends = new BackendRoutes(parseBackends(['/=http://b', '/a=http://b,strip'], '/'))
const logs = [createLogFormatter('text'), createLogFormatter('json')]

export const serverRows: readonly Row[] = [
  {
    name: 'Range',
    call: (text) => parseRange(text, 1000),
    prefixes: ['bytes=', 'bytes=0-', 'bytes=0', 'bytes=1-1,', 'bytes=-'],
    also: [repeated('bytes=', '0', 'x'), repeated('bytes=0-', ' ', '1'), repeated('bytes=', '1-1,', 'x')],
  },
  ...(['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'] as const).map(
    (field): Row => ({
      name: field,
      call: (text) => judgePreconditions((name) => (name === field ? text : undefined), validators, 0),
      prefixes: ['', '"a', 'W/"a",', 'Sat, '],
    }),
  ),
  { name: 'If-Range', call: (text) => matchesIfRange(text, validators, 0), prefixes: ['', '"a', 'W/'] },
  { name: 'dates', call: (text) => parseHttpDate(text, 0), prefixes: ['', 'Sat, 21 Nov 2026 '] },
  {
    name: 'Accept',
    call: (text) => rankVariants(text, variants),
    prefixes: ['', 'text/html;', 'text/html;q=0.', 'a/b;c="'],
  },
  { name: 'Accept for listings', call: (text) => acceptsHtmlByName(text), prefixes: ['', 'a/b'] },
  { name: 'Accept-Encoding', call: (text) => acceptedCodings(text), prefixes: ['', 'gzip;', 'gzip;q=0.'] },
  {
    name: 'Authorization',
    call: (text) => auth(requestFor('/', { authorization: text })),
    prefixes: ['', 'Basic ', 'Basic YQ'],
  },
  {
    name: 'Access-Control-Request-Headers',
    call: (text) => {
      const fields = {
        origin: 'http://a',
        'access-control-request-method': 'GET',
        'access-control-request-headers': text,
      }
      return answerPreflight(requestFor('/', fields, 'OPTIONS'))
    },
    prefixes: ['', 'a,'],
  },
  {
    name: 'the request target',
    call: (text) => planRequest(requestFor(text), site as never),
    prefixes: ['', '/', '/a?', '/%', 'http://a/', 'http://', '/a.b'],
  },
  {
    name: 'the route to a backend',
    call: (text) => backends.routeFor({ path: `/${text}`, query: `?${text}` }),
    prefixes: ['', 'a/', '%2e', '..%2f', '{', '/'],
  },
  {
    name: 'a backend of the command line',
    call: (text) => parseBackends([text], '/'),
    prefixes: ['', '/', '/a=', '/a=http://b/', '/a=unix:'],
  },
  {
    name: 'the fields of HTTP/2',
    call: (text) => new Http2Request({ ':method': 'GET', ':path': text, ':authority': text, host: text }).fault,
    prefixes: ['', '/'],
  },
  { name: 'the query of a listing', call: (text) => parseOrder(text), prefixes: ['', 'sort='] },
  {
    name: 'file names in a listing',
    call: (text) =>
      [
        ...renderListing({
          names: [text],
          entries: [{ name: text, type: 'file', sizeBytes: 1, modifiedMs: 0 } as never],
          isComplete: true,
          order: { column: 'name', direction: 'asc' },
          scriptPath: undefined,
          offsetMinutesAt: () => 0,
        }),
      ].join(''),
    prefixes: [''],
  },
  {
    name: 'the access log',
    call: (text) =>
      logs.map((log) =>
        log.format({
          receivedAtMs: 0,
          finishedAtMs: 1,
          remoteAddress: '127.0.0.1',
          requestLine: text,
          status: 200,
          bodyBytes: 1,
          durationMs: 1,
        } as never),
      ),
    prefixes: ['', 'GET / '],
  },
  { name: 'origins', call: (text) => parseOrigin(text), prefixes: ['', 'http://'] },
  {
    name: 'fields from the command line of serve',
    call: (text) => parseExtraField(text),
    prefixes: ['', 'a:', 'a: b'],
  },
  {
    name: 'paths that rules are for',
    call: (text) => rulePatterns.map((pattern) => pattern.match(`/${text}`)),
    prefixes: ['', 'a/', 'a/b/'],
    also: [repeated('', 'a/', '!'), repeated('a/', 'ab', '!'), repeated('x', '/', '!')],
    // Seven patterns take long enough to be judged.
    maxLength: 2048,
  },
  {
    name: 'rules files',
    call: (text) => {
      const source = { file: '_redirects', text }
      return [parseRedirects, parseHeaders, parseServeJson].map((parse) => {
        const mistakes = new RulesMistakes()
        try {
          parse(source, mistakes)
          return mistakes.throwIfAny()
        } catch (error) {
          if (!(error instanceof HttpcliError)) throw error
          return error.code
        }
      })
    },
    prefixes: ['', '/a ', '/a /b', '/a/*', '/a\n  b:', '{"rewrites": [{"source": "'],
    also: [
      repeated('', '/a\n'),
      repeated('', ': \n'),
      repeated('{"rewrites": [1', ', 1', ']}'),
      repeated('{"a": 1', ', "a": 1', '}'),
      repeated('{"rewrites": [{"a": 1', '}, {"a": 1', '}]}'),
      repeated('', '/a /b 302\n'),
      repeated('', '/a\n b: c\n'),
      repeated('/a /', ':b/'),
      repeated('/', '*'),
    ],
  },
  {
    name: 'patterns of serve.json',
    call: (text) => GlobPattern.parse(text, true),
    prefixes: ['', '**/', '/:a(', '[', '+('],
    also: [repeated('', '@('), repeated('', '**/', 'x'), repeated('', '*(a|', 'x')],
  },
  {
    name: 'files of media types',
    call: (text) => parseMediaTypes(text, 'types'),
    prefixes: ['', 'a: ', 'a: b\n', '\\u'],
  },
  {
    name: 'PEM files',
    call: (text) => readPem(Buffer.from(text), undefined),
    prefixes: ['', '-----BEGIN CERTIFICATE-----\n'],
    also: [repeated('', '-----BEGIN A-----'), repeated('-----BEGIN A-----\n', 'a-\n')],
  },
]
