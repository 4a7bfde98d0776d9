/**
 * Errors in the source of a conversion.
 *
 * Rules: a source that cannot be read is an error with file, line and column; a part without an equivalent is a `Loss`
 * (draft.ts).
 */
import { excerptAt } from '../../http-file/index.ts'
import { CodedError } from '../../message/index.ts'

/** `output-exists`: the output file already has other values. */
export type ConvertErrorCode = 'convert-syntax' | 'config-map-too-large' | 'output-exists'

declare module '../../message/index.ts' {
  interface ErrorCodes {
    readonly convert: ConvertErrorCode
  }
}

export class ConvertError extends CodedError<ConvertErrorCode> {}

/** A text of the user, and the path by which the user knows it. */
export interface SourceText {
  readonly path: string
  readonly text: string
  /** For a directory format: its files, with their paths relative to it. */
  readonly files?: readonly SourceText[]
}

export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** The source is invalid. */
export class ConvertSyntaxError extends ConvertError {
  static at(source: SourceText, { line, column }: TextPlace, message: string, hint?: string): ConvertSyntaxError {
    const lines = source.text.split(/(?<=\n)/)
    const offset = lines.slice(0, line - 1).join('').length + column - 1
    return new ConvertSyntaxError('convert-syntax', message, {
      where: { file: source.path, line, column },
      excerpt: excerptAt(source.text, { offset, line, column, length: 1 }),
      ...(hint === undefined ? {} : { hint }),
    })
  }
}
