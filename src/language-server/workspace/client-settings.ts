/**
 * The settings of a client: `initializationOptions`, and the section `httpcli` of its configuration.
 *
 * Rules: a value of the wrong type is ignored, because clients send whatever their users wrote.
 */

export interface ClientSettings {
  /** The environment of request files; undefined if none is set, so that only `$shared` applies. */
  readonly environment: string | undefined
  /** Whether hints show URLs with their variables replaced. */
  readonly shouldShowUrls: boolean
  /** Whether requests may be sent and programs started: false until the user trusts the folder. */
  readonly isTrusted: boolean
  /** Whether results are written to temporary files, for a client that shows no virtual documents. */
  readonly shouldWriteResults: boolean
}

export const defaultSettings: ClientSettings = {
  environment: undefined,
  shouldShowUrls: false,
  isTrusted: true,
  shouldWriteResults: false,
}

/** The settings, updated with the client's values. */
export function withSettings(settings: ClientSettings, pushed: unknown): ClientSettings {
  if (typeof pushed !== 'object' || pushed === null) return settings
  const { environment, inlayUrls, trusted, results } = pushed as Readonly<Record<string, unknown>>
  return {
    environment: typeof environment === 'string' ? environment || undefined : settings.environment,
    shouldShowUrls: typeof inlayUrls === 'boolean' ? inlayUrls : settings.shouldShowUrls,
    isTrusted: typeof trusted === 'boolean' ? trusted : settings.isTrusted,
    shouldWriteResults: typeof results === 'string' ? results === 'file' : settings.shouldWriteResults,
  }
}

/** The same for the configuration. A folder may contain its own settings: they can revoke trust, but never grant it. */
export function withConfiguration(settings: ClientSettings, pushed: unknown): ClientSettings {
  const changed = withSettings(settings, pushed)
  return { ...changed, isTrusted: settings.isTrusted && changed.isTrusted }
}
