/**
 * The effect of repeating an operation, for scripts that may have to be run again from their start.
 *
 * Rules: an operation that is not listed must not be repeated, because it has an external or unknown effect.
 */
import type { ScriptTrial, TrialEffect } from '../engine/script-engine.ts'
import type { HandlerScene, ScriptScene } from './script-scene.ts'

/** `draws`: it draws random bytes; discarding them is harmless unless a seed makes them the same in every run. */
type Effect = TrialEffect | 'draws'

const effects: ReadonlyMap<string, Effect> = new Map([
  ...each('none', 'variable-is-empty dynamic-kind now utf8-decode response-head response-body response-cookies'),
  ...each('none', 'request-method request-raw request-header-names request-header-raw request-iteration'),
  ...each('none', 'request-template-value from-hex convert'),
  ...each('slow', 'digest hmac sign verify jwt-sign jwt-verify subtle-digest subtle-import subtle-export'),
  ...each('slow', 'subtle-sign subtle-verify subtle-encrypt subtle-decrypt'),
  ...each('draws', 'dynamic random-number random-uuid random-octets'),
  // Values of files and templates of the request may contain dynamic values.
  ...each('draws', 'variable-get request-substituted request-header-substituted'),
  ...each('writes', 'variable-set variable-clear variable-clear-all global-header-set global-header-clear'),
])

/** Undefined if the script must run on a thread that can wait. */
export function trialIn(scene: ScriptScene | HandlerScene): ScriptTrial | undefined {
  if ('response' in scene && scene.response.stream !== undefined) return undefined
  const { sources } = scene.variables
  return {
    effectOf: (operation, args) => {
      const effect = effects.get(operation)
      if (effect !== 'draws') return effect
      const isGlobal = operation === 'variable-get' && args[0] === 'global'
      return isGlobal || sources.isRepeatable !== true ? 'none' : undefined
    },
    snapshot: () => scene.variables.snapshot(),
  }
}

function each(effect: Effect, operations: string): readonly (readonly [string, Effect])[] {
  return operations.split(' ').map((operation) => [operation, effect])
}
