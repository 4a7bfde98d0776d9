/** For tests of plain scripts: one script over one answer, run both ways. */
import type { JsonValue, ScriptNode } from '../../../../src/http-file/index.ts'
import { parseMediaType } from '../../../../src/runner/request/media-type.ts'
import { PlainScripts } from '../../../../src/runner/scripting/plain/plain-scripts.ts'
import type { PlainEvent } from '../../../../src/runner/scripting/plain/plain-world.ts'
import { runScript } from '../running-scripts.ts'

export interface Answer {
  readonly mimeType?: string
  readonly body?: string
  /** Without the media type. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

const usual = {
  mimeType: 'application/json; charset=utf-8',
  body: '{"id": 7, "name": "Zoë", "tags": ["a", "b"], "owner": {"id": 1, "mail": null}, "length": 3, "0": "zero"}',
  headers: [
    ['X-One', '1'],
    ['x-one', '2'],
  ],
} as const

/** Its events; undefined if it is declined. */
export function runPlain(
  code: string,
  globals: Map<string, JsonValue>,
  answer: Answer = {},
): readonly PlainEvent[] | undefined {
  const { mimeType: type, body, headers } = { ...usual, ...answer }
  const { name: mimeType, charset = '' } = parseMediaType(type)
  const response = {
    status: 200,
    headers: [['Content-Type', type] as const, ...headers],
    contentType: { mimeType, charset },
    content: Buffer.from(body),
  }
  return new PlainScripts().run(inline(code), response, globals)
}

/** The same from the engine; undefined if anything failed. */
export async function runInEngine(
  code: string,
  globals: Map<string, JsonValue>,
  answer: Answer = {},
): Promise<readonly PlainEvent[] | undefined> {
  const { mimeType, body, headers } = { ...usual, ...answer }
  const script = code.replace(/\r\n?/g, '\n')
  const { outcome, events } = await runScript(script, {
    body,
    globals,
    headers: [['Content-Type', mimeType], ...headers],
  })
  if (outcome !== 'done') return undefined
  return events.map((event) =>
    event.type === 'log' ? { type: 'log', text: event.text } : { type: 'test', name: event.name },
  )
}

function inline(code: string): ScriptNode {
  const span = { offset: 0, line: 1, column: 1, length: code.length }
  return { source: { type: 'inline', code, span }, span } as unknown as ScriptNode
}
