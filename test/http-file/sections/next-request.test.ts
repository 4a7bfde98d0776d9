/** Requests and variables that follow a request without a body and without a separator. */
import { describe, expect, it } from 'vitest'
import { parseHttpFile, printHttpFile, type Section, templateText } from '../../../src/http-file/index.ts'

/** Each section: its request line, its tags, its body, its variables. */
function sectionsOf(text: string): readonly string[] {
  const { file, errors } = parseHttpFile(text)
  expect(errors).toEqual([])
  expect(printHttpFile(file)).toBe(text)
  return file.sections.map(({ request, variables }: Section) => {
    const line = request === undefined ? '-' : `${request.line.method} ${templateText(request.line.target)}`
    const tags = request?.tags.map(({ name, value }) => `@${name}=${value}`) ?? []
    const body = request?.body.map((part) => `body:${part.text.trim()}`) ?? []
    return [line, ...tags, ...body, ...variables.map(({ name }) => `${name}:`)].join(' ')
  })
}

describe('a request line below a request without a body', () => {
  it.each([
    ['after an empty line', 'GET /a\n\nGET http://h/b\n', ['GET /a', 'GET http://h/b']],
    ['after headers', 'GET /a\nAccept: */*\n\n\nPOST {{h}}/b\n\nx\n', ['GET /a', 'POST {{h}}/b body:x']],
    ['with comments of both', 'GET /a\n\n# @tag x\n\n# @name y\nGET /b\n', ['GET /a @tag=x', 'GET /b @name=y']],
    ['several', 'GET /a\n\nGET /b\n\nGET /c\n###\nGET /d\n', ['GET /a', 'GET /b', 'GET /c', 'GET /d']],
  ])('begins the next one: %s', (_, text, expected) => {
    expect(sectionsOf(text)).toEqual(expected)
    expect(sectionsOf(text.replaceAll('\n', '\r\n'))).toEqual(expected)
  })

  it.each([
    ['after a body', 'POST /a\n\nx\n\nGET /b\n', ['POST /a body:x\n\nGET /b']],
    ['with a body of messages', 'POST /a\nContent-Type: application/http\n\nGET /b\n', ['POST /a body:GET /b']],
    ['of a type', 'POST /a\nContent-Type: text/plain\n\nGET /b\n', ['POST /a body:GET /b']],
    ['indented', 'POST /a\n\n  GET /b\n', ['POST /a body:GET /b']],
    ['that is prose', 'POST /a\n\nGET up and go\n', ['POST /a body:GET up and go']],
  ])('is part of the body: %s', (_, text, expected) => {
    expect(sectionsOf(text)).toEqual(expected)
  })
})

describe('@name = value below a request without a body', () => {
  it('defines a variable', () => {
    expect(sectionsOf('POST /a\n\n@b = 1\n@c = 2\n\n### d\nGET /e\n')).toEqual(['POST /a', '- b: c:', 'GET /e'])
    expect(sectionsOf('GET /a\n\n@b = 1\nGET /c\n')).toEqual(['GET /a', 'GET /c b:'])
  })

  it('is part of a body that has a type', () => {
    const form = 'POST /a\nContent-Type: application/x-www-form-urlencoded\n\n@type=x\n'
    expect(sectionsOf(form)).toEqual(['POST /a body:@type=x'])
  })
})

it('comments and empty lines before the next request are read once', () => {
  const text = `GET /a\n\n${'# comment\n\n'.repeat(50_000)}GET /b\n`
  expect(sectionsOf(text)).toHaveLength(2)
})
