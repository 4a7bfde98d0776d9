/** Hover over names of scripts: the API, and dynamic variables. */
import type { Cursor } from '../cursor/cursor.ts'
import { chainBefore, memberOfChain } from '../cursor/script-chain.ts'
import { wordAt } from '../cursor/token.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type HoverText, inlineCode } from './hover-text.ts'
import { dynamicText } from './variable-hover.ts'

/** @param code the code of the script up to the cursor */
export function scriptText(code: string, cursor: Cursor, workspace: Workspace): HoverText | undefined {
  const dynamic = wordAt(cursor, /\$[\w.]+/g)
  if (dynamic !== undefined) {
    const text = dynamicText(dynamic.text, workspace)
    return text === undefined ? undefined : { range: dynamic.range, text }
  }
  const word = wordAt(cursor, /[\w$]+/g)
  if (word === undefined) return undefined
  const chain = chainBefore(code + word.text.slice(word.typed.length))
  const member = chain && memberOfChain(chain)
  if (chain === undefined || member === undefined) return undefined
  const owners = chain.owners.map((owner) => `${owner}.`).join('')
  return { range: word.range, text: `${inlineCode(owners + member.form)}\n\n${member.text}` }
}
