/**
 * Reads the declarations that tsc writes: exported names with their doc comments, their text and their members.
 *
 * Rules: the output of tsc is regular: a doc comment is directly above its declaration, top-level declarations begin at
 * the margin and members are indented by four blanks. Other lines (imports, private names) are skipped.
 */

export interface Member {
  readonly name: string
  /** The declaration as written, dedented. */
  readonly code: string
  readonly comment: string
}

export interface Declaration extends Member {
  readonly kind: 'class' | 'interface' | 'type' | 'function' | 'const'
  /** For classes and interfaces: the text between the braces. */
  readonly members: readonly Member[]
}

const declarationStart = /^export (?:declare )?(?:abstract )?(class|interface|type|function|const) (\w+)/
const memberName =
  /^(?:(?:readonly|static|abstract|get|set|private|protected|override) )*(?:async )?\*?(\[[^\]]+\]|\w+|\()/

/** The exported declarations of one file, in order. */
export function readDeclarations(text: string): readonly Declaration[] {
  return blocks(text.split('\n')).flatMap(({ comment, lines }) => {
    const start = declarationStart.exec(lines[0] ?? '')
    if (start === null) return []
    const kind = start[1] as Declaration['kind']
    const code = lines.join('\n')
    const members = kind === 'class' || kind === 'interface' ? readMembers(lines) : []
    return [{ kind, name: start[2] as string, code, comment, members }]
  })
}

function readMembers(lines: readonly string[]): readonly Member[] {
  const inner = lines.slice(1, -1).map((line) => line.replace(/^ {4}/, ''))
  return blocks(inner).flatMap(({ comment, lines: own }) => {
    const code = own.join('\n').replace(/;$/, '')
    const name = memberName.exec(code)?.[1]
    if (name === undefined || /^(?:#|private |protected )/.test(code)) return []
    return [{ name: name === '(' ? 'call' : name, code, comment }]
  })
}

interface Block {
  readonly comment: string
  readonly lines: readonly string[]
}

/** Statements at the margin, each with the doc comment above it. */
function blocks(lines: readonly string[]): readonly Block[] {
  const found: Block[] = []
  let comment: string[] = []
  let open: string[] = []
  let isComment = false
  for (const line of lines) {
    if (open.length === 0 && !isComment && line.startsWith('/**')) {
      comment = []
      isComment = true
    }
    if (isComment) {
      comment.push(line)
      isComment = !line.endsWith('*/')
      continue
    }
    if (line === '' && open.length === 0) continue
    open.push(line)
    if (!isComplete(open)) continue
    found.push({ comment: commentText(comment), lines: open })
    comment = []
    open = []
  }
  return found
}

/** A statement ends with the semicolon, or the closing brace of a body, at its own margin. */
function isComplete(lines: readonly string[]): boolean {
  const code = lines.join('\n').replace(/\/\*[\s\S]*?\*\//g, '')
  const depth = (code.match(/[{([]/g) ?? []).length - (code.match(/[})\]]/g) ?? []).length
  return depth === 0 && (code.endsWith(';') || code.endsWith('}'))
}

/** The text of a doc comment without its delimiters. */
function commentText(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/^\/\*\*\s?/, '')
    .replace(/\s*\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*( |$)/, ''))
    .join('\n')
    .trim()
}
