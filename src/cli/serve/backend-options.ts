/**
 * The options of `serve` about backends, as settings of the server.
 *
 * Rules: the code for forwarding is loaded only if there is a backend. An option about backends is an error if there is
 * no backend.
 */
import { resolve } from 'node:path'
import { defaultLimits, parseBackends, type ServeOptions, type ServerLimits } from '../../server/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { ServeValues } from '../options/serve.ts'
import { authoritiesOf } from '../streams/authorities.ts'
import { fromOption } from './option-value.ts'

/** Undefined without a backend. @throws UsageError */
export async function readBackends(
  { arguments: args, workingDirectory }: CommandContext<ServeValues>,
  limits: Partial<ServerLimits>,
): Promise<ServeOptions['forwarding']> {
  const texts = args.values('backend')
  const orphan = (['cacert', 'ignore-tls-cert', 'backend-timeout'] as const).find((option) => args.has(option))
  if (texts.length === 0) {
    if (orphan === undefined) return undefined
    throw new UsageError(`--${orphan} needs a backend`, {
      hint: 'Give one with --backend /api=https://localhost:3000.',
    })
  }
  const backends = fromOption('backend', () => parseBackends(texts, workingDirectory))
  const authorities = args.value('cacert')
  const { createBackendClient } = await import('./backend-client.ts')
  const client = await createBackendClient({
    tls: {
      verify: !args.has('ignore-tls-cert'),
      ...(authorities === undefined ? {} : { ca: await authoritiesOf(resolve(workingDirectory, authorities)) }),
    },
    timeoutMs: limits.backendTimeoutMs ?? defaultLimits.backendTimeoutMs,
  })
  return { backends, client, isAuthorizationConsumed: args.has('auth') }
}
