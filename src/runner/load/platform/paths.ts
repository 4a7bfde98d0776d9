/** The part of `node:path` that the runner uses for paths in a request file: POSIX paths. */
export function isAbsolute(path: string): boolean {
  return path.startsWith('/')
}

export function join(...parts: readonly string[]): string {
  const segments: string[] = []
  for (const segment of parts.join('/').split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

export function dirname(path: string): string {
  return join(path, '..')
}

export function resolve(...parts: readonly string[]): string {
  return join(...parts.slice(Math.max(0, parts.findLastIndex(isAbsolute))))
}

export function extname(path: string): string {
  return /\.[^./]+$/.exec(path)?.[0] ?? ''
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export const sep = '/'
