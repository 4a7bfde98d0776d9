/**
 * Converts Insomnia exports, format 4 and 5, in JSON or YAML, to requests.
 *
 * Rules: names of folders become part of request names. The base environment applies in every environment, its
 * sub-environments are the environments. A private one belongs in the private file. A value of an earlier response
 * becomes a capture.
 */
import { SHARED_ENVIRONMENT } from '../../http-file/index.ts'
import { type JsonObject, mapTexts, objectOf, textOf } from '../draft/document.ts'
import { readDocument } from '../draft/document-reader.ts'
import { type Conversion, conversionOf, type EnvironmentDraft, type RequestDraft, tagsOf } from '../draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from '../draft/errors.ts'
import { unusedName } from '../draft/file-name.ts'
import { variableName } from '../draft/literal-text.ts'
import { Losses } from '../draft/losses.ts'
import { OAuth2Block } from '../draft/oauth2.ts'
import { filledLines } from '../draft/request-parts.ts'
import { namesSet, withoutSet } from '../script/set-variables.ts'
import { requestDraft } from './request.ts'
import { insomniaText, type TemplateSettings } from './template.ts'
import { type InsomniaItem, type InsomniaTree, treeOfDocument, treeOfResources } from './tree.ts'

/** @throws ConvertSyntaxError */
export async function readInsomnia(source: SourceText): Promise<Conversion> {
  const root = await readDocument(source, 'an Insomnia export')
  const format = textOf(root.__export_format)
  if (format === '4') return conversionFrom(treeOfResources(root))
  const type = /^(?:collection|spec|environment)\.insomnia\.rest\/5\./.test(textOf(root.type))
  if (type) return conversionFrom(treeOfDocument(root))
  const message =
    format === ''
      ? 'expected an Insomnia export with "__export_format: 4", or of the type "collection.insomnia.rest/5.0"'
      : `an Insomnia export of format ${format}: open it in Insomnia and export it again`
  throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, message)
}

/** A value of a response that other requests use. */
interface Captured {
  readonly name: string
  readonly subject: string
}

function conversionFrom(tree: InsomniaTree): Conversion {
  const losses = new Losses()
  const oauth2 = new OAuth2Block()
  for (const { path, message } of tree.others) losses.add(path, `the whole entry: it is ${message}`)
  const environments = environmentDrafts(tree, losses)
  const environmentNames = new Set(environments.flatMap(({ variables }) => variables.map(({ name }) => name)))
  const captures = new Map<string, Captured[]>()
  const earlier = new Map<string, string>()
  const capture = (requestId: string, subject: string): string | undefined => {
    const requestName = earlier.get(requestId)
    if (requestName === undefined) return undefined
    const list = captures.get(requestId) ?? []
    const known = list.find((each) => each.subject === subject)
    if (known !== undefined) return known.name
    const name = captureName(requestName, subject, [...captures.values()].flat())
    captures.set(requestId, [...list, { name, subject }])
    return name
  }
  const drafts = tree.requests.map((placed) => {
    const draft = requestDraft(placed, { capture, environmentNames, oauth2, losses })
    earlier.set(idOf(placed), textOf(placed.item.name))
    return { id: idOf(placed), draft }
  })
  const requests = drafts.map(({ id, draft }): RequestDraft => {
    const captured = (captures.get(id) ?? []).map(({ name, subject }) => `${name} = ${subject}`)
    return { ...draft, tags: [...draft.tags, ...tagsOf('capture', captured)] }
  })
  const set = namesSet(requests, [])
  const kept = environments.map((environment) => withoutSet(environment, set, losses))
  const shared = kept.find(({ name }) => name === SHARED_ENVIRONMENT)?.variables ?? []
  const others = kept.filter(({ name }) => name !== SHARED_ENVIRONMENT)
  return conversionOf({
    title: tree.title,
    comments: filledLines(`${tree.title}\n${tree.description}`),
    requests,
    environments: [{ name: SHARED_ENVIRONMENT, variables: [...shared, ...oauth2.variables] }, ...others],
    losses: losses.all,
  })
}

function idOf({ item }: InsomniaItem): string {
  return textOf(item._id) || textOf(objectOf(item.meta).id)
}

/** A name made of the request and the captured subject. */
function captureName(requestName: string, subject: string, used: readonly Captured[]): string {
  const last = subject.match(/[\w-]+/g)?.at(-1) ?? 'value'
  const base =
    variableName(`${requestName} ${last}`.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '')) || 'value'
  return unusedName(base, new Set(used.map(({ name }) => name)), '_')
}

function environmentDrafts({ environments }: InsomniaTree, losses: Losses): readonly EnvironmentDraft[] {
  const drafts = environments.flatMap(({ base, inner }) => [
    environmentDraft(SHARED_ENVIRONMENT, base, losses),
    ...inner.map((environment) => environmentDraft(textOf(environment.name) || 'insomnia', environment, losses)),
  ])
  // Several workspaces may have environments with the same name.
  const byName = new Map<string, EnvironmentDraft>()
  for (const { name, variables } of drafts) {
    const before = byName.get(name)?.variables ?? []
    const known = new Set(before.map((variable) => variable.name))
    for (const variable of variables.filter((each) => known.has(each.name))) {
      losses.add(`environment ${name}`, `a second value of ${variable.name}`)
    }
    byName.set(name, { name, variables: [...before, ...variables.filter((each) => !known.has(each.name))] })
  }
  return [...byName.values()].filter(({ variables }) => variables.length > 0)
}

function environmentDraft(name: string, environment: JsonObject, losses: Losses): EnvironmentDraft {
  const isPrivate = environment.isPrivate === true || objectOf(environment.meta).isPrivate === true
  const settings: TemplateSettings = {
    lose: (message) => {
      losses.add(`environment ${name}`, message)
    },
    prompt: (variable, question) => {
      losses.add(`environment ${name}`, `the question ${question}: give -V ${variable}=value`)
    },
    capture: () => undefined,
  }
  const variables = Object.entries(objectOf(environment.data)).flatMap(([key, value]) => {
    const variable = variableName(key)
    const converted = mapTexts(value, (text) => insomniaText(text, settings))
    return variable === '' ? [] : [{ name: variable, value: converted, isSecret: isPrivate }]
  })
  return { name, variables }
}
