/** An error with any of the codes, for tests of code that reports or forwards errors. */
import { HttpcliError } from '../../src/message/index.ts'

export class SomeError extends HttpcliError {}
