/**
 * Adds the fields of rules to an answer.
 *
 * Rules: fields of the answer itself stay, as with the fields of options (head-writer.ts); only the type of a file can
 * be replaced by a rule. Cache-Control applies only to files: an error or a listing must not be cached for a year.
 */
import type { Answer, Field } from '../semantics/answer.ts'

/** Answers with a file, or saying that it has not changed. */
const fileStatuses: ReadonlySet<number> = new Set([200, 206, 304])

/** `isOfFile`: whether the body is that of a file. */
export function withRuledFields(answer: Answer, ruled: readonly Field[], isOfFile: boolean): Answer {
  const { status, fields, body, problem } = answer
  const isFile = isOfFile && fileStatuses.has(status)
  const isMultipart = status === 206 && fields.some(([, value]) => value.startsWith('multipart/'))
  const mayReplace = (name: string): boolean => isFile && name === 'content-type' && status !== 304 && !isMultipart
  const applied = ruled.filter(([name]) => {
    const key = name.toLowerCase()
    if (key === 'content-type') return mayReplace(key)
    if (key === 'cache-control') return isFile && !has(fields, key)
    return key === 'vary' || !has(fields, key)
  })
  if (applied.length === 0) return answer
  const kept = fields.filter(([name]) => !(mayReplace(name.toLowerCase()) && has(applied, name.toLowerCase())))
  return { status, fields: [...kept, ...applied], body, ...(problem === undefined ? {} : { problem }) }
}

function has(fields: readonly Field[], key: string): boolean {
  return fields.some(([name]) => name.toLowerCase() === key)
}
