/**
 * The files that a request file names, as paths.
 *
 * Rules: a path is relative to the file that names it. A path with variables is resolved if their values are known
 * without a run.
 */
import { dirname, resolve } from 'node:path'
import { type HttpFile, isLiteral, type Part, type Span, type Template, templateText } from '../../http-file/index.ts'
import { openHttpFile } from '../../runner/index.ts'
import type { KnownValues } from './known-values.ts'

/** `import` and `run` name request files; scripts and texts contain names of variables; other files are bytes. */
export type LinkKind = 'request-file' | 'script' | 'template' | 'other'

export interface FileLink {
  readonly kind: LinkKind
  /** Absolute. */
  readonly path: string
  /** The position of the path in the text. */
  readonly span: Pick<Span, 'offset' | 'length'>
}

interface WrittenPath extends Omit<FileLink, 'path'> {
  readonly path: Template
}

/**
 * The files that a request file names, in file order. Paths with unknown values are omitted.
 * @param values called if a path has variables
 */
export function fileLinksOf({ sections }: HttpFile, path: string, values: () => KnownValues): readonly FileLink[] {
  return sections
    .flatMap(({ parts }, index) =>
      parts.flatMap((part) => {
        const written = writtenPath(part)
        return written === undefined ? [] : { ...written, index }
      }),
    )
    .flatMap(({ kind, path: template, span, index }) => {
      const written = isLiteral(template) ? templateText(template) : values().text(template, index)
      const isPath = written !== undefined && written !== '' && !written.includes('\0')
      return isPath ? [{ kind, path: resolve(dirname(path), written), span }] : []
    })
}

function writtenPath(part: Part): WrittenPath | undefined {
  switch (part.kind) {
    case 'directive':
      return part.target.type === 'file' ? { kind: 'request-file', ...part.target } : undefined
    case 'script':
      return part.source.type === 'file' ? atEnd(part, part.source.path, 'script') : undefined
    case 'body-file':
      return { kind: part.substitutes ? 'template' : 'other', path: part.path, span: part.pathSpan }
    case 'redirect':
    case 'reference':
      return atEnd(part, part.path, 'other')
    default:
      return undefined
  }
}

/** A path after the marker of its line: `> file.js`, `>>! file`. */
function atEnd({ span, text }: Part, path: Template, kind: LinkKind): WrittenPath {
  const marks = /^[ \t\f]*([<>=]+!?[ \t\f]*)/.exec(text)?.[1]?.length ?? 0
  return { kind, path, span: { offset: span.offset + marks, length: span.length - marks } }
}

const linkPattern = /^[ \t\f]*(?:import|run)[ \t\f]+(?!#)((?:[^\s(]+|\((?![ \t\f]*(?:@|$))|[ \t\f]+)+)/gm

/** The request files that a text imports or runs. The text is parsed only if a path has variables. */
export function importedPaths(text: string, path: string, values: (file: HttpFile) => KnownValues): readonly string[] {
  const all = [...text.matchAll(linkPattern)].map(([, target = '']) => target.trim())
  const written = all.filter((target) => !target.includes('\0'))
  if (!written.some((target) => target.includes('{{'))) return written.map((target) => resolve(dirname(path), target))
  const { file } = openHttpFile(text, path)
  return fileLinksOf(file, path, () => values(file))
    .filter(({ kind }) => kind === 'request-file')
    .map((link) => link.path)
}
