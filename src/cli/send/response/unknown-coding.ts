/** The warning about a coding that cannot be decoded, whose name the server chose. Loaded only for such a response. */
import { escapedControls } from '../../../report/index.ts'

/** @param kind `content` or `transfer` */
export function unknownCodingText(kind: 'content' | 'transfer', coding: string): string {
  return `unknown ${kind} coding "${escapedControls(coding)}": the body is shown as received`
}
