/** The start and the end of a load test. */
import type { K6Modules } from '../k6.ts'
import type { LoadPlan } from '../load-plan.ts'

/** Aborts the test if the user has not set a value that the script does not contain. @returns whether it aborts */
export function abortIfIncomplete({ environment, exec }: K6Modules, { secrets }: Pick<LoadPlan, 'secrets'>): boolean {
  let missing = ''
  for (let index = 0; index < secrets.length; index++) {
    const name = secrets[index] as string
    if (environment[name] === undefined) missing += ` -e ${name}=…`
  }
  if (missing === '') return false
  exec?.test.abort(`missing values: k6 run${missing}`)
  return true
}

/** @returns the texts to write, by file */
export function summaryTexts(
  { environment: { SUMMARY } }: K6Modules,
  text: string,
  data: object,
): Readonly<Record<string, string>> {
  return { stdout: text, ...(SUMMARY === undefined ? {} : { [SUMMARY]: JSON.stringify(data, undefined, 2) }) }
}
