/** Names of requests: for `run #name`, and for references such as `{{login.response.body.$.token}}`. */
import type { Section } from '../../http-file/index.ts'
import { namesOf } from '../../runner/index.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { importedFiles } from './visible-variables.ts'

export interface NamedRequest {
  readonly name: string
  readonly section: Section
  readonly analysis: Analysis
}

/** The requests of a file and of the files that it imports. */
export function namedRequests(analysis: Analysis, workspace: Workspace): readonly NamedRequest[] {
  return [analysis, ...importedFiles(analysis, workspace)].flatMap((file) =>
    file.file.sections.flatMap((section) => {
      if (section.request === undefined) return []
      return namesOf(section).map((name) => ({ name, section, analysis: file }))
    }),
  )
}

/** Names that a reference can use. */
export function referableNames(analysis: Analysis, workspace: Workspace): readonly string[] {
  const names = namedRequests(analysis, workspace).map(({ name }) => name)
  return [...new Set(names)].filter((name) => /^[\w-]+$/.test(name))
}
