/** An error with any code, for tests of what reports errors or passes them on. */
import { HttpcliError } from '../../src/message/index.ts'

export class SomeError extends HttpcliError {}
