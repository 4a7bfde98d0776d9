/**
 * Converts the scripts of an item in a Postman collection.
 *
 * Rules: a part that cannot be translated is reported with the path of its event, and stays in the script as a comment.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { listOf, objectOf, objectsOf, textOf } from '../draft/document.ts'
import type { Losses } from '../draft/losses.ts'
import { translateScript } from '../script/translation.ts'
import { postmanScripts } from './script-names.data.ts'

export interface Scripts {
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** For `# @assert`. */
  readonly assertions: readonly string[]
}

/** @param path path of the list in the document */
export function eventScripts(events: JsonValue | undefined, path: string, losses: Losses): Scripts {
  const before: string[] = []
  const after: string[] = []
  const assertions: string[] = []
  for (const [index, event] of objectsOf(events).entries()) {
    if (event.disabled === true) continue
    const { exec } = objectOf(event.script)
    const source = typeof exec === 'string' ? exec : listOf(exec).map(textOf).join('\n')
    if (source.trim() === '') continue
    const { code, lost, assertions: found } = translateScript(source, postmanScripts)
    for (const statement of lost) losses.add(`${path}[${index}].script`, statement)
    assertions.push(...found)
    if (code !== '') (event.listen === 'prerequest' ? before : after).push(code)
  }
  return { before, after, assertions }
}
