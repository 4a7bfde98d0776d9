/** The tables of the language server against those of the runner and of the parser: nothing missing, nothing stale. */
import vm from 'node:vm'
import { describe, expect, it } from 'vitest'
import { filterNames } from '../../src/http-file/assertions/assertion-filters.ts'
import { predicateNames } from '../../src/http-file/assertions/assertion-predicates.ts'
import { subjectNames } from '../../src/http-file/assertions/assertion-subjects.ts'
import { parseHttpFile } from '../../src/http-file/index.ts'
import { methodNames, versionNames } from '../../src/http-file/sections/request-line.ts'
import { filters, predicates, subjects } from '../../src/language-server/knowledge/assertion-words.ts'
import { dynamicVariables } from '../../src/language-server/knowledge/dynamic-variables.ts'
import { headerValues } from '../../src/language-server/knowledge/header-values.ts'
import { requestHeaders, responseHeaders } from '../../src/language-server/knowledge/headers.ts'
import { mediaTypes } from '../../src/language-server/knowledge/media-types.ts'
import { methods, versions } from '../../src/language-server/knowledge/methods.ts'
import { scriptTypes } from '../../src/language-server/knowledge/script-api.ts'
import { statusCodes, statusTopic } from '../../src/language-server/knowledge/status.ts'
import { tags } from '../../src/language-server/knowledge/tags.ts'
import { requestFields } from '../../src/runner/dry-run/field-names.ts'
import { tagNames } from '../../src/runner/request/request-tags.ts'
import { contextNames } from '../../src/runner/variables/dynamic/context-variables.ts'
import { dynamicNames } from '../../src/runner/variables/dynamic/dynamic-variables.ts'
import { editorNames } from '../../src/runner/variables/dynamic/editor-variables.ts'
import { fakeNames } from '../../src/runner/variables/dynamic/fake-values.ts'
import { logsOf } from '../runner/scripting/running-scripts.ts'

/** Without the made-up values, whose library an earlier test may have loaded. */
const ownDynamicNames = dynamicNames().filter((name) => !fakeNames.includes(name))

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted()

describe('the tables have the names of the runner:', () => {
  it.each<[string, object, readonly string[]]>([
    ['tags', tags, tagNames],
    ['subjects', subjects, subjectNames],
    ['predicates', predicates, predicateNames],
    ['filters', filters, filterNames],
    ['dynamic variables', dynamicVariables, [...ownDynamicNames, ...contextNames, ...editorNames]],
    // RSocket is refused.
    ['methods', methods, methodNames.filter((name) => name !== 'RSOCKET')],
    ['versions', versions, versionNames],
  ])('%s', (_what, table, names) => {
    expect(sorted(Object.keys(table))).toEqual(sorted(names))
  })

  it('header fields', () => {
    expect(requestFields.filter((name) => !Object.hasOwn(requestHeaders, name))).toEqual([])
    const known = new Set(
      [...Object.keys(requestHeaders), ...Object.keys(responseHeaders)].map((name) => name.toLowerCase()),
    )
    expect(Object.keys(headerValues).filter((name) => !known.has(name))).toEqual([])
  })
})

describe('texts', () => {
  const all = {
    ...methods,
    ...versions,
    ...requestHeaders,
    ...responseHeaders,
    ...mediaTypes,
    ...tags,
    ...subjects,
    ...predicates,
    ...filters,
    ...dynamicVariables,
  }

  it('end like sentences', () => {
    const wrong = Object.entries(all).filter(([, { text }]) => !/[.`)]$/.test(text))
    expect(wrong).toEqual([])
    expect(statusCodes.map(statusTopic).filter((topic) => topic?.source === undefined)).toEqual([])
  })

  it.each([...Object.entries({ ...subjects, ...predicates }), ...Object.entries(filters)])(
    'the example of %s is an assertion',
    (_name, { example }) => {
      const line = /\s(?:==|!=|[<>]=?|contains|\w+With|matches|exists|in|is[A-Z]\w+|equals)(?:\s|$)/.test(example!)
        ? `# @assert ${example}`
        : `# @capture x = ${example}`
      expect(parseHttpFile(`${line}\nGET http://h/`).errors).toEqual([])
    },
  )

  it.each(Object.entries(tags).filter(([, { example }]) => example !== undefined))(
    'the example of @%s is a tag',
    (name, { example }) => {
      const { file, errors } = parseHttpFile(`${example}\nGET http://h/`)
      expect(errors).toEqual([])
      expect(file.sections[0]?.request?.tags[0]?.name).toBe(name)
    },
  )
})

describe('the script API', () => {
  /** An expression for each type. */
  const values: Readonly<Record<string, string>> = {
    client: 'client',
    'client.global': 'client.global',
    'client.global.headers': 'client.global.headers',
    'client.variables': 'client.variables',
    readableStore: 'client.variables.environment',
    writableStore: 'request.variables',
    console: 'console',
    request: 'request',
    requestText: 'request.url',
    'request.headers': 'request.headers',
    requestHeader: 'request.headers.all()[0]',
    response: 'response',
    'response.headers': 'response.headers',
    'response.contentType': 'response.contentType',
    DOMParser: 'DOMParser()',
    XMLSerializer: 'new XMLSerializer()',
    crypto: 'crypto',
    'crypto.hmac': 'crypto.hmac',
    'crypto.rsa': 'crypto.rsa',
    'crypto.ecdsa': 'crypto.ecdsa',
    'crypto.subtle': 'crypto.subtle',
    digest: 'crypto.sha256()',
    hmac: 'crypto.hmac.sha256()',
    signature: 'crypto.rsa.sha256()',
    bytes: 'crypto.sha256().digest()',
    jwt: 'jwt',
  }
  const hidden = /^(?:constructor|ask|algorithm|pieces|toString|toJSON|length|name|prototype|caller|arguments)$/
  const isFunction = (expression: string): string => `typeof ${expression} === 'function'`

  it('has a value for each type', () => {
    expect(sorted(Object.keys(values))).toEqual(sorted(Object.keys(scriptTypes).filter((name) => name !== 'global')))
  })

  it.each(Object.entries(values))('%s has the members of the script engine', async (type, expression) => {
    const code = `
      const names = new Set()
      const value = ${expression}
      for (let at = value; at && at !== Object.prototype && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
        for (const name of Object.getOwnPropertyNames(at)) names.add(name)
      }
      client.log(JSON.stringify([...names]))`
    const [log] = await logsOf(code)
    const isText = ['requestText', 'requestHeader'].includes(type)
    const found = (JSON.parse(log!) as string[]).filter(
      (name) => !hidden.test(name) || (isText && name === 'name' && type === 'requestHeader'),
    )
    expect(sorted(Object.keys(scriptTypes[type]!))).toEqual(sorted(found))
  })

  it('has the names of the global scope', async () => {
    // Names of the language, which Node.js has only in later versions, and of the engine.
    const ofEngine = ['AsyncDisposableStack', 'DisposableStack', 'SuppressedError', 'Float16Array', 'Iterator']
    const standard = new Set([
      ...(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]),
      ...ofEngine,
      ...['DOMException', 'InternalError'],
    ])
    standard.delete('console')
    const [log] = await logsOf('client.log(JSON.stringify(Object.getOwnPropertyNames(globalThis)))')
    const found = (JSON.parse(log!) as string[]).filter((name) => !standard.has(name) && !name.startsWith('$'))
    expect(sorted(Object.keys(scriptTypes.global!))).toEqual(sorted(found))
  })

  it('shows functions as calls', async () => {
    const wrong: string[] = []
    for (const [type, expression] of [['global', 'globalThis'], ...Object.entries(values)] as const) {
      const members = Object.entries(scriptTypes[type]!)
      const texts = members.map(([name]) => isFunction(`(${expression})[${JSON.stringify(name)}]`))
      const [log] = await logsOf(`client.log(JSON.stringify([${texts.join(', ')}]))`)
      const flags = JSON.parse(log!) as boolean[]
      for (const [index, [name, { form }]] of members.entries()) {
        if (form.endsWith(')') !== flags[index] || !form.startsWith(name)) wrong.push(`${type}.${name}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('names types that exist', () => {
    const types = Object.values(scriptTypes).flatMap((members) =>
      Object.values(members).flatMap(({ type }) => type ?? []),
    )
    expect(types.filter((type) => type !== 'self' && !Object.hasOwn(scriptTypes, type))).toEqual([])
  })
})
