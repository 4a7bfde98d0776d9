/**
 * The text of a progress line with its bar, and of the summary of a finished transfer.
 *
 * Rules: a line is shorter than the terminal is wide, because a full line wraps. Parts that do not fit are omitted,
 * the bar first. Sizes have decimal units. ASCII only: the encoding of a terminal is unknown.
 */
import { escapedControls, oneLine, shownDuration, shownSize } from '../../../report/index.ts'

export interface ProgressState {
  readonly doneBytes: number
  /** Undefined if unknown. */
  readonly totalBytes: number | undefined
  /** The rate during the last seconds. */
  readonly bytesPerSecond: number
}

const MAX_BAR_COLUMNS = 40
const MIN_BAR_COLUMNS = 8

/** ` 43 % [=====>     ] 43.0 MB of 100.0 MB, 12.3 MB/s, 0:05 left`, or the parts of it that fit. */
export function progressLine({ doneBytes, totalBytes, bytesPerSecond }: ProgressState, columns: number): string {
  const room = columns - 1
  const rate = rateText(bytesPerSecond)
  if (totalBytes === undefined || totalBytes === 0) return firstFitting([`${shownSize(doneBytes)}, ${rate}`], room)
  const share = Math.min(1, doneBytes / totalBytes)
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`
  const amount = `${shownSize(Math.min(doneBytes, totalBytes))} of ${shownSize(totalBytes)}`
  const leftMs = ((totalBytes - doneBytes) / bytesPerSecond) * 1000
  const time = Number.isFinite(leftMs) ? `${clockText(Math.max(0, leftMs))} left` : 'stalled'
  const texts = [`${amount}, ${rate}, ${time}`, `${rate}, ${time}`, time]
  const text = firstFitting(texts, room - percent.length - 1)
  const barColumns = Math.min(MAX_BAR_COLUMNS, room - percent.length - text.length - ' [] '.length)
  const bar = barColumns < MIN_BAR_COLUMNS ? '' : ` [${barText(share, barColumns)}]`
  return `${percent}${bar} ${text}`.slice(0, Math.max(0, room)).trimEnd()
}

/** The first text that is short enough, or an empty one. */
function firstFitting(texts: readonly string[], room: number): string {
  return texts.find((text) => text.length <= room) ?? ''
}

function barText(share: number, columns: number): string {
  const filled = Math.floor(share * columns)
  if (filled === columns) return '='.repeat(columns)
  return `${'='.repeat(filled)}>${' '.repeat(columns - filled - 1)}`
}

/** `12.3 MB in 4.20 s (2.9 MB/s)`. */
export function transferSummary(bytes: number, durationMs: number): string {
  const rate = durationMs > 0 ? ` (${rateText((bytes / durationMs) * 1000)})` : ''
  return `${shownSize(bytes)} in ${shownDuration(durationMs)}${rate}`
}

/**
 * `saved logo.svg: ...`: the line that stays after a transfer.
 * @param path undefined if the content is not from one file
 */
export function transferLine(what: 'saved' | 'sent', path: string | undefined, summary: string): string {
  return path === undefined ? `${what} ${summary}\n` : `${what} ${escapedControls(oneLine(path))}: ${summary}\n`
}

function rateText(bytesPerSecond: number): string {
  return `${shownSize(Math.round(bytesPerSecond))}/s`
}

/** `0:05`, `12:34`, `1:02:03`. */
function clockText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  const twoDigits = (count: number): string => String(count).padStart(2, '0')
  const head = hours > 0 ? `${hours}:${twoDigits(minutes)}` : `${minutes}`
  return `${head}:${twoDigits(seconds % 60)}`
}
