/** `import` and `run`: targets, names with blanks, overrides, what is wrong with them. */
import { describe, expect, it } from 'vitest'
import { type DirectiveNode, parseHttpFile, printHttpFile, templateText } from '../../../src/http-file/index.ts'

const directivesOf = (source: string): readonly DirectiveNode[] => {
  const { file, errors } = parseHttpFile(source)
  expect(errors).toEqual([])
  expect(printHttpFile(file)).toBe(source)
  return file.sections.flatMap(({ directives }) => directives)
}

const shown = ({ directive, target, overrides }: DirectiveNode): string => {
  const what = target.type === 'file' ? templateText(target.path) : `#${target.name}`
  return [directive, what, ...overrides.map(({ name, value }) => `${name}=${templateText(value)}`)].join('|')
}

describe('a directive', () => {
  it.each<[string, string]>([
    ['import lib.http', 'import|lib.http'],
    ['  import   ../a b/lib.http  ', 'import|../a b/lib.http'],
    ['import {{$projectRoot}}/lib.http', 'import|{{$projectRoot}}/lib.http'],
    ['run lib.http', 'run|lib.http'],
    ['run ./lib.http (@host=h.test)', 'run|./lib.http|host=h.test'],
    ['run #login', 'run|#login'],
    ['run # login', 'run|#login'],
    ['run #Sign in (as admin)', 'run|#Sign in (as admin)'],
    ['run #Sign in (as admin) (@user = ada)', 'run|#Sign in (as admin)|user=ada'],
    ['run #POST https://h.test/a?b=c', 'run|#POST https://h.test/a?b=c'],
    ['run #x (@host=h.test, @user={{name}} , @a-b.c=)', 'run|#x|host=h.test|user={{name}}|a-b.c='],
    ['run #x (@list=1, 2, 3, @b=f(y))', 'run|#x|list=1, 2, 3|b=f(y)'],
    ['run #x(@a=1)', 'run|#x|a=1'],
    ['run #x (@größe=1)', 'run|#x|größe=1'],
    ['run #x (\n  @a=1,\n  @b=2\n)', 'run|#x|a=1|b=2'],
    ['run #x (@a=1,\r\n  @b=2)', 'run|#x|a=1|b=2'],
  ])('%j is read', (source, expected) => {
    expect(directivesOf(source).map(shown)).toEqual([expected])
  })

  it('is allowed before requests, among variables and comments', () => {
    const source =
      '# c\nimport a.http\n@x = 1\nimport b.http\n\n### one\nrun #a\n// c\nrun #b (@x={{x}})\n### two\nGET http://h/\n'
    expect(directivesOf(source).map(shown)).toEqual(['import|a.http', 'import|b.http', 'run|#a', 'run|#b|x={{x}}'])
  })

  it('has the place of its target', () => {
    const [directive] = directivesOf('@a = b\n run  #Sign in (@a=c)\n')
    expect(directive?.target.span).toEqual({ offset: 13, line: 2, column: 7, length: 8 })
  })

  it.each(['running.test/path', 'important.test', 'import.test/x'])('is not read at the beginning of %j', (target) => {
    const { file } = parseHttpFile(target)
    expect(file.sections[0]?.request?.line.target).toEqual({ parts: [{ type: 'text', text: target }] })
  })

  it.each<[string, string, string]>([
    ['import', '1:1 missing-target', 'expected a path after import'],
    ['run', '1:1 missing-target', 'expected a path, or "#" and the name of a request after run'],
    ['run #', '1:1 missing-target', 'expected a path, or "#" and the name of a request after run'],
    ['import #x', '1:1 bad-import', 'import takes the path of a request file and nothing else'],
    ['import a.http (@b=c)', '1:1 bad-import', 'import takes the path of a request file and nothing else'],
    ['run #x (@a)', '1:9 bad-override', 'expected "@name = value"'],
    ['run #x (@a=1, b=2)\nrun #y (@=1)', '2:9 bad-override', 'expected "@name = value"'],
    ['run #x (@a=1', '1:9 bad-override', 'the variables are not closed: expected ")"'],
  ])('%j is an error with its place', (source, place, message) => {
    const { errors, file } = parseHttpFile(source)
    expect(errors.map(({ code, span }) => `${span.line}:${span.column} ${code}`)).toEqual([place])
    expect(errors[0]?.message).toBe(message)
    expect(printHttpFile(file)).toBe(source)
  })
})
