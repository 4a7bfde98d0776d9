/**
 * The licences of the runtime that an executable carries, with links to the sources in the state that it was made of.
 *
 * Rules: two of its parts are under licences of the GNU project, which want their text beside the program, the sources,
 * and a way to link it with changed ones (GNU Library General Public License 2, section 6).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of the runtime, and the commits of its repositories. */
export interface RuntimeSources {
  readonly version: string
  readonly bun: string
  readonly webkit: string
  readonly tinycc: string
}

const RULER = `\n${'-'.repeat(72)}\n\n`

/** @param directory with RUNTIME-NOTICE.txt and the texts of the licences */
export function runtimeNotice(directory: string, sources: RuntimeSources): string {
  const textOf = (name: string): string => readFileSync(join(directory, name), 'utf8')
  const notice = textOf('RUNTIME-NOTICE.txt').replace(
    /\{(\w+)\}/g,
    (_, name: string) => sources[name as keyof RuntimeSources],
  )
  return [notice, textOf('LGPL-2.0.txt'), textOf('LGPL-2.1.txt')].join(RULER)
}
