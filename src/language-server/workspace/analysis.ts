/** A request file as shown in the editor: its text, its syntax tree, and its lines. */
import type { LoadedHttpFile } from '../../runner/index.ts'
import { LineIndex } from '../base/positions.ts'

export class Analysis {
  readonly uri: string
  readonly text: string
  /** Undefined for a file that is not open. */
  readonly version: number | undefined
  /** Includes its errors. */
  readonly loaded: LoadedHttpFile
  #lines: LineIndex | undefined

  constructor(uri: string, version: number | undefined, loaded: LoadedHttpFile) {
    this.uri = uri
    this.version = version
    this.loaded = loaded
    this.text = loaded.source.text
  }

  get file(): LoadedHttpFile['file'] {
    return this.loaded.file
  }

  /** Absolute; for a document that was never saved, a path that does not exist. */
  get path(): string {
    return this.loaded.path
  }

  get lines(): LineIndex {
    this.#lines ??= new LineIndex(this.text)
    return this.#lines
  }
}
