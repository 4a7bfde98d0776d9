/** For tests of reading reports: a run with everything that a report can have, as text and read again. */

import { jsonReport } from '../../../src/report/json-report.ts'
import { readReport, UnreadableReport } from '../../../src/report/reading/report-reader.ts'
import { type StoredReport, storeReport } from '../../../src/report/reading/stored-report.ts'
import type { RunRecord } from '../../../src/report/record/run-record.ts'
import { reportFormats } from '../../../src/report/report-format.ts'
import {
  assertionError,
  connectError,
  exchangeEvents,
  identity,
  listStore,
  recordOf,
  redirectedEvents,
  requestEvents,
} from '../events.ts'

export function fullRecord(): RunRecord {
  const request = identity({ name: 'Log in', tags: ['smoke'], line: 12 })
  const message = { type: 'message', request, direction: 'received' } as const
  const sample = { bytes: Buffer.from([0xff, 0x00, 0x80]), sizeBytes: 9, mediaType: 'image/png' }
  const [started, ...end] = requestEvents(request, 'failed', [
    { retry: 'the status is 500' },
    { test: 'passes' },
    { test: 'fails "] } and \\', error: assertionError, kind: 'assertion' },
    { script: assertionError },
    { log: 'a line\n"jobs": [{"requests": [' },
  ])
  const full = [
    started!,
    ...redirectedEvents(request, { sentBody: 'a=1', received: sample }),
    { ...message, data: 'text' },
    { ...message, data: Buffer.from([0xff]) },
    { type: 'captured', request, name: 'token' } as const,
    ...end,
  ]
  const down = identity({ number: 2, line: 20 })
  const skipped = identity({ number: 3, line: 30, iteration: 2 })
  return recordOf([
    { job: { environment: 'dev', row: { number: 1, of: 2 }, pass: { number: 1, of: 3 } }, events: full },
    {
      job: { path: 'b.http' },
      events: [
        { type: 'warning', error: connectError },
        { type: 'error', request: undefined, error: assertionError },
        ...requestEvents(down, 'error', [{ error: connectError }]),
        { type: 'request-skipped', request: skipped, reason: 'bail' },
      ],
    },
    { job: { path: 'c.http' }, events: [...requestEvents(identity(), 'passed', [{ status: 200 }])] },
    { job: { path: 'd.http' }, events: [], isFinished: true },
    { job: { path: 'e.http' }, events: exchangeEvents(identity(), 200, 'http://h/').slice(0, 0), isFinished: false },
  ])
}

export const formatNames = Object.keys(reportFormats) as (keyof typeof reportFormats)[]

export function textOf(record: RunRecord, format: keyof typeof reportFormats = 'json'): string {
  return [...reportFormats[format](record)].join('')
}

/** In pieces of some bytes, as from a file. */
async function* inPieces(text: string, pieceBytes: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

export function stored(text: string, pieceBytes: number = 4096, file: string = 'r.json'): Promise<StoredReport> {
  return storeReport(file, inPieces(text, pieceBytes), listStore())
}

/** Why a text is not a report; undefined if it is one. */
export async function problemOf(text: string, pieceBytes: number = 4096): Promise<string | undefined> {
  try {
    await readReport(inPieces(text, pieceBytes), { request: () => undefined, job: () => undefined })
    return undefined
  } catch (error) {
    if (error instanceof UnreadableReport) return error.message
    throw error
  }
}

export const fullText = (): string => [...jsonReport(fullRecord())].join('')
