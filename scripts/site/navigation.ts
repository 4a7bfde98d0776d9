/**
 * The table of contents of the site: groups of pages in reading order.
 *
 * Rules: every document of the site is in exactly one group, and every row names an existing document; otherwise the
 * build fails. The pages of docs/api follow their index in the order of scripts/api-pages.ts.
 */
import { apiDocuments } from '../api-pages.ts'
import { BuildError } from '../build-error.ts'

export interface NavigationGroup {
  readonly title: string
  /** The weight of a match in the search: documents about the product itself have the highest. */
  readonly weight: number
  /** Documents in reading order, and the short names that the navigation shows for them. */
  readonly documents: readonly (readonly [path: string, name: string])[]
}

const API_INDEX = 'docs/api/README.md'

/** Documents that the navigation shows below their index, and only on these pages, because there are many of them. */
export const documentsBelow: Readonly<Record<string, readonly string[]>> = { [API_INDEX]: apiDocuments }

const WEIGHT_BELOW = 0.2

export const navigation: readonly NavigationGroup[] = [
  {
    title: 'Tutorial',
    weight: 1,
    documents: [
      ['README.md', 'Overview'],
      ['docs/install.md', 'Install'],
      ['docs/getting-started.md', 'Getting started'],
      ['docs/tutorial.md', 'Tutorial: what you need'],
      ['docs/tutorial-01-first-request.md', '1. The first request'],
      ['docs/tutorial-02-responses.md', '2. Reading the response'],
      ['docs/tutorial-03-request-file.md', '3. A request file'],
      ['docs/tutorial-04-variables.md', '4. Variables and environments'],
      ['docs/tutorial-05-log-in.md', '5. Logging in'],
      ['docs/tutorial-06-tests.md', '6. Tests and assertions'],
      ['docs/tutorial-07-scripts.md', '7. Scripts'],
      ['docs/tutorial-08-data-rows.md', '8. Data rows'],
      ['docs/tutorial-09-secrets.md', '9. Secrets'],
      ['docs/tutorial-10-pipeline.md', '10. Reports in a pipeline'],
    ],
  },
  {
    title: 'Guides',
    weight: 1,
    documents: [
      ['docs/send.md', 'send'],
      ['docs/run.md', 'run'],
      ['docs/check.md', 'check'],
      ['docs/serve.md', 'serve'],
      ['docs/convert.md', 'convert'],
      ['docs/fmt.md', 'fmt'],
      ['docs/secrets.md', 'Environments and secrets'],
      ['docs/reports.md', 'Reports'],
      ['docs/ci.md', 'CI pipelines'],
      ['docs/load.md', 'Load tests with k6'],
      ['docs/editors.md', 'Editors'],
      ['docs/lsp.md', 'Language server'],
      ['docs/cookbook.md', 'Cookbook'],
      ['docs/cookbook-send.md', 'Cookbook: sending requests'],
      ['docs/cookbook-run.md', 'Cookbook: running request files'],
      ['docs/cookbook-serve.md', 'Cookbook: serving files'],
      ['docs/cookbook-convert.md', 'Cookbook: converting and CI'],
      ['docs/troubleshooting.md', 'Troubleshooting'],
      ['docs/faq.md', 'Frequently asked questions'],
      ['docs/comparison.md', 'Comparison'],
    ],
  },
  {
    title: 'Reference',
    weight: 1,
    documents: [
      ['docs/request-file.md', 'Request files'],
      ['docs/scripts.md', 'Scripts'],
      ['docs/assertions.md', 'Assertions'],
      ['docs/grpc.md', 'gRPC'],
      ['docs/dialects.md', 'Dialects of request files'],
      ['docs/serve-rules.md', 'serve: rules'],
      ['docs/help.md', 'help, completion'],
    ],
  },
  {
    title: 'Library',
    weight: 0.7,
    documents: [
      ['docs/library.md', 'Guide'],
      ['docs/library-connection.md', 'Proxies, mock servers, recorders'],
      [API_INDEX, 'Every exported name'],
      ['docs/library-proof.md', 'How it is tested'],
      ['docs/rfc-map.md', 'RFC map'],
    ],
  },
  {
    title: 'Migration',
    weight: 0.4,
    documents: [
      ['docs/migrating-from-rawhttp.md', 'RawHTTP'],
      ['docs/differences-from-rawhttp.md', 'RawHTTP: differences'],
      ['docs/migrating-from-curl.md', 'curl'],
      ['docs/migrating-from-httpie.md', 'HTTPie'],
      ['docs/migrating-from-ijhttp.md', 'ijhttp'],
      ['docs/migrating-from-httpyac.md', 'httpYac'],
      ['docs/migrating-from-rest-client.md', 'VS Code REST Client'],
      ['docs/migrating-from-hurl.md', 'Hurl'],
      ['docs/migrating-from-bruno.md', 'Bruno'],
      ['docs/migrating-from-insomnia.md', 'Insomnia'],
      ['docs/migrating-from-serve.md', 'serve, http-server'],
    ],
  },
  {
    title: 'Project',
    weight: 0.4,
    documents: [
      ['docs/security-model.md', 'Security model'],
      ['SECURITY.md', 'Reporting vulnerabilities'],
      ['CHANGELOG.md', 'Changelog'],
      ['ARCHITECTURE.md', 'Architecture'],
      ['CONTRIBUTING.md', 'Contributing'],
    ],
  },
]

/** Paths of all documents in reading order. */
export const readingOrder: readonly string[] = navigation
  .flatMap(({ documents }) => documents.map(([path]) => path))
  .flatMap((path) => [path, ...(documentsBelow[path] ?? [])])

/** The weight of a match in a document in the search. */
export function searchWeight(path: string): number {
  const group = navigation.find(({ documents }) => documents.some(([each]) => each === path))
  return group?.weight ?? WEIGHT_BELOW
}

/** @throws BuildError for a document outside the navigation, and for a row that names no document or repeats one. */
export function assertNavigationMatches(documents: Iterable<string>, order: readonly string[] = readingOrder): void {
  const existing = new Set(documents)
  const missing = [...existing].filter((path) => !order.includes(path))
  const unknown = order.filter((path) => !existing.has(path))
  const repeated = order.filter((path, index) => order.indexOf(path) !== index)
  const faults = [
    ...(missing.length > 0 ? [`missing in the navigation: ${missing.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`not found: ${unknown.join(', ')}`] : []),
    ...(repeated.length > 0 ? [`listed twice: ${repeated.join(', ')}`] : []),
  ]
  if (faults.length > 0) throw new BuildError(`scripts/site/navigation.ts: ${faults.join('; ')}`)
}
