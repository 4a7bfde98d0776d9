/** The start and the end of a load test. */
import type { K6Modules } from '../k6.ts'
import type { LoadPlan } from '../load-plan.ts'

/** @throws Error if the user has not set a value that the script does not contain; that ends the test */
export function refuseMissing({ environment }: K6Modules, { secrets }: Pick<LoadPlan, 'secrets'>): void {
  const given = environment()
  const missing = secrets.filter((name) => given[name] === undefined).map((name) => ` -e ${name}=…`)
  if (missing.length > 0) throw new Error(`missing values: k6 run${missing.join('')}`)
}

/** @returns the texts to write, by file */
export function summaryTexts({ environment }: K6Modules, text: string, data: object): Readonly<Record<string, string>> {
  const { SUMMARY } = environment()
  return { stdout: text, ...(SUMMARY === undefined ? {} : { [SUMMARY]: JSON.stringify(data, undefined, 2) }) }
}
