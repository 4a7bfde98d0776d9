/**
 * The output of `--to k6` and `--to k6-operator`: a script, or Kubernetes resources that contain the script.
 *
 * Rules: next to a script, a file keeps the path by which the request file names it; in a ConfigMap, which has no
 * folders, only the name of the file remains.
 */
import type { HttpFile } from '../../http-file/index.ts'
import type { Loss } from '../draft/draft.ts'
import { MAX_CONFIG_MAP_BYTES, operatorText, resourceName } from './operator-text.ts'
import { type K6Settings, writeK6 } from './writer.ts'

export interface K6Target extends K6Settings {
  /** The bytes of a file that the script opens; undefined if it cannot be read. */
  readonly readBytes: (path: string) => Uint8Array | undefined
}

export function writeTarget(
  file: HttpFile,
  target: K6Target,
  isForOperator: boolean,
): { readonly text: string; readonly losses: readonly Loss[] } {
  if (!isForOperator) return writeK6(file, target)
  const { openPath, data, path, readBytes } = target
  const keys = new Map<string, string>()
  const keyOf = (opened: string): string => {
    const key = opened.replace(/^.*[\\/]/, '').replace(/[^\w.-]/g, '_')
    keys.set(key, opened)
    return `./${key}`
  }
  const { text, losses, secrets } = writeK6(file, {
    ...target,
    scriptName: 'load.js',
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
  const resources = operatorText(text, { name, secrets, files })
  const size = Buffer.byteLength(resources)
  return {
    text: resources,
    losses: [
      ...losses,
      ...missing.map(([, opened]) => ({ place: opened, message: 'the file cannot be read' })),
      ...(size <= MAX_CONFIG_MAP_BYTES ? [] : [{ place: 'ConfigMap', message: tooLarge(size) }]),
    ],
  }
}

function tooLarge(sizeBytes: number): string {
  const advice = 'divide the request file, or put the script of --to k6 on a volume'
  return `it has ${sizeBytes} bytes, and Kubernetes accepts ${MAX_CONFIG_MAP_BYTES}: ${advice}`
}
