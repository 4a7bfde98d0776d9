/**
 * docs/serve.md says what the command does: every option is there, and every example is run.
 *
 * Rules: a `console` block begins with the line that starts the server, which runs on a free port in the place of 8080.
 * The lines after each further command must all be in what it writes, or in what the server has written by then; what
 * changes with time and machine (dates, paths) is compared as such.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serve } from '../../src/cli/options/serve.ts'
import { commandEnvironment, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const text = readFileSync(fileURLToPath(new URL('../../docs/serve.md', import.meta.url)), 'utf8')

const siteFiles: Readonly<Record<string, string>> = {
  'notes.txt': 'hello\n',
  'report.html': '<p>3</p>\n',
  'report.json': '{"total": 3}\n',
  '404.html': '<h1>Not here</h1>\n',
  'app/index.html': '<h1>App</h1>\n',
  'data/values.csv': 'a,b\n',
}

interface Step {
  readonly command: string
  readonly output: readonly string[]
}

const examples: readonly (readonly Step[])[] = [...text.matchAll(/^( *)```console\n([\s\S]*?)^ *```$/gm)].map(
  (block) => {
    const lines = block[2]!.split('\n').map((line) => line.slice(block[1]!.length))
    const steps: { command: string; output: string[] }[] = []
    for (const line of lines) {
      if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: [] })
      else if (line !== '') steps.at(-1)?.output.push(line)
    }
    return steps
  },
)

/** The words of a line as a shell would split it; the examples quote with apostrophes alone. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''))
}

/** What changes from run to run, made the same on both sides. */
function steady(line: string): string {
  return line
    .trimEnd()
    .replace(/\[\d\d\/\w{3}\/\d{4}:[\d:]+ [+-]\d{4}\]/, '[time]')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"durationMs":[\d.]+/, '"durationMs":0')
    .replace(/directory \S+ on (https?:\/\/127\.0\.0\.1):\d+/, 'directory site on $1:8080')
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe('docs/serve.md', () => {
  it.each(serve.options)('says what --$long is', ({ long, short, argument, isValueOptional }) => {
    const value = argument === undefined ? '' : isValueOptional ? `[=${argument}]` : ` ${argument}`
    expect(text).toContain(`--${long}`)
    if (argument !== undefined) expect(text).toContain(`--${long}${value}`)
    if (short !== undefined) expect(text).toContain(`\`-${short}\``)
  })

  it('has the limits with their defaults as the help has them', () => {
    for (const { long, description } of serve.options) {
      const row = new RegExp(`^\\| \`--${long} <\\w+>\` \\| (\\S+) \\|`, 'm').exec(text)
      if (row !== null) expect(`${long}: ${/Default (\S+)\.$/.exec(description)?.[1]}`).toBe(`${long}: ${row[1]}`)
    }
  })

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(10)
  })

  it.skipIf(!hasCurl).each(examples.map((steps) => ({ title: steps.map(({ command }) => command).join('; '), steps })))(
    '$title',
    async ({ steps: [first, ...others] }) => {
      const cwd = temporaryDirectory()
      for (const [name, content] of Object.entries(siteFiles)) {
        mkdirSync(dirname(join(cwd, 'site', name)), { recursive: true })
        writeFileSync(join(cwd, 'site', name), content)
      }
      const [program, ...words] = wordsOf(first!.command)
      expect(program).toBe('httpcli')
      const server = await startCommand([...words, '-p', '0'], / on https?:\/\/127\.0\.0\.1:(\d+)/, { cwd })
      onTestFinished(() => void server.child.kill('SIGKILL'))
      const written = () => server.stdout().split('\n').map(steady)
      for (const line of first!.output) expect(written()).toContain(steady(line))
      for (const { command, output } of others) {
        const [client, ...clientWords] = wordsOf(command.replaceAll(':8080', `:${server.match[1]}`))
        expect(client).toBe('curl')
        const answer = execFileSync('curl', clientWords, { env: commandEnvironment(), encoding: 'utf8' })
        // The log is written a moment later than the answer.
        await vi.waitFor(() => {
          const lines = [...answer.split('\n').map(steady), ...written()]
          for (const line of output)
            expect(lines.map((found) => found.toLowerCase())).toContain(steady(line).toLowerCase())
        })
      }
    },
  )
})
