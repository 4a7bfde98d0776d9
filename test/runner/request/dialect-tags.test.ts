/**
 * Tags of other editors: prompts, tags that have no effect here, and tags without which the request would be another.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { checkRun } from '../../../src/runner/dry-run/check-run.ts'
import { loadEnvironment, loadHttpFile } from '../../../src/runner/index.ts'
import { directoryWith, temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { type RecordingServer, type RunSettings, recordingServer, runText } from '../running.ts'

let server: RecordingServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

async function run(
  text: string,
  settings: RunSettings = {},
): Promise<{
  readonly lines: readonly string[]
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}> {
  server = await recordingServer()
  const { events, errors } = await runText(text.replaceAll('ORIGIN', server.origin), settings)
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.error.message] : []))
  return { lines: server.requests.map(({ line }) => line.split(' ')[1] as string), errors, warnings }
}

async function checked(text: string, variables = new Map<string, string>()): Promise<readonly string[]> {
  const directory = directoryWith({ '.git': '', 'test.http': text })
  try {
    const loaded = loadHttpFile('test.http', directory.path)
    const { errors, warnings } = await checkRun(loaded, {
      environment: loadEnvironment(loaded.path, undefined),
      variables,
    })
    return [...errors.map(({ error }) => error), ...warnings].map(
      ({ where, message }) => `${where?.line}:${where?.column} ${message}`,
    )
  } finally {
    directory.remove()
  }
}

describe('# @prompt', () => {
  const text = '# @prompt user Who are you?\n// @prompt password\nGET ORIGIN/{{user}}/{{password}}\n'

  it('prompts before the request, in file order', async () => {
    const asked: unknown[] = []
    const reported: string[] = []
    const { lines, errors } = await run(text, {
      askValue: async (prompt) => {
        asked.push([prompt.question, prompt.isSecret])
        return prompt.name === 'user' ? 'ada' : 'hush'
      },
      secrets: { add: (secret) => reported.push(secret) },
    })
    expect([lines, errors]).toEqual([['/ada/hush'], []])
    expect(asked).toEqual([
      ['Who are you?', false],
      ['password', true],
    ])
    expect(reported).toContain('hush')
  })

  it('overrides the environment and is never read as a template', async () => {
    const { lines } = await run('# @prompt user\nGET ORIGIN/?{{user}}\n', {
      environmentName: 'dev',
      files: { 'http-client.env.json': '{"dev": {"user": "other"}}' },
      askValue: async () => '{{$guid}}',
    })
    expect(lines).toEqual(['/?%7B%7B$guid%7D%7D'])
  })

  it('is answered from the command line', async () => {
    const variables = new Map(Object.entries({ user: 'ada', password: 'p' }))
    expect((await run(text, { variables })).lines).toEqual(['/ada/p'])
    expect(await checked(text.replace('ORIGIN', 'http://h'), variables as Map<string, string>)).toEqual([])
  })

  it('is an error if the user cannot be asked or does not answer', async () => {
    const wanted = ['1:1 unknown-variable the value of "user" must be entered, but no terminal was found']
    const without = await run(text)
    expect([without.errors, without.lines]).toEqual([wanted, []])
    await server?.close()
    expect((await run(text, { askValue: async () => undefined })).errors).toEqual(wanted)
  })

  it('is known to check, and is shown as its expression by a dry run', async () => {
    expect(await checked(text.replace('ORIGIN', 'http://h'))).toEqual([
      '1:1 the value of "user" must be entered, but no terminal was found',
      '2:1 the value of "password" must be entered, but no terminal was found',
    ])
    expect((await run(text, { isDryRun: true })).errors).toEqual([])
  })

  it('needs a name', async () => {
    const { errors } = await run('# @prompt ?\nGET ORIGIN/\n')
    expect(errors).toEqual([
      '1:1 invalid-request @prompt needs the name of a variable with an optional question, found "?"',
    ])
  })
})

describe('a tag of another tool', () => {
  it.each(['note', 'title Users', 'description of users'])('@%s is a comment', async (tag) => {
    const { lines, warnings } = await run(`# @${tag}\nGET ORIGIN/\n`)
    expect([lines, warnings]).toEqual([['/'], []])
  })

  it.each(['loop for 3', 'disabled'])('@%s prevents the request from being sent', async (tag) => {
    const { lines, errors } = await run(`# @${tag}\nGET ORIGIN/\n###\nGET ORIGIN/second\n`)
    const name = tag.split(' ')[0]
    expect([lines, errors]).toEqual([
      ['/second'],
      [`1:1 not-supported @${name} is a tag of httpYac, which is not supported`],
    ])
    expect(await checked(`# @${tag}\nGET http://h/\n`)).toEqual([
      `1:1 @${name} is a tag of httpYac, which is not supported`,
    ])
  })

  it.each<[string, string]>([
    ['sleep 500', '@sleep has no effect: it is a tag of httpYac'],
    ['secret password What is it?', '@secret has no effect: it is a tag of Kulala.nvim'],
    ['ref login', '@ref has no effect: it is a tag of httpYac'],
    ['no-reject-unauthorized', '@no-reject-unauthorized has no effect: it is a tag of httpYac'],
    ['use-os-credentials', '@use-os-credentials has no effect: NTLM and Negotiate are not supported'],
  ])('@%s has no effect, with a warning', async (tag, warning) => {
    const { lines, warnings } = await run(`# @${tag}\nGET ORIGIN/\n`)
    expect([lines, warnings]).toEqual([['/'], [warning]])
    expect(await checked(`# @${tag}\nGET http://h/\n`)).toEqual([`1:1 ${warning}`])
  })

  it('@ref is satisfied by a request of the run', async () => {
    const { lines, warnings } = await run('# @name login\nGET ORIGIN/login\n###\n# @ref login\nGET ORIGIN/me\n')
    expect([lines, warnings]).toEqual([['/login', '/me'], []])
  })

  it('explains how to write a value of a named request here', async () => {
    expect(await checked('# @name login\nGET http://h/\n###\nGET http://h/{{login.token}}\n')).toEqual([
      '4:14 the variable "login" is not defined, but a request has that name',
    ])
  })
})

it.each([
  ['.httpyac.json', 1],
  ['httpyac.config.js', 1],
  ['package.json', 0],
])('%s above the request file is reported as a file that is not read: %s', (name, count) => {
  const directory = temporaryDirectory()
  for (const each of ['.git', name]) writeFileSync(join(directory, each), '')
  const { warnings } = loadEnvironment(join(directory, 'sub', 'a.http'), undefined)
  expect(warnings?.map(({ message }) => message)).toEqual(
    Array(count).fill(`${join(directory, name)} has no effect: the settings of httpYac are not read`),
  )
})

it.each<[string, number]>([
  ['POST ORIGIN/a\nContent-Type: application/json', 1],
  ['POST ORIGIN/a', 1],
  ['GRAPHQL ORIGIN/a', 0],
  ['POST ORIGIN/a\nX-Request-Type: GraphQL', 0],
  ['POST ORIGIN/a\nContent-Type: text/plain', 0],
])('a GraphQL query that is sent as text causes a warning during a run: %s', async (head, count) => {
  const { warnings } = await run(`${head}\n\nquery a {\n  b\n}\n`)
  expect(warnings).toEqual(Array(count).fill('the body is a GraphQL query, but it is sent as text'))
})

describe('a comment after a number', () => {
  it.each([
    '# @timeout 180   # the report is slow',
    '// @connection-timeout 5 s // it starts',
    '# @retry 2 10ms # twice',
  ])('is not part of it: %s', async (tag) => {
    expect(await run(`${tag}\nGET ORIGIN/a\n`)).toEqual({ lines: ['/a'], errors: [], warnings: [] })
  })

  it('needs a space before it', async () => {
    expect((await run('# @timeout 180#x\nGET ORIGIN/a\n')).errors.join()).toContain('@timeout needs a number')
  })
})
