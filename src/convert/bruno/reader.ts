/**
 * Converts Bruno collections, directories of `.bru` or YAML files, to requests.
 *
 * Rules: names of folders become part of request names. Variables of the collection apply in every environment.
 * Variables that a script or a capture sets stay in the file, because an environment would override them.
 */
import { jsonText } from '../draft/document.ts'
import { type Conversion, conversionOf, type EnvironmentVariable, type RequestDraft, tagsOf } from '../draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from '../draft/errors.ts'
import { variableName } from '../draft/literal-text.ts'
import { Losses } from '../draft/losses.ts'
import { OAuth2Block } from '../draft/oauth2.ts'
import { namesSet, withoutSet } from '../script/set-variables.ts'
import { captureResult } from './checks.ts'
import { type Collection, orderedRequests, type PlacedRequest, readFiles } from './collection.ts'
import { requestDraft, scriptsOf } from './request.ts'
import { type BrunoNames, brunoValue, type TemplateReport } from './variables.ts'

/** @throws ConvertSyntaxError with the file and the place in it */
export async function readBruno(source: SourceText): Promise<Conversion> {
  const collection = await readFiles(source)
  const requests = orderedRequests(collection)
  if (requests.length === 0 && collection.environments.length === 0) {
    throw ConvertSyntaxError.at(
      source,
      { line: 1, column: 1 },
      'expected requests in files ".bru" or ".yml", found none',
    )
  }
  return conversionFrom(collection, requests)
}

/** Kinds of files other than HTTP requests. */
const otherTypes: Readonly<Record<string, string>> = {
  grpc: 'a gRPC request',
  'grpc-request': 'a gRPC request',
  ws: 'a WebSocket request',
  websocket: 'a WebSocket request',
  script: 'a script without a request',
  app: 'an app',
}

function conversionFrom(collection: Collection, placed: readonly PlacedRequest[]): Conversion {
  const { root, environments, title } = collection
  const losses = new Losses()
  const report = (place: string): TemplateReport => ({
    onUnknown: (name) => losses.add(place, `the dynamic variable ${name}`),
    onPrompt: (name, question) => losses.add(place, `the question ${question}: give -V ${name}=value`),
  })
  const oauth2 = new OAuth2Block()
  const declared = [...placed.flatMap(({ request, around }) => [...around, request]), ...environments]
  const names: BrunoNames = {
    declared: new Set(declared.flatMap(({ variables }) => variables.map(({ name }) => name))),
  }
  const environmentNames = new Set(environments.flatMap(({ variables }) => variables.map(({ name }) => name)))
  const captures = root.captures.map((check) => captureResult(check, variableName(check.target)))
  const scripts = scriptsOf([root], captures, 'collection', losses)
  const requests = placed.flatMap(({ path, request, names: folders, around }): readonly RequestDraft[] => {
    const other = Object.hasOwn(otherTypes, request.type) ? otherTypes[request.type] : undefined
    if (other !== undefined || (request.method === '' && request.url === '')) {
      losses.add(path, `the whole file: it is ${other ?? 'not a request'}`)
      return []
    }
    const name = request.name || path.replace(/^.*\/|\.\w+$/g, '')
    const settings = {
      place: path,
      title: [...folders, name].join(' / '),
      around,
      names,
      environmentNames,
      oauth2,
      losses,
    }
    const draft = requestDraft(request, settings)
    const shared = captures.flatMap(({ tags }) => tagsOf('capture', tags))
    return [{ ...draft, tags: [...draft.tags, ...shared, ...tagsOf('assert', scripts.assertions)] }]
  })
  const set = namesSet(requests, [...scripts.before, ...scripts.after])
  const isSet = ({ name }: { readonly name: string }): boolean => set.has(variableName(name))
  return conversionOf({
    title,
    comments: [title, ...root.docs.split('\n')].filter((line) => line.trim() !== ''),
    variables: root.variables.filter(isSet).map((variable) => ({
      name: variableName(variable.name),
      value: jsonText(brunoValue(variable.value, names, report('collection'))),
    })),
    scripts: scripts.before,
    handlers: scripts.after,
    requests,
    environments: [
      {
        name: '$shared',
        variables: [
          ...environmentVariables(
            root.variables.filter((each) => !isSet(each)),
            names,
            report('collection'),
          ),
          ...oauth2.variables,
        ],
      },
      ...environments.map(({ name, variables }) =>
        withoutSet(
          { name, variables: environmentVariables(variables, names, report(`environment ${name}`)) },
          set,
          losses,
        ),
      ),
    ],
    losses: losses.all,
  })
}

function environmentVariables(
  variables: readonly EnvironmentVariable[],
  names: BrunoNames,
  report: TemplateReport,
): readonly EnvironmentVariable[] {
  return variables.map(({ name, value, isSecret }) => ({
    name: variableName(name),
    value: brunoValue(value, names, report),
    isSecret,
  }))
}
