/**
 * Lists what the requests of a file use outside it: files that they read and write, environment variables, hosts.
 *
 * Rules: paths are shown like the path of the request file, or absolute if they are outside the file root. A value that
 * only a run can know is shown as its expression. Environment variables are found in the texts of request files,
 * environment files and scripts.
 */
import { dirname, join, relative } from 'node:path'
import type { FileUse } from '../files/confined-files.ts'
import { isInside } from '../files/path-rules.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'

export interface Touched {
  /** Files that are sent, and scripts with their imports. */
  readonly filesRead: readonly string[]
  readonly filesWritten: readonly string[]
  /** Names, as in `{{$env.NAME}}`. */
  readonly environmentVariables: readonly string[]
  /** With the port, if the URL has one. */
  readonly hosts: readonly string[]
}

const environmentPattern = /\$env(?:\.([A-Za-z_]\w*)|\[\s*(?:"([^"]+)"|'([^']+)')\s*\])/g

export class TouchList {
  readonly #files: Readonly<Record<FileUse, Set<string>>> = { read: new Set(), write: new Set() }
  readonly #environmentVariables: Set<string> = new Set()
  readonly #hosts: Set<string> = new Set()

  addFile(use: FileUse, path: string): void {
    this.#files[use].add(path)
  }

  addHost(host: string): void {
    if (host !== '') this.#hosts.add(host)
  }

  addText(text: string): void {
    for (const [, ...names] of text.matchAll(environmentPattern)) {
      this.#environmentVariables.add(names.find((name) => name !== undefined) as string)
    }
  }

  list({ path: own, source }: LoadedHttpFile, root: string | undefined): Touched {
    const shown = (path: string): string => {
      const isBelow = root !== undefined && isInside(path, root)
      return isBelow ? join(dirname(source.path), relative(dirname(own), path)) : path
    }
    return {
      filesRead: sorted([...this.#files.read].map(shown)),
      filesWritten: sorted([...this.#files.write].map(shown)),
      environmentVariables: sorted(this.#environmentVariables),
      hosts: sorted(this.#hosts),
    }
  }
}

/** Sorts by code units, independent of the locale. */
function sorted(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort((a, b) => (a < b ? -1 : 1))
}
