/**
 * Converts the scripts of an item in a Postman collection.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { listOf, objectOf, objectsOf, textOf } from '../draft/document.ts'
import type { Losses } from '../draft/losses.ts'
import { ScriptTranslator, type TranslatedScripts } from '../script/translated-scripts.ts'
import { postmanScripts } from './script-names.data.ts'

/** @param path path of the list in the document */
export function eventScripts(events: JsonValue | undefined, path: string, losses: Losses): TranslatedScripts {
  const before: string[] = []
  const after: string[] = []
  const translator = new ScriptTranslator(postmanScripts, losses)
  for (const [index, event] of objectsOf(events).entries()) {
    if (event.disabled === true) continue
    const { exec } = objectOf(event.script)
    const source = typeof exec === 'string' ? exec : listOf(exec).map(textOf).join('\n')
    const code = translator.translated(source, `${path}[${index}].script`)
    ;(event.listen === 'prerequest' ? before : after).push(...code)
  }
  return { before, after, assertions: translator.assertions }
}
