/**
 * Reads the content of a `.bru` file: a request, a folder, a collection or an environment.
 *
 * Rules (Bruno, "Tag Reference"): `meta` names a request; the block of its method has the URL and selects one body and
 * one authorization, of which a file may contain several. `@file(…)` is a path, `@contentType(…)` the media type of a
 * part.
 */
import type { EnvironmentDraft, EnvironmentVariable } from '../draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from '../draft/errors.ts'
import { type BruBlock, type BruPair, bruBlocks } from './bru-syntax.ts'
import {
  type BrunoCheck,
  type BrunoDocument,
  type BrunoPart,
  type BrunoScript,
  emptyDocument,
  sequenceOf,
  typedValue,
} from './document.ts'

const methods: ReadonlySet<string> = new Set([
  ...['get', 'post', 'put', 'delete', 'patch', 'options', 'head', 'connect', 'trace', 'http', 'grpc', 'ws'],
])

/** Blocks that are read here or contain nothing to convert. */
const knownBlock =
  /^(?:meta|query|params:(?:query|path)|headers|auth|auth:(?!oauth2:).*|body.*|vars:(?:pre-request|post-response)|assert|script:.*|tests|docs|settings|example)$/

/**
 * @param shownPath path of the file, for losses
 * @throws ConvertSyntaxError with the place
 */
export function bruDocument(source: SourceText, shownPath: string): BrunoDocument {
  const blocks = bruBlocks(source)
  const block = (name: string): BruBlock | undefined => blocks.findLast((each) => each.name === name)
  const pairs = (name: string): readonly BruPair[] => block(name)?.pairs ?? []
  const values = (name: string): ReadonlyMap<string, string> =>
    new Map(pairs(name).flatMap((pair) => (pair.isDisabled ? [] : [[pair.name, pair.value] as const])))
  const place = (line: number): string => `${shownPath} line ${line}`
  const checks = (name: string, asCheck: (pair: BruPair) => Omit<BrunoCheck, 'place'>): readonly BrunoCheck[] =>
    pairs(name).flatMap((pair) => (pair.isDisabled ? [] : [{ ...asCheck(pair), place: place(pair.line) }]))
  const scripts = (...names: readonly string[]): readonly BrunoScript[] =>
    names.flatMap((name) => {
      const found = block(name)
      return found === undefined || found.text.trim() === '' ? [] : [{ place: place(found.line), code: found.text }]
    })
  const meta = values('meta')
  const http = blocks.find(({ name }) => methods.has(name))
  const request = new Map(http?.pairs.map(({ name, value }) => [name, value]))
  const mode = request.get('body') ?? 'none'
  const authType = http === undefined ? (values('auth').get('mode') ?? '') : (request.get('auth') ?? '')
  return {
    ...emptyDocument,
    type: meta.get('type') ?? '',
    name: meta.get('name') ?? '',
    sequence: sequenceOf(meta.get('seq') ?? ''),
    tags: (meta.get('tags') ?? '').split(', ').filter((tag) => tag !== ''),
    method: (http?.name === 'http' ? (request.get('method') ?? '') : (http?.name ?? '')).toUpperCase(),
    url: request.get('url') ?? '',
    query: block('params:query')?.pairs ?? pairs('query'),
    pathParameters: pairs('params:path'),
    headers: pairs('headers'),
    authType,
    auth: values(`auth:${authType}`),
    body: {
      mode,
      text: (block(`body:${mode}`) ?? block('body'))?.text ?? '',
      graphqlVariables: block('body:graphql:vars')?.text ?? '',
      parts: pairs(partBlocks[mode] ?? '').map(partOf),
    },
    variables: variablesOf(pairs('vars:pre-request')),
    captures: checks('vars:post-response', ({ name, value }) => ({
      target: name.replace(/^@/, ''),
      expression: value,
    })),
    assertions: checks('assert', ({ name, value }) => ({ expression: name, target: value })),
    scriptsBefore: scripts('script:pre-request'),
    scriptsAfter: scripts('script:post-response', 'tests'),
    docs: block('docs')?.text ?? '',
    settings: values('settings'),
    unknown: blocks
      .filter(({ name }) => !knownBlock.test(name) && !methods.has(name))
      .map(({ name, line }) => ({ place: place(line), name })),
  }
}

const partBlocks: Readonly<Record<string, string>> = {
  'form-urlencoded': 'body:form-urlencoded',
  formUrlEncoded: 'body:form-urlencoded',
  'multipart-form': 'body:multipart-form',
  multipartForm: 'body:multipart-form',
  file: 'body:file',
}

function partOf({ name, value, isDisabled }: BruPair): BrunoPart {
  const typed = /(?<!\s)\s*@contentType\(([^)]*)\)\s*$/.exec(value)
  const content = value.slice(0, typed?.index)
  const file = /^@file\((.*)\)$/s.exec(content)
  return {
    name,
    value: content,
    isDisabled,
    paths: file?.[1]?.split('|').filter((path) => path !== ''),
    contentType: typed?.[1]?.trim() ?? '',
  }
}

function variablesOf(pairs: readonly BruPair[]): readonly EnvironmentVariable[] {
  return pairs.flatMap(({ name, value, isDisabled, annotations }) => {
    if (isDisabled || name === '') return []
    const type = annotations.find((word) => /^(?:number|boolean|object)$/.test(word)) ?? 'string'
    return [{ name: name.replace(/^@/, ''), value: typedValue(value, type), isSecret: false }]
  })
}

/** @throws ConvertSyntaxError with the place */
export function bruEnvironment(source: SourceText, name: string): EnvironmentDraft {
  const blocks = bruBlocks(source)
  const wrong = blocks.find((block) => !block.name.startsWith('vars'))
  if (wrong !== undefined) {
    const message = `expected an environment with "vars {", found "${wrong.name}"`
    throw ConvertSyntaxError.at(source, { line: wrong.line, column: 1 }, message)
  }
  const variables = blocks.flatMap((block) => (block.name === 'vars' ? variablesOf(block.pairs) : []))
  const secrets = blocks
    .flatMap((block) => (block.name === 'vars:secret' ? block.items : []))
    .filter((item) => !item.startsWith('~'))
  return { name, variables: [...variables, ...secrets.map((item) => ({ name: item, value: '', isSecret: true }))] }
}
