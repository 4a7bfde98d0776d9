/**
 * Scripts of a request file as functions of a script for k6.
 *
 * Rules: the code is unchanged, except that undeclared variables are declared before it: k6 runs scripts in strict
 * mode, where assigning to them is an error. Each script is inside the scope of the common blocks. A script that cannot
 * be parsed, or imports modules, has no equivalent; other unsupported uses are reported, and the script is kept.
 */
import type { AnyNode } from 'acorn'
import { boundNames, childrenOf, parseScript } from '../script/script-tree.ts'
import { Code } from './code-text.ts'

export interface ScriptCode {
  /** A function; undefined if the script cannot be converted. */
  readonly code: Code | undefined
  /** Parts that cannot be converted. */
  readonly lost: readonly string[]
}

/** Features that k6's engine, or the runtime in it, does not have. */
const absent: readonly (readonly [use: RegExp, message: string])[] = [
  [
    /\b(?:DOMParser|XMLSerializer|xpath|getElements?By\w+|querySelector(?:All)?|documentElement|textContent)\b/,
    'documents and XPath in a script',
  ],
  [/\b(?:exec|execFile|execSync|spawn)\s*\(/, 'a program that a script starts'],
  [/\bcrypto\s*\.\s*(?:rsa|ecdsa|subtle)\b/, 'keys and crypto.subtle in a script'],
  [/\bcrypto\s*(?:\.\s*hmac\s*)?\.\s*(?:sha3|sha224)\b/, 'SHA-3 and SHA-224 in a script'],
  [/\bjwt\s*\.\s*sign\s*\([^;]{0,500}["'](?:RS|PS|ES)\d|["']EdDSA["']/, 'a signature with a private key in a script'],
  [
    /\$random\s*\.\s*(?!(?:uuid|integer|float|alphabetic|alphanumeric|hexadecimal|email)\b)/,
    'made-up values in a script',
  ],
]

/** @param common code that encloses the script */
export function scriptCode(script: string, common: readonly string[]): ScriptCode {
  const parts = [...common, script].map((code) => code.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd())
  const text = parts.join('\n')
  const lost = absent.filter(([use]) => use.test(text)).map(([, message]) => message)
  let trees: readonly AnyNode[]
  try {
    trees = parts.map((part) => parseScript(part))
  } catch (error) {
    return { code: undefined, lost: [`a script that is not JavaScript: ${(error as Error).message}`] }
  }
  if (hasNode(trees, (type) => type === 'ImportDeclaration' || type === 'ImportExpression')) {
    return { code: undefined, lost: ['a script that imports modules'] }
  }
  if (hasNode(trees, (type) => type === 'WithStatement')) {
    return { code: undefined, lost: ['a script with the statement "with", which k6 does not have'] }
  }
  const problem = strictProblem(parts)
  if (problem !== undefined) return { code: undefined, lost: [`a script that k6 cannot read: ${problem}`] }
  return { code: new Code(functionText(parts, undeclared(trees), isAsync(trees))), lost }
}

/** One script that strict mode forbids, such as one with the number 010, would keep k6 from starting. */
function strictProblem(parts: readonly string[]): string | undefined {
  try {
    for (const part of parts) parseScript(`'use strict';${part}`)
    return undefined
  } catch (error) {
    return (error as Error).message.replace(/ \(\d+:\d+\)$/, '')
  }
}

function functionText(parts: readonly string[], names: readonly string[], isAsync: boolean): string {
  const start = isAsync ? 'async () => {' : '() => {'
  const declared = names.length === 0 ? [] : [`  let ${names.join(', ')}`]
  let body = parts.at(-1) as string
  for (const common of parts.slice(0, -1).toReversed()) {
    body = `${common}\nreturn ${isAsync ? 'await ' : ''}(${start}\n${body}\n})()`
  }
  return [start, ...declared, indented(body), '}'].join('\n')
}

/** A script with a template literal of several lines is not indented, since that would change the literal. */
function indented(code: string): string {
  if (/`[^`]*\n/.test(code)) return code
  const lines = code.split('\n')
  const own = lines.reduce((least, line) => (line.trim() === '' ? least : Math.min(least, indentOf(line))), code.length)
  return lines.map((line) => (line.trim() === '' ? '' : `  ${line.slice(own)}`)).join('\n')
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0
}

function hasNode(trees: readonly AnyNode[], isWanted: (type: string) => boolean): boolean {
  const pending = [...trees]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (isWanted(node.type)) return true
    for (const child of childrenOf(node)) pending.push(child)
  }
  return false
}

/** Whether the script itself awaits something, outside its functions. */
function isAsync(trees: readonly AnyNode[]): boolean {
  const pending = [...trees]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) return true
    if (!/Function/.test(node.type)) for (const child of childrenOf(node)) pending.push(child)
  }
  return false
}

/** Names that are assigned to, but declared nowhere in the scripts. */
function undeclared(trees: readonly AnyNode[]): readonly string[] {
  const assigned = new Set<string>()
  const declared = new Set<string>()
  const pending = [...trees]
  const add = (names: Set<string>, pattern: AnyNode | null | undefined): void => {
    for (const name of boundNames(pattern)) names.add(name)
  }
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === 'AssignmentExpression') add(assigned, node.left)
    if (node.type === 'UpdateExpression') add(assigned, node.argument)
    if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') add(assigned, node.left)
    if (node.type === 'VariableDeclarator') add(declared, node.id)
    if ('params' in node) for (const parameter of node.params) add(declared, parameter)
    if (/^(?:Function|Class)/.test(node.type) && 'id' in node) add(declared, node.id as AnyNode | null)
    if (node.type === 'CatchClause') add(declared, node.param)
    for (const child of childrenOf(node)) pending.push(child)
  }
  return [...assigned].filter((name) => !declared.has(name) && !worldNames.has(name))
}

/** Global names that a script may replace. */
const worldNames: ReadonlySet<string> = new Set(['console', 'client', 'request', 'response', 'globalThis'])
