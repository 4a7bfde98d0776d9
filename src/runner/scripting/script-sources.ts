/**
 * The source of a request's scripts for static analysis, and the names that they set.
 *
 * Rules: imports are included. A file that does not exist, or whose name is not known yet, counts as empty: running it
 * reports the error.
 */
import type { ScriptNode, Template } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import type { RequestContext } from '../request/request-context.ts'
import { codeWithModules } from './operations/script-needs.ts'
import { type NamesSet, namesSetIn } from './source/script-names.ts'

export async function scriptCode(scripts: readonly ScriptNode[], context: RequestContext): Promise<string> {
  const { files } = context.variables
  const programs = []
  for (const { source } of scripts) {
    if (source.type === 'inline') {
      programs.push({ parts: [source.code], path: context.loaded.path, files })
      continue
    }
    const path = await pathOf(source.path, context)
    const code = path === undefined ? undefined : textOf(path, files)
    if (path !== undefined && code !== undefined) programs.push({ parts: [code], path, files })
  }
  return codeWithModules(programs)
}

async function pathOf(template: Template, { variables }: RequestContext): Promise<string | undefined> {
  try {
    await variables.load([template])
    return variables.pathOf(template)
  } catch (error) {
    if (!(error instanceof HttpcliError)) throw error
    return undefined
  }
}

function textOf(path: string, files: ConfinedFiles): string | undefined {
  try {
    return files.readText(path)
  } catch {
    return undefined
  }
}

/** The names that the captures and handlers of a request set. */
export async function namesFromResponse(context: RequestContext): Promise<NamesSet> {
  const captured = context.request.captures.map(({ name }) => name)
  const { names, hasComputed } = namesSetIn(await scriptCode(context.handlers, context))
  return { names: new Set([...captured, ...names]), hasComputed }
}
