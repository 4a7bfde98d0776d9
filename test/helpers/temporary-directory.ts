/** Directories that vanish when the test ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A fresh directory, removed with all it holds when the running test has finished. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'httpcli-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
