/** Numbers in JSON: clocks return more decimals than they can measure. */

/** For JSON.stringify: rounds numbers to three decimals. */
export function withThreeDecimals(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
}
