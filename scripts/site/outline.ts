/**
 * The outline of a document: title, description, headings with their anchors, and its text by section.
 *
 * Rules: anchors are the same as on a code host, so that links work in both places. A document must begin with its only
 * first-level heading, and must not skip a level; otherwise the build fails.
 */
import { posix } from 'node:path'
import type MarkdownIt from 'markdown-it'
import { BuildError } from '../build-error.ts'

export type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number]

export interface Heading {
  readonly level: number
  readonly text: string
  readonly anchor: string
}

/** A heading and the plain text up to the next one. */
export interface TextSection {
  readonly heading: Heading
  readonly text: string
}

export interface Outline {
  readonly title: string
  /** One or two sentences for search engines, at most 160 characters. */
  readonly description: string
  readonly sections: readonly TextSection[]
}

const DESCRIPTION_CHARACTERS = 160

/** The path of the page of a document: `docs/send.md` becomes `send.html`, `README.md` becomes `index.html`. */
export function pagePath(document: string): string {
  const { dir, name } = posix.parse(document.replace(/^docs\//, ''))
  return posix.join(dir, `${name === 'README' ? 'index' : dir === '' ? name.toLowerCase() : name}.html`)
}

/**
 * Gives each heading its anchor as `id`: lower case, hyphens for blanks, no other punctuation; a number if it is a
 * repetition.
 */
export function setAnchors(tokens: readonly Token[]): void {
  const counts = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const plain = plainText(tokens[index + 1]!)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    const count = counts.get(plain) ?? 0
    counts.set(plain, count + 1)
    token.attrSet('id', count === 0 ? plain : `${plain}-${count}`)
  }
}

/** @param tokens tokens with anchors @throws BuildError for headings out of order. */
export function outlineOf(path: string, tokens: readonly Token[]): Outline {
  const sections: { heading: Heading; text: string }[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const level = Number(token.tag.slice(1))
      const text = plainText(tokens[index + 1]!)
      assertLevel(path, text, level, sections.at(-1)?.heading.level ?? 0)
      sections.push({ heading: { level, text, anchor: String(token.attrGet('id')) }, text: '' })
    } else if (tokens[index - 1]?.type !== 'heading_open') {
      const last = sections.at(-1)
      const text = token.type === 'inline' ? plainText(token) : token.type === 'fence' ? token.content : ''
      if (last !== undefined && text !== '') last.text += `${text.replace(/\s+/g, ' ').trim()} `
    }
  }
  const title = sections[0]?.heading.text
  if (title === undefined) throw new BuildError(`${path}: expected a heading "# …" in the first line`)
  return { title, description: descriptionOf(tokens, sections), sections }
}

function assertLevel(path: string, text: string, level: number, before: number): void {
  if (level === 1 ? before === 0 : before > 0 && level <= before + 1) return
  const expected = before === 0 ? 'level 1' : `a level from 2 to ${before + 1}`
  throw new BuildError(`${path}: the heading "${text}" has level ${level}, expected ${expected}`)
}

/** The first paragraph below the title; without one, the title and the headings. */
function descriptionOf(tokens: readonly Token[], [title, ...others]: readonly TextSection[]): string {
  const end = tokens.findIndex(({ tag, type }) => type === 'heading_open' && tag !== 'h1')
  const paragraph = tokens.findIndex(({ type, level }) => type === 'paragraph_open' && level === 0)
  const isBelowTitle = paragraph >= 0 && (end < 0 || paragraph < end)
  const names = `${title!.heading.text}: ${others
    .filter(({ heading }) => heading.level === 2)
    .map(({ heading }) => heading.text)
    .join(', ')}`
  return shortened(isBelowTitle ? plainText(tokens[paragraph + 1]!) : names)
}

/** Whole sentences if one fits, otherwise whole words and an ellipsis. */
function shortened(text: string): string {
  if (text.length <= DESCRIPTION_CHARACTERS) return text
  const start = text.slice(0, DESCRIPTION_CHARACTERS)
  const sentence = start.lastIndexOf('. ')
  return sentence > 40 ? start.slice(0, sentence + 1) : `${start.slice(0, start.lastIndexOf(' '))}…`
}

/** Text of inline content without its markup. */
function plainText({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('')
}
