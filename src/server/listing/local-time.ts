/** The time of the machine, as logs and listings show it: a person compares it with the clock on the wall. */

/** Local time minus UTC at a moment (milliseconds since 1970), in minutes. */
export function machineOffsetMinutes(epochMs: number): number {
  return -new Date(epochMs).getTimezoneOffset()
}
