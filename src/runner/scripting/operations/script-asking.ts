/**
 * Handles a script's calls to the host: its scene, its response, the platform's cryptography, the shell.
 *
 * Rules: an unknown name is an error of the script: it used an operation that is not available in its phase.
 */
import type { Operations } from '../engine/script-engine.ts'
import { cryptoOperations } from './crypto-operations.ts'
import { laterOperations, responseOperations, sceneOperations } from './script-operations.ts'
import type { HandlerScene, ScriptScene } from './script-scene.ts'
import { runCommand, type ShellRules, shellOperations } from './shell-operations.ts'

/** @throws errors of the operation */
export function askRunner(
  scene: ScriptScene | HandlerScene,
  rules: ShellRules,
  operation: string,
  args: readonly unknown[],
): unknown {
  const ofScene = named(sceneOperations, operation)
  if (ofScene !== undefined) return ofScene(scene, ...(args as never[]))
  const ofResponse = named(responseOperations, operation)
  if (ofResponse !== undefined && 'response' in scene) return ofResponse(scene, ...(args as never[]))
  const ofCrypto = named(cryptoOperations, operation)
  if (ofCrypto !== undefined) return ofCrypto(scene.variables.sources, ...(args as never[]))
  const ofShell = named(shellOperations, operation)
  if (ofShell !== undefined) return ofShell(rules, ...(args as never[]))
  throw notPossible(operation)
}

export async function askRunnerLater(
  scene: ScriptScene | HandlerScene,
  rules: ShellRules,
  operation: string,
  args: readonly unknown[],
  ending: AbortSignal,
): Promise<unknown> {
  if (operation === 'shell') return runCommand(rules, ending, args)
  const ofResponse = named(laterOperations, operation)
  if (ofResponse !== undefined && 'response' in scene) return ofResponse(scene, ...(args as never[]))
  throw notPossible(operation)
}

function named<Who>(operations: Operations<Who>, name: string): Operations<Who>[string] | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined
}

function notPossible(operation: string): Error {
  return new Error(`${operation}: not available in this script`)
}
