/**
 * Replaces canonical-head.ts: declines every head, so that the reference path reads it.
 *
 * Rules: for programs that read few heads, where loading the fast path takes longer than it saves.
 * scripts/build-command.ts uses it in `send`; bundlers for browsers use it through the field `browser` of package.json
 * (scripts/build-message.ts for the package of the library alone).
 */
import type { CanonicalHeads as AllHeads, NoHead } from './canonical-head.ts'

type Heads = Pick<AllHeads, keyof AllHeads>

export class CanonicalHeads implements Heads {
  readonly sizeBytes = 0

  read(): NoHead {
    return 'declined'
  }

  readRequestHead(): NoHead {
    return 'declined'
  }

  readResponseHead(): NoHead {
    return 'declined'
  }
}
