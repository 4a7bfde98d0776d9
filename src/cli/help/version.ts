/**
 * The version, runtime and distribution of this httpcli.
 *
 * Rules: the build writes version and distribution into the command, so that nothing is read at run time.
 */

/** From package.json, inserted by the build. */
declare const HTTPCLI_VERSION: string
/** `npm package` or `stand-alone executable`, inserted by the build. */
declare const HTTPCLI_DISTRIBUTION: string

/** `2.0.0` */
export function versionNumber(): string {
  return HTTPCLI_VERSION
}

/** One line, such as `httpcli 2.0.0 (node v20.20.2, npm package)`. */
export function versionLine(versions: Readonly<Record<string, string | undefined>>): string {
  const runtime = versions.bun === undefined ? `node v${versions.node}` : `bun v${versions.bun}`
  return `httpcli ${HTTPCLI_VERSION} (${runtime}, ${HTTPCLI_DISTRIBUTION})`
}
