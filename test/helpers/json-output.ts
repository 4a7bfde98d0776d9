/**
 * Checks the JSON output of the command in every test against the schemas of docs/schemas.
 *
 * Published schemas allow fields that they do not name, because later versions may add some. Here such a field is an
 * error: a schema must name every field.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Schema = Readonly<Record<string, unknown>>

const validators: Map<string, ValidateFunction> = new Map()

/** @param name the name of a file of docs/schemas, without its extension */
export function readSchema(name: string): Schema {
  return JSON.parse(readFileSync(new URL(`../../docs/schemas/${name}.schema.json`, import.meta.url), 'utf8'))
}

/** The faults of a value, one line each. */
export function schemaErrors(name: string, value: unknown): readonly string[] {
  let validator = validators.get(name)
  if (validator === undefined) {
    validator = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false }).compile(
      closed(readSchema(name)) as Schema,
    )
    validators.set(name, validator)
  }
  if (validator(value)) return []
  return (validator.errors ?? []).map(
    ({ instancePath, message, params }) => `${name}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

interface Output {
  /** Null if a signal ended the command, in which case its output may end anywhere. */
  readonly code: number | null
  readonly stdout: Buffer
}

/** @throws Error if the output of a command line, or a JSON report that it wrote, does not match its schema */
export function checkJsonOutput(words: readonly string[], { code, stdout }: Output, cwd: string = process.cwd()): void {
  if (code === null) return
  const errors = [...outputErrors(words, code, stdout.toString()), ...reportErrors(words, cwd)]
  if (errors.length > 0) throw new Error(`output that no schema describes:\n${errors.slice(0, 5).join('\n')}`)
}

function outputErrors(words: readonly string[], code: number, text: string): readonly string[] {
  const [command = ''] = words
  if (!words.includes('--json') || text === '') return []
  if (command === 'check') return lineErrors('check', text)
  if (command === 'run') return lineErrors(words.includes('--list') ? 'run-list' : 'run-events', text)
  // An object of several lines; with an error there may be none, and --stream prints the response as it arrives.
  return command === 'send' && code === 0 && text.startsWith('{\n') ? valueErrors('send', text) : []
}

function lineErrors(name: string, text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => valueErrors(name, line))
}

/** Whether the text is JSON at all is checked by the test itself. */
function valueErrors(name: string, text: string): readonly string[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  return schemaErrors(name, value)
}

/** Larger reports come from tests of memory. */
const MAX_REPORT_BYTES = 10_000_000

function reportErrors(words: readonly string[], cwd: string): readonly string[] {
  return words.flatMap((word) => {
    const [, path] = /^(?:--report=)?json=(.+)$/.exec(word) ?? []
    if (path === undefined || path === '-') return []
    const file = resolve(cwd, path)
    if (!existsSync(file)) return []
    const stats = statSync(file)
    if (!stats.isFile() || stats.size > MAX_REPORT_BYTES) return []
    return valueErrors('run-report', readFileSync(file, 'utf8'))
  })
}

/** The same schema, except that an object has only the members that are named, and an event only the named types. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const { if: condition, ...rest } = schema as Schema
  const changed = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, closed(value)]))
  const types = eventTypes(schema as Schema)
  const isClosed = 'properties' in rest && !('additionalProperties' in rest) && types === undefined
  return {
    ...changed,
    ...(condition === undefined ? {} : { if: condition }),
    ...(isClosed ? { additionalProperties: false } : {}),
    ...(types === undefined ? {} : { properties: { ...(rest.properties as Schema), type: { enum: types } } }),
  }
}

/** The types of a schema that chooses by `type`. */
function eventTypes({ allOf }: Schema): readonly string[] | undefined {
  if (!Array.isArray(allOf)) return undefined
  return allOf.map((each) => each.if.properties.type.const as string)
}
