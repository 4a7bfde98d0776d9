/**
 * What scripts of Postman call, and what the same is in scripts of request files.
 *
 * Rules: in this order; the longer form stands before the shorter one. `$0`, `$1` are the arguments of a call. `global` are
 * values that scripts set; what is read may also stand in the environment.
 */

export interface Renamed {
  /** As written, without blanks; a call where it ends with a bracket. */
  readonly from: string
  /** Empty where it has no equivalent: the statement stays as a comment, and is told. */
  readonly to: string
}

const read = '(client.global.get($0) ?? request.environment.get($0) ?? client.variables.file.get($0))'
/** The body as a text, whatever it is. */
export const bodyText = "(typeof response.body === 'string' ? response.body : JSON.stringify(response.body))"

const stores = ['pm.environment', 'pm.globals', 'pm.collectionVariables', 'pm.variables', 'pm.iterationData'] as const

export const renamed: readonly Renamed[] = [
  // A test that Postman itself leaves out: request files have no word for it.
  { from: 'pm.test.skip(', to: '' },
  { from: 'pm.test(', to: 'client.test($0, $1)' },
  ...stores.flatMap((store): Renamed[] => [
    { from: `${store}.get(`, to: read },
    { from: `${store}.set(`, to: 'client.global.set($0, $1)' },
    { from: `${store}.unset(`, to: 'client.global.clear($0)' },
    { from: `${store}.clear(`, to: 'client.global.clearAll()' },
    { from: `${store}.has(`, to: `(${read} !== undefined && ${read} !== null)` },
  ]),
  { from: 'pm.response.json(', to: 'response.body' },
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
  { from: 'postman.setEnvironmentVariable(', to: 'client.global.set($0, $1)' },
  { from: 'postman.setGlobalVariable(', to: 'client.global.set($0, $1)' },
  { from: 'postman.getEnvironmentVariable(', to: read },
  { from: 'postman.getGlobalVariable(', to: read },
  { from: 'postman.clearEnvironmentVariable(', to: 'client.global.clear($0)' },
  { from: 'postman.clearGlobalVariable(', to: 'client.global.clear($0)' },
  { from: 'postman.getResponseHeader(', to: 'response.headers.valueOf($0)' },
  { from: 'postman.getResponseCookie(', to: 'response.cookiesByName($0)[0]' },
  { from: 'responseBody.has(', to: `${bodyText}.includes($0)` },
  { from: 'responseBody', to: bodyText },
  { from: 'responseCode.code', to: 'response.status' },
  { from: 'console.log(', to: 'client.log($*)' },
  { from: 'console.info(', to: 'client.log($*)' },
  { from: 'console.warn(', to: 'client.log($*)' },
  { from: 'console.error(', to: 'client.log($*)' },
]

/** Names that nothing here stands for: a statement with one of them cannot run. */
export const unknownNames: RegExp =
  /(?<![.\w$])(?:pm|postman|CryptoJS|require|_|moment|cheerio|tv4|Ajv|xml2Json|responseCode|responseTime|responseHeaders|tests|environment|globals|Buffer|setNextRequest)\b(?=\s*[.([])|(?<![.\w$])response(?:Time|Code|Headers|Body)\b/
