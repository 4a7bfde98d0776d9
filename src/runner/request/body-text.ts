/**
 * The text of a part of a body: typed, or from a file with variables.
 *
 * Rules: typed forms are encoded by form-body.ts, and in JSON an unquoted dynamic text gets its quotes.
 */
import { encodeForm, type Template } from '../../http-file/index.ts'
import type { Variables } from '../variables/variables.ts'
import { isJson, type MediaType } from './media-type.ts'

/** What body texts need from the variables. */
export type BodyValues = Pick<Variables, 'render' | 'resolve'>

export interface TextForm {
  readonly type: MediaType
  /** Whether the text is a typed form, which is encoded. */
  readonly isEncodedForm: boolean
}

/** @throws as `Variables.render` */
export function bodyText(template: Template, { type, isEncodedForm }: TextForm, values: BodyValues): string {
  if (isEncodedForm) return formText(template, values)
  return isJson(type) ? jsonText(template, values) : values.render(template)
}

export function isForm({ name }: MediaType): boolean {
  return name === 'application/x-www-form-urlencoded'
}

function formText({ parts }: Template, values: BodyValues): string {
  return encodeForm(
    parts.map((part) =>
      part.type === 'text'
        ? { text: part.text, isValue: false }
        : { text: values.resolve(part.expression, part.span).text, isValue: true },
    ),
  )
}

/** An unquoted dynamic text gets quotes; numbers and values defined by the user stay unquoted. */
export function jsonText({ parts }: Template, values: BodyValues): string {
  let isInString = false
  let text = ''
  for (const part of parts) {
    if (part.type === 'text') {
      for (const [token] of part.text.matchAll(/\\.|"/gs)) if (token === '"') isInString = !isInString
      text += part.text
    } else {
      const value = values.resolve(part.expression, part.span, { allowsNull: !isInString })
      text += value.isDynamicText && !isInString ? JSON.stringify(value.text) : value.text
    }
  }
  return text
}
