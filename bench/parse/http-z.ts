/** http-z: converts text to plain objects and back. It cannot read chunked content. */
import { inTurn, type MakeContender } from './contender.ts'
import { peer } from './peer.ts'

interface Model {
  readonly headers: readonly unknown[]
}

interface HttpZ {
  parse(text: string): Model
  build(model: Model): string
}

export const httpZ: MakeContender = (name, copies) => {
  if (name === 'C') return undefined
  const { parse, build } = peer('http-z') as HttpZ
  const texts = copies.map((octets) => octets.toString('latin1'))
  const models = texts.map((text) => parse(text))
  const parseOctets = inTurn(copies, (octets) => parse(octets.toString('latin1')).headers.length)
  return {
    tasks: {
      lazily: parseOctets,
      strings: parseOctets,
      'text in': inTurn(texts, (text) => parse(text).headers.length),
      'text out': inTurn(models, (model) => build(model).length),
    },
    keep: (octets) => parse(octets.toString('latin1')),
  }
}
