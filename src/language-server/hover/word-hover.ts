/** Hover over words with a fixed meaning: methods, versions, header fields and their values, tags, assertions. */
import type { Cursor } from '../cursor/cursor.ts'
import { type Token, wordAt } from '../cursor/token.ts'
import { filters, predicates, subjects } from '../knowledge/assertion-words.ts'
import { headerValues } from '../knowledge/header-values.ts'
import { fieldName, requestHeaders, responseHeaders } from '../knowledge/headers.ts'
import { mediaTypes } from '../knowledge/media-types.ts'
import { methods, versions } from '../knowledge/methods.ts'
import { statusTopic } from '../knowledge/status.ts'
import { tags } from '../knowledge/tags.ts'
import { type Topic, topicOf, topicText } from '../knowledge/topic.ts'
import type { HoverText } from './hover-text.ts'

const fields = { ...responseHeaders, ...requestHeaders }

/** The hover in a line that is not part of a script. */
export function wordText(cursor: Cursor): HoverText | undefined {
  const line = cursor.before + cursor.after
  switch (cursor.part?.kind) {
    case 'request-line':
      return requestLineText(cursor)
    case 'header':
    case 'body-text':
      return headerText(cursor, line)
    case 'tag':
      return tagText(cursor, line)
    default:
      return undefined
  }
}

/** The hover over a status code, in a line that may contain one. */
export function statusText(cursor: Cursor): HoverText | undefined {
  if (!/\bstatus\b/.test(cursor.before)) return undefined
  const word = wordAt(cursor, /(?<![\w.])[1-5]\d\d(?![\w.])/g)
  return word && about(word, statusTopic(Number(word.text)))
}

function about(token: Token | undefined, topic: Topic | undefined): HoverText | undefined {
  return token === undefined || topic === undefined ? undefined : { range: token.range, text: topicText(topic) }
}

function requestLineText(cursor: Cursor): HoverText | undefined {
  const method = wordAt(cursor, /^[ \t\f]*[A-Z]+(?=[ \t])/g)
  if (method !== undefined) return about(method, topicOf(methods, method.text.trim()))
  const version = wordAt(cursor, /HTTP\/[\d.]+(?:[ \t]+\(Prior Knowledge\))?[ \t]*$/g)
  return about(version, topicOf(versions, version?.text.trim() ?? ''))
}

/** Also applies to the parts of a multipart body. */
function headerText(cursor: Cursor, line: string): HoverText | undefined {
  const [, name = ''] = /^[ \t\f]*([\w-]+)[ \t]*:/.exec(line) ?? []
  const known = fieldName(name)
  if (known === undefined && cursor.part?.kind === 'body-text') return undefined
  const nameWord = wordAt(cursor, /^[ \t\f]*[\w-]+(?=[ \t]*:)/g)
  if (nameWord !== undefined) return about(nameWord, known === undefined ? undefined : topicOf(fields, known))
  const type = wordAt(cursor, /(?<![\w.+-])[\w.+-]+\/[\w.+-]+/g)
  if (type !== undefined) return about(type, topicOf(mediaTypes, type.text.toLowerCase()))
  const value = wordAt(cursor, /[\w-]+/g)
  const key = name.toLowerCase()
  const values = Object.hasOwn(headerValues, key) ? headerValues[key] : undefined
  return about(
    value,
    values?.find((each) => each.text !== '' && each.value.split(/[=\s]/)[0] === value?.text),
  )
}

function tagText(cursor: Cursor, line: string): HoverText | undefined {
  const name = /@([\w-]+)/.exec(line)?.[1] ?? ''
  const nameWord = wordAt(cursor, /@[\w-]+/g)
  if (nameWord?.text === `@${name}`) return about(nameWord, topicOf(tags, name))
  if (name !== 'assert' && name !== 'capture') return undefined
  const status = statusText(cursor)
  if (status !== undefined) return status
  const type = wordAt(cursor, /(?<![a-z])[a-z]+\/[\w.+-]+/g)
  if (type !== undefined) return about(type, topicOf(mediaTypes, type.text))
  const word = wordAt(cursor, /[A-Za-z][\w-]*|[=!<>]=?/g)
  if (word === undefined || /["'][^"']*$/.test(cursor.before)) return undefined
  return about(word, assertionTopic(word, cursor, name))
}

function assertionTopic({ text, typed }: Token, { before }: Cursor, tag: string): Topic | undefined {
  const left = before.slice(0, before.length - typed.length)
  if (/\bheaders?[ \t]+$/i.test(left)) {
    const known = fieldName(text)
    return known === undefined ? undefined : topicOf(fields, known)
  }
  const isFirst = tag === 'assert' ? /@assert[ \t]+(?:not[ \t]+)?$/.test(left) : /[=:][ \t]*$/.test(left)
  if (isFirst) return topicOf(subjects, text.toLowerCase())
  return topicOf(predicates, text) ?? topicOf(filters, text)
}
