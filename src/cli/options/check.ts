/** The options of `httpcli check`. */
import { choosingOptions, requestFiles } from './choosing.ts'
import { type CommandSpecification, color, debug, helpOption, type ValuesOf } from './specification.ts'
import { dataRows, fileRoot, variableOptions } from './variables.ts'

export const check = {
  name: 'check',
  summary: 'Find mistakes in request files without sending anything.',
  description:
    'Reads the files, their imports, environments and scripts, and looks up every variable. The exit code is that of a run.',
  examples: [
    { command: 'httpcli check api.http -e staging', purpose: 'one file with one environment' },
    { command: 'httpcli check tests', purpose: 'all request files below a directory' },
    { command: 'httpcli check api.http --data users.csv', purpose: 'with the columns of a table as variables' },
  ],
  positionals: [requestFiles],
  options: [
    ...choosingOptions,
    ...variableOptions,
    fileRoot,
    { long: 'cookiejar', short: 'c', argument: '<file>', description: 'Read cookies from this file.' },
    dataRows,
    {
      long: 'fail-on',
      argument: '<severity>',
      choices: ['error', 'warning'],
      description: 'With "warning", warnings end with exit code 5. Default error.',
    },
    { long: 'json', description: 'Print the findings as JSON Lines: one object for each file.' },
    color,
    debug,
    helpOption,
  ],
  exclusive: [],
} as const satisfies CommandSpecification

export type CheckValues = ValuesOf<typeof check.options>
