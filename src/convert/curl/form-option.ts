/**
 * Converts curl's `-F` and `--form-string` to parts of a multipart body.
 *
 * Rules (curl manual): `name=value`, `name=@file` (a file to upload), `name=<file` (its content as a text); followed by
 * `;type=`, `;filename=`, values optionally in double quotes with backslashes. `--form-string` takes the value
 * literally.
 */
import type { MultipartEntry, PartContent } from '../draft/draft.ts'
import { fileType } from '../draft/known-types.ts'
import type { GivenOption } from './option-reader.ts'

export interface FormSettings {
  /** Standard input, if the command has any. */
  readonly input: string | undefined
  readonly lose: (place: { readonly line: number }, message: string) => void
}

/** One part, except for an option that names several files; a form without `=` is a part without a value. */
export function formParts(given: GivenOption, { input, lose }: FormSettings): readonly MultipartEntry[] {
  const { option, value } = given
  const equals = value.indexOf('=')
  const name = equals === -1 ? value : value.slice(0, equals)
  const content = equals === -1 ? '' : value.slice(equals + 1)
  if (option.use === 'form-string') return [{ name, content: { text: content } }]
  const mark = /^[@<]/.exec(content)?.[0] ?? ''
  const { text, isQuoted, type, filename, lost } = withParameters(content.slice(mark.length))
  for (const parameter of lost) lose(given, `${parameter} of the part ${name}`)
  const known = { name, ...(type === undefined ? {} : { contentType: type }) }
  const named = filename === undefined ? {} : { fileName: filename }
  if (mark === '') return [{ ...known, content: { text }, ...named }]
  if (text === '-' && input === undefined) lose(given, 'the standard input')
  const contentOf = (path: string): PartContent => (path === '-' ? { text: input ?? '' } : { path })
  if (mark === '<') return [{ ...known, content: contentOf(text), fileName: '' }]
  const paths = isQuoted ? [text] : text.split(',')
  if (paths.length > 1) lose(given, `several files in the part ${name}: each is a separate part`)
  return paths.map((path) => {
    const fileName = filename ?? (path.split('/').at(-1) as string)
    return { contentType: fileType(fileName), ...known, content: contentOf(path), fileName }
  })
}

interface Parameters {
  readonly text: string
  readonly isQuoted: boolean
  readonly type: string | undefined
  readonly filename: string | undefined
  /** Names of parameters without an equivalent. */
  readonly lost: readonly string[]
}

const parameterPattern = /;\s*(type|filename|headers|encoder)=("(?:[^"\\]|\\.)*"|[^;]*)/g

function withParameters(content: string): Parameters {
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(content)?.[0]
  const start = quoted?.length ?? /;\s*(?:type|filename|headers|encoder)=/.exec(content)?.index ?? content.length
  const values = new Map<string, string>()
  for (const [, name = '', value = ''] of content.slice(start).matchAll(parameterPattern)) {
    // A type may have parameters: ";type=text/plain;charset=utf-8".
    const isType = name === 'type' && /;type=[^;]*;charset=/.test(content)
    values.set(name, isType ? (/;type=([^;]*;charset=[^;]*)/.exec(content)?.[1] as string) : unquoted(value))
  }
  return {
    text: quoted === undefined ? trimmed(content.slice(0, start)) : unquoted(quoted),
    isQuoted: quoted !== undefined,
    type: values.get('type'),
    filename: values.get('filename'),
    lost: ['headers', 'encoder'].filter((name) => values.has(name)),
  }
}

/** Only quotes preserve leading and trailing white space and line breaks. */
function trimmed(text: string): string {
  return text.replace(/^[ \t\n\v\f\r]+|(?<![ \t\n\v\f\r])[ \t\n\v\f\r]+$/g, '')
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text
}
