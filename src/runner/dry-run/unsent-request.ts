/**
 * The requests of a dry run.
 *
 * Rules: a request is built as for sending, unless a value that only a run can know is in its URL, its body, or the
 * path of a file. Such a request becomes a draft: the text of the request file with the values that are known. A draft
 * is not parsed or encoded, and its files are not read, but certain mistakes in it are errors.
 */
import type { Template } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { forbiddenCodes } from '../files/confined-files.ts'
import { graphqlWarnings } from '../request/graphql-body.ts'
import { parseMediaType } from '../request/media-type.ts'
import { openPrompts, type PromptAt } from '../request/prompts.ts'
import { bodyFile, draftBody } from '../request/request-body.ts'
import {
  type PreparedRequest,
  prepare,
  type RequestIteration,
  type Round,
  responseFile,
  roundsOf,
} from '../request/request-builder.ts'
import type { RequestContext } from '../request/request-context.ts'
import { readTags } from '../request/request-tags.ts'
import { shapingTemplates } from '../request/request-templates.ts'
import { namesFromResponse } from '../scripting/script-sources.ts'
import type { ForeseenValues } from '../variables/foreseen-values.ts'

export interface DraftRequest extends RequestIteration, Pick<PreparedRequest, 'bodyText' | 'warnings' | 'isLogged'> {
  readonly kind: 'draft'
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

export type UnsentRequest = PreparedRequest | DraftRequest

type Made<Unsent> = Omit<Unsent, keyof RequestIteration>

/** Their `build` throws HttpcliError with the place in the request file. */
export function unsentRequests(context: RequestContext, shouldSaveResponses: boolean): Iterable<Round<UnsentRequest>> {
  return roundsOf<UnsentRequest>(context, async (): Promise<Made<PreparedRequest> | Made<DraftRequest>> => {
    const isDraft = context.variables.hasForeseen(shapingTemplates(context.request))
    return isDraft ? draft(context) : prepare(context, shouldSaveResponses)
  })
}

async function draft(context: RequestContext): Promise<Made<DraftRequest>> {
  const { request, variables } = context
  const { line } = request
  const { warnings, isLogged } = readTags(context)
  const target = variables.render(line.target)
  const headers = request.headers.map(({ name, value }) => [variables.render(name), variables.render(value)] as const)
  const type = parseMediaType(fieldOf(headers, 'content-type') ?? '')
  checkFiles(context)
  const method = line.method ?? 'GET'
  const bodyText = await draftBody(context, type)
  const found = isGraphqlDraft({ method, headers }) ? [] : graphqlWarnings(context, type, bodyText)
  return {
    kind: 'draft',
    ...{ method, target, version: line.version ?? 'HTTP/1.1', headers, warnings: [...warnings, ...found], isLogged },
    bodyText,
  }
}

export function fieldOf(headers: DraftRequest['headers'], name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1]
}

/** Whether the body of a draft is a query, which would be sent as JSON. */
export function isGraphqlDraft({ method, headers }: Pick<DraftRequest, 'method' | 'headers'>): boolean {
  return method === 'GRAPHQL' || /^graphql$/i.test(fieldOf(headers, 'x-request-type') ?? '')
}

/** @throws HttpcliError for a known path, and for a path that is forbidden whatever the missing values are */
function checkFiles(context: RequestContext): void {
  const { body, redirects } = context.request
  for (const part of body) {
    if (part.kind === 'body-file') checkFile(part.path, context, () => bodyFile(part, context))
  }
  for (const redirect of redirects) checkFile(redirect.path, context, () => responseFile(redirect, context))
}

function checkFile(path: Template, { variables }: RequestContext, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    const isForbidden = error instanceof HttpcliError && forbiddenCodes.has(error.code)
    if (isForbidden || !variables.hasForeseen([path])) throw error
  }
}

/** Marks the answers to prompts as placeholders. @throws HttpcliError for a prompt without a name */
export function foreseePrompts(context: RequestContext): readonly PromptAt[] {
  const prompts = openPrompts(context)
  foreseenOf(context).foreseeForRequest(prompts.map(({ name }) => name))
  return prompts
}

/** Marks the values that the response would set as placeholders for the following requests. */
export async function foreseeResponse(context: RequestContext): Promise<void> {
  context.variables.shared.answers.foresee(context.request.name)
  foreseenOf(context).foresee(await namesFromResponse(context))
}

export function foreseenOf({ variables }: RequestContext): ForeseenValues {
  return variables.shared.options.foreseen as ForeseenValues
}
