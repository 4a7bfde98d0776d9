/** Directories that are removed when the test ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new directory, removed with its contents when the running test has finished. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'httpcli-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A new directory with these files and their directories; `remove` removes it. */
export function directoryWith(files: Readonly<Record<string, string | Uint8Array>>): {
  readonly path: string
  remove(): void
} {
  const path = mkdtempSync(join(tmpdir(), 'httpcli-run-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
