/** The error of an exchange that must fail. */
import { expect } from 'vitest'
import type { WireError } from '../../src/wire/index.ts'

export function failure(exchange: Promise<unknown>): Promise<WireError> {
  return exchange.then(
    () => expect.unreachable('the exchange succeeded'),
    (error: WireError) => error,
  )
}
