/**
 * Dynamic variables as global names in scripts: `$uuid`, `$timestamp`, `$random.integer(1, 6)`, `$env.HOME`.
 *
 * Rules: the runner generates the values, a new one for each use. A group returns its members; a value that takes
 * arguments is a function; a value without arguments may be read or called.
 */
import { ask } from './host.ts'

const { stringify } = JSON
const { defineProperty, freeze } = Object

/** Names in the global scope; the runner knows their kinds. */
const roots = ['$uuid', '$timestamp', '$isoTimestamp', '$randomInt', '$random', '$env', '$auth', '$projectRoot']
const others = ['$historyFolder', '$exampleServer', '$placeholder']

/** @throws TypeError for an unknown name, like reading a property of undefined */
function member(path: string): unknown {
  const kind = ask('dynamic-kind', path)
  if (kind === 'value') return ask('dynamic', path)
  if (kind === 'function') return freeze((...args: unknown[]) => ask('dynamic', `${path}(${argumentText(args)})`))
  if (kind !== 'group') return undefined
  return new Proxy(freeze({}), {
    get: (_target, name) => (typeof name === 'string' ? member(`${path}.${name}`) : undefined),
  })
}

function argumentText(args: readonly unknown[]): string {
  let line = ''
  for (let i = 0; i < args.length; i++) line += (i === 0 ? '' : ', ') + stringify(args[i])
  return line
}

export function defineDynamicNames(): void {
  for (const name of [...roots, ...others]) {
    defineProperty(globalThis, name, { get: () => member(name), configurable: true, enumerable: false })
  }
}
