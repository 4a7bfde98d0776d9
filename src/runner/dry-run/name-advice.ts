/** Names of requests that a file gives twice: a reference, --name and `run #name` cannot tell such requests apart. */
import type { HttpFile } from '../../http-file/index.ts'
import type { Advice } from './request-advice.ts'

export function repeatedNames({ sections }: HttpFile): readonly Advice[] {
  const lines = new Map<string, number>()
  return sections.flatMap(({ request }) => {
    const tag = request?.tags.find(({ name, value }) => name === 'name' && value !== '')
    if (tag === undefined) return []
    const first = lines.get(tag.value)
    if (first === undefined) {
      lines.set(tag.value, tag.span.line)
      return []
    }
    const message = `the name ${JSON.stringify(tag.value)} is that of the request at line ${first}, too`
    return [{ code: 'repeated-name', message, hint: 'Give each request its own name.', span: tag.span }]
  })
}
