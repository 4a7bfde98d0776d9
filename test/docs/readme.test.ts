/** The two commands that set up a fresh clone are in README.md, near its top, and the scripts that they name exist. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../helpers/document.ts'

const lines = readFileSync(join(projectRoot, 'README.md'), 'utf8').split('\n')
const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}

describe('README.md', () => {
  it.each([
    { command: 'npm ci && npm run demo', script: 'demo' },
    { command: 'npm ci && npm test', script: 'test' },
  ])('shows `$command` near its top', ({ command, script }) => {
    const index = lines.indexOf(command)
    expect(index).toBeGreaterThan(0)
    expect(index).toBeLessThan(60)
    expect(scripts[script]).toBeDefined()
  })
})
