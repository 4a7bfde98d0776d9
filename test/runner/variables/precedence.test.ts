/** Which of several variables of one name counts. */
import { describe, expect, it } from 'vitest'
import { parseHttpFile, parseTemplate, type VariableNode } from '../../../src/http-file/index.ts'
import { FileScope } from '../../../src/runner/variables/file-scope.ts'
import { SharedVariables } from '../../../src/runner/variables/shared-variables.ts'
import { Variables } from '../../../src/runner/variables/variables.ts'
import { noFiles } from '../../helpers/file-root.ts'

const layers = ['line', 'override', 'environment', 'global', 'own file', 'file of the caller', 'request'] as const
type Layer = (typeof layers)[number]

/** The value of `x` where it is defined in these layers, each with its name as the value. */
function valueIn(present: ReadonlySet<Layer>): string {
  const only = (layer: Layer): [string, string][] => (present.has(layer) ? [['x', layer]] : [])
  const shared = new SharedVariables({
    commandLine: new Map(only('line')),
    environment: new Map(only('environment')),
    files: noFiles,
    sources: { now: () => 0, randomBytes: (count) => new Uint8Array(count) },
  })
  for (const [name, value] of only('global')) shared.globals.set(name, value)
  const source = { path: 'x.http', text: '{{x}}' }
  const defined = (layer: Layer): readonly VariableNode[] =>
    parseHttpFile(present.has(layer) ? `@x = ${layer}` : '').file.sections.flatMap(({ variables }) => variables)
  const caller = new FileScope(source, '/caller/x.http')
  caller.define(defined('file of the caller'))
  const overrides = only('override').map(([name, value]) => ({ name, value: parseTemplate(value) }))
  const scope = new FileScope(source, '/own/x.http', caller, overrides)
  scope.define(defined('own file'))
  const variables = new Variables(shared, scope)
  for (const [name, value] of only('request')) variables.request.set(name, value)
  return variables.render(parseTemplate('{{x}}'))
}

describe('of several variables of one name', () => {
  it.each(layers.map((layer, index) => [layer, layers.slice(index)] as const))(
    '%s takes precedence over %j',
    (layer, present) => {
      expect(valueIn(new Set(present))).toBe(layer)
    },
  )

  it('it is an error if none is defined', () => {
    expect(() => valueIn(new Set())).toThrow('the variable "x" is not defined')
  })
})
