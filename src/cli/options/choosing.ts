/** The options that select files and requests, shared by all sub-commands that read request files. */
import type { OptionSpecification, PositionalSpecification } from './specification.ts'

export const requestFiles = {
  name: '<http-file>',
  required: true,
  repeatable: true,
  description: 'Request files, directories of them, patterns such as "api/**", or - for standard input.',
  endings: ['.http', '.rest'],
} as const satisfies PositionalSpecification

export const choosingOptions = [
  {
    long: 'name',
    argument: '<name>',
    names: 'requests',
    repeatable: true,
    description: 'Only requests with this name; * matches any text.',
  },
  {
    long: 'line',
    argument: '<line>',
    repeatable: true,
    description: 'Only the request around this line: 12, or api.http:12.',
  },
  {
    long: 'tag',
    argument: '<tag>',
    names: 'tags',
    repeatable: true,
    description: 'Only requests with "# @tag <tag>"; with !<tag> those without it.',
  },
] as const satisfies readonly OptionSpecification[]
