/** `client` and `console`, with the interface of HTTP-file scripts. */
import { assert } from './assertion.ts'
import { ask } from './host.ts'
import { register } from './tests.ts'
import { show } from './values.ts'
import { readableStore, type VariableStore, writableStore } from './variables.ts'

const { freeze } = Object
const { String: text } = globalThis

/** Arguments with a blank between them. */
function log(...values: unknown[]): void {
  let line = ''
  for (let i = 0; i < values.length; i++) line += (i === 0 ? '' : ' ') + show(values[i])
  ask('log', line)
}

/** Ends the script: the host stops execution at its next check, and nothing can catch that. */
function exit(): never {
  ask('exit')
  for (;;);
}

export const requestVariables: VariableStore = writableStore('request', 'request.variables')

const globalVariables = freeze({
  ...writableStore('global', 'client.global'),
  headers: freeze({
    set: (name: unknown, value: unknown) => {
      ask('global-header-set', text(name), text(value))
    },
    clear: (name: unknown) => {
      ask('global-header-clear', text(name))
    },
  }),
})

export const client: object = freeze({
  test: register,
  assert,
  log,
  exit,
  global: globalVariables,
  variables: freeze({
    global: globalVariables,
    environment: readableStore('environment'),
    file: writableStore('file', 'client.variables.file'),
    request: requestVariables,
  }),
})

export const consoleObject: object = freeze({ log, info: log, warn: log, error: log, debug: log, trace: log })
