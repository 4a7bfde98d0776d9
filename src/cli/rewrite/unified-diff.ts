/**
 * The differences between two texts, in the format of `diff -u`.
 *
 * Rules: three lines of context around a change; changes whose contexts touch share a hunk. The longest common
 * subsequence of lines is kept; if two texts are too different to compute it, everything between their equal ends is
 * replaced.
 */
const CONTEXT = 3

/** The maximum number of compared pairs of lines. */
const MAX_PAIRS = 4_000_000

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** Empty if the texts are equal. @param name name of the file, for both header lines */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return ''
  const lines = compared(linesOf(before), linesOf(after))
  return `--- ${name}\n+++ ${name}\n${hunks(lines).join('')}`
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++
  }
  return [
    ...marked(' ', before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...marked(' ', before.slice(before.length - end)),
  ]
}

function marked(mark: Line['mark'], texts: readonly string[]): readonly Line[] {
  return texts.map((text) => ({ mark, text }))
}

/** Computed from the lengths of the longest common subsequences of all suffixes of both. */
function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > MAX_PAIRS) return [...marked('-', before), ...marked('+', after)]
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const below = lengths[(i + 1) * width + j] as number
      const right = lengths[i * width + j + 1] as number
      const both = (lengths[(i + 1) * width + j + 1] as number) + 1
      lengths[i * width + j] = before[i] === after[j] ? both : Math.max(below, right)
    }
  }
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    const isEqual = i < before.length && j < after.length && before[i] === after[j]
    const isRemoved =
      j >= after.length || (lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number)
    if (isEqual) {
      lines.push({ mark: ' ', text: before[i++] as string })
      j++
    } else if (i < before.length && isRemoved) {
      lines.push({ mark: '-', text: before[i++] as string })
    } else {
      lines.push({ mark: '+', text: after[j++] as string })
    }
  }
  return lines
}

function hunks(lines: readonly Line[]): readonly string[] {
  const isShown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  )
  const found: string[] = []
  let oldLine = 1
  let newLine = 1
  let index = 0
  while (index < lines.length) {
    const start = index
    while (isShown[index]) index++
    const hunk = lines.slice(start, index)
    if (hunk.length > 0) found.push(hunkText(hunk, oldLine, newLine))
    const skipped = index === start ? 1 : 0
    oldLine += hunk.filter(({ mark }) => mark !== '+').length + skipped
    newLine += hunk.filter(({ mark }) => mark !== '-').length + skipped
    index += skipped
  }
  return found
}

function hunkText(hunk: readonly Line[], oldLine: number, newLine: number): string {
  const oldCount = hunk.filter(({ mark }) => mark !== '+').length
  const newCount = hunk.filter(({ mark }) => mark !== '-').length
  // A range without lines is written as the line before it.
  const range = (line: number, count: number): string => {
    return count === 1 ? `${line}` : `${count === 0 ? line - 1 : line},${count}`
  }
  const head = `@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@\n`
  return head + hunk.map(lineText).join('')
}

function lineText({ mark, text }: Line): string {
  return text.endsWith('\n') ? mark + text : `${mark}${text}\n\\ No newline at end of file\n`
}
