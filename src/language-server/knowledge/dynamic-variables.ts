/** Dynamic variables: names between braces that begin with `$`, and names of scripts. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of snippets
import type { Topic } from './topic.ts'

export interface DynamicTopic extends Topic {
  /** The forms of a call, without braces; the name alone by default. */
  readonly forms?: readonly string[]
  /** How a call is inserted, as a snippet. */
  readonly snippet?: string
}

const ownFormat: Readonly<Record<string, DynamicTopic>> = {
  $uuid: { text: 'A random UUID, a fresh one for each use.', source: 'RFC 9562 section 5.4' },
  '$random.uuid': { text: 'A random UUID, the same as `$uuid`.', source: 'RFC 9562 section 5.4' },
  $timestamp: {
    text: 'The seconds since 1970-01-01 UTC.',
    forms: ['$timestamp', '$timestamp -3 h'],
    example: '1795491600',
  },
  $isoTimestamp: {
    text: 'The time in UTC, with milliseconds.',
    source: 'RFC 3339',
    example: '2026-11-24T05:00:00.000Z',
  },
  $randomInt: {
    text: 'A whole number from 0 to 1000; with two numbers from the first up to, not including, the second.',
    forms: ['$randomInt', '$randomInt 5 20'],
    example: '417',
  },
  '$random.integer': {
    text: 'A whole number: from 0 to 1000, or from 0 or the first number up to, not including, the last.',
    forms: ['$random.integer()', '$random.integer(to)', '$random.integer(from, to)'],
    snippet: '$random.integer(${1:1}, ${2:100})',
    example: '42',
  },
  '$random.float': {
    text: 'A decimal number: from 0 to 1000, or from 0 or the first number up to the last.',
    forms: ['$random.float()', '$random.float(to)', '$random.float(from, to)'],
    snippet: '$random.float(${1:1}, ${2:100})',
    example: '3.1415',
  },
  '$random.alphabetic': {
    text: 'Random letters.',
    forms: ['$random.alphabetic(length)'],
    snippet: '$random.alphabetic(${1:10})',
    example: 'kQzvTbWmLa',
  },
  '$random.alphanumeric': {
    text: 'Random letters, digits and underscores.',
    forms: ['$random.alphanumeric(length)'],
    snippet: '$random.alphanumeric(${1:10})',
    example: 'k7_vTb3mLa',
  },
  '$random.hexadecimal': {
    text: 'Random hexadecimal digits.',
    forms: ['$random.hexadecimal(length)'],
    snippet: '$random.hexadecimal(${1:16})',
    example: '9f86d081884c7d65',
  },
  '$random.email': { text: 'A random address at `example.com`.', example: 'kqzvtbwm.laposd@hrtwqpa.example.com' },
}

const surroundings: Readonly<Record<string, DynamicTopic>> = {
  $projectRoot: { text: 'The nearest directory above the request file that has `.git` or `.idea`. May begin a path.' },
  $historyFolder: { text: 'The directory in which the JetBrains editor keeps responses. May begin a path.' },
  $exampleServer: { text: 'The public server of JetBrains for samples.' },
  $placeholder: { text: 'A placeholder for a missing value; the request is not sent.' },
  '$auth.token': {
    text: 'The access token of an authentication in `Security` of the environment file, fetched when needed.',
    source: 'RFC 6749',
    forms: ['$auth.token("id")'],
    snippet: '$auth.token("${1:id}")',
  },
  '$auth.idToken': {
    text: 'The ID token of an authentication in `Security` of the environment file.',
    source: 'OpenID Connect Core 1.0 section 2',
    forms: ['$auth.idToken("id")'],
    snippet: '$auth.idToken("${1:id}")',
  },
}

/** In the form of VS Code REST Client and Visual Studio: arguments are separated by blanks. */
const otherEditors: Readonly<Record<string, DynamicTopic>> = {
  $guid: { text: 'A random UUID, as VS Code REST Client names it.' },
  $datetime: {
    text: 'The time in UTC by a format: `iso8601`, `rfc1123` or a pattern in quotes. An offset may follow.',
    forms: ['$datetime iso8601', '$datetime rfc1123', '$datetime "YYYY-MM-DD" -1 d'],
    snippet: '$datetime ${1|iso8601,rfc1123,"YYYY-MM-DD"|}',
  },
  $localDatetime: {
    text: 'As `$datetime`, but in the local time zone.',
    forms: ['$localDatetime iso8601', '$localDatetime "YYYY-MM-DD" -1 d'],
    snippet: '$localDatetime ${1|iso8601,rfc1123,"YYYY-MM-DD"|}',
  },
  $processEnv: {
    text: 'A variable of the process that runs httpcli. `%name` reads the variable whose name another one holds.',
    forms: ['$processEnv NAME', '$processEnv %name'],
    snippet: '$processEnv ${1:NAME}',
  },
  $dotenv: {
    text: 'A variable of the nearest `.env` file.',
    forms: ['$dotenv NAME', '$dotenv %name'],
    snippet: '$dotenv ${1:NAME}',
  },
  $shared: {
    text: 'A variable of `$shared` in the environment file.',
    forms: ['$shared NAME'],
    snippet: '$shared ${1:NAME}',
  },
}

export const dynamicVariables: Readonly<Record<string, DynamicTopic>> = {
  ...ownFormat,
  ...surroundings,
  ...otherEditors,
}

export const environmentVariable: DynamicTopic = {
  text: 'A variable of the process that runs httpcli.',
  forms: ['$env.NAME'],
  example: '{{$env.HOME}}',
}

/** Fake values, by category: `$random.name.firstName`. */
export function fakeTopic(name: string): Topic {
  const [group = '', value = ''] = name.split('.')
  const words = value.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return {
    text: `A fake value: ${words} of ${group}. \`$random.locale.${name}("de", 42)\` gives it in another language, the same each time with a seed.`,
  }
}
