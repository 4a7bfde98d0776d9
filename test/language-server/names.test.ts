/** The names in request files, scripts and environment files, with their places. */
import { describe, expect, it } from 'vitest'
import { parseHttpFile } from '../../src/http-file/index.ts'
import { environmentKeys, namesInEnvironment } from '../../src/language-server/workspace/environment-names.ts'
import { type NamePlace, namesInFile, namesInScript } from '../../src/language-server/workspace/names.ts'
import { partAt, sectionAt, sectionsOf } from '../../src/language-server/workspace/place-at.ts'

/** `form:name` of each place; that its text is at the place is checked here. */
function shown(places: readonly NamePlace[], text: string): readonly string[] {
  return places.map(({ form, name, offset, length }) => {
    if (form !== 'request-line') expect(text.slice(offset, offset + length)).toBe(name)
    return `${form}:${name}`
  })
}

function namesIn(text: string): readonly string[] {
  return shown(namesInFile(parseHttpFile(text).file, text).places, text)
}

describe('the names in a request file', () => {
  it('are found in definitions of every form', () => {
    expect(
      namesIn(
        '\ufeff  @host = x\r\n### Log in ###\r\n# @name login\r\n# @prompt user Who?\r\n# @capture token = $.t\r\n' +
          'run #other (@a = me@b, @b = {{host}})\r\nGET http://{{host}}/\r\n',
      ),
    ).toEqual([
      'in-place:host',
      'separator:Log in',
      'name-tag:login',
      'prompt:user',
      'capture:token',
      'call:other',
      'override:a',
      'override:b',
      'expression:host',
      'expression:host',
    ])
  })

  it('are found in expressions of every form', () => {
    const expressions =
      "{{ a }} {{b.c[0]}} {{$.d..e}} {{$['f g']}} {{r.response.body.$.x}} {{$uuid}} {{$dotenv %h}} {{{i}}}"
    expect(namesIn(`POST http://localhost/\n\n${expressions}\n`)).toEqual([
      'request-line:POST http://localhost/',
      'expression:a',
      'path:b',
      'path:d',
      'path:f g',
      'reference:r',
      'expression:h',
      'expression:i',
    ])
  })

  it('are found in headers, files, tags and after the body, but not in comments', () => {
    expect(
      namesIn(
        '### r\n# {{no}}\n# @assert variable seen == {{want}}\n# @ref login\nPOST /x\nHost: {{host}}\n{{key}}: {{value}}\n' +
          '\n< {{dir}}/a.json\n\n>> {{out}}.json\n',
      ),
    ).toEqual([
      ...['separator:r', 'subject:seen', 'expression:want', 'ref-tag:login', 'expression:host', 'expression:key'],
      ...['expression:value', 'expression:dir', 'expression:out'],
    ])
  })

  it('keep a name with dots as a whole, too', () => {
    const text = 'GET http://{{api.host}}/\n'
    const [place] = namesInFile(parseHttpFile(text).file, text).places.filter(({ form }) => form === 'path')
    expect(place).toMatchObject({ name: 'api', whole: { name: 'api.host', offset: 13 } })
  })
})

describe('the names in a script', () => {
  it('are those read and set on variable objects', () => {
    const code =
      'const vars = request.variables; vars.set("a", 1); client.global.get(\'b\'); client . global.set(`c`, 2)\n' +
      'client.variables.file.clear("d"); client.global.headers.set("X", 1); new Map().get("e"); given.get("f")'
    const { places, hasComputedNames } = namesInScript(code, 0)
    expect(shown(places, code)).toEqual([
      ...['script-set:a', 'script-get:b', 'script-set:c', 'script-get:d', 'uncertain:f'],
    ])
    expect(hasComputedNames).toBe(false)
  })

  it.each(['client.global.get(name)', 'request.variables.set("a" + 1, 2)', 'client.global.set(`a$' + '{b}`, 1)'])(
    'are computed in %s',
    (code) => {
      expect(namesInScript(code, 0).hasComputedNames).toBe(true)
    },
  )

  it('are not in strings and comments', () => {
    expect(namesInScript('// client.global.get("a")\nlog(\'client.global.get("b")\')', 0).places).toEqual([])
  })
})

describe('the names in an environment file', () => {
  const text = '{"$shared": {"a": 1}, "dev": {"b": "{{a}}", "Security": {"Auth": {}}}, }'

  it('are its keys and the variables in its values', () => {
    expect(shown(namesInEnvironment(text), text)).toEqual(['environment-key:a', 'environment-key:b', 'expression:a'])
    expect(environmentKeys(text).map(({ environment }) => environment)).toEqual(['$shared', 'dev'])
  })

  it('are none in a broken file', () => {
    expect(environmentKeys('{"dev": {"a": }')).toEqual([])
  })
})

describe('the place in a file', () => {
  const text = '\ufeff@a = 1\n\nGET http://localhost/\nA: b\n### two\n\nPOST http://localhost/\n\nbody'
  const { file } = parseHttpFile(text)

  it('has a section and a part', () => {
    expect(sectionsOf(file).map(({ offset }) => offset)).toEqual([1, text.indexOf('###')])
    expect(sectionAt(file, text.indexOf('###'))?.index).toBe(1)
    expect(sectionAt(file, text.indexOf('###') - 1)?.index).toBe(0)
    expect(partAt(file, text.indexOf('A: b'))?.part.kind).toBe('header')
    expect(partAt(file, text.length)?.part.kind).toBe('body-text')
    expect(partAt(file, 0)?.part.kind).toBe('variable')
  })

  it('has neither in an empty file', () => {
    expect(partAt(parseHttpFile('').file, 0)).toBeUndefined()
  })
})
