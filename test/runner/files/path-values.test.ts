/** Values that scripts and captures set, in paths: one segment at most, however many variables they go through. */

import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../src/http-file/index.ts'
import { checkedPath } from '../../../src/runner/files/path-text.ts'
import { FileScope } from '../../../src/runner/variables/file-scope.ts'
import { SharedVariables } from '../../../src/runner/variables/shared-variables.ts'
import { Variables } from '../../../src/runner/variables/variables.ts'
import { noFiles } from '../../helpers/file-root.ts'

const sources = { now: () => 0, randomBytes: (count: number) => new Uint8Array(count) }

interface Given {
  readonly text?: string
  readonly global?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, unknown>>
  readonly prepare?: (variables: Variables, shared: SharedVariables) => void
}

/** The path of a template, or the code of the error. */
function pathOf(path: string, { text = '', global = {}, environment = {}, prepare }: Given): string {
  const shared = new SharedVariables({
    environment: new Map(Object.entries(environment)) as never,
    commandLine: new Map([['typed', 'a/b']]),
    processEnvironment: { DIR: 'x/y' },
    sources,
    tokens: { known: () => '../token', acquire: async () => undefined },
    files: noFiles,
  })
  for (const [name, value] of Object.entries(global)) shared.globals.set(name, value as never)
  const scope = new FileScope({ path: 'a.http', text: path }, '/r/a.http')
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, name = '', value = ''] = /^@(\w+) = (.*)$/.exec(line) ?? []
    scope.inPlace.set(name, { template: parseTemplate(value), scope, made: new Map() })
  }
  const variables = new Variables(shared, scope)
  prepare?.(variables, shared)
  try {
    return variables.pathText(parseTemplate(path))
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('a value that a script or a capture has set', () => {
  const refused = 'path-segment'
  it.each([
    ['report', 'out/report.json'],
    ['a b', 'out/a b.json'],
    ['..a', 'out/..a.json'],
    [7, 'out/7.json'],
    ['../a', refused],
    ['a/b', refused],
    ['/etc/passwd', refused],
    ['a\\b', refused],
    ['a\0b', refused],
    ['a\nb', refused],
    [{ a: '/' }, refused],
  ])('%j, before an extension', (name, result) => {
    expect(pathOf('out/{{name}}.json', { global: { name } })).toBe(result)
  })

  it.each(['', '.', '..', '...', '. ', ' ', '.. .'])('%j is not a segment', (name) => {
    expect(pathOf('out/{{name}}', { global: { name } })).toBe(refused)
    expect(pathOf('{{name}}/x', { global: { name } })).toBe(refused)
    expect(pathOf('out\\{{name}}\\x', { global: { name } })).toBe(refused)
  })

  it.each([
    ['two of them', '{{a}}{{b}}', { a: '.', b: '.' }, refused],
    ['two that are empty', 'x/{{a}}{{b}}/y', { a: '', b: '' }, refused],
    ['one that completes a dot', 'x/.{{a}}', { a: '.' }, refused],
    ['one that is empty before an ending', 'x/{{a}}.json', { a: '' }, 'x/.json'],
    ['one around text', 'x/{{a}}-{{b}}', { a: 'm', b: 'n' }, 'x/m-n'],
  ])('%s', (_name, path, global, result) => {
    expect(pathOf(path, { global })).toBe(result)
  })

  it.each<[string, string, Given, string]>([
    ['a file variable', '{{p}}', { text: '@p = out/{{name}}', global: { name: 'a' } }, 'out/a'],
    ['a file variable that joins', '{{p}}', { text: '@p = out/{{name}}', global: { name: '../a' } }, refused],
    ['a file variable that is it', 'x/{{p}}', { text: '@p = {{name}}', global: { name: 'a/b' } }, refused],
    ['two file variables', '{{q}}/x', { text: '@p = o/{{name}}\n@q = r/{{p}}', global: { name: 'a' } }, 'r/o/a/x'],
    ['two file variables', '{{q}}/x', { text: '@p = o/{{name}}\n@q = r/{{p}}', global: { name: '..' } }, refused],
    ['a variable of the environment', '{{e}}', { environment: { e: 'd/{{name}}' }, global: { name: '..' } }, refused],
    ['a variable of the environment', '{{e}}', { environment: { e: 'd/{{name}}' }, global: { name: 'n' } }, 'd/n'],
    [
      'an object of the environment',
      '{{e.x}}',
      { environment: { e: { x: '{{name}}' } }, global: { name: '/' } },
      refused,
    ],
    ['a path into it', '{{o.a[0]}}', { global: { o: { a: ['../x'] } } }, refused],
    ['a path into it', '{{o.a[0]}}', { global: { o: { a: ['x'] } } }, 'x'],
    ['a whole path', '{{$.o.a}}', { global: { o: { a: '/x' } } }, refused],
    ['request.variables', '{{r}}', { prepare: ({ request }) => request.set('r', 'a/b') }, refused],
    [
      'a file variable that a script set',
      '{{f}}',
      { prepare: ({ scope }) => scope.inPlace.set('f', { value: 'a/b' }) },
      refused,
    ],
    ['a token', '{{$auth.token("svc")}}', {}, refused],
    ['a token in a file variable', '{{t}}/x', { text: '@t = {{$auth.token("svc")}}' }, refused],
  ])('goes through %s: %s', (_name, path, given, result) => {
    expect(pathOf(path, given)).toBe(result)
  })

  it.each([
    ['the command line', '{{typed}}/c', {}, 'a/b/c'],
    ['the environment', '{{e}}/c', { environment: { e: '/abs/../x' } }, '/abs/../x/c'],
    ['a file variable', '{{p}}/c', { text: '@p = ../x' }, '../x/c'],
    ['the environment of the process', '{{$env.DIR}}/c', {}, 'x/y/c'],
    ['a file variable of these', '{{p}}', { text: '@p = {{typed}}/{{$env.DIR}}' }, 'a/b/x/y'],
  ])('does not include values from %s, which are unrestricted', (_name, path, given, result) => {
    expect(pathOf(path, given)).toBe(result)
  })

  it('is shown in the error, truncated if it is long', () => {
    const piece = { text: `../${'x'.repeat(500)}`, isForeign: true, expression: 'name' }
    expect(() => checkedPath([piece])).toThrow(/^\{\{name\}\} is "\.\.\/x{97}…", which is not a file name$/)
  })
})
