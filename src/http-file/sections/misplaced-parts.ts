/** Reports scripts and checks that belong to no request, which would silently have no effect. */
import type { DiagnosticCode, Mistake } from '../syntax/diagnostic.ts'
import type { Part } from '../syntax/syntax-tree.ts'
import { partsOf } from './section-request.ts'

export interface Misplaced extends Mistake {
  readonly part: Part
  readonly code: DiagnosticCode
}

export const misplacedLines: Readonly<
  Record<'scriptInBody' | 'handlerAboveRequest' | 'assertionAboveRequest' | 'textAfterHandler', Mistake>
> = {
  scriptInBody: {
    message: 'a pre-request script belongs before the request line, not in the body',
    hint: 'Move it above the request line; a script that reads the response begins with ">".',
  },
  handlerAboveRequest: {
    message: 'a response handler above the request line',
    hint: 'Put it below the request; a script that runs before the request begins with "<": < {% … %}.',
  },
  assertionAboveRequest: {
    message: 'an assertion above the request line',
    hint: 'Put it below the request line.',
  },
  textAfterHandler: {
    message: 'text after a response handler: expected "###", ">", ">>", "<>" or a comment',
  },
}

/** A handler above the request line of its section. */
export function misplacedHandler(parts: readonly Part[]): Misplaced | undefined {
  const part = partsOf(parts, 'script').find(({ phase }) => phase === 'handler')
  return (
    part && {
      part,
      code: 'misplaced-text',
      message: 'a response handler above the request line',
      hint: 'Put a handler below the request; those for every request end with "###" before the first request.',
    }
  )
}

/** A script in a section without a request. @param isBeforeRequests whether it would belong to the whole file */
function misplacedScript(parts: readonly Part[], isBeforeRequests: boolean): Misplaced | undefined {
  const part = partsOf(parts, 'script').find(({ phase }) => phase !== 'common')
  const hasRun = partsOf(parts, 'directive').some(({ directive }) => directive === 'run')
  if (part === undefined || (isBeforeRequests && !hasRun)) return undefined
  return {
    part,
    code: 'misplaced-script',
    message: 'a script, but its section has no request',
    hint: 'Put scripts for every request of the file into a separate section before the first request.',
  }
}

/** An assertion or a capture in a section without a request. */
function misplacedTag(parts: readonly Part[]): Misplaced | undefined {
  const part = partsOf(parts, 'tag').find(({ name }) => name === 'assert' || name === 'capture')
  return (
    part && {
      part,
      code: 'misplaced-assertion',
      message: `@${part.name}, but its section has no request`,
      hint: 'Put it into the section of a request: between its "###" and the next.',
    }
  )
}

/** What has no effect in a section without a request. @param isBeforeRequests as for `misplacedScript` */
export function withoutRequest(parts: readonly Part[], isBeforeRequests: boolean): readonly Misplaced[] {
  const found = [misplacedScript(parts, isBeforeRequests), misplacedTag(parts)]
  return found.filter((each) => each !== undefined)
}
