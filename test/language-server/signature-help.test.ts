/** Signature help, call by call. */
import { describe, expect, it } from 'vitest'
import { signatureAt } from '../../src/language-server/hover/signature-help.ts'
import { placeCursor } from './at-cursor.ts'

function activeAt(marked: string): readonly [form: string, parameter: string] | undefined {
  const help = signatureAt(placeCursor(marked).cursor)
  const signature = help?.signatures[help.activeSignature ?? 0]
  if (help === undefined || signature === undefined) return undefined
  const label = signature.parameters?.[help.activeParameter ?? 0]?.label
  return [signature.label, typeof label === 'object' ? signature.label.slice(...label) : '']
}

describe('signature help', () => {
  it.each<[string, string, string]>([
    ['GET {{$random.integer(¦', '$random.integer(to)', 'to'],
    ['GET {{$random.integer(1, ¦)}}', '$random.integer(from, to)', 'to'],
    ['GET {{$auth.token(¦)}}', '$auth.token("id")', '"id"'],
    ['GET h/\n\n> {% client.test(¦ %}', 'test(name, function)', 'name'],
    ['GET h/\n\n> {% client.test("a, (b", ¦) %}', 'test(name, function)', 'function'],
    [
      'GET h/\n\n> {% client.test("a", () => {\n  client.assert(1 === 1, ¦\n}) %}',
      'assert(condition, message)',
      'message',
    ],
    ['< {% request.variables.set("a", [1, 2], ¦) %}\nGET h/', 'set(name, value)', ''],
    ['< {% $random.float(¦) %}\nGET h/', '$random.float(to)', 'to'],
    ['< {% crypto.hmac.sha256().withTextSecret(¦) %}\nGET h/', 'withTextSecret(text, encoding)', 'text'],
  ])('of %j is %s, at %s', (marked, form, parameter) => {
    expect(activeAt(marked)).toEqual([form, parameter])
  })

  it.each([
    'GET h/(¦',
    'GET {{$uuid¦}}',
    'GET {{unknown(¦)}}',
    'GET h/\n\n> {% client.test("a", ["b", ¦]) %}',
    'GET h/\n\n> {% unknown(¦) %}',
    'GET h/\n\n> {% client.test("a") ¦ %}',
    'GET h/\n\n> {% "client.test(¦" %}',
    '¦',
  ])('of %j is none', (marked) => {
    expect(activeAt(marked)).toBeUndefined()
  })
})
