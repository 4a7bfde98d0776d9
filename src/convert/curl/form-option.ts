/**
 * `-F` and `--form-string` of curl to parts of a multipart body.
 *
 * Rules (curl manual): `name=value`, `name=@file` (a file to upload), `name=<file` (its content as a text); behind them
 * `;type=`, `;filename=`, values perhaps in double quotes with backslashes. `--form-string` takes the value as it is.
 */
import type { MultipartEntry } from '../draft.ts'
import { fileType } from '../known-types.ts'
import type { GivenOption } from './option-reader.ts'

/** One part; a form without `=` is one without a value. */
export function formParts({ option, value }: GivenOption): MultipartEntry {
  const equals = value.indexOf('=')
  const name = equals === -1 ? value : value.slice(0, equals)
  const content = equals === -1 ? '' : value.slice(equals + 1)
  if (option.use === 'form-string') return { name, content: { text: content } }
  const mark = /^[@<]/.exec(content)?.[0] ?? ''
  const { text, type, filename } = withParameters(content.slice(mark.length))
  const known = { name, ...(type === undefined ? {} : { contentType: type }) }
  if (mark === '') return { ...known, content: { text }, ...(filename === undefined ? {} : { fileName: filename }) }
  if (mark === '<') return { ...known, content: { path: text }, fileName: '' }
  return {
    contentType: fileType(text),
    ...known,
    content: { path: text },
    fileName: filename ?? (text.split('/').at(-1) as string),
  }
}

interface Parameters {
  readonly text: string
  readonly type: string | undefined
  readonly filename: string | undefined
}

const parameterPattern = /;\s*(type|filename|headers|encoder)=("(?:[^"\\]|\\.)*"|[^;]*)/g

function withParameters(content: string): Parameters {
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(content)?.[0]
  const start = quoted?.length ?? /;\s*(?:type|filename|headers|encoder)=/.exec(content)?.index ?? content.length
  const given = new Map<string, string>()
  for (const [, name = '', value = ''] of content.slice(start).matchAll(parameterPattern)) {
    // A type has parameters of its own: ";type=text/plain;charset=utf-8".
    const isType = name === 'type' && /;type=[^;]*;charset=/.test(content)
    given.set(name, isType ? (/;type=([^;]*;charset=[^;]*)/.exec(content)?.[1] as string) : unquoted(value))
  }
  return { text: unquoted(content.slice(0, start)), type: given.get('type'), filename: given.get('filename') }
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text
}
