/** The options of `httpcli run`. */
import {
  type CommandSpecification,
  color,
  debug,
  helpOption,
  ignoreTlsCertificate,
  logRequest,
  printResponseMode,
} from './specification.ts'

export const run: CommandSpecification = {
  name: 'run',
  summary: 'Run the requests of a request file in order.',
  description: 'Variables come from an environment file beside the request file; handler scripts test the responses.',
  examples: [
    { command: 'httpcli run api.http', purpose: 'all requests of the file' },
    { command: 'httpcli run api.http -e staging', purpose: 'with the variables of one environment' },
    { command: 'httpcli run api.http -p status', purpose: 'status lines and test results only' },
  ],
  positionals: [{ name: '<http-file>', required: true, description: 'The request file.' }],
  options: [
    {
      long: 'environment',
      short: 'e',
      argument: '<name>',
      description: 'Environment of http-client.env.json to take variables from.',
    },
    ignoreTlsCertificate,
    printResponseMode,
    logRequest,
    color,
    debug,
    helpOption,
  ],
  exclusive: [],
}
