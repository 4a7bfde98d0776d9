/**
 * Text for HTML.
 *
 * Rules: all text goes through `html`, a template tag that escapes its values unless they are HTML already, so that
 * escaping cannot be forgotten. Control characters and bidirectional controls are shown by their code.
 */
import { withReferences } from '../../secrets/index.ts'
import { escapedControls } from '../record/printable-text.ts'

/** A piece of HTML; only `html` creates one. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[] | undefined

/** Values are escaped, except for pieces of HTML and lists of them; undefined is omitted. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0] as string
  for (const [index, value] of values.entries()) text += valueText(value) + (strings[index + 1] as string)
  return new Html(text)
}

function valueText(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return withReferences(escapedControls(String(value)))
}
