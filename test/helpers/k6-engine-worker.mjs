/**
 * Runs a script for k6 in QuickJS, with its modules replaced: one iteration of one virtual user.
 *
 * Rules: this thread blocks while the other one sends a request, because k6's requests are synchronous. Timers run in
 * the order of their time.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { EvalFlags, QuickJS } from 'quickjs-wasi'

const { signal, answer } = workerData
const flag = new Int32Array(signal)
const wasm = readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'))

/** For a request, and for a script. */
const LIMIT_MS = 30_000

/** The other thread sends it. */
function exchange(request) {
  Atomics.store(flag, 0, 0)
  parentPort.postMessage({ type: 'request', request })
  const hasAnswer = Atomics.wait(flag, 0, 0, LIMIT_MS) !== 'timed-out'
  if (!hasAnswer) return JSON.stringify({ status: 0, error: 'no answer', headers: {}, cookies: {}, body: '' })
  return Buffer.from(new Uint8Array(answer, 0, flag[1])).toString('utf8')
}

const prelude = `
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16))
const toHex = (data) => typeof data === 'string' ? host('utf8', data)
  : Array.from(new Uint8Array(data), (byte) => byte.toString(16).padStart(2, '0')).join('')
globalThis.fromHex = fromHex
globalThis.toHex = toHex
globalThis.TextEncoder = class { encode(text = '') { return fromHex(host('utf8', String(text))) } }
globalThis.TextDecoder = class {
  constructor(label = 'utf-8', { fatal = false } = {}) { this.label = host('label', label); this.fatal = fatal }
  decode(bytes = new Uint8Array(0)) {
    const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array(bytes)
    return host('decode', JSON.stringify([toHex(view), this.label, this.fatal]))
  }
}
const timers = []
let last = 0
globalThis.setTimeout = (action, ms = 0, ...given) => {
  timers.push({ id: ++last, at: Date.now() + ms, action: () => action(...given) })
  return last
}
globalThis.clearTimeout = (id) => { const at = timers.findIndex((each) => each.id === id); if (at >= 0) timers.splice(at, 1) }
globalThis.nextTimer = () => timers.length === 0 ? -1 : Math.max(0, Math.min(...timers.map(({ at }) => at)) - Date.now())
globalThis.fireTimer = () => {
  const at = timers.indexOf(timers.reduce((a, b) => (b.at < a.at ? b : a)))
  timers.splice(at, 1)[0].action()
}
globalThis.__ENV = JSON.parse(host('environment', ''))
globalThis.open = (path, mode) => mode === 'b' ? fromHex(host('open', path)).buffer : host('open-text', path)
globalThis.console = { log: (text) => host('log', text), warn: (text) => host('log', text), error: (text) => host('log', text) }
`

const modules = {
  k6: `
export const check = (value, checks) => {
  for (const name of Object.keys(checks)) {
    if (name.includes('::')) throw new Error('group and check names may not contain "::"')
    const passes = typeof checks[name] === 'function' ? checks[name](value) : checks[name]
    host('check', JSON.stringify([name, Boolean(passes)]))
  }
}`,
  'k6/crypto': `
const hasher = (kind, algorithm, secret) => {
  let data = ''
  return { update: (piece) => { data += toHex(piece) }, digest: () => host(kind, JSON.stringify([algorithm, data, secret])) }
}
export default {
  createHash: (algorithm) => hasher('hash', algorithm),
  createHMAC: (algorithm, secret) => hasher('hmac', algorithm, toHex(secret)),
  randomBytes: (count) => fromHex(host('random', String(count))).buffer,
}`,
  'k6/data': 'export class SharedArray extends Array { constructor(name, make) { super(); this.push(...make()) } }',
  'k6/execution': 'export default { scenario: { iterationInTest: 0 } }',
  'k6/metrics': "export class Counter { add(count) { host('error', String(count)) } }",
  'k6/http': `
class CookieJar {
  cookies = []
  set(url, name, value) { this.cookies = [...this.cookies.filter((each) => each.name !== name), { name, value }] }
  cookiesForURL() {
    const found = {}
    for (const { name, value } of this.cookies) (found[name] ??= []).push(value)
    return found
  }
}
const jarOfIteration = new CookieJar()
const request = (method, url, body, { headers: given, responseType, jar = jarOfIteration }) => {
  const { userAgent } = http.options
  const hasAgent = userAgent === undefined || Object.keys(given).some((name) => /^user-agent$/i.test(name))
  const headers = hasAgent ? given : { 'User-Agent': userAgent, ...given }
  const known = Object.entries(jar.cookiesForURL(url)).flatMap(([name, values]) => values.map((value) => name + '=' + value))
  const fields = known.length === 0 ? headers : { ...headers, Cookie: known.join('; ') }
  const sent = { method, url, headers: fields, body: body === null ? null : toHex(body) }
  const { body: content, ...rest } = JSON.parse(host('http', JSON.stringify(sent)))
  for (const cookie of Object.values(rest.cookies).flat()) jar.set(url, cookie.name, cookie.value, {})
  const json = () => JSON.parse(new TextDecoder().decode(fromHex(content)))
  return { ...rest, json, body: responseType === 'binary' ? fromHex(content).buffer : null, timings: { duration: 1, blocked: 0 } }
}
const http = { request, CookieJar, cookieJar: () => jarOfIteration, options: {} }
export default http`,
}

async function run({ path, environment }) {
  const result = { checks: [], errors: 0, log: [] }
  const directory = dirname(path)
  let isOver = false
  const answers = {
    end: (error) => {
      isOver = true
      if (error !== '') result.log.push(error)
    },
    environment: () => JSON.stringify(environment),
    utf8: (text) => Buffer.from(text, 'utf8').toString('hex'),
    label: (label) => new TextDecoder(label).encoding,
    decode: (json) => {
      const [hex, label, fatal] = JSON.parse(json)
      return new TextDecoder(label, { fatal }).decode(Buffer.from(hex, 'hex'))
    },
    open: (name) => readFileSync(join(directory, name)).toString('hex'),
    'open-text': (name) => readFileSync(join(directory, name), 'utf8'),
    log: (text) => result.log.push(text),
    check: (json) => result.checks.push(JSON.parse(json)),
    error: (count) => {
      result.errors += Number(count)
    },
    hash: (json) => {
      const [algorithm, data] = JSON.parse(json)
      return createHash(algorithm).update(Buffer.from(data, 'hex')).digest('hex')
    },
    hmac: (json) => {
      const [algorithm, data, secret] = JSON.parse(json)
      return createHmac(algorithm, Buffer.from(secret, 'hex')).update(Buffer.from(data, 'hex')).digest('hex')
    },
    random: (count) => randomBytes(Number(count)).toString('hex'),
    http: (request) => exchange(request),
  }
  const vm = await QuickJS.create({
    wasm,
    moduleLoader: { normalize: (_base, name) => name, load: (name) => modules[name] ?? readFileSync(name, 'utf8') },
  })
  try {
    const host = vm.newFunction('host', (operation, text) => {
      const found = answers[operation.toString()](text.toString())
      return vm.newString(typeof found === 'string' ? found : '')
    })
    vm.setProp(vm.global, 'host', host)
    vm.evalCode(prelude).dispose()
    const start = `import http from 'k6/http'
import iterate, * as script from ${JSON.stringify(path)}
http.options = script.options
Promise.resolve().then(script.setup).then(iterate).then(() => host('end', ''), (error) => host('end', String(error)))`
    vm.evalCode(start, 'start.js', EvalFlags.TYPE_MODULE).dispose()
    const endMs = Date.now() + LIMIT_MS
    while (Date.now() < endMs) {
      vm.executePendingJobs()
      if (isOver) break
      const waitMs = vm.evalCode('nextTimer()').toNumber()
      if (waitMs < 0) break
      if (waitMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
      vm.evalCode('fireTimer()').dispose()
    }
    if (!isOver) result.log.push('the script did not end')
    return isOver ? result : { ...result, errors: result.errors + 1 }
  } finally {
    vm.dispose()
  }
}

parentPort.on('message', (script) => {
  run(script).then(
    (result) => parentPort.postMessage({ type: 'result', result }),
    (error) =>
      parentPort.postMessage({
        type: 'result',
        result: { checks: [], errors: 1, log: [String(error.stack)] },
      }),
  )
})
