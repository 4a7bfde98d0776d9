/**
 * The internal form of a message: a head and its content.
 *
 * Rules: immutable; a change creates new parts. A received head creates its strings on demand, so a message that is not
 * inspected costs next to nothing.
 */
import type { Content } from '../body/content.ts'
import type { RequestHead, ResponseHead } from '../head/head.ts'

/** @internal */
export class MessageParts<Head extends RequestHead | ResponseHead> {
  readonly head: Head
  readonly content: Content | undefined

  constructor(head: Head, content: Content | undefined) {
    this.head = head
    this.content = content
  }

  withHead(head: Head): MessageParts<Head> {
    return new MessageParts(head, this.content)
  }

  withContent(content: Content | undefined): MessageParts<Head> {
    return new MessageParts(this.head, content)
  }
}
