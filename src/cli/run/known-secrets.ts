/**
 * Collects the secrets in the command line and the environment of the process.
 *
 * Rules: secrets are collected before anything is checked, so that no usage error can show them: values of -P, users
 * and passwords of proxies.
 */
import { collectUrlSecrets, SecretMask, type SecretSink } from '../../secrets/index.ts'
import type { CommandContext } from '../frame/command.ts'
import type { CheckedValues } from './settings.ts'

const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const

/** The mask for the secrets of a run. @param proxy the value of --proxy, for a command that has it */
export function maskFor(
  { arguments: args, environment }: CommandContext<CheckedValues>,
  proxy: string | undefined,
): SecretMask {
  const mask = new SecretMask()
  for (const text of args.values('private-variable')) mask.add(text.slice(text.indexOf('=') + 1))
  collectProxySecrets(environment, mask, proxy)
  return mask
}

/** Users and passwords of proxies. @param proxy the value of --proxy, for a command that has it */
export function collectProxySecrets(
  environment: CommandContext['environment'],
  secrets: SecretSink,
  proxy?: string,
): void {
  for (const url of [proxy, ...proxyVariables.map((name) => environment[name])]) {
    // A proxy may be written without its scheme.
    if (url?.includes('@') === true) collectUrlSecrets(url.includes('//') ? url : `//${url}`, secrets)
  }
}
