/**
 * Builds the body of a request from items: a JSON object, a form, or multipart/form-data if it includes a file.
 *
 * Rules: members and fields keep their order, and the text of `:=` is sent as typed, so that no number loses a digit. A
 * name that would occur twice in JSON, or that another tool reads as a path into the object, is an error. `;type=`
 * after the name of a file is the type of its part.
 */
import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { CliError } from '../../frame/cli-error.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { Item } from './item.ts'

export interface FormPart {
  readonly name: string
  readonly content: { readonly text: string } | { readonly path: string }
  readonly fileName?: string
  readonly contentType?: string
}

export type ItemBody =
  | { readonly type: 'text'; readonly text: string; readonly contentType: string }
  | { readonly type: 'multipart'; readonly parts: readonly FormPart[] }
  /** The content of a file. `path` is absolute. `contentType` is undefined if it follows from the name. */
  | { readonly type: 'file'; readonly path: string; readonly contentType: string | undefined }

export interface BodySettings {
  /** --form: whether text items are fields of a form rather than members of an object. */
  readonly isForm: boolean
  readonly workingDirectory: string
}

/** Undefined if no item belongs to a body. @throws UsageError; HttpcliError `file-not-found` and similar codes. */
export async function itemBody(
  items: readonly Item[],
  { isForm, workingDirectory }: BodySettings,
): Promise<ItemBody | undefined> {
  const ofBody = items.filter(({ kind }) => kind !== 'query' && kind !== 'header' && kind !== 'no-type')
  const whole = ofBody.find(({ kind }) => kind === 'body-file')
  if (whole !== undefined) return wholeBody(whole, ofBody, workingDirectory)
  const members: Member[] = []
  // One after another, so that the first mistake is reported, and no pipe is read for two items at once.
  for (const item of ofBody) members.push(await memberOf(item, workingDirectory))
  if (members.length === 0) return undefined
  if (members.some(({ file }) => file !== undefined))
    return { type: 'multipart', parts: await Promise.all(members.map(partOf)) }
  if (!isForm) return { type: 'text', text: objectText(members), contentType: 'application/json' }
  const fields = members.map((member) => [member.item.name, formText(member)])
  return {
    type: 'text',
    text: new URLSearchParams(fields).toString(),
    contentType: 'application/x-www-form-urlencoded',
  }
}

/** @throws UsageError if other items would also be part of a body */
function wholeBody(item: Item, items: readonly Item[], workingDirectory: string): ItemBody {
  const other = items.find((each) => each !== item)
  if (other !== undefined) {
    throw new UsageError(`"${item.word}" is a whole body, and "${other.word}" is part of another`, {
      hint: `Write name${item.word} for a file in a form`,
    })
  }
  return { type: 'file', ...sentFile(item, workingDirectory) }
}

interface SentFile {
  /** Absolute. */
  readonly path: string
  /** The type after `;type=`. */
  readonly contentType: string | undefined
}

/** `a.png`, `a.png;type=image/png`. A file whose name looks like the second form wins. */
function sentFile(item: Item, workingDirectory: string): SentFile {
  const whole = resolve(workingDirectory, item.value)
  const [, name, contentType] = /^(.+);type=([^\s;/]+\/[\x20-\x7e]+)$/s.exec(item.value) ?? []
  const path = name === undefined || existsSync(whole) ? whole : resolve(workingDirectory, name)
  checkFile(path, item)
  return { path, contentType: path === whole ? undefined : contentType }
}

interface Member {
  readonly item: Item
  /** The text of the value; empty for a file that is sent. */
  readonly text: string
  readonly isJson: boolean
  /** A file that is sent unchanged. */
  readonly file?: SentFile
}

async function memberOf(item: Item, workingDirectory: string): Promise<Member> {
  const { kind, value, word, name } = item
  const path = resolve(workingDirectory, value)
  switch (kind) {
    case 'file':
      return { item, text: '', isJson: false, file: sentFile(item, workingDirectory) }
    case 'text-file':
      return { item, text: await fileText(path, item), isJson: false }
    case 'json-file':
      return {
        item,
        text: checkedJson(await fileText(path, item), `"${word}": the file`, jsonFileHint(item)),
        isJson: true,
      }
    case 'json':
      return { item, text: checkedJson(value, `"${word}": the value of ${name}`, jsonHint(item)), isJson: true }
    default:
      return { item, text: value, isJson: false }
  }
}

/** Explains a file item, in case the user meant an address: `joe@example.org`. */
function readAs({ word, value, name }: Item): string {
  return `"${word}" sends the file ${value} as ${name || 'the body'}`
}

function checkFile(path: string, item: Item): void {
  const status = statSync(path, { throwIfNoEntry: false })
  if (status !== undefined && !status.isDirectory()) return
  const code = status === undefined ? 'file-not-found' : 'file-is-directory'
  const what = status === undefined ? 'that file does not exist' : 'that is a directory'
  throw new CliError(code, `${readAs(item)}, but ${what}`, { hint: fileHint(item) })
}

/** A hint about other meanings of the `@`. */
function fileHint({ kind, name, value }: Item): string {
  if (value === '-') return 'Write -g - for standard input as the body, or ./- for a file of that name'
  switch (kind) {
    case 'file':
      return `Check the path, or write ${name}\\@${value} where the @ belongs to the name`
    case 'text-file':
      return `Check the path, or write ${name}:='"@${value}"' for text that begins with @`
    default:
      return 'Check the path'
  }
}

async function fileText(path: string, item: Item): Promise<string> {
  checkFile(path, item)
  const { fileBytes } = await import('../../../message-node/index.ts')
  const octets = await fileBytes(path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets)
  } catch (cause) {
    throw new CliError('not-utf-8', `"${item.word}" takes the text of ${item.value}, which is not UTF-8`, {
      hint: `Send the file unchanged: ${item.name}@${item.value}`,
      cause,
    })
  }
}

function checkedJson(text: string, what: string, hint: string): string {
  try {
    JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`${what} is not JSON (${(cause as Error).message})`, { hint })
  }
  return text.trim()
}

function jsonHint({ name }: Item): string {
  return `Write ${name}=value for text, or quote JSON for the shell: '${name}:=[1, true, "a"]'`
}

function jsonFileHint({ name, value }: Item): string {
  return `Write ${name}=@${value} for the text of a file`
}

function objectText(members: readonly Member[]): string {
  const seen = new Set<string>()
  const entries = members.map(({ item: { name, word }, text, isJson }) => {
    if (seen.has(name)) {
      throw new UsageError(`"${word}" gives ${name} a second value`, {
        hint: `Write ${name}:='["a", "b"]' for an array, or add --form`,
      })
    }
    seen.add(name)
    if (name.includes('[')) {
      throw new UsageError(`"${word}" names a place inside an object, which items cannot build`, {
        hint: `Write the value as JSON: '${name.slice(0, name.indexOf('[')) || 'name'}:={"a": 1}', or the whole body with -b`,
      })
    }
    return `${JSON.stringify(name)}:${isJson ? text : JSON.stringify(text)}`
  })
  return `{${entries.join(',')}}`
}

/** @throws UsageError for JSON other than text, which a form cannot represent. */
function formText({ item, text, isJson }: Member): string {
  if (!isJson) return text
  throw new UsageError(`"${item.word}" is JSON, and the body is a form`, { hint: `Write ${item.name}=value` })
}

async function partOf(member: Member): Promise<FormPart> {
  const { item, file } = member
  if (file === undefined) return { name: item.name, content: { text: formText(member) } }
  const { path, contentType } = file
  const { partTypeOf } = await import('./content-types.ts')
  return {
    name: item.name,
    content: { path },
    fileName: basename(path),
    // A part without a type is text/plain, which a file of unknown type is not (RFC 7578 section 4.4).
    contentType: contentType ?? partTypeOf(path) ?? 'application/octet-stream',
  }
}
