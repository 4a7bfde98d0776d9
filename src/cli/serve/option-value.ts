/** Option values that the server validates: its errors are reported with the name of the option. */
import { HttpcliError, RestatedError } from '../../message/index.ts'
import type { ServeValues } from '../options/serve.ts'

/** @throws HttpcliError */
export function fromOption<Value>(option: keyof ServeValues, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof HttpcliError)) throw error
    throw new RestatedError(error, `--${option}: ${error.message}`, { cause: error, hint: error.hint })
  }
}
