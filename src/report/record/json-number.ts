/** Numbers in JSON: clocks give more decimals than they know. */

/** For JSON.stringify: no number has more than three decimals. */
export function withThreeDecimals(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
}
