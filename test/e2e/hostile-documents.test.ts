/** Documents that are deep, long or circular: each command ends with an answer, and never as a defect. */
import { describe, expect, it } from 'vitest'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { hostileConversions } from '../helpers/hostile-conversions.ts'
import { hostileRequestFiles } from '../helpers/hostile-documents.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

/** A dry run reads all that check reads: for the engine of the executable, whose stack differs, it is enough. */
const requestFiles = hostileRequestFiles.filter(({ words }) => !isStandalone || words[0] !== 'check')

describe('a hostile document', () => {
  it.concurrent.each([...requestFiles, ...hostileConversions].map((each) => [each.title, each] as const))(
    '%s',
    async (_title, { files, words, codes, message }) => {
      const texts = Object.entries(files).map(([name, text]) => [name, text()] as const)
      // Removed here: a hook cannot tell which of several running tests it belongs to.
      const { path: cwd, remove } = directoryWith({ '.git': '', ...Object.fromEntries(texts) })
      const { code, signal, stderr } = await runCommand(words, {
        cwd,
        env: { NODE_OPTIONS: '--max-old-space-size=512' },
      }).finally(remove)
      const printed = stderr.toString()
      expect(printed.slice(0, 4000)).not.toMatch(/internal error|\n\s+at .*(?:\.[cm]?js|node:|wasm)|out of memory/)
      expect(signal).toBeNull()
      expect(codes).toContain(code)
      if (code !== 0) expect(printed.slice(0, 4000)).toMatch(message)
    },
    120_000,
  )
})
