/**
 * The scripts behind a response: run one after the other, their results told as events.
 *
 * Rules: global variables that a script sets are there for the next one and for later requests. A place inside a script
 * is told as line and column of the file that the user wrote. A script that cannot be read fails the request; one that
 * throws, or meets a limit, is a failed script, and the next one still runs.
 */
import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { ScriptNode, Span } from '../http-file/index.ts'
import { HttpcliError } from '../message/index.ts'
import { errorAt, type SourceText } from './errors.ts'
import type { RequestIdentity, RunListener, RunResponse } from './events.ts'
import type { ScriptEngine, ScriptEvent, ScriptFailure, ScriptLimits, ScriptResponse } from './script-engine.ts'
import type { Variables } from './variables.ts'

export interface HandlerContext {
  readonly source: SourceText
  /** Absolute path of the request file. */
  readonly path: string
  readonly variables: Variables
  readonly engine: () => Promise<ScriptEngine>
  readonly limits: ScriptLimits
  readonly signal: AbortSignal | undefined
  readonly emit: RunListener
}

/** Code, and where it stands. */
interface Script {
  readonly code: string
  readonly source: SourceText
  readonly start: Span
}

/** Runs the handlers of a request. @throws HttpcliError where a script cannot be read. */
export async function runHandlers(
  handlers: readonly ScriptNode[],
  request: RequestIdentity,
  response: ScriptResponse,
  context: HandlerContext,
): Promise<void> {
  const { limits, signal, variables, emit } = context
  for (const handler of handlers) {
    const script = readScript(handler, context)
    const engine = await context.engine()
    const job = { code: script.code.replace(/\r\n?/g, '\n'), response, globals: [...variables.globals], limits }
    const { events, failure } = await engine.run(job, signal)
    for (const event of events) await tell(event, script, request, context)
    if (failure?.kind === 'aborted') return
    if (failure !== undefined) {
      await emit({ type: 'script-failed', request, error: failureAt(script, failure, 'script-failed') })
    }
  }
}

/** What of a response scripts see. `body` is its content, codings undone. */
export function scriptResponse(response: RunResponse, body: Uint8Array): ScriptResponse {
  const type = response.headers.first('content-type') ?? ''
  const mimeType = (type.split(';')[0] as string).trim().toLowerCase()
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? ''
  const headers = [...response.headers].map(([name, value]) => [name, readable(value)] as const)
  return { status: response.status, headers, mimeType, charset, body: decoderFor(charset).decode(body) }
}

/** Header values are octets; servers that go beyond ASCII mean UTF-8, mostly. */
function readable(octets: string): string {
  return /^[\x00-\x7f]*$/.test(octets) ? octets : Buffer.from(octets, 'latin1').toString('utf8')
}

/** A charset that nobody knows is read as UTF-8: tests of status and headers can still run. */
function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset === '' ? 'utf-8' : charset)
  } catch {
    return new TextDecoder()
  }
}

function readScript({ source: script, span }: ScriptNode, context: HandlerContext): Script {
  const { source, path, variables } = context
  if (script.type === 'inline') return { code: script.code, source, start: script.span }
  const name = variables.render(script.path)
  try {
    const text = readFileSync(isAbsolute(name) ? name : join(dirname(path), name), 'utf8')
    return { code: text, source: { path: name, text }, start: { offset: 0, line: 1, column: 1, length: text.length } }
  } catch (cause) {
    const message = `the script ${name} cannot be read (${(cause as NodeJS.ErrnoException).code})`
    throw errorAt(source, span, { code: 'unreadable-file', message, cause })
  }
}

async function tell(
  event: ScriptEvent,
  script: Script,
  request: RequestIdentity,
  { variables, emit }: HandlerContext,
): Promise<void> {
  switch (event.type) {
    case 'log':
      return emit({ type: 'script-log', request, text: event.text })
    case 'test': {
      const { name, failure } = event
      if (failure === undefined) return emit({ type: 'test-passed', request, name })
      return emit({ type: 'test-failed', request, name, error: failureAt(script, failure, 'test-failed') })
    }
    case 'global-set':
      variables.globals.set(event.name, event.value)
      return
    case 'global-clear':
      variables.globals.delete(event.name)
      return
    case 'global-clear-all':
      variables.globals.clear()
  }
}

function failureAt({ source, start }: Script, failure: ScriptFailure, code: string): HttpcliError {
  const { message, line, column } = failure
  if (line === undefined || column === undefined) {
    return new HttpcliError(code, message, { where: { file: source.path, line: start.line, column: start.column } })
  }
  return errorAt(source, placeIn(source.text, start, line, column), { code, message })
}

/** A line and column of a script as a place in the text that holds it. */
function placeIn(text: string, start: Span, line: number, column: number): Span {
  let lineStart = start.offset
  const ends = /\r\n|\n|\r/g
  ends.lastIndex = start.offset
  for (let count = 1; count < line; count++) lineStart = (ends.exec(text)?.index ?? text.length) + 1
  if (line > 1 && text[lineStart - 1] === '\r' && text[lineStart] === '\n') lineStart++
  // The engine counts code points, we count UTF-16 units.
  let offset = lineStart
  for (let count = 1; count < column; count++) offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  // It points at the bracket of a call; people look for what is called.
  let length = 1
  while (offset > lineStart && /[\w$.]/.test(text[offset - 1] as string)) {
    offset--
    length++
  }
  const fileColumn = line === 1 ? start.column + (offset - lineStart) : offset - lineStart + 1
  return { offset, line: start.line + line - 1, column: fileColumn, length }
}
