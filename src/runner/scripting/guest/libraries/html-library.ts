/** The HTML parser, which reads whatever a server sends as browsers do. */
import { parse } from 'parse5'

export function create(): object {
  return { parse }
}
