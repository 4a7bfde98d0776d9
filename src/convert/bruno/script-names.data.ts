/**
 * The calls in Bruno scripts, and their equivalents in scripts of request files.
 *
 * Source: Bruno, "JavaScript API Reference".
 */
import {
  bodyValue,
  consoleNames,
  type Renamed,
  readVariable as read,
  type ScriptDialect,
} from '../script/dialect.ts'

/** Scopes of variables: request files have a single one for all variables set by scripts. */
const scopes = ['', 'Env', 'GlobalEnv', 'Collection', 'Folder', 'Request'] as const

const isSet = `(${read} !== undefined && ${read} !== null)`

/** A JSON value if the body is JSON. */
const requestBody =
  '((text) => { try { return JSON.parse(text) } catch { return text } })(request.body.tryGetSubstituted())'

/** Chai's `assert`; its other methods have no equivalent. */
const assertions: readonly Renamed[] = [
  { from: 'assert(', to: 'client.assert($*)' },
  ...['ok', 'isOk'].map((name) => ({ from: `assert.${name}(`, to: 'client.assert($*)' })),
  { from: 'assert.isTrue(', to: 'client.assert(($0) === true)' },
  { from: 'assert.isFalse(', to: 'client.assert(($0) === false)' },
  { from: 'assert.equal(', to: 'client.assert(($0) == ($1))' },
  { from: 'assert.notEqual(', to: 'client.assert(($0) != ($1))' },
  { from: 'assert.strictEqual(', to: 'client.assert(($0) === ($1))' },
  { from: 'assert.notStrictEqual(', to: 'client.assert(($0) !== ($1))' },
]

const renamed: readonly Renamed[] = [
  { from: 'test.skip(', to: '' },
  { from: 'test(', to: 'client.test($0, $1)' },
  ...assertions,
  ...scopes.flatMap((scope): readonly Renamed[] => [
    { from: `bru.get${scope}Var(`, to: read },
    { from: `bru.set${scope}Var(`, to: 'client.global.set($0, $1)' },
    { from: `bru.delete${scope}Var(`, to: 'client.global.clear($0)' },
    { from: `bru.has${scope}Var(`, to: isSet },
    { from: `bru.deleteAll${scope}Vars(`, to: 'client.global.clearAll()' },
  ]),
  { from: 'bru.getProcessEnv(', to: '$env[$0]' },
  { from: 'process.env', to: '$env' },
  { from: 'bru.sleep(', to: 'sleep($0)' },
  { from: 'res.getStatus(', to: 'response.status' },
  { from: 'res.getHeader(', to: '(response.headers.valueOf($0) ?? undefined)' },
  { from: 'res.getBody(', to: bodyValue },
  { from: 'res.status', to: 'response.status' },
  { from: 'res.body', to: bodyValue },
  { from: 'req.getUrl(', to: 'request.url.tryGetSubstituted()' },
  { from: 'req.getMethod(', to: 'request.method' },
  { from: 'req.getHeader(', to: '(request.headers.findByName($0)?.tryGetSubstitutedValue())' },
  { from: 'req.getBody(', to: requestBody },
  { from: 'req.url', to: 'request.url.tryGetSubstituted()' },
  { from: 'req.method', to: 'request.method' },
  ...consoleNames,
]

export const brunoScripts: ScriptDialect = {
  renamed,
  unknownNames: new Set([
    ...['bru', 'req', 'res'],
    ...['require', 'module', 'exports', 'process', 'Buffer', 'fs', 'path', 'axios', 'fetch', 'assert', '_', 'moment'],
    ...['CryptoJS', 'cheerio', 'tv4', 'Ajv', 'uuid', 'nanoid', 'xml2js', 'jwt'],
  ]),
  test: 'test',
  expect: 'expect',
  response: undefined,
  headers: 'res.headers',
  replaceIn: 'bru.interpolate',
  responseTime: ['res.getResponseTime()', 'res.responseTime'],
}
