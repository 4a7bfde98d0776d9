/**
 * `# @prompt name What to ask`: values that the user types before the request is sent.
 *
 * Rules: `-V name=value` answers a prompt. If the user cannot be asked (no terminal, several concurrent requests, a
 * check), an unanswered prompt is an error. The input of a prompt for a password is not echoed.
 */
import { type Span, type TagNode, unicodePattern } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import type { RequestContext } from './request-context.ts'

export interface Prompt {
  readonly name: string
  readonly question: string
  /** Whether the input is hidden. */
  readonly isSecret: boolean
}

/** Asks the user; undefined if the user gives no answer. */
export type AskValue = (prompt: Prompt) => Promise<string | undefined>

export interface PromptAt extends Prompt {
  readonly span: Span
}

/** Prompts that the command line does not answer. @throws HttpcliError for a prompt without a name */
export function openPrompts(context: RequestContext): readonly PromptAt[] {
  const { commandLine } = context.variables.shared.options
  return context.request.tags
    .filter(({ name }) => name === 'prompt')
    .map((tag) => promptOf(tag, context))
    .filter(({ name }) => commandLine?.has(name) !== true)
}

const promptPattern = unicodePattern(String.raw`^([\p{L}\p{N}_.-]+)(?:\s+(.*))?$`, 's')

function promptOf({ value, span }: TagNode, context: RequestContext): PromptAt {
  const match = promptPattern(value).exec(value)
  if (match === null) {
    const message = `@prompt needs the name of a variable with an optional question, found ${JSON.stringify(value)}`
    throw context.error(span, { code: 'invalid-request', message, hint: 'Write it as @prompt name What to ask.' })
  }
  const [, name = '', question = name] = match
  return { name, question, isSecret: /pass|secret|token|api-?key/i.test(name), span }
}

/** The error if the user cannot be asked. */
export function unansweredPrompt({ name, span }: PromptAt, context: RequestContext): HttpcliError {
  const message = `the value of ${JSON.stringify(name)} must be entered, but no terminal was found`
  return context.error(span, { code: 'unknown-variable', message, hint: `Give it with -V ${name}=value.` })
}

/** Asks for the values of the open prompts. @throws HttpcliError */
export async function answerPrompts(
  prompts: readonly PromptAt[],
  context: RequestContext,
  ask: AskValue | undefined,
): Promise<void> {
  const { prompted, shared } = context.variables
  for (const prompt of prompts) {
    const answer = await ask?.(prompt)
    if (answer === undefined) throw unansweredPrompt(prompt, context)
    if (prompt.isSecret && answer !== '') shared.options.secrets?.sink.add(answer)
    prompted.set(prompt.name, answer)
  }
}
