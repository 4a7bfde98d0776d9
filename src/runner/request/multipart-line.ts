/**
 * A typed line of a multipart body with the values of its variables.
 *
 * Rules: whether the line is a header or content is not known here, so it is rendered as both. As a header, `"`, CR and
 * LF of a value become `%22`, `%0D` and `%0A` in a quoted `name` or `filename` (HTML, "multipart/form-data encoding
 * algorithm"); typed text is unchanged.
 */
import { escapedPartName, type Span, type Template } from '../../http-file/index.ts'
import type { Variables } from '../variables/variables.ts'
import type { InsertedValues, MultipartItem } from './multipart-body.ts'

/** Whether the next typed text is inside the quotes of a name. */
const openName = /^(?:content-disposition[ \t]*:.*;[ \t]*|[ \t]+(?:.*;[ \t]*)?)(?:file)?name="[^"]*$/i

/** @throws as `Variables.render` */
export function multipartLine({ parts }: Template, variables: Variables): MultipartItem<never> {
  let line = ''
  let header = ''
  let typed = ''
  let first: Pick<InsertedValues, 'prefix' | 'span'> | undefined
  let unfit: Span | undefined
  for (const part of parts) {
    if (part.type === 'text') {
      line += part.text
      header += part.text
      typed += part.text
      continue
    }
    const { text } = variables.resolve(part.expression, part.span)
    first ??= { prefix: typed, span: part.span }
    line += text
    if (openName.test(typed)) {
      header += escapedPartName(text)
      continue
    }
    header += text
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) unfit ??= part.span
  }
  return first === undefined ? { line } : { line, inserted: { ...first, header, unfit } }
}
