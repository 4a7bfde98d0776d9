/** The code that runs inside the script engine: the world of scripts, and libraries that only some scripts need. */
export { coreCode } from './core-code.generated.ts'

/** By the name of the library. */
let libraries: Readonly<Record<string, () => string>> | undefined

/** The libraries are 30 times as large as the world. */
export async function loadLibraries(): Promise<void> {
  libraries ??= (await import('./sandbox-code.generated.ts')).sandboxCode
}

export function hasLibraries(): boolean {
  return libraries !== undefined
}

/**
 * An expression that yields the function that creates the library. @throws Error if no library of that name is loaded
 */
export function libraryCode(name: string): string {
  if (libraries === undefined || !Object.hasOwn(libraries, name)) {
    throw new Error(`library ${JSON.stringify(name)} not found`)
  }
  return (libraries[name] as () => string)()
}
