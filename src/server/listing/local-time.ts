/** The local time of the machine, for logs and listings, which people compare with their clock. */

/** Local time minus UTC at a moment (milliseconds since 1970), in minutes. */
export function machineOffsetMinutes(epochMs: number): number {
  return -new Date(epochMs).getTimezoneOffset()
}
