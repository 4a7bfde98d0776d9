/**
 * All request files in the project: those of the documents, of examples, and of tests of the command.
 *
 * Rules: every host becomes the example server, and https becomes http, so that the files can be run anywhere. The
 * files of a page, and those of a folder, are in one directory, which ends the search for environment files.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pages, projectRoot } from './document.ts'

export interface CorpusFile {
  /** `docs/run.md:280` */
  readonly name: string
  readonly directory: string
  readonly file: string
  readonly environment: string | undefined
  /** Private values of that environment, as text. */
  readonly secrets: Readonly<Record<string, string>>
}

const folders = ['test/golden', 'test/mistakes', 'test/fixtures/load', 'examples']
const ENVIRONMENT = 'http-client.env.json'
const PRIVATE = 'http-client.private.env.json'

/** Writes the files. @param authority the authority of the example server */
export function writeCorpus(directory: string, authority: string): readonly CorpusFile[] {
  return [...pages.flatMap((page) => pageFiles(page, directory, authority)), ...folderFiles(directory, authority)]
}

function pageFiles({ path, blocks }: (typeof pages)[number], root: string, authority: string): readonly CorpusFile[] {
  const directory = join(root, path.replace(/\W/g, '-'))
  mkdirSync(join(directory, '.git'), { recursive: true })
  const texts = new Map<string, string>()
  const put = (name: string, text: string): void => {
    texts.set(name, text)
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), adapted(text, authority))
  }
  for (const { file, text } of blocks) if (file !== undefined && !file.startsWith('/')) put(file, text)
  const environment = environmentIn(texts.get(ENVIRONMENT))
  const secrets = secretsIn(texts.get(PRIVATE), environment)
  return blocks.flatMap(({ language, file, place, text }) => {
    if (language !== 'http') return []
    const name = file ?? `block-${place.split(':')[1]}.http`
    if (file === undefined) put(name, text)
    return [{ name: place, directory, file: name, environment, secrets }]
  })
}

function folderFiles(root: string, authority: string): readonly CorpusFile[] {
  return folders.flatMap((folder) => {
    const directory = join(root, folder.replaceAll('/', '-'))
    mkdirSync(join(directory, '.git'), { recursive: true })
    const names = readdirSync(join(projectRoot, folder)).filter((name) => /\.(?:http|json|js|csv|txt)$/.test(name))
    for (const name of names) {
      writeFileSync(join(directory, name), adapted(readFileSync(join(projectRoot, folder, name), 'utf8'), authority))
    }
    return names
      .filter((name) => name.endsWith('.http'))
      .map((file) => ({ name: `${folder}/${file}`, directory, file, environment: undefined, secrets: {} }))
  })
}

const host =
  /(?<=(?:http|ws):\/\/(?:[^\s/@"]*@)?)(?:[\w-]+\.)*(?:test|com|org|net|localhost|example)(?::\d+)?(?![\w.-]|\}\})/g

function adapted(text: string, authority: string): string {
  return text
    .replace(/https:\/\//g, 'http://')
    .replace(/wss:\/\//g, 'ws://')
    .replace(host, authority)
    .replace(/\b(?:api|id)\.test(?::\d+)?(?=[/\s])/g, authority)
    .replace(/\blocalhost:\d+/g, authority)
    .replace(/\b127\.0\.0\.1:(?:8080|3000|9)\b/g, authority)
}

/** Parses JSON of documents, which may contain comments. */
function parsed(text: string | undefined): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  if (text === undefined) return {}
  return JSON.parse(text.replace(/^\s*\/\/.*$/gm, '').replace(/,(\s*[}\]])/g, '$1')) as never
}

function environmentIn(text: string | undefined): string | undefined {
  const names = Object.keys(parsed(text)).filter((name) => !name.startsWith('$'))
  return names.includes('dev') ? 'dev' : names[0]
}

function secretsIn(text: string | undefined, environment: string | undefined): Readonly<Record<string, string>> {
  const { $shared, [environment ?? '']: own } = parsed(text)
  const values = Object.entries({ ...$shared, ...own })
  return Object.fromEntries(
    values.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}
