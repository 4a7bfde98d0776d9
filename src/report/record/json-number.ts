/** Numbers and dates in JSON: clocks return more decimals than they can measure. */

/** To three decimals. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** For JSON.stringify: rounds numbers to three decimals. */
export function withThreeDecimals(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? rounded(value) : value
}

export function moment(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
