/**
 * The answer to a request for a file that was found: preconditions, ranges, the whole file.
 *
 * Rules: preconditions come first, in their order (conditional.ts); a Range applies only to GET, and only if If-Range
 * matches. Several ranges are parts of a `multipart/byteranges`. If an answer does not use the file, the file is closed
 * here. RFC 9110 sections 13.2.2, 14.2 to 14.6 and 15.3.7.
 */
import { type Answer, type Field, textAnswer } from './answer.ts'
import type { FileSlice } from './answer-body.ts'
import { judgePreconditions, matchesIfRange } from './conditional.ts'
import type { Plan } from './plan.ts'
import { parseRange } from './range.ts'
import { choiceFields, contentFields, type Representation, selectionFields } from './representation.ts'

/** `boundary`: returns a text of letters and digits that no file contains. */
export function answerFile(file: Representation, plan: Plan, nowMs: number, boundary: () => string): Answer {
  const { conditions } = plan
  if (conditions === undefined) return file.whole(nowMs)
  const verdict = judgePreconditions((name) => conditions.get(name), file.validators, nowMs)
  if (verdict === 'not-modified') return file.notModified()
  if (verdict === 'failed') {
    file.close()
    return textAnswer(412, undefined, choiceFields(file))
  }
  const range = plan.request.method === 'GET' ? conditions.get('range') : undefined
  const ifRange = conditions.get('if-range')
  // Content that is generated while it is sent has no ranges.
  if (
    range === undefined ||
    file.sizeBytes === undefined ||
    (ifRange !== undefined && !matchesIfRange(ifRange, file.validators, nowMs))
  ) {
    return file.whole(nowMs)
  }
  const slices = parseRange(range, file.sizeBytes)
  if (slices === 'whole') return file.whole(nowMs)
  if (slices === 'unsatisfiable') {
    file.close()
    return textAnswer(416, undefined, [['Content-Range', `bytes */${file.sizeBytes}`], ...choiceFields(file)])
  }
  if (slices.length > 1) return multipartAnswer(file, file.sizeBytes, slices, nowMs, boundary())
  const fields: Field[] = [...contentFields(file, nowMs), contentRange(slices[0]!, file.sizeBytes)]
  return { status: 206, fields: [...fields, ...selectionFields(file)], body: file.body(slices) }
}

function contentRange({ start, end }: FileSlice, sizeBytes: number): Field {
  return ['Content-Range', `bytes ${start}-${end - 1}/${sizeBytes}`]
}

function multipartAnswer(
  file: Representation,
  sizeBytes: number,
  slices: readonly FileSlice[],
  nowMs: number,
  boundary: string,
): Answer {
  const parts = slices.flatMap((slice, index) => {
    const head = [['Content-Type', file.presentation.mediaType], contentRange(slice, sizeBytes)]
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return [Buffer.from(`${index === 0 ? '' : '\r\n'}--${boundary}\r\n${lines}\r\n`, 'latin1'), slice]
  })
  const fields = contentFields(file, nowMs, `multipart/byteranges; boundary=${boundary}`)
  return {
    status: 206,
    fields: [...fields, ...selectionFields(file)],
    body: file.body([...parts, Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1')]),
  }
}
