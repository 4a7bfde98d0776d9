/**
 * The symbols of a request file, and those of all files in the folders.
 *
 * Rules: a request contains its variables, captures and scripts; everything outside requests is on the top level.
 */
import { type DocumentSymbol, type Location, type SymbolInformation, SymbolKind } from 'vscode-languageserver-protocol'
import { type Request, templateText } from '../../http-file/index.ts'
import type { LineIndex } from '../base/positions.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { requestFilesIn } from '../workspace/folder-files.ts'
import { namesInFile } from '../workspace/names.ts'
import { type PartAt, partsAt, type SectionAt, sectionsOf } from '../workspace/place-at.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** The hierarchy of a file, in file order. */
export function documentSymbols({ file, lines }: Analysis): DocumentSymbol[] {
  return sectionsOf(file).flatMap((section) => {
    const parts = partsAt(section)
    const children = parts.flatMap((part) => partSymbol(part, lines) ?? [])
    const { request } = section.section
    return request === undefined ? children : [{ ...requestSymbol(request, section, parts, lines), children }]
  })
}

/** The same as a list, for clients without support for a hierarchy. */
export function flatSymbols(symbols: readonly DocumentSymbol[], uri: string, container?: string): SymbolInformation[] {
  const containerName = container === undefined ? {} : { containerName: container }
  return symbols.flatMap(({ name, kind, range, children = [] }) => [
    { name, kind, location: { uri, range }, ...containerName },
    ...flatSymbols(children, uri, name),
  ])
}

function requestSymbol(
  { name, line }: Request,
  { offset }: SectionAt,
  parts: readonly PartAt[],
  lines: LineIndex,
): DocumentSymbol {
  const title = requestTitle(line)
  // The blank lines before the next request do not belong to this one.
  const end = parts.findLast(({ part }) => part.kind !== 'blank')?.end ?? offset
  return {
    name: name === '' ? title : name,
    ...(name === '' ? {} : { detail: title }),
    kind: SymbolKind.Method,
    range: lines.rangeOf({ offset, length: end - offset }),
    selectionRange: lines.rangeOf(line.span),
  }
}

function requestTitle({ method = 'GET', target }: Request['line']): string {
  return `${method} ${templateText(target)}`.trim()
}

function partSymbol({ part, offset, end }: PartAt, lines: LineIndex): DocumentSymbol | undefined {
  const range = lines.rangeOf({ offset, length: end - offset })
  const at = { range, selectionRange: lines.rangeOf(part.span) }
  if (part.kind === 'variable') {
    return { name: `@${part.name}`, kind: SymbolKind.Variable, ...at, selectionRange: lines.rangeOf(part.nameSpan) }
  }
  if (part.kind === 'script') {
    const { phase, source } = part
    const detail = source.type === 'file' ? templateText(source.path) : undefined
    return { name: scriptTitles[phase], ...(detail === undefined ? {} : { detail }), kind: SymbolKind.Function, ...at }
  }
  if (part.kind === 'directive') {
    const { directive, target } = part
    const shown = target.type === 'request' ? `#${target.name}` : templateText(target.path)
    return { name: `${directive} ${shown}`, kind: SymbolKind.Module, ...at }
  }
  const name = part.kind === 'tag' && part.name === 'capture' ? /^[\p{L}\p{N}_.-]+/u.exec(part.value)?.[0] : undefined
  return name === undefined ? undefined : { name, detail: 'capture', kind: SymbolKind.Variable, ...at }
}

const scriptTitles = {
  'pre-request': 'pre-request script',
  handler: 'response handler',
  common: 'common script',
} as const

/** The maximum number of symbols for one search. */
const MAX_SYMBOLS = 1000

/** The requests and variables in all folders and open files whose names contain the letters of the query in order. */
export function workspaceSymbols(workspace: Workspace, query: string): SymbolInformation[] {
  const open = workspace.openFiles
  const paths = requestFilesIn(workspace.folders).paths.filter((path) => open.every((each) => each.path !== path))
  const symbols: SymbolInformation[] = []
  for (const file of [...open, ...paths]) {
    const analysis = typeof file === 'string' ? workspace.analysisOfFile(file) : file
    if (analysis === undefined) continue
    for (const symbol of symbolsOf(analysis)) if (isMatch(symbol.name, query)) symbols.push(symbol)
    if (symbols.length >= MAX_SYMBOLS) break
  }
  return symbols.slice(0, MAX_SYMBOLS)
}

function symbolsOf({ file, text, lines, uri }: Analysis): readonly SymbolInformation[] {
  const location = (span: { readonly offset: number; readonly length: number }): Location => {
    return { uri, range: lines.rangeOf(span) }
  }
  const requests = file.sections.flatMap(({ request }): SymbolInformation[] => {
    if (request === undefined) return []
    const title = requestTitle(request.line)
    const name = request.name === '' ? title : `${request.name} (${title})`
    return [{ name, kind: SymbolKind.Method, location: location(request.line.span) }]
  })
  const variables = namesInFile(file, text).places.filter(({ form }) => form === 'in-place' || form === 'capture')
  return [
    ...requests,
    ...variables.map((place) => ({ name: place.name, kind: SymbolKind.Variable, location: location(place) })),
  ]
}

function isMatch(name: string, query: string): boolean {
  const letters = name.toLowerCase()
  let at = 0
  for (const letter of query.toLowerCase().replaceAll(' ', '')) {
    at = letters.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}
