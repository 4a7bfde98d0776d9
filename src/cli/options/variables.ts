/** Options that set variables, shared by all sub-commands that run or check request files. */
import type { OptionSpecification } from './specification.ts'

export const variableOptions = [
  {
    long: 'environment',
    short: 'e',
    argument: '<name>',
    names: 'environments',
    description: 'Environment of http-client.env.json to take variables from.',
  },
  {
    long: 'variable',
    short: 'V',
    argument: '<name=value>',
    repeatable: true,
    description: 'Value of a variable; it wins over every other.',
  },
  {
    long: 'private-variable',
    short: 'P',
    argument: '<name=value>',
    repeatable: true,
    description: 'The same as a value of the private environment file.',
  },
  {
    long: 'env-file',
    argument: '<file>',
    description: 'Environment file instead of the one next to the request file.',
  },
  { long: 'private-env-file', argument: '<file>', description: 'The same for the private environment file.' },
  { long: 'dotenv', argument: '<file>', description: 'Also take values for {{$env.NAME}} from this file.' },
  { long: 'lenient', description: 'Treat an undefined variable as empty text.' },
] as const satisfies readonly OptionSpecification[]

export const fileRoot = {
  long: 'file-root',
  argument: '<dir>',
  description: 'Directory whose files a request file may reach. Default: the repository, or the working directory.',
} as const satisfies OptionSpecification

export const dataRows = {
  long: 'data',
  argument: '<file>',
  description: 'Run each file once for each row of this CSV or JSON file; columns are variables.',
} as const satisfies OptionSpecification
