/**
 * The variables of environment files, by environment, with their positions.
 *
 * Rules: the files are those that a run of the request file reads. Values are masked if they are in a private file or
 * if their name suggests a secret, and so are credentials in URLs. A file that cannot be read has no variables: its
 * error is a diagnostic.
 */
import { readFileSync } from 'node:fs'
import {
  type JsonMember,
  type JsonNode,
  type JsonValue,
  jsonValueOf,
  SHARED_ENVIRONMENT,
  type Span,
} from '../../http-file/index.ts'
import { collectUrlSecrets, collectValues, SecretMask } from '../../secrets/index.ts'
import { environmentsIn, settingNames } from '../workspace/environment-names.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** A value in one file. */
export interface EnvironmentValue {
  readonly environment: string
  readonly name: string
  readonly value: JsonValue
  /** The position of the name in the file. */
  readonly span: Span
  /** Absolute. */
  readonly file: string
  readonly isPrivate: boolean
}

export class EnvironmentValues {
  /** Within an environment, later values override earlier ones. */
  readonly all: readonly EnvironmentValue[]
  /** Ids of `Security`. */
  readonly authentications: readonly string[]
  readonly #mask: SecretMask = new SecretMask()

  constructor(workspace: Workspace, requestFile: string) {
    const files = filesFor(workspace, requestFile, this.#mask)
    const found = files.flatMap((file) => valuesIn(file))
    this.all = [
      ...found.filter((each) => each.environment === SHARED_ENVIRONMENT),
      ...found.filter((each) => each.environment !== SHARED_ENVIRONMENT),
    ]
    for (const { value, isPrivate } of this.all) if (isPrivate) collectValues(value, this.#mask)
    this.authentications = [...new Set(files.flatMap(authenticationsIn))]
  }

  /** The effective value in an environment; without an environment, the value for all of them. */
  find(name: string, environment: string | undefined): EnvironmentValue | undefined {
    return this.all.findLast(
      (each) => each.name === name && (each.environment === SHARED_ENVIRONMENT || each.environment === environment),
    )
  }

  /** The value for display, masked if it is secret. */
  shown({ name, value, isPrivate }: Pick<EnvironmentValue, 'name' | 'value' | 'isPrivate'>): string {
    return isPrivate ? '***' : this.shownText(name, typeof value === 'string' ? value : JSON.stringify(value))
  }

  /** The same for a value from another source, such as the request file. */
  shownText(name: string, text: string): string {
    if (secretName.test(name)) return '***'
    const beginning = text.slice(0, MAX_READ)
    collectUrlSecrets(beginning, this.#mask)
    const masked = this.#mask.mask(beginning)
    return masked.length > MAX_SHOWN ? `${masked.slice(0, MAX_SHOWN)}…` : masked
  }
}

const secretName = /pass|secret|token|credential|api[-_]?key/i
const MAX_READ = 10_000
const MAX_SHOWN = 120

interface EnvironmentFile {
  readonly path: string
  readonly environments: readonly JsonMember[]
  readonly isPrivate: boolean
}

function filesFor(workspace: Workspace, requestFile: string, mask: SecretMask): readonly EnvironmentFile[] {
  try {
    return workspace.environment(requestFile, mask).files.map((path) => {
      const isPrivate = /\.private\.env\.json$/i.test(path)
      return { path, environments: environmentsIn(readFileSync(path, 'utf8')), isPrivate }
    })
  } catch {
    // An environment file has an error, or was deleted in the meantime.
    return []
  }
}

function valuesIn({ path, environments, isPrivate }: EnvironmentFile): readonly EnvironmentValue[] {
  return environments.flatMap(({ key: environment, value: members }) =>
    members.type !== 'object'
      ? []
      : members.members
          .filter(({ key, value }) => !settingNames.has(key) && !(value.type === 'scalar' && value.value === null))
          .map(({ key, keySpan, value }) => {
            return { environment, name: key, value: jsonValueOf(value), span: keySpan, file: path, isPrivate }
          }),
  )
}

function authenticationsIn({ environments }: EnvironmentFile): readonly string[] {
  const member = (node: JsonNode | undefined, name: string): JsonNode | undefined =>
    node?.type === 'object' ? node.members.find(({ key }) => key === name)?.value : undefined
  return environments.flatMap(({ value }) => {
    const auth = member(member(value, 'Security'), 'Auth')
    return auth?.type === 'object' ? auth.members.map(({ key }) => key) : []
  })
}
