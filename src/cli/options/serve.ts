/** The options of `httpcli serve`. */
import { type CommandSpecification, debug, helpOption } from './specification.ts'

export const serve: CommandSpecification = {
  name: 'serve',
  summary: 'Serve the files of a directory over HTTP.',
  description: 'Only this machine can connect unless --host says otherwise. Ctrl-C ends the server.',
  examples: [
    { command: 'httpcli serve site', purpose: 'on http://127.0.0.1:8080/' },
    { command: 'httpcli serve site -p 0 -l', purpose: 'on any free port, with a log' },
    { command: 'httpcli serve docs -r /manual', purpose: 'on http://127.0.0.1:8080/manual/' },
  ],
  positionals: [{ name: '<dir>', required: true, description: 'The directory to serve.' }],
  options: [
    { long: 'port', short: 'p', argument: '<port-number>', description: 'Port. Default 8080; 0 is any free port.' },
    { long: 'host', argument: '<address>', description: 'Address to listen on. Default 127.0.0.1.' },
    { long: 'log-requests', short: 'l', description: 'Log every answered request on standard output.' },
    {
      long: 'media-types',
      short: 'm',
      argument: '<file>',
      description: 'Media types by file extension, one "extension: type" a line; they add to the built-in ones.',
    },
    { long: 'root-path', short: 'r', argument: '<path>', description: 'Path in URLs that stands for the directory.' },
    debug,
    helpOption,
  ],
  exclusive: [],
}
