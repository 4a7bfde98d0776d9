/**
 * The codes of all errors that the sources can throw or report, read from the syntax trees of the sources.
 *
 * Rules: a code is what stands where a code goes: the first argument of an error class, the property `code`, the default
 * of a parameter `code`, a member of a type whose name ends in `Code`, and what is passed to a parameter named `code`
 * of a function of the same room. A choice between two texts is both. Repairs of messages are among them; what scripts
 * see (runner/scripting/guest) has no codes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

/** Types of codes that are told in another way than by an error. */
const otherCodes: ReadonlySet<string> = new Set(['ExitCode'])

/** Each code with the files that have it, both sorted. */
export function errorCodes(source: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  for (const room of readdirSync(source, { withFileTypes: true })) {
    if (!room.isDirectory()) continue
    const files = readdirSync(join(source, room.name), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('scripting/guest/'))
      .map((file) => ({ path: `${room.name}/${file}`, text: readFileSync(join(source, room.name, file), 'utf8') }))
      .map(({ path, text }) => ({ path, nodes: [...nodesOf(parseAst(text, { lang: 'ts' }) as unknown as Node)] }))
    const places = codeParameters(files.flatMap(({ nodes }) => nodes))
    for (const { path, nodes } of files) {
      for (const code of nodes.flatMap((node) => codesAt(node, places))) {
        found.set(code, (found.get(code) ?? new Set()).add(path))
      }
    }
  }
  return new Map([...found].sort().map(([code, files]) => [code, [...files].sort()]))
}

/** Functions and methods of the room by name, with the place of their parameter `code`. */
function codeParameters(nodes: readonly Node[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const node of nodes) {
    const declared = declaredFunction(node)
    if (declared === undefined) continue
    const parameters = (declared.callable.params ?? []) as readonly Node[]
    const place = parameters.findIndex((parameter) => nameOf(parameter.left ?? parameter) === 'code')
    if (place >= 0) places.set(declared.name, place)
  }
  return places
}

function declaredFunction(node: Node): { readonly name: string; readonly callable: Node } | undefined {
  if (node.type === 'FunctionDeclaration') return { name: nameOf(node.id), callable: node }
  if (node.type === 'MethodDefinition') return { name: nameOf(node.key), callable: node.value as Node }
  const value = (node.init ?? node.value) as Node | null | undefined
  const isFunction = value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression'
  if (isFunction && (node.type === 'VariableDeclarator' || node.type === 'PropertyDefinition')) {
    return { name: nameOf(node.id ?? node.key), callable: value }
  }
  return undefined
}

function codesAt(node: Node, places: ReadonlyMap<string, number>): readonly string[] {
  switch (node.type) {
    case 'NewExpression':
      return /Error$/.test(nameOf(node.callee)) ? texts((node.arguments as Node[])[0]) : []
    case 'CallExpression': {
      const callee = node.callee as Node
      const name = callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee)
      if (callee.type === 'Super') return texts((node.arguments as Node[])[0])
      const place = places.get(name)
      return place === undefined ? [] : texts((node.arguments as Node[])[place])
    }
    case 'Property':
      return nameOf(node.key) === 'code' ? texts(node.value as Node) : []
    case 'AssignmentPattern':
      return nameOf(node.left) === 'code' ? texts(node.right as Node) : []
    case 'TSTypeAliasDeclaration': {
      const name = nameOf(node.id)
      return /Code$/.test(name) && !otherCodes.has(name) ? [...nodesOf(node)].flatMap(texts) : []
    }
    default:
      return []
  }
}

/** Texts in the form of a code: the node's own, or those of both sides of a choice. */
function texts(node: Node | undefined): readonly string[] {
  if (node === undefined) return []
  if (node.type === 'ConditionalExpression')
    return [...texts(node.consequent as Node), ...texts(node.alternate as Node)]
  if (node.type === 'TSAsExpression') return texts(node.expression as Node)
  const { value } = node
  return node.type === 'Literal' && typeof value === 'string' && isCode(value) ? [value] : []
}

/** Codes of the operating system (`ENOENT`) are none of ours. */
function isCode(text: string): boolean {
  return /^([a-z][a-z\d.]*(-[a-z\d.]+)*|[A-Z]+(_[A-Z]+)*)$/.test(text) && !/^E[A-Z]+$/.test(text)
}

function nameOf(node: unknown): string {
  const { type, name } = (node ?? {}) as { type?: string; name?: string }
  return type === 'Identifier' || type === 'PrivateIdentifier' ? (name ?? '') : ''
}

function* nodesOf(node: Node): Generator<Node> {
  yield node
  for (const value of Object.values(node)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && typeof each === 'object' && 'type' in each) yield* nodesOf(each as Node)
    }
  }
}
