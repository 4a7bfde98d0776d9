/** What a person is told when a script met a limit. */
import type { ScriptLimits } from './script-engine.ts'

/** For the limit of that kind. */
export function limitText(kind: 'timeout' | 'memory', { timeoutMs, memoryBytes }: ScriptLimits): string {
  return kind === 'timeout'
    ? `stopped after ${timeoutMs / 1000} s, the time limit of a script`
    : `stopped at ${Math.round(memoryBytes / 1024 / 1024)} MiB, the memory limit of a script`
}
