/** `import` and `run`: which requests are sent, with which variables, from which directory. */
import { describe, expect, it } from 'vitest'
import { InvalidFileError } from '../../../src/runner/base/errors.ts'
import { prepareText } from '../preparing.ts'

type Files = Readonly<Record<string, string>>

interface Result {
  readonly errors: readonly string[]
  readonly sent: readonly string[]
}

async function run(text: string, files: Files): Promise<Result> {
  const withOrigin = (source: string): string => source.replaceAll('$O', 'http://h.test')
  const all = Object.fromEntries(Object.entries(files).map(([name, source]) => [name, withOrigin(source)]))
  const { errors, sent } = await prepareText(withOrigin(text), { files: all })
  const lines = sent.map(({ line, body }) => {
    const [method, target] = line.split(' ')
    return `${method === 'GET' ? '' : method}${target}${body}`
  })
  return { errors, sent: lines }
}

const library = `### one
GET $O/one

### Sign in (as admin)
# @name other
GET $O/two

###
POST $O/three

body
`

describe('run', () => {
  it.each<[string, string, readonly string[]]>([
    ['a file: all of its requests', 'run lib.http', ['/one', '/two', 'POST/threebody']],
    ['one request by its name', 'import lib.http\nrun #one', ['/one']],
    ['one by the name after ###', 'import lib.http\nrun #Sign in (as admin)', ['/two']],
    ['one by the name of the tag', 'import lib.http\nrun #other', ['/two']],
    ['one by method and URL', 'import lib.http\nrun #POST $O/three', ['POST/threebody']],
    ['several, in order', 'import lib.http\nrun #other\nrun #one\nrun #other', ['/two', '/one', '/two']],
    [
      'in a separate section',
      '### lib\nimport lib.http\n### a\nGET $O/a\n### b\nrun #one\n### c\nGET $O/c',
      ['/a', '/one', '/c'],
    ],
    ['before the request of its section', 'import lib.http\nrun #one\nGET $O/own', ['/one', '/own']],
    ['a request of the same file', '### a\nrun #b\n### b\nGET $O/b', ['/b', '/b']],
    ['nothing where it is only imported', 'import lib.http\nGET $O/own', ['/own']],
  ])('sends %s', async (_, text, expected) => {
    const { errors, sent } = await run(text, { 'lib.http': library })
    expect(errors).toEqual([])
    expect(sent).toEqual(expected)
  })

  it('finds names through nested and circular imports, the nearest first', async () => {
    const files = {
      'a.http': 'import sub/b.http\nimport test.http\n### x\nGET $O/a-x',
      'sub/b.http': 'import ../a.http\n### x\nGET $O/b-x\n### deep\nGET $O/b-deep',
    }
    const { errors, sent } = await run('import a.http\nrun #x\nrun #deep', files)
    expect(errors).toEqual([])
    expect(sent).toEqual(['/a-x', '/b-deep'])
  })

  it('follows calls of calls', async () => {
    const files = { 'a.http': 'run b.http\n###\nGET $O/a', 'b.http': 'GET $O/b' }
    expect((await run('run a.http\n###\nGET $O/own', files)).sent).toEqual(['/b', '/a', '/own'])
  })

  it('finds body files next to the file that contains the request', async () => {
    const files = { 'sub/lib.http': '### up\nPOST $O/up\n\n< data.txt', 'sub/data.txt': 'beside', 'data.txt': 'wrong' }
    expect((await run('import sub/lib.http\nrun #up', files)).sent).toEqual(['POST/upbeside'])
  })
})

describe('variables of a call', () => {
  it.each<[string, string, string, readonly string[]]>([
    [
      'come from its own file up to its section',
      '@v = caller\nimport l.http\nrun #x',
      '@v = own\n### x\nGET $O/{{v}}\n###\n@v = later\n',
      ['/own'],
    ],
    [
      'come from the caller if its file has no such name',
      '@v = caller\nimport l.http\nrun #x',
      '### x\nGET $O/{{v}}',
      ['/caller'],
    ],
    [
      'are overridden for this call only',
      'import l.http\nrun #x (@v=a b)\nrun #x',
      '@v = own\n### x\nGET $O/{{v}}',
      ['/a%20b', '/own'],
    ],
    ['are overridden by several', 'import l.http\nrun #x (@v=1, @w=2)', '### x\nGET $O/{{v}}{{w}}', ['/12']],
    [
      'are overridden by those of the caller',
      '@u = me\nimport l.http\nrun #x (@v={{u}}, @u={{u}}!)',
      '### x\nGET $O/{{v}}{{u}}',
      ['/meme!'],
    ],
    [
      'are overridden for a whole file',
      'run l.http (@v=1)',
      '@v = own\n### x\nGET $O/x{{v}}\n### y\nGET $O/y{{v}}',
      ['/x1', '/y1'],
    ],
    [
      'follow what they are made of',
      'import l.http\nrun #x (@h=over)',
      '@h = own\n@u = {{h}}/path\n### x\nGET $O/{{u}}',
      ['/over/path'],
    ],
    [
      'may be redefined while a file runs',
      'run l.http',
      '@v = 1\nGET $O/{{v}}\n###\n@v = 2\nGET $O/{{v}}',
      ['/1', '/2'],
    ],
    [
      'do not leak to the caller',
      'run l.http\n###\n@w = own\nGET $O/{{w}}',
      '@w = lib\nGET $O/{{w}}',
      ['/lib', '/own'],
    ],
  ])('%s', async (_, text, file, expected) => {
    const { errors, sent } = await run(text, { 'l.http': file })
    expect(errors).toEqual([])
    expect(sent).toEqual(expected)
  })

  it('are overridden in nested calls, too', async () => {
    const files = { 'a.http': 'import b.http\n### x\nrun #y\nGET $O/a{{v}}', 'b.http': '@v = b\n### y\nGET $O/b{{v}}' }
    expect((await run('import a.http\nrun #x (@v=o)', files)).sent).toEqual(['/bo', '/ao'])
  })
})

describe('what cannot be run', () => {
  it.each<[string, string, string, string]>([
    [
      'a name that no request has',
      'import l.http\nrun #on\n###\nGET $O/next',
      '### one\nGET $O/1',
      '2:1 unknown-request no request "on" found here',
    ],
    ['a name that is not imported', 'run #one\n###\nGET $O/next', '### one\nGET $O/1', '1:1 unknown-request'],
    [
      'a file that is missing',
      'run none.http\n###\nGET $O/next',
      '',
      '1:1 unreadable-file the request file none.http does not exist',
    ],
    ['an import that is missing', 'import none.http\n###\nGET $O/next', '', '1:1 unreadable-file'],
    ['a path with an unknown variable', 'import {{x}}/a.http\n###\nGET $O/next', '', '1:8 unknown-variable'],
    ['itself', 'run test.http\n###\nGET $O/next', '', '1:1 circular-run'],
    ['its own section', '### a\nrun #a\nGET $O/next', '', '2:1 circular-run'],
  ])('%s is an error, and the run continues', async (_, text, file, error) => {
    const { errors, sent } = await run(text, { 'l.http': file })
    expect(errors.map((line) => line.slice(0, error.length))).toEqual([error])
    expect(sent).toEqual(['/next'])
  })

  it('are circular calls', async () => {
    const { errors, sent } = await run('run a.http\n###\nGET $O/next', {
      'a.http': 'GET $O/a\n###\nrun b.http',
      'b.http': 'run a.http\n###\nGET $O/b',
    })
    expect(errors).toEqual([expect.stringMatching(/^1:1 circular-run/)])
    expect(sent).toEqual(['/a', '/b', '/next'])
  })

  it('is a file with errors: nothing is sent', async () => {
    const running = run('GET $O/first\n###\nimport bad.http', { 'bad.http': 'GET\n' })
    await expect(running).rejects.toThrow(InvalidFileError)
    const { errors } = (await running.catch((error: unknown) => error)) as InvalidFileError
    expect(errors.map(({ where }) => [where?.file, where?.line])).toEqual([['bad.http', 1]])
  })

  it('is reported with the nearest names', async () => {
    const { failures } = await prepareText('import l.http\nrun #Sing in', {
      files: { 'l.http': '### Sign in\nGET h/' },
    })
    expect(failures[0]).toMatchObject({ hint: 'Did you mean #Sign in?', excerpt: 'run #Sing in\n^^^^^^^^^^^^' })
  })
})
