/** The requests of a file that are executed, and the errors when none is. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outlineRun } from '../../../src/runner/dry-run/run-outline.ts'
import { loadEnvironment, loadHttpFile, type RequestChoice, type RunOutline } from '../../../src/runner/index.ts'
import { checkChoice } from '../../../src/runner/plan/request-filter.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer, runText } from '../running.ts'

const files = {
  '.git': '',
  'a.http': `@base = http://x.test
### Sign in
# @tag smoke
# @tags auth, slow
GET {{base}}/in

### List users
# @name users
// @tags smoke slow
GET {{base}}/users

###
POST {{base}}/unnamed

### With login
run #Sign in
# @tag called
GET {{base}}/with

### Only calls
import ./b.http
run #Other
`,
  'b.http': '### Other\n# @tag other\nGET http://x.test/other\n',
}
let directory: ReturnType<typeof directoryWith>
beforeAll(() => {
  directory = directoryWith(files)
})
afterAll(() => directory.remove())

type Asked = Partial<Omit<RequestChoice, 'lines'>> & { readonly lines?: readonly number[] }

async function outline({ names = [], lines = [], tags = [] }: Asked): Promise<RunOutline & { choice: RequestChoice }> {
  const path = join(directory.path, 'a.http')
  const choice = { names, tags, lines: lines.map((line) => ({ path, line })) }
  const loaded = loadHttpFile('a.http', directory.path)
  return { ...(await outlineRun(loaded, { environment: loadEnvironment(path, undefined), choice })), choice }
}

describe('selected', () => {
  it.each<[string, Asked, string[]]>([
    ['are all without criteria', {}, ['/in', '/users', '/unnamed', '/in', '/with', '/other']],
    ['is the one of that name, and where it is called', { names: ['Sign in'] }, ['/in', '/in']],
    ['is the one of that @name', { names: ['users'] }, ['/users']],
    ['is the one after that separator', { names: ['List users'] }, ['/users']],
    ['is one without a name by its method and target', { names: ['POST {{base}}/unnamed'] }, ['/unnamed']],
    ['is what a section calls with it', { names: ['With login'] }, ['/in', '/with']],
    ['is what a section without a request calls', { names: ['Only calls'] }, ['/other']],
    ['is a request of another file where it is called', { names: ['Other'] }, ['/other']],
    ['are those of several names', { names: ['users', 'Other'] }, ['/users', '/other']],
    ['are those that a pattern fits', { names: ['*in*'] }, ['/in', '/in', '/with']],
    ['are all by a pattern that fits all', { names: ['*'] }, ['/in', '/users', '/unnamed', '/in', '/with', '/other']],
    ['are those with a tag', { tags: ['smoke'] }, ['/in', '/users', '/in']],
    ['are those with one of several tags', { tags: ['auth', 'other'] }, ['/in', '/in', '/other']],
    ['are those without a tag', { tags: ['!smoke'] }, ['/unnamed', '/with', '/other']],
    ['are those with one tag and without another', { tags: ['slow', '!auth'] }, ['/users']],
    ['are those with a tag among those of a name', { names: ['*i*'], tags: ['smoke'] }, ['/in', '/users', '/in']],
    ['is the request of a line', { lines: [10] }, ['/users']],
    ['is the request of the line of its separator', { lines: [7] }, ['/users']],
    ['is the request of a blank line after it', { lines: [11] }, ['/users']],
    ['is the request of the last line', { lines: [22] }, ['/other']],
    ['are those of a line and those of a name', { lines: [13], names: ['users'] }, ['/users', '/unnamed']],
  ])('%s', async (_title, asked, targets) => {
    const { requests } = await outline(asked)
    expect(requests.map(({ target }) => target.replace(/^.*(?=\/)/, ''))).toEqual(targets)
  })

  it('are reported with place, name and tags', async () => {
    const { requests } = await outline({ names: ['users'] })
    expect(requests).toEqual([
      { file: 'a.http', line: 10, name: 'users', method: 'GET', target: '{{base}}/users', tags: ['smoke', 'slow'] },
    ])
  })
})

describe('nothing is selected', () => {
  it.each<[string, Asked, string]>([
    ['by a name that is not there', { names: ['user'] }, 'no request is named "user": Did you mean "users"?'],
    ['by a name in another case', { names: ['sign in'] }, 'no request is named "sign in": Did you mean "Sign in"?'],
    [
      'by a name that is like no other',
      { names: ['zzzzzzzzzzzz'] },
      'no request is named "zzzzzzzzzzzz": The names are "Sign in", "users", "List users", "POST {{base}}/unnamed", "With login", "Other", "Only calls".',
    ],
    ['by a pattern that fits none', { names: ['z*'] }, 'no request is named "z*": The names are "Sign in"'],
    ['by one of several names', { names: ['users', 'nope'] }, 'no request is named "nope"'],
    ['by a tag that is not there', { tags: ['smok'] }, 'no request has the tag "smok": Did you mean "smoke"?'],
    ['by a tag in another case', { tags: ['Smoke'] }, 'no request has the tag "Smoke": Did you mean "smoke"?'],
    [
      'by a line of no request',
      { lines: [1] },
      'no request at line 1 of a.http: The nearest requests are at lines 5, 10, 13.',
    ],
    ['by a line after the file', { lines: [99] }, 'no request at line 99 of a.http'],
    ['by name and tag together', { names: ['users'], tags: ['auth'] }, 'no request matches all criteria'],
    ['where all are excluded', { names: ['users'], tags: ['!smoke'] }, 'no request matches'],
  ])('%s', async (_title, asked, expected) => {
    const { choice, candidates } = await outline(asked)
    let found = ''
    try {
      checkChoice(choice, candidates)
    } catch (error) {
      const { code, message, hint } = error as { code: string; message: string; hint: string }
      expect(code).toBe('nothing-chosen')
      found = `${message}: ${hint}`
    }
    expect(found).toContain(expected)
  })

  it('is not an error for an excluded tag that no request has', async () => {
    const { choice, candidates } = await outline({ tags: ['!nobody'] })
    expect(() => checkChoice(choice, candidates)).not.toThrow()
  })

  it('comes with a hint about tags if no request has any', () => {
    const choice = { names: [], lines: [], tags: ['smoke'] }
    expect(() => checkChoice(choice, [])).toThrow(
      expect.objectContaining({ hint: 'Requests are tagged by a line above them: # @tag smoke' }),
    )
  })
})

describe('a run of selected requests', () => {
  let server: RecordingServer
  beforeAll(async () => {
    server = await recordingServer()
  })
  afterAll(() => server.close())

  it('has the variables and common scripts of the whole file', async () => {
    server.requests.length = 0
    const { results, summary } = await runText(
      `@a = one\n> {% client.log('common') %}\n### First\n@b = two\nGET ${server.origin}/first\n### Second\nGET ${server.origin}/{{a}}/{{b}}\n`,
      { choice: { names: ['Second'], lines: [], tags: [] } },
    )
    expect(server.requests.map(({ line }) => line)).toEqual(['GET /one/two HTTP/1.1'])
    expect(results).toEqual(['log common'])
    expect(summary).toMatchObject({ requests: 1, skipped: 0 })
  })

  it('reports the number of selected requests, and the tags of each', async () => {
    const { events } = await runText(`# @tag x\nGET ${server.origin}/\n###\nGET ${server.origin}/2`, {
      choice: { names: [], lines: [], tags: ['x'] },
    })
    expect(events[0]).toMatchObject({ type: 'run-started', requests: 1 })
    expect(events[1]).toMatchObject({ request: { tags: ['x'] } })
  })

  it('does not report calls that are not selected', async () => {
    const { errors } = await runText(`### a\nrun #nope\nGET ${server.origin}/\n### b\nGET ${server.origin}/`, {
      choice: { names: ['b'], lines: [], tags: [] },
    })
    expect(errors).toEqual([])
  })
})
