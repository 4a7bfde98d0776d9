/** File roots for tests. */
import { realpathSync } from 'node:fs'
import { ConfinedFiles } from '../../src/runner/files/confined-files.ts'

/** The files below a directory, as for a request file in it. */
export function filesBelow(directory: string): ConfinedFiles {
  return new ConfinedFiles({ directory: realpathSync(directory), isExplicit: false, warnings: [] })
}

/** For request files that name no files. */
export const noFiles: ConfinedFiles = new ConfinedFiles({ directory: undefined, isExplicit: false, warnings: [] })
