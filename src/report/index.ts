/**
 * Converts run events to text. Opens and writes nothing: the caller writes the returned text.
 *
 * Modules that only some runs need are loaded on demand: `loadReports`, `loadGithubReport`, `loadJsonEvents`,
 * `loadReportReading`.
 */
export { FailureList, paintedSummary, summaryText } from './console-summary.ts'
export { type ConsoleStyle, ConsoleText, shown } from './console-text.ts'
export type { JsonEvents, OctetPieces } from './json-event.ts'
export type { MaskBytes } from './record/body-record.ts'
export { failureLines, failureRecord } from './record/failure-record.ts'
export type { BodyLimits } from './record/job-recorder.ts'
export { headerPairs, octetText, utf8Text } from './record/octet-text.ts'
export { counted, escapedControls, oneLine, sentence, shownDuration, shownSize } from './record/printable-text.ts'
export { repairRecord, repairText } from './record/repair-record.ts'
export type { RecordStore, ReportErrorCode, ReportedJob, RunRecord, ShardRecord } from './record/run-record.ts'
export type { RunRecorder } from './record/run-recorder.ts'
export type { ReportFormat, ReportRenderer } from './report-format.ts'

/** For `--report`: the recorder, and the formats by their names. */
export function loadReports(): Promise<typeof import('./report-format.ts')> {
  return import('./report-format.ts')
}

/** Loads the modules of `--report github`. */
export function loadGithubReport(): Promise<typeof import('./github-report.ts')> {
  return import('./github-report.ts')
}

/** For `--json`. */
export function loadJsonEvents(): Promise<typeof import('./json-event.ts')> {
  return import('./json-event.ts')
}

/** Reads JSON reports, and merges those of shards. */
export function loadReportReading(): Promise<typeof import('./report-reading.ts')> {
  return import('./report-reading.ts')
}
