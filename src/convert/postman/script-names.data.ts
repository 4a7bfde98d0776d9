/**
 * The calls in Postman scripts, and their equivalents in scripts of request files.
 *
 * Rules: `global` contains values that scripts set; a value that is read may also come from the environment.
 */
import { bodyJson, bodyText, consoleNames, type Renamed, readVariable as read, type ScriptDialect } from '../script/dialect.ts'

const stores = ['pm.environment', 'pm.globals', 'pm.collectionVariables', 'pm.variables', 'pm.iterationData'] as const

const renamed: readonly Renamed[] = [
  // A test that Postman itself skips: request files have no equivalent.
  { from: 'pm.test.skip(', to: '' },
  { from: 'pm.test(', to: 'client.test($0, $1)' },
  ...stores.flatMap((store): Renamed[] => [
    { from: `${store}.get(`, to: read, takesName: true },
    { from: `${store}.set(`, to: 'client.global.set($0, $1)', takesName: true },
    { from: `${store}.unset(`, to: 'client.global.clear($0)', takesName: true },
    { from: `${store}.clear(`, to: 'client.global.clearAll()' },
    { from: `${store}.has(`, to: `(${read} !== undefined && ${read} !== null)`, takesName: true },
  ]),
  { from: 'pm.response.json(', to: bodyJson },
  { from: 'pm.response.text(', to: bodyText },
  { from: 'pm.response.headers.get(', to: 'response.headers.valueOf($0)' },
  { from: 'pm.response.headers.has(', to: '(response.headers.valueOf($0) !== null)' },
  { from: 'pm.response.code', to: 'response.status' },
  { from: 'pm.cookies.get(', to: 'response.cookiesByName($0)[0]?.value' },
  { from: 'pm.cookies.has(', to: '(response.cookiesByName($0).length > 0)' },
  { from: 'pm.request.method', to: 'request.method' },
  { from: 'pm.request.url.toString(', to: 'request.url.tryGetSubstituted()' },
  { from: 'pm.request.url.getRaw(', to: 'request.url.getRaw()' },
  { from: 'pm.request.headers.get(', to: '(request.headers.findByName($0)?.tryGetSubstitutedValue())' },
  { from: 'pm.request.body.raw', to: 'request.body.tryGetSubstituted()' },
  { from: 'pm.request.url', to: 'request.url.tryGetSubstituted()' },
  { from: 'pm.execution.skipRequest(', to: '' },
  { from: 'postman.setEnvironmentVariable(', to: 'client.global.set($0, $1)', takesName: true },
  { from: 'postman.setGlobalVariable(', to: 'client.global.set($0, $1)', takesName: true },
  { from: 'postman.getEnvironmentVariable(', to: read, takesName: true },
  { from: 'postman.getGlobalVariable(', to: read, takesName: true },
  { from: 'postman.clearEnvironmentVariables(', to: 'client.global.clearAll()' },
  { from: 'postman.clearGlobalVariables(', to: 'client.global.clearAll()' },
  { from: 'postman.clearEnvironmentVariable(', to: 'client.global.clear($0)', takesName: true },
  { from: 'postman.clearGlobalVariable(', to: 'client.global.clear($0)', takesName: true },
  { from: 'postman.getResponseHeader(', to: 'response.headers.valueOf($0)' },
  { from: 'postman.getResponseCookie(', to: 'response.cookiesByName($0)[0]' },
  { from: 'responseBody.has(', to: `${bodyText}.includes($0)` },
  { from: 'responseBody', to: bodyText },
  { from: 'responseCode.code', to: 'response.status' },
  // The older interface.
  { from: 'request.method', to: 'request.method' },
  { from: 'request.url', to: 'request.url.tryGetSubstituted()' },
  ...consoleNames,
]

const unknownNames: readonly string[] = [
  ...['pm', 'postman', 'tests', 'environment', 'globals', 'setNextRequest'],
  ...['responseTime', 'responseCode', 'responseHeaders', 'responseCookies', 'responseBody', 'request'],
  ...['data', 'iteration', 'require', 'CryptoJS', '_', 'moment', 'cheerio', 'tv4', 'Ajv', 'xml2Json', 'Buffer'],
  ...['Backbone', 'SugarCSV', 'URL', 'structuredClone'],
]

export const postmanScripts: ScriptDialect = {
  renamed,
  unknownNames: new Set(unknownNames),
  test: 'pm.test',
  expect: 'pm.expect',
  response: 'pm.response',
  headers: 'responseHeaders',
  replaceIn: 'pm.variables.replaceIn',
  responseTime: ['pm.response.responseTime', 'responseTime'],
}
