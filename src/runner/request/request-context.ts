/** A request during a run: its syntax tree, the values of its variables, and the places for errors. */
import type { Request, ScriptNode, Section, Span } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import { atPlace, errorAt, type Place, type Problem } from '../base/errors.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import type { Variables } from '../variables/variables.ts'

export class RequestContext {
  /** The file that holds the section. */
  readonly loaded: LoadedHttpFile
  readonly section: Section
  readonly request: Request
  readonly variables: Variables

  constructor(loaded: LoadedHttpFile, section: Section, request: Request, variables: Variables) {
    this.loaded = loaded
    this.section = section
    this.request = request
    this.variables = variables
  }

  /** Scripts common to all requests of the file come first. */
  get scriptsBefore(): readonly ScriptNode[] {
    return [...this.loaded.file.common.preRequestScripts, ...this.request.preRequestScripts]
  }

  /** Handlers common to all requests of the file come last. */
  get handlers(): readonly ScriptNode[] {
    return [...this.request.handlers, ...this.loaded.file.common.handlers]
  }

  at(span: Span): Place {
    return { source: this.loaded.source, span }
  }

  error(span: Span, problem: Problem): HttpcliError {
    return errorAt(this.loaded.source, span, problem)
  }

  /** Like `atPlace`. */
  within<Result>(span: Parameters<typeof atPlace>[1], action: () => Result): Result {
    return atPlace(this.loaded.source, span, action)
  }
}
