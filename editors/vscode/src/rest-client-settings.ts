/** The settings of REST Client as environments of request files. No editor is needed, so that tests can run it. */

export type Environments = Readonly<Record<string, Readonly<Record<string, string>>>>

/** @param given the value of `rest-client.environmentVariables`: variables by the name of an environment */
export function environmentsOf(given: unknown): Environments {
  if (!isObject(given)) return {}
  const shared = Object.keys(isObject(given.$shared) ? given.$shared : {})
  const environments = Object.entries(given).flatMap(([name, values]) => {
    if (!isObject(values) || (name === '$shared' && shared.length === 0)) return []
    const texts = Object.entries(values).map(([key, value]) => [key, withoutPrefix(textOf(value))])
    return [[name, Object.fromEntries(texts) as Record<string, string>] as const]
  })
  return Object.fromEntries(environments)
}

function withoutPrefix(text: string): string {
  return text.replace(/\{\{\$shared\s+([^{}]+)\}\}/g, '{{$1}}')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Settings that change what is sent, and are options or tags here. */
const others = [
  'certificates',
  'defaultHeaders',
  'followredirect',
  'proxyStrictSSL',
  'rememberCookiesForSubsequentRequests',
  'timeoutinmilliseconds',
]

interface Inspected {
  readonly globalValue?: unknown
  readonly workspaceValue?: unknown
  readonly workspaceFolderValue?: unknown
}

/** The names of the settings that the user has changed. */
export function otherSettings(inspect: (name: string) => Inspected | undefined): readonly string[] {
  return others.filter((name) => {
    const { globalValue, workspaceValue, workspaceFolderValue } = inspect(name) ?? {}
    return [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined)
  })
}
