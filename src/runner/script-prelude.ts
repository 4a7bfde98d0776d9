/**
 * The world that a handler script finds: `client` and `response`, as script text that runs inside the sandbox.
 *
 * Rules: the text is one function expression, given `emit` (takes one JSON string), the input as JSON and the body;
 * none of the three is ever reachable from the global object. What the functions need of the language is taken before
 * the script runs, so that a script which replaces JSON or gives Object.prototype a `toJSON` harms only its own values.
 * Messages are objects without prototype, so that nothing inherited gets into them.
 */

/** Name of the script's text in stack traces; chosen so that no path with colons or brackets can disturb them. */
export const SCRIPT_NAME = 'user-script'
export const PRELUDE_NAME = 'prelude'

export const preludeCode: string = String.raw`(emit, inputJson, bodyText) => {
  'use strict'
  const { parse, stringify } = JSON
  const { freeze, defineProperty, create, setPrototypeOf } = Object
  const ErrorClass = Error
  const TypeErrorClass = TypeError
  const text = String
  const input = parse(inputJson)
  const send = (message) => emit(stringify(setPrototypeOf(message, null)))

  const describe = (error) => {
    const plain = create(null)
    try {
      const isError = error instanceof ErrorClass
      plain.assertion = isError && error.name === 'AssertionError'
      plain.message = isError
        ? (error.name === 'AssertionError' || error.name === 'Error' ? '' : text(error.name) + ': ') + text(error.message)
        : 'thrown: ' + show(error)
      plain.stack = isError ? text(error.stack) : ''
    } catch {
      plain.message = 'an error that cannot be shown'
    }
    return plain
  }

  const show = (value) => {
    if (typeof value === 'string') return value
    if (typeof value !== 'object' || value === null || value instanceof ErrorClass) return text(value)
    try {
      return stringify(value) ?? text(value)
    } catch {
      return text(value)
    }
  }

  const globals = new Map(input.globals)
  const tests = []

  const client = freeze({
    test(name, body) {
      if (typeof body !== 'function') throw new TypeErrorClass('client.test needs a name and a function')
      const test = { name: text(name), body }
      tests[tests.length] = test
      send({ type: 'test-registered', name: test.name })
    },
    assert(condition, message) {
      if (condition) return
      const error = new ErrorClass(message === undefined ? 'assertion failed' : show(message))
      error.name = 'AssertionError'
      throw error
    },
    log(...values) {
      let line = ''
      for (let i = 0; i < values.length; i++) line += (i === 0 ? '' : ' ') + show(values[i])
      send({ type: 'log', text: line })
    },
    global: freeze({
      set(name, value) {
        const json = stringify(value)
        if (json === undefined) throw new TypeErrorClass('client.global.set needs a value that JSON can hold')
        globals.set(text(name), parse(json))
        send({ type: 'global-set', name: text(name), value: parse(json) })
      },
      get(name) {
        return globals.has(text(name)) ? globals.get(text(name)) : null
      },
      isEmpty() {
        return globals.size === 0
      },
      clear(name) {
        globals.delete(text(name))
        send({ type: 'global-clear', name: text(name) })
      },
      clearAll() {
        globals.clear()
        send({ type: 'global-clear-all' })
      },
    }),
  })

  const lower = (name) => text(name).toLowerCase()
  const fields = input.headers.map((field) => ({ name: lower(field[0]), value: field[1] }))
  const valuesOf = (name) => fields.filter((field) => field.name === lower(name)).map((field) => field.value)
  const isJson = /^(?:application|text)\/json$|\+json$/.test(input.mimeType)
  let parsed = false
  let body = bodyText
  const response = freeze({
    status: input.status,
    contentType: freeze({ mimeType: input.mimeType, charset: input.charset }),
    headers: freeze({
      valueOf(name) {
        return valuesOf(name)[0] ?? null
      },
      valuesOf,
    }),
    get body() {
      if (!isJson || parsed) return body
      parsed = true
      try {
        body = parse(bodyText)
      } catch {
        body = bodyText
      }
      return body
    },
  })

  for (const name of ['client', 'response']) {
    defineProperty(globalThis, name, { value: name === 'client' ? client : response, enumerable: true })
  }

  const passed = (test) => {
    if (test.settled) return
    test.settled = true
    send({ type: 'test', name: test.name })
  }
  const failed = (test, error) => {
    if (test.settled) return
    test.settled = true
    send({ type: 'test', name: test.name, error: describe(error) })
  }
  const thenOf = Promise.prototype.then
  const PromiseClass = Promise
  return freeze({
    describe: (error) => stringify(describe(error)),
    start(index) {
      const test = tests[index]
      const { body } = test
      try {
        const result = body()
        if (result instanceof PromiseClass) {
          thenOf.call(result, () => passed(test), (error) => failed(test, error))
        } else {
          passed(test)
        }
      } catch (error) {
        failed(test, error)
      }
    },
    finish(index) {
      failed(tests[index], new ErrorClass('its promise is never settled'))
    },
  })
}`
