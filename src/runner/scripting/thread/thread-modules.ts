/**
 * Reads modules for scripts on the engine's thread by calls to the program, which has the files.
 *
 * Rules: a reader keeps its number until the run ends, because modules keep their state as long as they come from the
 * same reader. Only the program opens files, so that its checks are the only ones.
 */
import type { ModuleReader, ScriptSource } from '../engine/script-engine.ts'

/** A script as sent to the thread: with the number of its reader. */
export type ThreadSource = Omit<ScriptSource, 'files'> & { readonly reader: number }

export interface ModuleQuestion {
  readonly type: 'is-file' | 'read-file'
  readonly reader: number
  readonly path: string
}

/** The program's side. */
export class ModuleReaders {
  readonly #readers: ModuleReader[] = []

  sourceFor({ parts, path, files }: ScriptSource): ThreadSource {
    const known = this.#readers.indexOf(files)
    return { parts, path, reader: known === -1 ? this.#readers.push(files) - 1 : known }
  }

  /** @throws errors of the reader */
  answer({ type, reader, path }: ModuleQuestion): boolean | string {
    const files = this.#readers[reader] as ModuleReader
    return type === 'is-file' ? files.isFile(path) : files.readText(path)
  }

  clear(): void {
    this.#readers.length = 0
  }
}

/** The thread's side. */
export class AskingReaders {
  readonly #readers: Map<number, ModuleReader> = new Map()
  readonly #ask: (question: ModuleQuestion) => unknown

  constructor(ask: (question: ModuleQuestion) => unknown) {
    this.#ask = ask
  }

  sourceOf({ parts, path, reader }: ThreadSource): ScriptSource {
    const files = this.#readers.get(reader) ?? {
      isFile: (file) => this.#ask({ type: 'is-file', reader, path: file }) as boolean,
      readText: (file) => this.#ask({ type: 'read-file', reader, path: file }) as string,
    }
    this.#readers.set(reader, files)
    return { parts, path, files }
  }

  clear(): void {
    this.#readers.clear()
  }
}
