/**
 * Gathers the curl options between two `--next`.
 *
 * Rules: options before and after a URL apply to all URLs of their group; `-o` and `-O` belong to the URLs in turn. The
 * last value of a single-valued option wins.
 */
import type { RequestVersion } from '../../http-file/index.ts'
import type { GivenOption } from './option-reader.ts'
import type { OptionUse } from './options.data.ts'

export interface DataOption {
  readonly kind: 'data' | 'data-raw' | 'data-binary' | 'data-urlencode' | 'json'
  readonly value: string
  readonly given: GivenOption
}

export interface Transfer {
  readonly urls: readonly GivenOption[]
  readonly method: string | undefined
  /** The values of -H. */
  readonly headers: readonly GivenOption[]
  readonly data: readonly DataOption[]
  readonly forms: readonly GivenOption[]
  readonly uploads: readonly string[]
  readonly user: GivenOption | undefined
  /** Undefined for one that `run` does not have: the password must not be sent in another form. */
  readonly authScheme: string | undefined
  readonly bearer: string | undefined
  readonly cookies: readonly GivenOption[]
  readonly userAgent: GivenOption | undefined
  readonly referer: GivenOption | undefined
  readonly range: string | undefined
  readonly isGet: boolean
  readonly isHead: boolean
  readonly followsRedirects: boolean
  readonly isCompressed: boolean
  readonly version: RequestVersion | undefined
  /** As written, in seconds. */
  readonly maxTime: GivenOption | undefined
  readonly connectTimeout: GivenOption | undefined
  readonly retries: GivenOption | undefined
  /** In seconds. */
  readonly retryDelay: GivenOption | undefined
  /** In the order of the URLs; '' for the last segment of the URL. */
  readonly outputs: readonly string[]
  readonly urlQueries: readonly GivenOption[]
  readonly isGlobbing: boolean
  readonly shouldKeepDotSegments: boolean
  /** Options that `httpcli run` has as well. */
  readonly runOptions: readonly GivenOption[]
  readonly lost: readonly GivenOption[]
  /** Lost as well, if redirects are followed. */
  readonly redirectOptions: readonly GivenOption[]
}

const dataKinds: ReadonlySet<OptionUse> = new Set(['data', 'data-raw', 'data-binary', 'data-urlencode', 'json'])

/** One for each group of options between `--next`. */
export function transfersOf(given: readonly GivenOption[]): readonly Transfer[] {
  const groups: GivenOption[][] = [[]]
  for (const each of given) {
    if (each.option.use === 'next') groups.push([])
    else (groups.at(-1) as GivenOption[]).push(each)
  }
  return groups.filter((group) => group.length > 0).map(transferOf)
}

const lostSchemes: ReadonlySet<string> = new Set(['aws-sigv4', 'negotiate', 'ntlm', 'ntlm-wb'])

function transferOf(given: readonly GivenOption[]): Transfer {
  const all = (use: OptionUse): readonly GivenOption[] => given.filter((each) => each.option.use === use && !each.isOff)
  const values = (use: OptionUse): readonly string[] => all(use).map(({ value }) => value)
  const last = (use: OptionUse): string | undefined => values(use).at(-1)
  const isOn = (use: OptionUse): boolean => given.findLast(({ option }) => option.use === use)?.isOff === false
  return {
    urls: all('url'),
    method: last('method'),
    headers: all('header'),
    data: given
      .filter(({ option }) => dataKinds.has(option.use))
      .map((each) => ({ kind: each.option.use as DataOption['kind'], value: each.value, given: each })),
    forms: given.filter(({ option }) => option.use === 'form' || option.use === 'form-string'),
    uploads: values('upload-file'),
    user: all('user').at(-1),
    authScheme: all('lost').some(({ option }) => lostSchemes.has(option.long))
      ? undefined
      : (all('auth-scheme').at(-1)?.option.detail ?? 'Basic'),
    bearer: last('oauth2-bearer'),
    cookies: all('cookie'),
    userAgent: all('user-agent').at(-1),
    referer: all('referer').at(-1),
    range: last('range'),
    isGet: isOn('get'),
    isHead: isOn('head'),
    followsRedirects: isOn('location'),
    isCompressed: isOn('compressed'),
    version: all('version').at(-1)?.option.detail as RequestVersion | undefined,
    maxTime: all('max-time').at(-1),
    connectTimeout: all('connect-timeout').at(-1),
    retries: all('retry').at(-1),
    retryDelay: all('retry-delay').at(-1),
    outputs: given
      .filter(({ option }) => option.use === 'output' || option.use === 'remote-name')
      .map(({ option, value }) => (option.use === 'output' ? value : '')),
    urlQueries: all('url-query'),
    isGlobbing: !isOn('globoff'),
    shouldKeepDotSegments: isOn('path-as-is'),
    runOptions: all('run'),
    lost: all('lost'),
    redirectOptions: all('redirect'),
  }
}
