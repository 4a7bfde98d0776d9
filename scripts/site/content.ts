/**
 * The content of a page: a document as HTML.
 *
 * Rules: code blocks are coloured in the languages of highlight.ts. Content that may be wider than a phone scrolls
 * separately and can take the focus, so that it can be scrolled by keyboard. No inline styles or handlers, so that a
 * strict Content-Security-Policy can be set.
 */
import MarkdownIt from 'markdown-it'
import { BuildError } from '../build-error.ts'
import { escaped } from './escaped.ts'
import { highlighted } from './highlight.ts'
import { adaptLinks, type Outlines } from './links.ts'
import { type Outline, outlineOf, setAnchors, type Token } from './outline.ts'

/** SVG of pictures by the name in `<!-- picture: name -->`. */
export type Pictures = ReadonlyMap<string, string>

export interface Content {
  readonly outline: Outline
  /** @throws BuildError for an unknown picture. */
  html(outlines: Outlines, pictures: Pictures): string
}

/** Lines of code up to this length fit into the narrowest supported window. */
const NARROW_COLUMNS = 36

export function contentOf(path: string, text: string): Content {
  const markdown = new MarkdownIt({ html: false })
  markdown.core.ruler.push('anchors', ({ tokens }) => setAnchors(tokens))
  const tokens = markdown.parse(withoutComments(text), {})
  return {
    outline: outlineOf(path, tokens),
    html(outlines, pictures) {
      adaptLinks(tokens, path, outlines)
      const { rules } = markdown.renderer
      rules.heading_open = heading
      rules.fence = (all, index) => {
        const { content, info } = all[index]!
        const [language = '', name] = info.trim().split(/\s+/)
        return language === 'picture' ? picture(path, name, pictures) : code(content, language, name)
      }
      // Long paths may break at their slashes, so that tables fit into the page.
      rules.code_inline = (all, index) => `<code>${escaped(all[index]!.content).replaceAll('/', '/<wbr>')}</code>`
      rules.table_open = (all, index) =>
        `<div class="table" role="group" aria-label="Table: ${escaped(headingBefore(all, index))}" tabindex="0"><table>\n`
      rules.table_close = () => '</table></div>\n'
      // Screen readers announce a header cell without text as an empty header, so it becomes a plain cell.
      rules.th_open = (all, index) => (all[index + 1]!.content === '' ? '<td>' : '<th scope="col">')
      rules.th_close = (all, index) => (all[index - 1]!.content === '' ? '</td>' : '</th>\n')
      return markdown.renderer.render(tokens, markdown.options, {})
    },
  }
}

/** Keeps the comments that name pictures as blocks and removes all others. */
function withoutComments(text: string): string {
  return text.replace(/^ *<!-- picture: (\S+) -->$/gm, '```picture $1\n```').replace(/^ *<!--.*-->\n/gm, '')
}

function heading(tokens: readonly Token[], index: number): string {
  const { tag } = tokens[index]!
  const anchor = escaped(String(tokens[index]!.attrGet('id')))
  return `<${tag} id="${anchor}"><a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`
}

function code(content: string, language: string, name: string | undefined): string {
  const caption = name === undefined || name === 'excerpt' ? '' : `<p class="file">${escaped(name)}</p>\n`
  const isNarrow = content.split('\n').every((line) => line.length <= NARROW_COLUMNS)
  const html = highlighted(content, language)
  const focus = isNarrow ? '' : ' tabindex="0"'
  return `${caption}<div class="code"><pre${focus}><code class="language-${escaped(language)}">${html}</code></pre></div>\n`
}

function picture(path: string, name: string | undefined, pictures: Pictures): string {
  const svg = pictures.get(name ?? '')
  if (svg === undefined) throw new BuildError(`${path}: the picture "${name}" is not in scripts/site/pictures.ts`)
  return svg
}

function headingBefore(tokens: readonly Token[], index: number): string {
  const open = tokens.slice(0, index).findLastIndex(({ type }) => type === 'heading_open')
  return tokens[open + 1]?.content.replaceAll('`', '') ?? ''
}
