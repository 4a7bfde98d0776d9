import { describe, expect, it } from 'vitest'
import { type PlaceHolder, Places } from '../../../src/server/limits/places.ts'

class Client implements PlaceHolder {
  waitingSince: number | undefined
  isDestroyed = false

  constructor(waitingSince: number | undefined) {
    this.waitingSince = waitingSince
  }

  destroy(): void {
    this.isDestroyed = true
  }
}

let clockMs = 0

function placesFor(connections: number, overflow = 2): Places<Client> {
  return new Places<Client>({ connections, overflow, openFiles: 1 }, () => clockMs)
}

/** Clients of one network, in the order of their numbers. */
function fill(places: Places<Client>, network: string, since: readonly (number | undefined)[]): Client[] {
  return since.map((number) => {
    const client = new Client(number)
    expect(places.admit(client, network)).toBe('place')
    return client
  })
}

const gone = (clients: readonly Client[]) => clients.map(({ isDestroyed }) => isDestroyed)

describe('a full server', () => {
  it('closes the longest-waiting connection of the client with the most', () => {
    const places = placesFor(6)
    const few = fill(places, 'few', [1, 2])
    const many = fill(places, 'many', [5, 4, 3, 6])
    fill(places, 'new', [7])
    expect([gone(few), gone(many)]).toEqual([
      [false, false],
      [false, false, true, false],
    ])
    fill(places, 'new', [8])
    expect([gone(few), gone(many)]).toEqual([
      [false, false],
      [false, true, true, false],
    ])
  })

  it('closes one of a smaller client if the largest has none waiting', () => {
    const places = placesFor(4)
    const busy = fill(places, 'busy', [undefined, undefined, undefined])
    const [idle] = fill(places, 'idle', [1])
    fill(places, 'new', [2])
    expect([gone(busy), idle?.isDestroyed]).toEqual([[false, false, false], true])
  })

  it('makes room for each client of a burst, not only for those of one search', () => {
    const places = placesFor(3)
    const first = fill(places, 'first', [1, 2, 3])
    const burst = fill(places, 'burst', [4, 5, 6, 7, 8, 9, 10])
    expect(gone(first)).toEqual([true, true, true])
    expect(gone(burst)).toEqual([true, true, true, true, false, false, false])
  })

  it('never closes one in the middle of something: the next clients are overflow, and then turned away', () => {
    const places = placesFor(2)
    const busy = fill(places, 'a', [undefined, undefined])
    const overflow = [new Client(undefined), new Client(undefined)]
    expect(overflow.map((client) => places.admit(client, 'b'))).toEqual(['overflow', 'overflow'])
    expect(places.admit(new Client(1), 'c')).toBe('none')
    overflow[1]!.waitingSince = 1
    expect(places.admit(new Client(2), 'c')).toBe('overflow')
    expect([gone(busy), gone(overflow)]).toEqual([
      [false, false],
      [false, true],
    ])
  })

  it('checks again whether a connection still waits', () => {
    const places = placesFor(3)
    const [first, second] = fill(places, 'a', [1, 2, 3])
    fill(places, 'a', [4])
    expect(first?.isDestroyed).toBe(true)
    second!.waitingSince = undefined
    clockMs += 1
    fill(places, 'a', [5])
    expect(second?.isDestroyed).toBe(false)
  })

  it('has room again when a connection has left', () => {
    const places = placesFor(1)
    const [busy] = fill(places, 'a', [undefined])
    expect(places.admit(new Client(1), 'b')).toBe('overflow')
    places.leave(busy!)
    fill(places, 'b', [2])
    expect([...places]).toHaveLength(2)
  })

  it('finds waiting connections among thousands without a search per new client', () => {
    const places = placesFor(4_000)
    let looks = 0
    const watched = Array.from({ length: 3_500 }, (_, index) => {
      const client = new Client(index)
      const get = () => {
        looks += 1
        return index
      }
      Object.defineProperty(client, 'waitingSince', { get })
      places.admit(client, 'a')
      return client
    })
    for (let count = 0; count < 500; count++) places.admit(new Client(undefined), `b${count}`)
    for (let count = 0; count < 64; count++) places.admit(new Client(undefined), 'c')
    expect(watched.filter(({ isDestroyed }) => isDestroyed)).toHaveLength(64)
    expect(looks).toBeLessThan(2 * 3_500)
  })
})

describe('the last eighth of the connections', () => {
  it('is not for a client that holds all others', () => {
    const places = placesFor(16)
    fill(places, 'greedy', Array<undefined>(14).fill(undefined))
    expect(places.admit(new Client(undefined), 'greedy')).toBe('overflow')
    fill(places, 'other', [undefined, undefined])
  })

  it('is not taken from others by a client whose own connections are all busy', () => {
    const places = placesFor(16)
    fill(places, 'greedy', Array<undefined>(14).fill(undefined))
    const [idle] = fill(places, 'other', [1])
    expect(places.admit(new Client(undefined), 'greedy')).toBe('overflow')
    expect(idle?.isDestroyed).toBe(false)
  })

  it('costs such a client one of its waiting connections', () => {
    const places = placesFor(16)
    const [first] = fill(places, 'greedy', [1, ...Array<undefined>(13).fill(undefined)])
    fill(places, 'greedy', [undefined])
    expect(first?.isDestroyed).toBe(true)
  })
})
