/**
 * Converts Bruno's templates to those of request files.
 *
 * Rules (Bruno, "Variables Interpolation", "Dynamic Variables"): characters that are not allowed in the name of a
 * variable become `_`, the same everywhere. A dot is part of a name if the collection declares that name; otherwise it
 * begins a path into a value. Dynamic variables become their equivalents; one without an equivalent is reported and
 * sent as written.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { mapTexts } from '../draft/document.ts'
import { dynamicNames } from '../draft/dynamic-names.data.ts'
import { pieceText, templatePieces, variableName } from '../draft/literal-text.ts'

export interface BrunoNames {
  /** All variables that the collection declares, as written. */
  readonly declared: ReadonlySet<string>
}

/** Templates other than names. */
export interface TemplateReport {
  /** A dynamic variable without an equivalent. */
  readonly onUnknown: (name: string) => void
  /** A prompt: the name of the variable, and the text of the question. */
  readonly onPrompt: (name: string, question: string) => void
}

const pathPattern = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+|\[\d+\])+$/u
/** An array index, which request files have in brackets. */
const dottedIndex = /\.(\d+)(?=[.[]|$)/g
const environmentPattern = /^process\.env\.([A-Za-z_]\w*)$/

/** The text with its variables named as in a request file. */
export function brunoText(text: string, { declared }: BrunoNames, { onUnknown, onPrompt }: TemplateReport): string {
  const pieces = templatePieces(text, (inner) => {
    if (inner === '') return undefined
    const environment = environmentPattern.exec(inner)
    if (environment !== null) return `$env.${environment[1]}`
    if (inner.startsWith('?')) {
      const question = inner.slice(1).trim()
      const name = variableName(question)
      if (name === '') return undefined
      onPrompt(name, question)
      return name
    }
    if (inner.startsWith('$')) {
      const known = Object.hasOwn(dynamicNames, inner) ? dynamicNames[inner] : undefined
      if (known === undefined) onUnknown(inner)
      return known
    }
    return !declared.has(inner) && pathPattern.test(inner) ? inner.replace(dottedIndex, '[$1]') : variableName(inner)
  })
  return pieceText(pieces)
}

/** For text that is not sent. */
export const silentReport: TemplateReport = { onUnknown: () => undefined, onPrompt: () => undefined }

/** The same for every text in a value. */
export function brunoValue(value: JsonValue, names: BrunoNames, report: TemplateReport): JsonValue {
  return mapTexts(value, (text) => brunoText(text, names, report))
}
