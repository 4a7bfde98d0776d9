/** A server of a directory with rules files, for tests of what the rules do. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFeatures, type FeatureSettings, RulesFiles, type RunningServer } from '../../../src/server/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { fetchRaw, type RawResponse, startServer } from '../raw-client.ts'

export interface RuledServer {
  readonly server: RunningServer
  readonly root: string
  readonly rules: RulesFiles
  get(target: string, ...fields: string[]): Promise<RawResponse>
  /** Status, and where a redirect leads. */
  go(target: string, ...fields: string[]): Promise<string>
}

/** `files`: by their paths below the served directory; the rules files are among them. */
export async function startRuled(
  files: Readonly<Record<string, string>>,
  settings: Partial<FeatureSettings> = {},
  { isSecure = false, ruleFiles }: { readonly isSecure?: boolean; readonly ruleFiles?: readonly string[] } = {},
): Promise<RuledServer> {
  const root = temporaryDirectory()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  const visibility = { allowsDotfiles: false, allowsOutsideSymlinks: false, ...settings.visibility }
  const { rootPath } = settings
  const rules = await RulesFiles.open({
    files: ruleFiles,
    directory: root,
    rootPath,
    site: {
      visibility,
      isSecure,
      optionFields: new Set(settings.fields?.map(([name]) => name.toLowerCase())),
      isPasswordRequired: settings.credentials !== undefined,
    },
  })
  const features = createFeatures({ directory: rules.directory, rules, ...settings })
  onTestFinished(() => features.close())
  const server = await startServer({
    directory: rules.directory,
    visibility,
    steps: features.steps,
    ...(rootPath === undefined ? {} : { rootPath }),
    ...(rules.hasContentTags === undefined ? {} : { hasContentTags: rules.hasContentTags }),
  })
  const get: RuledServer['get'] = (target, ...fields) => fetchRaw(server, target, fields)
  const go: RuledServer['go'] = async (target, ...fields) => {
    const { status, fields: answered } = await get(target, ...fields)
    const location = answered.get('location')
    return location === undefined ? String(status) : `${status} ${location}`
  }
  return { server, root, rules, get, go }
}
