/**
 * Notes about a refused request that other tools would have sent differently.
 *
 * Rules: a note is printed only if the command line suggests it, and only after a status of 400 or more. Loaded only
 * then.
 */
import type { HttpRequest, HttpResponse } from '../../../message/index.ts'
import { digestObstacle } from '../../../wire/index.ts'
import type { ParsedArguments } from '../../frame/command.ts'
import { isUrlWord } from '../../frame/request-words.ts'
import type { SendValues } from '../../options/send.ts'

/**
 * 400 Bad Request, 415 Unsupported Media Type, 422 Unprocessable Content: responses to a body that the server cannot
 * read.
 */
const bodyStatuses: ReadonlySet<number> = new Set([400, 415, 422])
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
/** `a=b`, `a=b; c=d`: a value for curl's -b. */
const cookiePattern = /^[^\s=;&{}"]+=[^;&{}"]*(?:; *[^\s=;&{}"]+=[^;&{}"]*)*$/
/** `@data.json`: a file for curl's --data. */
const fileWordPattern = /^@[^\s@]+$/

export function habitNotes(
  args: ParsedArguments<SendValues>,
  request: HttpRequest,
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
): readonly string[] {
  const text = args.value('body-text')
  const [first = ''] = args.positionals
  const notes: string[] = status === 401 ? authenticationNotes(args, request, headers) : []
  if (text !== undefined && isUrlWord(first) && cookiePattern.test(text)) {
    notes.push(`-b sent "${text}" as the body of a POST; for a cookie write Cookie:${text.replaceAll(' ', '')}`)
  }
  if (text !== undefined && fileWordPattern.test(text)) {
    notes.push(`-b sent the text "${text}" as the body; write -g ${text.slice(1)} for the content of the file`)
  }
  const isUntyped = request.body !== undefined && !request.headers.has('content-type')
  if (isUntyped && bodyStatuses.has(status)) {
    notes.push('the body was sent without a Content-Type; add one with -H, such as -H Content-Type:application/json')
  }
  if (
    request.body === undefined &&
    methodsWithBody.has(request.method) &&
    (status === 411 || bodyStatuses.has(status))
  ) {
    notes.push(`the ${request.method} was sent without a body; items, -b or -g give one, and -g - sends standard input`)
  }
  return notes
}

/** For a user and password sent with a scheme that the server did not ask for. */
function authenticationNotes(
  args: ParsedArguments<SendValues>,
  request: HttpRequest,
  headers: HttpResponse['headers'],
): string[] {
  const challenges = headers.all('www-authenticate')
  const offers = (scheme: string): boolean =>
    challenges.some((challenge) => new RegExp(`(?:^|,)[ \\t]*${scheme}(?:[ ,]|$)`, 'i').test(challenge))
  const [asksForBasic, asksForDigest] = [offers('basic'), offers('digest')]
  const isBasicSent = /^basic /i.test(request.headers.get('authorization') ?? '')
  if (isBasicSent && asksForDigest && !asksForBasic) return ['the server asks for Digest authentication; add --digest']
  if (args.has('digest') && asksForBasic && !asksForDigest) {
    return ['the server asks for Basic authentication; omit --digest']
  }
  const obstacle = args.has('digest') ? digestObstacle(headers) : undefined
  return obstacle === undefined ? [] : [`--digest had no effect: ${obstacle}`]
}
