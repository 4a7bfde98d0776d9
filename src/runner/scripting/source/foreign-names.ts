/** Names that scripts of other tools use, and what to write instead. */
import { foreignMemberHint } from './foreign-members.ts'

const tests = 'Write client.test("name", () => client.assert(condition, "message")).'
const modules = 'Scripts load no packages; an import of names from a file of the project works.'
const requests = 'Scripts send no requests. Write the request above this one, or "run #name".'

export const foreignNames: Readonly<Record<string, string>> = {
  pm: 'It belongs to Postman: httpcli has client, request and response, and httpcli convert reads collections.',
  bru: 'It belongs to Bruno: httpcli has client, request and response, and httpcli convert reads collections.',
  insomnia: 'It belongs to Insomnia: httpcli has client, request and response, and httpcli convert reads exports.',
  expect: tests,
  chai: tests,
  assert: tests,
  test: tests,
  exports: 'Write client.global.set("name", value).',
  require: modules,
  module: modules,
  fetch: requests,
  axios: requests,
  XMLHttpRequest: requests,
  process: 'For environment variables write $env.NAME.',
}

/** What to write instead of the name or member that an error of the engine is about. */
export function foreignNameHint(message: string): string | undefined {
  const [, path] = /^TypeError: ([\w$.]+) is not a function$/.exec(message) ?? []
  if (path !== undefined) return foreignMemberHint(path)
  const [, name = ''] = /^ReferenceError: '?([\w$]+)'? is not defined$/.exec(message) ?? []
  return Object.hasOwn(foreignNames, name) ? foreignNames[name] : undefined
}
