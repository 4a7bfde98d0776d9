/**
 * What is answered to a plan and what was found for it: status, fields and body, not yet on any wire.
 *
 * Rules: a file is answered only after its preconditions (conditional.ts); an answer without the file closes it here.
 * A 304 repeats what would steer a cache (RFC 9110 section 15.4.5). Every error has a short text that names no path. The
 * fields that do not depend on the answer (Date, framing, Connection, the safe defaults) are written by respond.ts.
 */
import { reasonPhrase } from '../message/index.ts'
import { judgePreconditions, lastModified } from './conditional.ts'
import type { LookupResult } from './lookup.ts'
import type { ServedFile } from './served-file.ts'

export type Field = readonly [name: string, value: string]

export interface Answer {
  readonly status: number
  readonly fields: readonly Field[]
  /** Undefined where the status allows no body. A file is closed by the one who responds. */
  readonly body: Uint8Array | ServedFile | undefined
}

/** RFC 9110 section 10.2.1. */
const allowField: Field = ['Allow', 'GET, HEAD, OPTIONS']

/** Short, because what runs out (descriptors, memory) comes back as soon as other responses end. */
const retryField: Field = ['Retry-After', '1']

/** A body of one line of plain text. `detail` is shown to the client: what was wrong, never a path of the disk. */
export function textAnswer(status: number, detail?: string, fields: readonly Field[] = []): Answer {
  const line = `${status} ${reasonPhrase(status)}${detail === undefined ? '' : `: ${detail}`}`
  return {
    status,
    fields: [['Content-Type', 'text/plain; charset=utf-8'], ...fields],
    body: new TextEncoder().encode(`${line}\n`),
  }
}

export function optionsAnswer(): Answer {
  return { status: 204, fields: [allowField], body: undefined }
}

/** For a request that planning already refused. */
export function refusalAnswer(status: 400 | 404 | 405): Answer {
  if (status === 405) return textAnswer(405, 'this server answers GET, HEAD and OPTIONS', [allowField])
  return textAnswer(status, status === 400 ? 'the path has a broken percent escape' : undefined)
}

/** For the moments in which the process has no descriptor, memory or connection left. */
export function busyAnswer(): Answer {
  return textAnswer(503, 'try again in a moment', [retryField])
}

/** `field`: the combined request field by lower-case name. `slashLocation`: where a directory redirects to. */
export function lookupAnswer(
  result: LookupResult,
  field: (lowerCaseName: string) => string | undefined,
  slashLocation: string,
  nowMs: number,
): Answer {
  switch (result.type) {
    case 'file':
      return fileAnswer(result, field, nowMs)
    case 'directory':
      return textAnswer(308, `the directory is at ${slashLocation}`, [['Location', slashLocation]])
    case 'missing':
      return textAnswer(404)
    case 'forbidden':
      return textAnswer(403)
    case 'busy':
      return busyAnswer()
  }
}

function fileAnswer(
  found: Extract<LookupResult, { type: 'file' }>,
  field: (lowerCaseName: string) => string | undefined,
  nowMs: number,
): Answer {
  const { file } = found
  const steering: Field[] = [['ETag', file.validators.etag]]
  if (found.isNegotiated) steering.push(['Vary', 'Accept'])
  const verdict = judgePreconditions(field, file.validators, nowMs)
  if (verdict !== 'proceed') file.close()
  if (verdict === 'not-modified') return { status: 304, fields: steering, body: undefined }
  if (verdict === 'failed') return textAnswer(412, undefined, steering)
  const modified: Field = ['Last-Modified', lastModified(file.validators, nowMs)]
  return { status: 200, fields: [['Content-Type', found.mediaType], modified, ...steering], body: file }
}
