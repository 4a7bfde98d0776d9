/** Reads JSON reports: request by request, or into a store to merge them. */
export { mergedRun } from './reading/merged-run.ts'
export { readReport, UnreadableReport } from './reading/report-reader.ts'
export { setProblem } from './reading/shard-set.ts'
export { storeReport } from './reading/stored-report.ts'
export { isUnsuccessful as isTroubled, jobLabel, requestLabel } from './record/run-record.ts'
