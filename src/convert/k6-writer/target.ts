/**
 * The output of `--to k6` and `--to k6-operator`: a script, or Kubernetes resources that contain the script.
 *
 * Rules: next to a script, a file keeps the path by which the request file names it; in a ConfigMap, which has no
 * folders, only the name of the file remains, with a number if another file has it.
 */
import type { HttpFile } from '../../http-file/index.ts'
import type { Loss } from '../draft/draft.ts'
import { ConvertError } from '../draft/errors.ts'
import { MAX_CONFIG_MAP_BYTES, operatorText, resourceName, SCRIPT_KEY } from './operator-text.ts'
import { type K6Settings, writeK6 } from './writer.ts'

export interface K6Target extends K6Settings {
  /** The bytes of a file that the script opens; undefined if it cannot be read. */
  readonly readBytes: (path: string) => Uint8Array | undefined
}

/** @throws ConvertError `config-map-too-large` */
export function writeTarget(
  file: HttpFile,
  target: K6Target,
  isForOperator: boolean,
): { readonly text: string; readonly losses: readonly Loss[] } {
  if (!isForOperator) return writeK6(file, target)
  const { openPath, data, path, readBytes } = target
  const keys = new Map<string, string>()
  const keyOf = (opened: string): string => {
    const known = [...keys].find(([, path]) => path === opened)?.[0]
    const name = opened
      .replace(/^.*[\\/]/, '')
      .replace(/[^\w.-]/g, '_')
      .slice(-MAX_KEY_LENGTH)
    let key = known ?? name
    for (let count = 2; known === undefined && (keys.has(key) || key === SCRIPT_KEY); count++) key = `${count}-${name}`
    keys.set(key, opened)
    return `./${key}`
  }
  const { text, losses, secrets } = writeK6(file, {
    ...target,
    scriptName: SCRIPT_KEY,
    openPath: (named) => {
      const opened = openPath(named)
      return opened === undefined ? undefined : keyOf(opened)
    },
    data: data && { ...data, path: keyOf(data.path) },
  })
  const contents = [...keys].map(([key, opened]) => [key, opened, readBytes(opened)] as const)
  const missing = contents.filter(([, , bytes]) => bytes === undefined)
  const files = new Map(contents.flatMap(([key, , bytes]) => (bytes === undefined ? [] : [[key, bytes] as const])))
  const name = resourceName(path.replace(/^.*[\\/]/, '').replace(/\.\w+$/, ''))
  refuseLarge([Buffer.from(text), ...files.values()].reduce((sum, { length }) => sum + length, 0))
  return {
    text: operatorText(text, { name, secrets, files }),
    losses: [...losses, ...missing.map(([, opened]) => ({ place: opened, message: 'the file cannot be read' }))],
  }
}

/** Keys have at most 253 characters, with the number. */
const MAX_KEY_LENGTH = 240

function refuseLarge(sizeBytes: number): void {
  if (sizeBytes <= MAX_CONFIG_MAP_BYTES) return
  const message = `the ConfigMap would have ${sizeBytes} bytes, but Kubernetes accepts ${MAX_CONFIG_MAP_BYTES}`
  const hint = 'Convert smaller request files, or put the script of --to k6 and its files on a volume.'
  throw new ConvertError('config-map-too-large', message, { hint })
}
