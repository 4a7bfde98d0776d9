/**
 * Parses the body of a WebSocket or gRPC request: messages separated by `===` lines.
 *
 * Rules: `===` ends a message and begins the next; `=== wait-for-server` also waits for one message of the server
 * before the next is sent, once for each such line. Empty messages are dropped, but a wait at the end stays. Within a
 * message the rules of bodies apply.
 */
import { nodeOf } from '../syntax/node.ts'
import type { SourceLine } from '../syntax/source-line.ts'
import type { MessageNode, Part } from '../syntax/syntax-tree.ts'
import { type Body, parseBody } from './body.ts'

const separatorPattern = /^[ \t\f]*===(?:[ \t\f]+(wait-for-server))?[ \t\f]*$/
const misspeltPattern = /^[ \t\f]*===[ \t\f]*wait/

export interface MessageList extends Body {
  readonly messages: readonly MessageNode[]
}

/** Whether a line was meant to separate messages but is misspelt. */
export function isMisspeltSeparator(text: string): boolean {
  return misspeltPattern.test(text) && !separatorPattern.test(text)
}

/** Every line becomes part of exactly one node. */
export function parseMessages(lines: readonly SourceLine[]): MessageList {
  const parts: Part[] = []
  const messages: MessageNode[] = []
  let own: SourceLine[] = []
  let waitsForServer = 0
  const end = (): void => {
    const body = parseBody(own)
    for (const part of body.parts) parts.push(part)
    if (body.content.length > 0) {
      messages.push({ waitsForServer, body: body.content })
      waitsForServer = 0
    }
    own = []
  }
  for (const line of lines) {
    const match = separatorPattern.exec(line.text)
    if (match === null) {
      own.push(line)
      continue
    }
    end()
    if (match[1] !== undefined) waitsForServer++
    parts.push({ kind: 'message-separator', ...nodeOf([line]), shouldWaitForServer: match[1] !== undefined })
  }
  end()
  if (waitsForServer > 0) messages.push({ waitsForServer, body: [] })
  return { parts, content: messages.flatMap(({ body }) => body), messages }
}
