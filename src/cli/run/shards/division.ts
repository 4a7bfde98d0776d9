/**
 * Divides work among shards so that all take about the same time. The result is the same on every machine.
 *
 * Rules: units are assigned from the heaviest to the lightest, each to the shard with the least work so far. Among
 * equal units, the earlier one is first; among equal shards, the one with fewer units, then the one with the lower
 * number. Weights are whole numbers, so that sums do not depend on their order. The largest shard gets at most 4/3 of
 * the work of the largest shard in the best division (Graham, 1969), and far less with many units.
 */

/** @returns by unit, the number of its shard, from 1 */
export function divide(weights: readonly number[], shardCount: number): readonly number[] {
  const shards = Array.from({ length: shardCount }, () => ({ weight: 0, units: 0 }))
  const order = [...weights.keys()].sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b)
  const numbers = new Array<number>(weights.length)
  for (const unit of order) {
    let least = 0
    for (let index = 1; index < shardCount; index++) if (isLess(shards[index], shards[least])) least = index
    const shard = shards[least] as Shard
    shard.weight += weights[unit] as number
    shard.units++
    numbers[unit] = least + 1
  }
  return numbers
}

interface Shard {
  weight: number
  units: number
}

function isLess(one: Shard | undefined, other: Shard | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one.weight < other.weight || (one.weight === other.weight && one.units < other.units)
}
