/**
 * State that the requests of a folder share in one environment until the server ends: cookies, `client.global`,
 * responses, tokens, connections, and known secrets.
 */
import { platformSources, RunCookies, RunResources, RunSession } from '../../runner/index.ts'
import { SecretMask } from '../../secrets/index.ts'
import type { Workspace } from '../workspace/workspace.ts'

export interface Session {
  readonly cookies: RunCookies
  readonly state: RunSession
  readonly resources: RunResources
  readonly mask: SecretMask
}

export class Sessions {
  readonly #workspace: Workspace
  /** By folder and environment. */
  readonly #sessions: Map<string, Session> = new Map()

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  of(folder: string, environment: string | undefined): Session {
    const key = JSON.stringify([folder, environment])
    const session = this.#sessions.get(key) ?? this.#open()
    this.#sessions.set(key, session)
    return session
  }

  /** Removes and returns the sessions of a folder, or all. The caller closes their resources after their runs. */
  take(folder?: string): readonly Session[] {
    const taken = [...this.#sessions].filter(([key]) => folder === undefined || JSON.parse(key)[0] === folder)
    for (const [key] of taken) this.#sessions.delete(key)
    return taken.map(([, session]) => session)
  }

  #open(): Session {
    const mask = new SecretMask()
    this.#workspace.context.collectSecrets(mask)
    return {
      cookies: RunCookies.read(undefined, '', platformSources.now),
      state: new RunSession(),
      resources: new RunResources(mask, this.#workspace.context.onEngineLoad, false, (path) =>
        this.#workspace.textInEditor(path),
      ),
      mask,
    }
  }
}
