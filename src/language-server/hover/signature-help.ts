/**
 * Signature help: the arguments of a dynamic variable or of a function of scripts, while they are typed.
 *
 * Rules: the call begins at the nearest open bracket before the cursor; brackets and commas in quotes do not count.
 */
import type {
  MarkupKind,
  ParameterInformation,
  SignatureHelp,
  SignatureInformation,
} from 'vscode-languageserver-protocol'
import type { Feature } from '../base/feature.ts'
import { markup } from '../base/markup.ts'
import { openExpression } from '../cursor/braces.ts'
import { type Cursor, codeBefore, cursorAt } from '../cursor/cursor.ts'
import { chainBefore, memberOfChain } from '../cursor/script-chain.ts'
import { dynamicVariables } from '../knowledge/dynamic-variables.ts'
import { topicOf, topicText } from '../knowledge/topic.ts'

/** The maximum length of the code before the cursor that is read. */
const MAX_CHARACTERS = 2_000

export const signatureHelp: Feature = {
  capabilities: { signatureHelpProvider: { triggerCharacters: ['(', ','] } },
  listen(connection, workspace) {
    connection.onSignatureHelp(({ textDocument, position }) => {
      const analysis = workspace.analysis(textDocument.uri)
      const { documentationFormat } = workspace.client.textDocument?.signatureHelp?.signatureInformation ?? {}
      return analysis && signatureAt(cursorAt(analysis, position), documentationFormat)
    })
  },
}

interface OpenCall {
  /** The text before the bracket. */
  readonly callee: string
  /** The number of commas between the bracket and the cursor. */
  readonly argumentIndex: number
}

/**
 * Undefined unless the cursor is among the arguments of a known call.
 * @param formats the documentation formats that the client has announced
 */
export function signatureAt(cursor: Cursor, formats?: readonly MarkupKind[]): SignatureHelp | undefined {
  const script = codeBefore(cursor)?.code.slice(-MAX_CHARACTERS)
  const call = openCall(script ?? openExpression(cursor)?.typed ?? '')
  if (call === undefined) return undefined
  const dynamic = /\$[\w.]+$/.exec(call.callee)?.[0]
  if (dynamic !== undefined) return dynamicHelp(dynamic, call, formats)
  const chain = script === undefined ? undefined : chainBefore(call.callee)
  const member = chain && memberOfChain(chain)
  return member?.form.endsWith(')') === true ? helpOf([member.form], member.text, call, formats) : undefined
}

function dynamicHelp(
  name: string,
  call: OpenCall,
  markupKinds: readonly MarkupKind[] | undefined,
): SignatureHelp | undefined {
  const topic = topicOf(dynamicVariables, name)
  const forms = dynamicVariables[name]?.forms?.filter((form) => form.endsWith(')')) ?? []
  return topic === undefined || forms.length === 0 ? undefined : helpOf(forms, topicText(topic), call, markupKinds)
}

function openCall(code: string): OpenCall | undefined {
  const open: { readonly at: number; commas: number }[] = []
  let quote = ''
  for (let at = 0; at < code.length; at++) {
    const sign = code[at] as string
    if (quote !== '') {
      if (sign === '\\') at++
      else if (sign === quote || (sign === '\n' && quote !== '`')) quote = ''
    } else if (sign === '"' || sign === "'" || sign === '`') quote = sign
    else if ('([{'.includes(sign)) open.push({ at, commas: 0 })
    else if (')]}'.includes(sign)) open.pop()
    else if (sign === ',') {
      const last = open.at(-1)
      if (last !== undefined) last.commas++
    }
  }
  const call = open.at(-1)
  if (call === undefined || code[call.at] !== '(') return undefined
  return { callee: code.slice(0, call.at), argumentIndex: call.commas }
}

/** The first form that has the argument is the active one. */
function helpOf(
  forms: readonly string[],
  text: string,
  { argumentIndex }: OpenCall,
  formats: readonly MarkupKind[] | undefined,
): SignatureHelp {
  const signatures = forms.map((label): SignatureInformation => {
    return { label, documentation: markup(text, formats), parameters: parametersOf(label) }
  })
  const wanted = signatures.findIndex(({ parameters = [] }) => parameters.length > argumentIndex)
  return { signatures, activeSignature: wanted === -1 ? forms.length - 1 : wanted, activeParameter: argumentIndex }
}

/** `test(name, function)`: the ranges of the words between the brackets. */
function parametersOf(form: string): ParameterInformation[] {
  const start = form.indexOf('(') + 1
  return [...form.slice(start, -1).matchAll(/[^,\s][^,]*/g)].map(({ index, 0: word }) => {
    return { label: [start + index, start + index + word.length] }
  })
}
