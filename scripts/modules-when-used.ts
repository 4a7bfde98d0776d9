/**
 * Makes the stand-alone executable load modules of the runtime on first use.
 *
 * Rules: there, loading node:crypto takes 3.5 ms of CPU time, node:fs 1.5, and a whole `send` takes 15. So each name
 * that a bundle imports from such a module becomes a proxy of the function, class or object. The build fails for an
 * imported name that is anything else. `serve` (`command`) uses some of these modules in each request, so it loads them
 * at the start.
 */
import { getBuiltinModule } from 'node:process'
import type { Plugin } from 'rolldown'
import type { ProgramName } from '../src/cli/programs/program-choice.ts'

const seldomUsed = ['child_process', 'crypto', 'fs/promises', 'net', 'os', 'url', 'util', 'vm', 'zlib']
const modules: Readonly<Record<ProgramName, readonly string[]>> = {
  command: [],
  send: [...seldomUsed, 'fs'],
  run: seldomUsed,
}
const PREFIX = '\0when-used:'

export function modulesWhenUsed(program: ProgramName): Plugin {
  const ids = new Set(modules[program].map((name) => `node:${name}`))
  return {
    name: 'modules-when-used',
    // The hooks below would not be called for an external module.
    options: (options) => ({ ...options, external: (id) => id.startsWith('node:') && !ids.has(id) }),
    resolveId: (id) => (ids.has(id) ? `${PREFIX}${id}` : null),
    load: (id) => (id.startsWith(PREFIX) ? moduleOfProxies(id.slice(PREFIX.length)) : null),
  }
}

function moduleOfProxies(id: string): string {
  const names = Object.entries(getBuiltinModule(id) as object)
    .filter(([, value]) => typeof value === 'function' || (typeof value === 'object' && value !== null))
    .map(([name]) => `export const ${name} = /* @__PURE__ */ whenUsed(${JSON.stringify(name)})`)
  return `${WHEN_USED}const load = () => (loaded ??= getBuiltinModule(${JSON.stringify(id)}))\n${names.join('\n')}`
}

/** The target is a function, so that it can be called and constructed; nothing is read from it. */
const WHEN_USED = `
import { getBuiltinModule } from 'node:process'
let loaded
function whenUsed(name) {
  return new Proxy(function () {}, {
    apply: (_target, self, args) => Reflect.apply(load()[name], self, args),
    construct: (_target, args) => Reflect.construct(load()[name], args),
    get: (_target, key) => load()[name][key],
  })
}
`
