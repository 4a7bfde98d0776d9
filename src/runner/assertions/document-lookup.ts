/**
 * XPath in the document of a response.
 *
 * Rules: a document is XML, or HTML if the type or the first element says so. Namespace prefixes are those of the
 * document; `_` is its default namespace. The value of a node is its text.
 */
import { parse, parseFragment } from 'parse5'
import { useNamespaces } from 'xpath'
import { create as createDocuments } from '../scripting/guest/libraries/document-library.ts'
import { type FoundValue, nothing, text, textsOf, value } from './found-value.ts'

interface Documents {
  parseXml(text: string): object
  parseHtml(text: string): object
}

interface DocumentNode {
  readonly nodeValue: string | null
  readonly textContent: string | null
}

/** @param type the media type. @throws SyntaxError if it is not a document. */
export function parseDocument(source: string, type: string): object {
  const { parseXml, parseHtml } = createDocuments(undefined, () => ({ parse }) as never) as Documents
  const isHtml = type.includes('html') || /^\s*<(?:!doctype\s+html|html)\b/i.test(source)
  return asSyntaxError('the body is not a document: ', () => (isHtml ? parseHtml : parseXml)(source))
}

/** A text with its character references decoded (HTML Standard, section 13.2.5.72). Tags in it stay text. */
export function textOfHtml(source: string): string {
  const fragment = parseFragment(source.replaceAll('<', '&lt;'))
  return fragment.childNodes.map((node) => ('value' in node ? node.value : '')).join('')
}

/**
 * The result of an XPath: the texts of nodes, or a value. @param source the text of the document. @throws SyntaxError
 */
export function valueAtXPath(document: object, source: string, path: string): FoundValue {
  const found = asSyntaxError('', () => useNamespaces(namespacesOf(source))(path, document as never))
  if (!Array.isArray(found)) return typeof found === 'string' ? text(found) : value(found as number | boolean)
  if (found.length === 0) return nothing(`the document has nothing at ${path}`)
  const nodes = found as unknown as readonly DocumentNode[]
  return textsOf(nodes.map((node) => node.nodeValue ?? node.textContent ?? ''))
}

function namespacesOf(source: string): Record<string, string> {
  const found = [...source.matchAll(/\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
  const entries = found.map(([, prefix = '_', uri = '', other = '']) => [prefix, uri === '' ? other : uri] as const)
  // If a prefix has several meanings, the outermost one counts.
  return Object.fromEntries(entries.reverse())
}

/** The libraries throw errors of other types. */
function asSyntaxError<Result>(about: string, action: () => Result): Result {
  try {
    return action()
  } catch (cause) {
    throw new SyntaxError(about + ((cause as Error).message.split('\n')[0] ?? ''), { cause })
  }
}
