/**
 * Orders the files of a Bruno collection in the order of its requests.
 *
 * Rules: a folder lists its folders first, then its requests, each by sequence number. All files have the form of the
 * collection's own file, Bru or YAML. A single file is a collection of one request.
 */
import { objectOf, readJson, textOf } from '../draft/document.ts'
import type { EnvironmentDraft } from '../draft/draft.ts'
import type { SourceText } from '../draft/errors.ts'
import { bruDocument, bruEnvironment } from './bru-document.ts'
import { type BrunoDocument, emptyDocument } from './document.ts'
import { yamlDocument, yamlEnvironment } from './yaml-document.ts'

export interface Collection {
  readonly title: string
  readonly root: BrunoDocument
  /** By path. */
  readonly folders: ReadonlyMap<string, BrunoDocument>
  /** By path, which includes the name of the file. */
  readonly requests: ReadonlyMap<string, BrunoDocument>
  readonly environments: readonly EnvironmentDraft[]
}

/**
 * Reads the files that belong to the collection.
 * @throws ConvertSyntaxError with the file and the place in it
 */
export async function readFiles(source: SourceText): Promise<Collection> {
  const files = source.files ?? [{ path: source.path.replace(/^.*[\\/]/, ''), text: source.text }]
  const isYaml = files.some(({ path }) => path === 'opencollection.yml')
  const ending = isYaml || files.every(({ path }) => !path.endsWith('.bru')) ? '.yml' : '.bru'
  const placed = (file: SourceText): SourceText =>
    source.files === undefined
      ? source
      : { path: `${source.path.replace(/[\\/]+$/, '')}/${file.path}`, text: file.text }
  const read = (file: SourceText): BrunoDocument | Promise<BrunoDocument> =>
    ending === '.bru' ? bruDocument(placed(file), file.path) : yamlDocument(placed(file), file.path)
  const folders = new Map<string, BrunoDocument>()
  const requests = new Map<string, BrunoDocument>()
  const environments: EnvironmentDraft[] = []
  let root = emptyDocument
  for (const file of files) {
    const name = file.path.replace(/^.*\//, '')
    const directory = file.path.slice(0, -name.length).replace(/\/$/, '')
    const title = name.replace(/\.\w+$/, '')
    if (!name.endsWith(ending)) continue
    if (directory === 'environments')
      environments.push(
        ending === '.bru' ? bruEnvironment(placed(file), title) : await yamlEnvironment(placed(file), title),
      )
    else if (directory === '' && /^(?:collection\.bru|opencollection\.yml)$/.test(name)) root = await read(file)
    else if (/^folder\.(?:bru|yml)$/.test(name)) folders.set(directory, await read(file))
    else requests.set(file.path, await read(file))
  }
  const settings = files.find(({ path }) => path === 'bruno.json')
  const title = settings === undefined ? '' : textOf(objectOf(readJson(placed(settings))).name)
  return { title: title || root.name, root, folders, requests, environments }
}

/** A request and its enclosing folders. */
export interface PlacedRequest {
  readonly path: string
  readonly request: BrunoDocument
  readonly names: readonly string[]
  /** From the collection inwards. */
  readonly around: readonly BrunoDocument[]
}

/** A folder with its folders and requests, while they are being ordered. */
interface Folder {
  readonly path: string
  readonly name: string
  readonly document: BrunoDocument
  readonly folders: Map<string, Folder>
  readonly requests: PlacedRequest[]
}

export function orderedRequests({ root, folders, requests }: Collection): readonly PlacedRequest[] {
  const folderAt = (path: string, name: string): Folder => ({
    path,
    name,
    document: path === '' ? root : (folders.get(path) ?? emptyDocument),
    folders: new Map(),
    requests: [],
  })
  const top = folderAt('', '')
  for (const [path, request] of requests) {
    const names: string[] = []
    const around = [root]
    let folder = top
    for (const segment of path.split('/').slice(0, -1)) {
      const inner =
        folder.folders.get(segment) ?? folderAt(`${folder.path}${folder.path === '' ? '' : '/'}${segment}`, segment)
      folder.folders.set(segment, inner)
      names.push(inner.document.name || segment)
      around.push(inner.document)
      folder = inner
    }
    folder.requests.push({ path, request, names, around })
  }
  const ordered: PlacedRequest[] = []
  const pending: (Folder | readonly PlacedRequest[])[] = [top]
  while (pending.length > 0) {
    const next = pending.pop() as Folder | readonly PlacedRequest[]
    if (Array.isArray(next)) for (const request of next) ordered.push(request)
    else {
      const { folders: inner, requests: list } = next as Folder
      const sorted = list.toSorted((a, b) => (a.request.sequence ?? 1) - (b.request.sequence ?? 1))
      pending.push(sorted)
      for (const each of orderedFolders([...inner.values()]).toReversed()) pending.push(each)
    }
  }
  return ordered
}

/** By name; those with a sequence number at their position. */
function orderedFolders(folders: readonly Folder[]): readonly Folder[] {
  const byName = folders.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const ordered = byName.filter(({ document }) => document.sequence === undefined)
  const placed = byName.filter(({ document }) => document.sequence !== undefined)
  for (const folder of placed.toSorted((a, b) => (a.document.sequence as number) - (b.document.sequence as number))) {
    ordered.splice((folder.document.sequence as number) - 1, 0, folder)
  }
  return ordered
}
