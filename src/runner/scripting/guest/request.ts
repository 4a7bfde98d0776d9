/**
 * `request`, in both forms of the vendor's documentation: `request.url()` and `request.url.getRaw()`.
 *
 * Rules: raw is the text in the file; substituted has the variables replaced, in a handler as they were sent. Texts are
 * computed on demand.
 */
import { requestVariables } from './client.ts'
import { ask } from './host.ts'
import { readableStore } from './variables.ts'

const { freeze, defineProperty } = Object
const { String: text } = globalThis
const lower = (name: unknown): string => text(name).toLowerCase()

interface HeaderFace {
  readonly name: string
  readonly getRawValue: () => unknown
  readonly tryGetSubstitutedValue: () => unknown
  readonly value: () => unknown
}

/** A function that returns the text as sent, with the methods of the other form. */
function textFace(what: string): unknown {
  const face = () => ask('request-substituted', what)
  defineProperty(face, 'getRaw', { value: () => ask('request-raw', what), enumerable: true })
  defineProperty(face, 'tryGetSubstituted', { value: () => ask('request-substituted', what), enumerable: true })
  // In a text, such as a log, it shows its result.
  defineProperty(face, 'toString', { value: face })
  defineProperty(face, 'toJSON', { value: face })
  return freeze(face)
}

function headerFaces(): HeaderFace[] {
  const names = ask('request-header-names') as string[]
  return names.map((name, index) =>
    freeze({
      name,
      getRawValue: () => ask('request-header-raw', index),
      tryGetSubstitutedValue: () => ask('request-header-substituted', index),
      value: () => ask('request-header-substituted', index),
    }),
  )
}

const findByName = (name: unknown): HeaderFace | null =>
  headerFaces().find((header) => lower(header.name) === lower(name)) ?? null

export const request: object = freeze({
  get method() {
    return ask('request-method')
  },
  url: textFace('url'),
  body: textFace('body'),
  headers: freeze({ all: headerFaces, findByName }),
  header: findByName,
  environment: readableStore('environment'),
  variables: requestVariables,
  iteration: () => ask('request-iteration'),
  templateValue: (index: unknown) => ask('request-template-value', Number(index)),
})
