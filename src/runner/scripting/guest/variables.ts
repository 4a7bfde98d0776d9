/**
 * The variable stores: `client.global`, `client.variables.*`, `request.variables`, `request.environment`.
 *
 * Rules: the runner keeps the values; they are fetched on demand as plain data, so a value that is changed afterwards
 * must be set again. Setting undefined removes a variable.
 */
import { ask } from './host.ts'

const { stringify } = JSON
const { freeze } = Object
const { TypeError: TypeErrorClass } = globalThis
const { String: text } = globalThis

export interface VariableStore {
  readonly get: (name: unknown) => unknown
  readonly isEmpty: () => boolean
}

interface WritableStore extends VariableStore {
  readonly set: (name: unknown, value: unknown) => void
  readonly clear: (name: unknown) => void
  readonly clearAll: () => void
}

const nothing = freeze({ value: null })

/**
 * A store that scripts can only read.
 * @param absent what `get` returns for an unknown name
 */
export function readableStore(scope: string, absent: { readonly value: null | undefined } = nothing): VariableStore {
  return freeze({
    get: (name: unknown) => {
      const value = ask('variable-get', scope, text(name))
      return value === undefined ? absent.value : value
    },
    isEmpty: () => ask('variable-is-empty', scope) as boolean,
  })
}

/** @param owner the name of the store in errors, such as `client.global` */
export function writableStore(scope: string, owner: string): WritableStore {
  return freeze({
    // Scripts of the older tool check whether a global variable is undefined.
    ...readableStore(scope, scope === 'global' ? { value: undefined } : nothing),
    set: (name: unknown, value: unknown) => {
      if (value === undefined) {
        ask('variable-clear', scope, text(name))
        return
      }
      const json = stringify(value)
      if (json === undefined) throw new TypeErrorClass(`${owner}.set needs a value that JSON can represent`)
      ask('variable-set', scope, text(name), json)
    },
    clear: (name: unknown) => {
      ask('variable-clear', scope, text(name))
    },
    clearAll: () => {
      ask('variable-clear-all', scope)
    },
  })
}
