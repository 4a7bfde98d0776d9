/**
 * The in-place variables of a request file while it is run, or of one call by `run`.
 *
 * Rules: a called file sees the variables of its caller after its own; overrides of a call are visible in all further
 * calls. Variables in a definition are looked up where it is written: `run #a (@user = {{user}})` passes on the
 * caller's `user`. A dynamic value in a definition is computed once: `@id = {{$uuid}}` is the same id wherever it is
 * used.
 */
import { dirname } from 'node:path'
import type { JsonValue, Override, Template, VariableNode } from '../../http-file/index.ts'
import type { SourceText } from '../base/errors.ts'
import type { DynamicValue } from './dynamic/dynamic-variables.ts'

export type Definition =
  | {
      readonly template: Template
      /** The scope in which the variables of the template are looked up; its source contains the template. */
      readonly scope: FileScope
      /** Values of the dynamic variables in the template, by their place. */
      readonly made: Map<number, DynamicValue>
    }
  /** Set by a script. */
  | { readonly value: JsonValue }

export class FileScope {
  readonly source: SourceText
  /** The directory of the file: the base of relative paths. */
  readonly directory: string
  readonly caller: FileScope | undefined
  readonly inPlace: Map<string, Definition> = new Map()
  readonly overrides: Map<string, Definition> = new Map()

  /** @param path of the file, absolute */
  constructor(source: SourceText, path: string, caller?: FileScope, overrides: readonly Override[] = []) {
    this.source = source
    this.directory = dirname(path)
    this.caller = caller
    for (const { name, value } of overrides) {
      this.overrides.set(name, { template: value, scope: caller ?? this, made: new Map() })
    }
  }

  /** Adds in-place variables, which are visible from here on. */
  define(nodes: readonly VariableNode[]): void {
    for (const { name, value } of nodes) this.inPlace.set(name, { template: value, scope: this, made: new Map() })
  }

  /** This scope and those of its callers, the nearest first. */
  *chain(): Generator<FileScope> {
    for (let scope: FileScope | undefined = this; scope !== undefined; scope = scope.caller) yield scope
  }

  find(kind: 'inPlace' | 'overrides', name: string): Definition | undefined {
    for (const scope of this.chain()) {
      const definition = scope[kind].get(name)
      if (definition !== undefined) return definition
    }
    return undefined
  }

  names(): string[] {
    return [...this.chain()].flatMap(({ inPlace, overrides }) => [...inPlace.keys(), ...overrides.keys()])
  }
}
