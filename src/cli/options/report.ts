/** The options of `httpcli report`. */
import { type CommandSpecification, color, debug, helpOption, reports, type ValuesOf } from './specification.ts'

export const report = {
  name: 'report',
  summary: 'Merge the reports of the shards of a run.',
  description:
    'Reads the JSON reports that "httpcli run --shard" has written, one for each shard, and writes what one run would have reported.',
  examples: [
    { command: 'httpcli report merge *.json --report tap=-', purpose: 'one report of all shards' },
    { command: 'httpcli report merge 1.json 2.json --report html=report.html', purpose: 'as a page' },
    { command: 'httpcli report merge run.json --report har=run.har', purpose: 'another format of one report' },
  ],
  positionals: [
    { name: '<action>', required: true, choices: ['merge'], description: 'What to do: merge.' },
    {
      name: '<report-file>',
      required: true,
      repeatable: true,
      description: 'The JSON reports of all shards, or that of a whole run.',
      endings: ['.json'],
    },
  ],
  options: [reports, color, debug, helpOption],
  exclusive: [],
} as const satisfies CommandSpecification

export type ReportValues = ValuesOf<typeof report.options>
