/**
 * Assembles the scripts of a request file into one program for the engine, and maps positions in it back to the
 * scripts.
 *
 * Rules: a script is the body of an async function: its names are local, and `await` and `return` are allowed anywhere
 * in it. Common blocks come before and around it, so that it sees their names. Import declarations become names of a
 * scope around all of that; an asserted comparison reports both sides. Line numbers are preserved, and inserted text is
 * recorded, so that positions can be reported.
 */
import { type ImportDeclaration, importDeclarations } from './script-imports.ts'
import { ScriptIndex } from './script-index.ts'
import { nesting, type ScriptToken } from './script-tokens.ts'

/** A position in one of the parts. Lines and columns count from 1, columns in code points, as in the engine. */
export interface PartPlace {
  readonly part: number
  readonly line: number
  readonly column: number
}

export interface ScriptProgram {
  /** Yields a function that takes `compare` and `bindImports` of the world and returns a promise. */
  readonly text: string
  readonly hasImports: boolean
  /** Maps a position in the text to one in the parts. */
  readonly placeOf: (line: number, column: number) => PartPlace
}

/** @param parts with LF only; the last one is the script, those before it are common blocks */
export function assembleProgram(parts: readonly string[]): ScriptProgram {
  const edited = parts.map(editPart)
  const body: string[] = []
  const firstLines: number[] = []
  for (const [index, part] of edited.entries()) {
    // The semicolon ends an incomplete statement of the part above, so that its error is reported there.
    if (index > 0) body.push(';', 'return await (async () => {')
    // The head is one line long.
    firstLines.push(body.length + 2)
    for (const line of part.text.split('\n')) body.push(line)
  }
  const imports = edited.flatMap((part, index) => importEntries(part, (firstLines[index] as number) - 1))
  const hasImports = imports.length > 0
  const scope = hasImports ? `with (await ${BIND}([${imports.join(',')}])) { return await (async () => {` : ''
  const end = '})();'.repeat(edited.length - 1) + (hasImports ? '})() }' : '')
  return {
    text: [`(async (${COMPARE}, ${BIND}) => {${scope}`, ...body, `${end}})`].join('\n'),
    hasImports,
    placeOf: (line, column) => {
      let part = firstLines.length - 1
      // The line above a part begins its function, which is the place of a script that a limit has stopped.
      while (part > 0 && (firstLines[part] as number) - 1 > line) part--
      const { lineCount, edits } = edited[part] as EditedPart
      const firstLine = firstLines[part] as number
      if (line < firstLine) return { part, line: 1, column: 1 }
      const own = Math.min(line - firstLine + 1, lineCount)
      return { part, line: own, column: unedited(edits, own, column) }
    },
  }
}

/** Names that no script uses by accident. */
const COMPARE = '$httpcliCompare'
const BIND = '$httpcliImports'

/** Characters that were inserted into a line. */
interface Edit {
  readonly offset: number
  readonly removed: number
  readonly inserted: string
}

interface PlacedEdit {
  readonly line: number
  /** The column in the original text, from 1. */
  readonly column: number
  readonly added: number
}

interface PlacedImport extends ImportDeclaration {
  readonly line: number
  readonly column: number
}

interface EditedPart {
  readonly text: string
  readonly lineCount: number
  readonly imports: readonly PlacedImport[]
  readonly edits: readonly PlacedEdit[]
}

function editPart(code: string): EditedPart {
  const index = new ScriptIndex(code)
  const { tokens } = index
  const declarations = code.includes('import') ? importDeclarations(tokens) : []
  const edits: Edit[] = declarations.map(({ offset, end }) => {
    // The declaration is replaced by blanks, so that positions stay the same.
    return { offset, removed: end - offset, inserted: code.slice(offset, end).replace(/[^\n]/g, ' ') }
  })
  for (const at of tokens.keys()) edits.push(...assertionEdits(tokens, at))
  edits.sort((a, b) => a.offset - b.offset)
  let text = ''
  let done = 0
  for (const { offset, removed, inserted } of edits) {
    text += code.slice(done, offset) + inserted
    done = offset + removed
  }
  const imports = declarations.map((declaration) => ({ ...declaration, ...index.placeOf(declaration.offset) }))
  const placed = edits
    .filter(({ removed, inserted }) => removed !== inserted.length)
    .map(({ offset, removed, inserted }) => {
      return { ...index.placeOf(offset), added: inserted.length - removed }
    })
  return { text: text + code.slice(done), lineCount: index.lineCount, imports, edits: placed }
}

/** The arguments of `bindImports`, with positions in the whole program. */
function importEntries({ imports }: EditedPart, linesBefore: number): readonly string[] {
  return imports.map(({ specifier, line, column, names }) => {
    const quoted = JSON.stringify(specifier)
    return `[() => import(${quoted}),${quoted},${line + linesBefore},${column},${JSON.stringify(names)}]`
  })
}

/** Converts a column of an edited line to one of the original line. */
function unedited(edits: readonly PlacedEdit[], line: number, column: number): number {
  let result = column
  for (const edit of edits) {
    if (edit.line !== line || edit.column >= result) continue
    result = Math.max(edit.column, result - edit.added)
  }
  return result
}

const comparisons = new Set(['===', '!==', '==', '!=', '<', '<=', '>', '>='])
/** Operators that bind weaker than a comparison, or are not part of a simple one. */
const lowerPrecedence = new Set(['=>', '=', '?', ':', '&&', '||', '??', '|', '^', '&', ';', '...', '+=', '-='])

/** Handles `client.assert(a === b, …)` at this token. Anything but a simple comparison stays unchanged. */
function assertionEdits(tokens: readonly ScriptToken[], index: number): readonly Edit[] {
  const words = ['client', '.', 'assert', '(']
  if (words.some((word, step) => tokens[index + step]?.text !== word)) return []
  const first = index + words.length
  let depth = 0
  let operator: ScriptToken | undefined
  let last = first
  for (let at = first; ; at++) {
    const token = tokens[at]
    if (token === undefined) return []
    const isOuter = depth === 0
    depth += nesting(token)
    if (depth < 0 || (isOuter && token.text === ',')) break
    last = at
    if (!isOuter || token.kind !== 'sign') continue
    if (lowerPrecedence.has(token.text)) return []
    if (!comparisons.has(token.text)) continue
    if (operator !== undefined) return []
    operator = token
  }
  const [start, end] = [tokens[first] as ScriptToken, tokens[last] as ScriptToken]
  if (operator === undefined || operator === start || operator === end) return []
  return [
    { offset: start.offset, removed: 0, inserted: `${COMPARE}('${operator.text}',` },
    { offset: operator.offset, removed: operator.text.length, inserted: ','.padEnd(operator.text.length) },
    { offset: end.offset + end.text.length, removed: 0, inserted: ')' },
  ]
}
