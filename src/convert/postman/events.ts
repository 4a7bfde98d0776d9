/**
 * The scripts of an item of a Postman collection.
 *
 * Rules: what cannot be translated is told with the path of its event, and stays as a comment in the script; a script of
 * which nothing is left is told whole.
 */

import type { JsonValue } from '../../http-file/index.ts'
import { listOf, objectOf, objectsOf, textOf } from '../draft/document.ts'
import type { Losses } from '../draft/losses.ts'
import { translateScript } from '../script/translation.ts'
import { postmanScripts } from './script-names.data.ts'

export interface Scripts {
  readonly before: readonly string[]
  readonly behind: readonly string[]
  /** For `# @assert`. */
  readonly assertions: readonly string[]
}

/** @param path of the list in the document */
export function eventScripts(events: JsonValue | undefined, path: string, losses: Losses): Scripts {
  const before: string[] = []
  const behind: string[] = []
  const assertions: string[] = []
  for (const [index, event] of objectsOf(events).entries()) {
    if (event.disabled === true) continue
    const { exec } = objectOf(event.script)
    const source = typeof exec === 'string' ? exec : listOf(exec).map(textOf).join('\n')
    if (source.trim() === '') continue
    const translated = translateScript(source, postmanScripts)
    for (const statement of translated.lost) losses.add(`${path}[${index}].script`, statement)
    assertions.push(...translated.assertions)
    const isBefore = event.listen === 'prerequest'
    const code = translated.code === '' ? commented(source, translated.assertions) : translated.code
    if (code !== '') (isBefore ? before : behind).push(code)
  }
  return { before, behind, assertions }
}

/** A script of comments does nothing, and shows what was there. */
function commented(source: string, assertions: readonly string[]): string {
  if (assertions.length > 0) return ''
  return (
    source
      // All line ends of JavaScript: a comment ends at each of them.
      .split(/\r\n|[\n\r\u2028\u2029]/)
      .filter((line) => line.trim() !== '')
      .map((line) => `// ${line.replace(/^\s*\/\/\s?/, '')}`)
      .join('\n')
  )
}
