/** The programs that run inside the script engine: the world of scripts, and what only some of them need. */
import { sandboxCode } from './sandbox-code.generated.ts'

/** An expression that gives the function which makes the world. */
export const coreCode: string = sandboxCode.core()

/** An expression that gives the function which makes the library. @throws Error where there is none of that name */
export function libraryCode(name: string): string {
  if (!Object.hasOwn(sandboxCode, name)) throw new Error(`library ${JSON.stringify(name)} not found`)
  return sandboxCode[name as keyof typeof sandboxCode]()
}
