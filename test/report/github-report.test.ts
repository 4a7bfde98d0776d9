/** Annotations and summary for GitHub Actions. */

import { describe, expect, it } from 'vitest'
import { githubCommands, githubSummary } from '../../src/report/github-report.ts'
import { SomeError } from '../helpers/some-error.ts'
import { assertionError, connectError, identity, recordOf, requestEvents } from './events.ts'

const commandsOf = (...given: Parameters<typeof recordOf>): readonly string[] => [
  ...githubCommands(recordOf(...given), (file) => `root/${file}`),
]

describe('annotations', () => {
  it('have the place of the failure, or that of the request', () => {
    const events = [
      ...requestEvents(identity({ name: 'Fine' }), 'passed', [{ test: 'a' }]),
      ...requestEvents(identity({ number: 2, name: 'Bad' }), 'failed', [{ test: 'b', error: assertionError }]),
      ...requestEvents(identity({ number: 3, name: 'Down' }), 'error', [{ error: connectError }]),
    ]
    expect(commandsOf([{ events }])).toEqual([
      '::error file=root/a.http,line=7,col=3,title=Bad%3A b::status 500%0Anot 200\n',
      '::error file=root/a.http,line=3,title=Down::h port 9: connection refused%0Acheck that the server is running.\n',
    ])
  })

  it('cannot be ended by their content', () => {
    const name = 'a,b:c\r\n::error::100%'
    const error = new SomeError('test-failed', '50%\r\n::set-env name=x::y')
    const [line, ...others] = commandsOf([
      { events: requestEvents(identity({ name }), 'failed', [{ test: 't', error }]) },
    ])
    expect(line).toBe(
      '::error file=root/a.http,line=3,title=a%2Cb%3Ac%0D%0A%3A%3Aerror%3A%3A100%25%3A t::50%25%0D%0A::set-env name=x::y%0Aexpected: 200%0Aactual: 500\n',
    )
    expect(others).toEqual([])
  })

  it('are warnings for warnings, and errors for what ended the run', () => {
    const warning = { type: 'warning', error: new SomeError('unverified', 'w') } as const
    expect(commandsOf([{ events: [warning] }], { failure: new Error('broken') })).toEqual([
      '::warning::w\n',
      '::error title=httpcli::broken\n',
    ])
    expect(commandsOf([], { isInterrupted: true })).toEqual(['::error title=httpcli::the run was interrupted\n'])
  })
})

describe('a summary', () => {
  const failing = (count: number, name = 'n') =>
    recordOf([
      {
        events: Array.from({ length: count }, (_, index) =>
          requestEvents(identity({ number: index + 1, name }), 'failed', [{ test: 't', error: assertionError }]),
        ).flat(),
      },
    ])

  it('counts, and lists what failed', () => {
    const text = githubSummary(failing(1), 1e6)
    expect(text).toMatch(/^## httpcli run: Failed\n/)
    expect(text).toContain('| 1 | 0 | 1 | 0 | 0 | 1 | 1 |')
    expect(text).toContain('| n\\: t | a.http\\:7 | status 500<br>not 200 |\n')
  })

  it('shows texts unchanged', () => {
    expect(githubSummary(failing(1, '<b>|`x`|[a](b)</b>'), 1e6)).toContain('&lt;b>\\|\\`x\\`\\|\\[a\\](b)&lt;/b>')
  })

  it('stays below its size limit, and counts what is omitted', () => {
    const text = githubSummary(failing(2000), 20_000)
    expect(Buffer.byteLength(text)).toBeLessThan(20_000)
    const rows = text.split('\n').filter((line) => line.startsWith('| n')).length
    expect(rows).toBeGreaterThan(0)
    expect(text).toContain(`${2000 - rows} more failures are left out.`)
  })

  it('of a run that a bug ended says that it failed', () => {
    const record = recordOf([{ events: requestEvents(identity({}), 'passed', []) }], { failure: new Error('broken') })
    expect(githubSummary(record, 1e6)).toMatch(/^## httpcli run: Failed\n\nbroken\n/)
  })

  it('of a run that passed has no list', () => {
    expect(githubSummary(recordOf([{ events: requestEvents(identity(), 'passed') }]), 1e6)).not.toContain('Message')
  })
})
