/**
 * The licences of the runtime in an executable, with links to the exact sources that it was built from.
 *
 * Rules: two components are under GNU licences, which require their text to accompany the program, the sources, and a
 * way to link the program with changed sources (GNU Library General Public License 2, section 6).
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

/** @param directory contains RUNTIME-NOTICE.txt and the texts of the licences */
export function runtimeNotice(directory: string, sources: RuntimeSources): string {
  const textOf = (name: string): string => readFileSync(join(directory, name), 'utf8')
  const notice = textOf('RUNTIME-NOTICE.txt').replace(
    /\{(\w+)\}/g,
    (_, name: string) => sources[name as keyof RuntimeSources],
  )
  return [notice, textOf('LGPL-2.0.txt'), textOf('LGPL-2.1.txt')].join(RULER)
}
