/** The formats of `--report` by name, and the recorder of their data. */
import { harReport } from './har-report.ts'
import { htmlReport } from './html/html-report.ts'
import { jsonReport } from './json-report.ts'
import { junitReport } from './junit-report.ts'
import type { RunRecord } from './record/run-record.ts'
import { tapReport } from './tap-report.ts'

export { RunRecorder } from './record/run-recorder.ts'

/** Returns the report in pieces of text. */
export type ReportRenderer = (record: RunRecord) => Iterable<string>

/** Formats that are written to a file. */
export type ReportFormat = 'junit' | 'json' | 'tap' | 'html' | 'har'

export const reportFormats: Readonly<Record<ReportFormat, ReportRenderer>> = {
  junit: junitReport,
  json: jsonReport,
  tap: tapReport,
  html: htmlReport,
  har: harReport,
}
