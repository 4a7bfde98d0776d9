/**
 * The calls in Insomnia scripts: Postman's interface under another name, with a store for the base environment.
 *
 * Source: Insomnia, "Scripts".
 */
import { postmanScripts } from '../postman/script-names.data.ts'
import type { ScriptDialect } from '../script/dialect.ts'

const names = postmanScripts.renamed.map((each) => ({ ...each, from: each.from.replace(/^pm\./, 'insomnia.') }))
const baseNames = names
  .filter(({ from }) => from.startsWith('insomnia.environment.'))
  .map((each) => ({ ...each, from: each.from.replace('.environment.', '.baseEnvironment.') }))

export const insomniaScripts: ScriptDialect = {
  renamed: [...baseNames, ...names],
  unknownNames: new Set(['insomnia', ...postmanScripts.unknownNames]),
  test: 'insomnia.test',
  expect: 'insomnia.expect',
  response: 'insomnia.response',
  headers: undefined,
  replaceIn: 'insomnia.variables.replaceIn',
  responseTime: ['insomnia.response.responseTime'],
}
