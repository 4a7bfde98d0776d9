/**
 * Converts OpenAPI 3.0 and 3.1 and Swagger 2.0 documents to requests, one for each operation.
 *
 * Rules: servers become environments, secrets become variables. Losses are reported with their path in the document.
 */
import { isObject, type JsonObject, objectOf, textOf } from '../draft/document.ts'
import { readDocument } from '../draft/document-reader.ts'
import { type Conversion, conversionOf, type EnvironmentVariable } from '../draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from '../draft/errors.ts'
import { Losses } from '../draft/losses.ts'
import { type OperationDraft, operationDraft } from './operation.ts'
import { References } from './references.ts'
import { Sampler } from './sample.ts'
import { serverEnvironments, serversOf } from './servers.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** @throws ConvertSyntaxError */
export async function readOpenApi(source: SourceText): Promise<Conversion> {
  const root = await readDocument(source, 'an OpenAPI document, an object with "paths"')
  if (root.openapi === undefined && root.swagger === undefined) {
    throw ConvertSyntaxError.at(
      source,
      { line: 1, column: 1 },
      'expected an OpenAPI document, found no "openapi" and no "swagger"',
    )
  }
  if (!isObject(root.paths) && !isObject(root.webhooks) && !isObject(root.components)) {
    throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, 'expected an OpenAPI document, found no "paths"')
  }
  const losses = new Losses()
  const operations = operationsIn(root, losses)
  if (operations.length === 0) losses.add('paths', 'a document without operations')
  if (isObject(root.webhooks) && Object.keys(root.webhooks).length > 0) losses.add('webhooks', serverRequests)
  const info = objectOf(root.info)
  const version = textOf(info.version)
  return conversionOf({
    title: textOf(info.title),
    comments: [`${textOf(info.title)}${version === '' ? '' : ` ${version}`}`].filter((line) => line !== ''),
    requests: operations.map(({ draft }) => draft),
    environments:
      operations.length === 0
        ? []
        : withSecrets(
            serverEnvironments(serversOf(root)),
            operations.flatMap(({ variables }) => variables),
          ),
    losses: losses.all,
  })
}

/** Webhooks and callbacks: the described server is the client of these requests. */
const serverRequests = 'requests that the described server sends'

function operationsIn(root: JsonObject, losses: Losses): readonly OperationDraft[] {
  const references = new References(root, (reference, reason) => losses.add(reference, reason))
  const sampler = new Sampler(references)
  return Object.entries(references.resolve(root.paths)).flatMap(([path, value]) => {
    const item = references.resolve(value)
    return methods.flatMap((method) => {
      const operation = item[method]
      if (!isObject(operation)) return []
      if (isObject(operation.callbacks)) losses.add(`paths.${path}.${method}.callbacks`, serverRequests)
      return [operationDraft(operation, { root, path, method, item, references, sampler, losses })]
    })
  })
}

/** Secrets apply in every environment. */
function withSecrets(
  environments: Conversion['environments'],
  secrets: readonly EnvironmentVariable[],
): Conversion['environments'] {
  const unique = [...new Map(secrets.toReversed().map((each) => [each.name, each])).values()].toReversed()
  return environments.map((environment) =>
    environment.name === '$shared' ? { ...environment, variables: [...environment.variables, ...unique] } : environment,
  )
}
