/**
 * Names of scripts, as types with members: `client.global.set`, `crypto.sha256().digest().toHex`.
 *
 * Rules: exactly the names that src/runner/scripting/guest defines; the tests compare them.
 */
import { cryptoTypes } from './script-crypto.ts'

export interface ScriptMember {
  /** The call, without the text before the dot: `test(name, function)`. */
  readonly form: string
  readonly text: string
  /** The type of its value, or of the result of a call. */
  readonly type?: string
  /** Whether it exists only in scripts after the response. */
  readonly isForHandlers?: boolean
}

export type ScriptType = Readonly<Record<string, ScriptMember>>

const readableStore: ScriptType = {
  get: {
    form: 'get(name)',
    text: 'The value of a variable. If it is missing: null, and undefined in `client.global`.',
  },
  isEmpty: { form: 'isEmpty()', text: 'Whether no variable is set.' },
}

const writableStore: ScriptType = {
  set: { form: 'set(name, value)', text: 'Sets a variable to anything that JSON can represent. undefined removes it.' },
  ...readableStore,
  clear: { form: 'clear(name)', text: 'Removes a variable.' },
  clearAll: { form: 'clearAll()', text: 'Removes all variables.' },
}

const requestText: ScriptType = {
  getRaw: { form: 'getRaw()', text: 'The text as written in the file.' },
  tryGetSubstituted: { form: 'tryGetSubstituted()', text: 'The text with the values of variables; unknown ones stay.' },
}

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug', 'trace']

const time = 'Web API, with the time in milliseconds. A script ends when no timer is left.'
const command = 'Runs a command on this machine. Only with `--allow-exec`.'

/** By name. `global` has the names of the global scope. */
export const scriptTypes: Readonly<Record<string, ScriptType>> = {
  global: {
    client: { form: 'client', text: 'Tests, logs and variables of the run.', type: 'client' },
    request: { form: 'request', text: 'The request, before it is sent or as it was sent.', type: 'request' },
    response: { form: 'response', text: 'The response.', type: 'response', isForHandlers: true },
    console: { form: 'console', text: 'Prints lines, as `client.log` does.', type: 'console' },
    crypto: { form: 'crypto', text: 'Digests, HMAC, signatures and Web Cryptography.', type: 'crypto' },
    jwt: { form: 'jwt', text: 'JSON Web Tokens, RFC 7519.', type: 'jwt' },
    jsonPath: {
      form: 'jsonPath(value, path)',
      text: 'The value at a JSONPath (RFC 9535). A path that can find several gives an array.',
    },
    xpath: { form: 'xpath(node, expression)', text: 'The result of XPath 1.0: an array of nodes, or a value.' },
    DOMParser: { form: 'DOMParser()', text: 'Parses XML and HTML into documents.', type: 'DOMParser' },
    XMLSerializer: { form: 'XMLSerializer()', text: 'Writes a document as text.', type: 'XMLSerializer' },
    URLSearchParams: { form: 'URLSearchParams(query)', text: 'The parameters of a query, URL Standard section 6.2.' },
    TextEncoder: { form: 'TextEncoder()', text: 'Text to UTF-8, Encoding Standard.' },
    TextDecoder: { form: 'TextDecoder()', text: 'UTF-8 to text, Encoding Standard.' },
    atob: { form: 'atob(base64)', text: 'Decodes Base64 to characters up to U+00FF.' },
    btoa: { form: 'btoa(text)', text: 'Encodes characters up to U+00FF in Base64.' },
    setTimeout: { form: 'setTimeout(function, delayMs)', text: `Calls a function later. ${time}` },
    setInterval: { form: 'setInterval(function, delayMs)', text: `Calls a function repeatedly. ${time}` },
    clearTimeout: { form: 'clearTimeout(id)', text: 'Cancels a timer.' },
    clearInterval: { form: 'clearInterval(id)', text: 'Cancels a timer.' },
    queueMicrotask: {
      form: 'queueMicrotask(function)',
      text: 'Calls a function as soon as the current one has ended.',
    },
    sleep: { form: 'sleep(delayMs)', text: 'A promise that resolves after that time: `await sleep(500)`.' },
    exec: { form: 'exec(command, options)', text: `${command} It goes through the shell.` },
    execFile: { form: 'execFile(file, arguments, options)', text: `${command} It does not go through the shell.` },
    spawn: { form: 'spawn(file, arguments, options)', text: `${command} The same as execFile.` },
    execSync: {
      form: 'execSync(command, options)',
      text: `${command} It returns the output, and throws if the command fails.`,
    },
  },
  client: {
    test: {
      form: 'test(name, function)',
      text: 'Registers a test. Tests run after the script, each is reported, and they may be asynchronous.',
    },
    assert: {
      form: 'assert(condition, message)',
      text: 'Fails the test, or the script outside of a test, if the condition is false. Both sides of a comparison are shown.',
    },
    log: { form: 'log(…values)', text: 'Prints a line; objects as JSON.' },
    exit: { form: 'exit()', text: 'Ends the script immediately. Its tests still run.' },
    global: { form: 'global', text: 'Variables for the rest of the run.', type: 'client.global' },
    variables: { form: 'variables', text: 'The stores of variables by name.', type: 'client.variables' },
  },
  'client.global': {
    ...writableStore,
    headers: {
      form: 'headers',
      text: 'Header fields for all later requests of the run.',
      type: 'client.global.headers',
    },
  },
  'client.global.headers': {
    set: { form: 'set(name, value)', text: 'Adds a field to every later request that does not have it.' },
    clear: { form: 'clear(name)', text: 'Removes the field again.' },
  },
  'client.variables': {
    global: { form: 'global', text: 'The same as `client.global`.', type: 'client.global' },
    environment: { form: 'environment', text: 'Variables of the environment, read only.', type: 'readableStore' },
    file: { form: 'file', text: 'Variables of this file, as `@name = value` sets them.', type: 'writableStore' },
    request: { form: 'request', text: 'The same as `request.variables`.', type: 'writableStore' },
  },
  readableStore,
  writableStore,
  console: Object.fromEntries(
    consoleMethods.map((name) => [name, { form: `${name}(…values)`, text: 'Prints a line, as `client.log` does.' }]),
  ),
  request: {
    method: { form: 'method', text: 'The method, a string.' },
    url: { form: 'url()', text: 'The URL with the values of variables.', type: 'requestText' },
    body: { form: 'body()', text: 'The body with the values of variables.', type: 'requestText' },
    headers: { form: 'headers', text: 'The header fields that the file gives.', type: 'request.headers' },
    header: { form: 'header(name)', text: 'A header field, or null.', type: 'requestHeader' },
    environment: { form: 'environment', text: 'Variables of the environment, read only.', type: 'readableStore' },
    variables: { form: 'variables', text: 'Variables of this request only.', type: 'writableStore' },
    iteration: {
      form: 'iteration()',
      text: 'The iteration of a request that is sent for each element of an array, from 0.',
    },
    templateValue: {
      form: 'templateValue(index)',
      text: 'The value of an expression of the request in this iteration. Expressions are counted from 0.',
    },
  },
  requestText,
  'request.headers': {
    all: { form: 'all()', text: 'All header fields, an array.' },
    findByName: {
      form: 'findByName(name)',
      text: 'A header field by its name in any case, or null.',
      type: 'requestHeader',
    },
  },
  requestHeader: {
    name: { form: 'name', text: 'The name as written.' },
    value: { form: 'value()', text: 'The value with the values of variables.' },
    getRawValue: { form: 'getRawValue()', text: 'The value as written in the file.' },
    tryGetSubstitutedValue: { form: 'tryGetSubstitutedValue()', text: 'The value with the values of variables.' },
  },
  response: {
    status: { form: 'status', text: 'The status code, a number.' },
    body: {
      form: 'body',
      text: 'JSON: its value. XML and HTML: a document. Streams: an object with `onEachLine` or `onEachMessage`. Anything else: a string.',
    },
    text: { form: 'text()', text: 'The body as text, whatever its type.' },
    headers: { form: 'headers', text: 'The header fields.', type: 'response.headers' },
    contentType: { form: 'contentType', text: 'The Content-Type in its parts.', type: 'response.contentType' },
    cookies: {
      form: 'cookies()',
      text: 'The cookies that the response sets: `name`, `value`, `domain`, `path`, `expiresAt`, `secure`, `httpOnly`.',
    },
    cookiesByName: { form: 'cookiesByName(name)', text: 'The cookies of that name, an array.' },
  },
  'response.headers': {
    valueOf: { form: 'valueOf(name)', text: 'The first value of a field by its name in any case, or null.' },
    valuesOf: { form: 'valuesOf(name)', text: 'All values of a field, an array.' },
  },
  'response.contentType': {
    mimeType: { form: 'mimeType', text: 'The media type without parameters.' },
    charset: { form: 'charset', text: 'The charset; empty if absent.' },
  },
  DOMParser: {
    parseFromString: {
      form: 'parseFromString(text, type)',
      text: 'A document. A type with `html` is read as browsers do.',
    },
  },
  XMLSerializer: { serializeToString: { form: 'serializeToString(node)', text: 'The text of a node.' } },
  ...cryptoTypes,
}
