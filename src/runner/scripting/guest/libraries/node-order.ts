/**
 * Makes the node-sets of the XPath library linear: matching nodes are collected and sorted by one walk over the
 * document.
 *
 * Rules: the library searches all its nodes for each node, and compares the positions of two nodes by walking over
 * their siblings, which takes minutes for the thousands of items of an ordinary response. The results stay the same.
 * Nodes that are not in the tree (namespace nodes) are left to the library.
 */
import * as library from 'xpath'

/** The members of a node that are used here: DOM, with the attributes of elements. */
interface OrderedNode {
  readonly parentNode: OrderedNode | null
  readonly ownerElement?: OrderedNode | null
  readonly firstChild: OrderedNode | null
  readonly nextSibling: OrderedNode | null
  readonly attributes?: { readonly length: number; item(index: number): OrderedNode | null } | null
}

/** The members of a node-set that are used and replaced here. */
interface NodeSet {
  nodes: OrderedNode[]
  size: number
  tree: unknown
  addArray(nodes: readonly OrderedNode[]): void
  toArray(): OrderedNode[]
  first(): OrderedNode | null
}

/** The library's type declarations lack this. */
const { XNodeSet } = library as unknown as { readonly XNodeSet: { readonly prototype: NodeSet } }

/** Replaces the library's slow methods. May be called again. */
export function orderNodesLinearly(): void {
  const { prototype } = XNodeSet
  if (prototype.addArray === addArray) return
  const libraryOrder = prototype.toArray
  prototype.addArray = addArray
  prototype.toArray = function (this: NodeSet): OrderedNode[] {
    return inDocumentOrder(this.nodes) ?? libraryOrder.call(this)
  }
  prototype.first = function (this: NodeSet): OrderedNode | null {
    return this.toArray()[0] ?? null
  }
}

function addArray(this: NodeSet, nodes: readonly OrderedNode[]): void {
  const known = new Set([...this.nodes, ...nodes])
  this.nodes = [...known]
  this.size = this.nodes.length
  this.tree = null
}

/** Undefined if a node is not in the tree of the first one. */
function inDocumentOrder(nodes: readonly OrderedNode[]): OrderedNode[] | undefined {
  const [first] = nodes
  if (first === undefined || nodes.length === 1) return [...nodes]
  const wanted = new Set(nodes)
  const ordered: OrderedNode[] = []
  const take = (node: OrderedNode): void => {
    if (wanted.has(node)) ordered.push(node)
  }
  for (const node of nodesBelow(rootOf(first))) {
    take(node)
    const { attributes } = node
    for (let index = 0; index < (attributes?.length ?? 0); index++) take(attributes?.item(index) as OrderedNode)
    if (ordered.length === wanted.size) return ordered
  }
  return undefined
}

function rootOf(node: OrderedNode): OrderedNode {
  let root = node
  for (let up = root.ownerElement ?? root.parentNode; up; up = root.ownerElement ?? root.parentNode) root = up
  return root
}

/** The node and all nodes below it, in document order. A tree may be deeper than the call stack allows. */
function* nodesBelow(root: OrderedNode): Generator<OrderedNode> {
  let node: OrderedNode | null = root
  while (node !== null) {
    yield node
    let next: OrderedNode | null = node.firstChild
    while (next === null && node !== null && node !== root) {
      next = node.nextSibling
      if (next === null) node = node.parentNode
    }
    node = next
  }
}
