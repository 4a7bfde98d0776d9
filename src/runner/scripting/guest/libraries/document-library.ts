/**
 * Documents in scripts: reads XML and HTML; `DOMParser`, `xpath`.
 *
 * Rules: one kind of tree for both. XML that is not well-formed is an error; HTML is read as browsers do, even if
 * malformed, and its elements are in no namespace, so that `//div` finds them. A node-set is an array of nodes; any
 * other result of an XPath expression is its value. The content of a template becomes its children. Deep trees are
 * safe: the walk uses its own list instead of the stack. Assertions use it outside the engine, too.
 */
import { DOMImplementation, Node, XMLSerializer, DOMParser as XmlParser } from '@xmldom/xmldom'
import { select } from 'xpath'
import type { library as Library } from '../libraries.ts'
import { orderNodesLinearly } from './node-order.ts'

type XmlDocument = ReturnType<DOMImplementation['createDocument']>

/** The members of a node that the library uses, for either tree. */
interface TreeNode {
  readonly nodeType: number
  readonly childNodes: { readonly length: number; item(index: number): TreeNode | null }
  readonly parentNode: TreeNode | null
  readonly textContent: string | null
  getAttribute?(name: string): string | null
}

const ELEMENT = 1

/** @throws SyntaxError for the first fault. */
function parseXml(text: string): XmlDocument {
  let problem: string | undefined
  const onError = (level: string, message: string): void => {
    if (level === 'warning') return
    problem ??= message.split('\n')[0]
    throw new SyntaxError(problem)
  }
  try {
    return new XmlParser({ onError } as never).parseFromString(text, 'text/xml') as XmlDocument
  } catch (error) {
    // The parser wraps this error in its own.
    throw problem === undefined ? error : new SyntaxError(problem)
  }
}

function xpath(node: unknown, expression: unknown): unknown {
  try {
    return select(String(expression), node as never)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SyntaxError(`xpath: ${JSON.stringify(String(expression))}: ${reason}`)
  }
}

/** The elements below a node, in document order. */
function elementsBelow(root: TreeNode, isWanted: (element: TreeNode) => boolean): TreeNode[] {
  const found: TreeNode[] = []
  const stack: TreeNode[] = [root]
  while (stack.length > 0) {
    const node = stack.pop() as TreeNode
    if (node !== root && node.nodeType === ELEMENT && isWanted(node)) found.push(node)
    for (let i = (node.childNodes?.length ?? 0) - 1; i >= 0; i--) stack.push(node.childNodes.item(i) as TreeNode)
  }
  return found
}

/** Methods that the script documentation lists and the tree does not have. */
function addCalls(): void {
  const calls: Readonly<Record<string, (this: TreeNode, argument: unknown) => unknown>> = {
    xpath(expression) {
      return xpath(this, expression)
    },
    getElementsByName(name) {
      const nodes = elementsBelow(this, (element) => element.getAttribute?.('name') === String(name))
      return Object.defineProperty(nodes, 'item', { value: (index: number) => nodes[index] ?? null })
    },
  }
  for (const name of Object.keys(calls)) {
    Object.defineProperty(Node.prototype, name, { value: calls[name], writable: true, configurable: true })
  }
}

/** @param library for the HTML parser, which is large and not always needed */
export function create(_ask: unknown, library: typeof Library): object {
  addCalls()
  orderNodesLinearly()
  const parseHtml = (text: string): XmlDocument => {
    const document = new DOMImplementation().createDocument(null, '', null)
    fillDocument(document as never, library('html').parse(text) as SourceNode)
    return document
  }
  const parseFromString = (text: unknown, type: unknown = 'text/xml'): XmlDocument =>
    /html/i.test(String(type)) ? parseHtml(String(text)) : parseXml(String(text))
  // The documentation uses it with and without `new`.
  function Parser(): object {
    return { parseFromString }
  }
  return { parseXml, parseHtml, DOMParser: Parser, XMLSerializer, xpath }
}

/** A node of the parser. */
interface SourceNode {
  readonly nodeName: string
  readonly tagName?: string
  readonly value?: string
  readonly data?: string
  readonly attrs?: readonly { readonly name: string; readonly prefix?: string; readonly value: string }[]
  readonly childNodes?: readonly SourceNode[]
  readonly content?: SourceNode
}

/** The members of a document that are needed to fill it. */
interface TargetNode {
  appendChild(child: TargetNode): unknown
  setAttribute?(name: string, value: string): void
}
interface TargetDocument extends TargetNode {
  createElement(name: string): TargetNode
  createTextNode(text: string): TargetNode
  createComment(text: string): TargetNode
}

function fillDocument(document: TargetDocument, root: SourceNode): void {
  const waiting: { readonly parent: TargetNode; readonly source: SourceNode }[] = []
  const enqueue = (parent: TargetNode, source: SourceNode): void => {
    const children = source.content?.childNodes ?? source.childNodes ?? []
    for (let i = children.length - 1; i >= 0; i--) waiting.push({ parent, source: children[i] as SourceNode })
  }
  enqueue(document, root)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = nodeFor(document, next.source)
    if (node === undefined) continue
    next.parent.appendChild(node)
    enqueue(node, next.source)
  }
}

function nodeFor(document: TargetDocument, source: SourceNode): TargetNode | undefined {
  if (source.nodeName === '#text') return document.createTextNode(source.value ?? '')
  if (source.nodeName === '#comment') return document.createComment(source.data ?? '')
  if (source.tagName === undefined) return undefined
  const element = document.createElement(source.tagName)
  for (const { name, prefix, value } of source.attrs ?? []) {
    // Names that the parser accepts and a document refuses cannot be queried anyway.
    if (/^[\p{L}_:][\p{L}\p{N}_:.-]*$/u.test(name)) element.setAttribute?.(prefix ? `${prefix}:${name}` : name, value)
  }
  return element
}
