/** The HTML parser, which reads any input as browsers do. */
import { parse } from 'parse5'

export function create(): object {
  return { parse }
}
