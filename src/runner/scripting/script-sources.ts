/**
 * Source of a step's scripts for static analysis, and the names that it sets.
 *
 * Rules: with what it imports. A file that is not there, or cannot be named yet, has no code: running it reports the error.
 */
import type { Request, ScriptNode, Template } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import type { RunStep } from '../plan/run-plan.ts'
import { codeWithModules } from './operations/script-needs.ts'
import { type NamesSet, namesSetIn } from './source/script-names.ts'

export async function scriptCode(scripts: readonly ScriptNode[], step: RunStep): Promise<string> {
  const { files } = step.variables
  const programs = []
  for (const { source } of scripts) {
    if (source.type === 'inline') {
      programs.push({ parts: [source.code], path: step.loaded.path, files })
      continue
    }
    const path = await pathOf(source.path, step)
    const code = path === undefined ? undefined : textOf(path, files)
    if (path !== undefined && code !== undefined) programs.push({ parts: [code], path, files })
  }
  return codeWithModules(programs)
}

async function pathOf(template: Template, { variables }: RunStep): Promise<string | undefined> {
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

/** The names that captures and handlers of a step's request set. */
export async function namesFromResponse(step: RunStep): Promise<NamesSet> {
  const { captures, handlers } = step.section.request as Request
  const scripts: readonly ScriptNode[] = [...handlers, ...step.loaded.file.common.handlers]
  const captured = captures.map(({ name }) => name)
  if (scripts.length === 0) return { names: new Set(captured), hasComputed: false }
  const { names, hasComputed } = namesSetIn(await scriptCode(scripts, step))
  return { names: new Set([...captured, ...names]), hasComputed }
}
