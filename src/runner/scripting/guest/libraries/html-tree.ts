/**
 * Converts a tree of the HTML parser to a document.
 *
 * Rules: elements, attributes, texts and comments; the content of a template becomes its children. Deep trees are safe:
 * the walk uses a list instead of the call stack.
 */

/** A node of the parser. */
export interface SourceNode {
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

export function fillDocument(document: TargetDocument, root: SourceNode): void {
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
