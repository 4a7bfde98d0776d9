/**
 * Scripts of a request file as texts with their positions; converts errors of the engine to errors at those positions.
 *
 * Rules: a script is in the request file or in a separate file; common blocks are in the request file. A position is
 * the line and column in the file that the user wrote, whose name is relative to the working directory.
 */
import { dirname, join, relative } from 'node:path'
import type { ScriptNode, Span } from '../../../http-file/index.ts'
import type { HttpcliError } from '../../../message/index.ts'
import { errorAt, placed, RunError, type SourceText } from '../../base/errors.ts'
import { unreadable } from '../../files/confined-files.ts'
import { shownPath } from '../../files/path-text.ts'
import type { ScriptFailure, ScriptPlace, ScriptSource } from '../engine/script-engine.ts'
import type { ScriptScene } from '../operations/script-scene.ts'
import { foreignNameHint } from './foreign-names.ts'
import { missingScript } from './missing-script.ts'

/** A text in a file, and its start position there. */
interface ScriptPart {
  readonly source: SourceText
  readonly start: Span
  /** With LF only. */
  readonly code: string
}

/** The place of a script, and the values that its path may depend on. */
export type ScriptPlaces = Pick<ScriptScene, 'source' | 'path' | 'common' | 'variables'>

export interface ScriptText {
  readonly parts: readonly ScriptPart[]
  /** For the engine. */
  readonly program: ScriptSource
}

/** @throws HttpcliError `unreadable-file` with the place that names the file. */
export async function readScript(node: ScriptNode, scene: ScriptPlaces): Promise<ScriptText> {
  const script = await readPart(node, scene)
  const common = await Promise.all(scene.common.map((block) => readPart(block, scene)))
  const parts = [...common.map(({ part }) => part), script.part]
  return { parts, program: { parts: parts.map(({ code }) => code), path: script.path, files: scene.variables.files } }
}

async function readPart(
  { source: script, span, phase }: ScriptNode,
  { source, path, variables }: ScriptPlaces,
): Promise<{ readonly part: ScriptPart; readonly path: string }> {
  if (script.type === 'inline') return { part: { source, start: script.span, code: withLineFeeds(script.code) }, path }
  await variables.load([script.path])
  const name = variables.pathText(script.path)
  const file = variables.pathOf(script.path)
  try {
    const text = variables.files.readText(file)
    const start = { offset: 0, line: 1, column: 1, length: text.length }
    const shown = { path: shownPath(source.path, name), text }
    return { part: { source: shown, start, code: withLineFeeds(text) }, path: file }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw errorAt(source, span, missingScript(phase, name))
    throw placed(unreadable(`the script ${name}`, cause), { source, span })
  }
}

/** The error shown to the user: message, place, expected and found text. */
export function scriptError(
  failure: ScriptFailure,
  script: ScriptText,
  scene: ScriptPlaces,
  code: 'script-failed' | 'test-failed',
): HttpcliError {
  const { expected, actual, place } = failure
  const sides = [
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(actual === undefined ? [] : [`actual:   ${actual}`]),
  ]
  const message = [failure.message, ...sides].join('\n')
  const last = script.parts.at(-1) as ScriptPart
  if (place === undefined) {
    const where = { file: last.source.path, line: last.start.line, column: last.start.column }
    return new RunError(code, message, { where })
  }
  const { source, start } = place.module === undefined ? (script.parts[place.part] ?? last) : modulePart(place, scene)
  return errorAt(source, placeIn(source.text, start, place), { code, message, hint: foreignNameHint(failure.message) })
}

/** Modules are named relative to the request file. */
function modulePart({ module = '' }: ScriptPlace, { path, source, variables }: ScriptPlaces): Omit<ScriptPart, 'code'> {
  const text = variables.files.readText(module)
  const name = join(dirname(source.path), relative(dirname(path), module))
  return { source: { path: name, text }, start: { offset: 0, line: 1, column: 1, length: text.length } }
}

function withLineFeeds(code: string): string {
  return code.replace(/\r\n?/g, '\n')
}

/** Maps a line and column of a script to a place in the text that contains it. */
function placeIn(text: string, start: Span, { line, column }: ScriptPlace): Span {
  let lineStart = start.offset
  const ends = /\r\n|\n|\r/g
  ends.lastIndex = start.offset
  for (let count = 1; count < line; count++) {
    const end = ends.exec(text)
    lineStart = end === null ? text.length : end.index + end[0].length
  }
  // The engine counts code points, places count UTF-16 units.
  let offset = lineStart
  for (let count = 1; count < column; count++) offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  // The engine reports the bracket of a call, or a place in a chain of names; users expect the start of the name.
  const isName = (index: number): boolean => /[\w$.]/.test(text[index] ?? '')
  let length = 1
  if (isName(offset)) while (isName(offset + length)) length++
  while (offset > lineStart && isName(offset - 1)) {
    offset--
    length++
  }
  const fileColumn = line === 1 ? start.column + (offset - lineStart) : offset - lineStart + 1
  return { offset, line: start.line + line - 1, column: fileColumn, length }
}
