/**
 * Assembles `src/message/fast/head-scan.wat` into `src/message/fast/head-scan-code.ts`.
 *
 * Rules: the generated module is kept in the repository, so that the library needs no assembler and no additional file;
 * a test compares it with the assembled source.
 *
 * Run: npx tsx scripts/assemble-head-scan.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import assembler from 'wabt'

const source: URL = new URL('../src/message/fast/head-scan.wat', import.meta.url)
const target: URL = new URL('../src/message/fast/head-scan-code.ts', import.meta.url)

const COLUMNS = 100

/** The text of the module that contains the assembled code. */
export async function headScanModule(): Promise<string> {
  const program = (await assembler()).parseWat('head-scan.wat', readFileSync(source, 'utf8'), { simd: true })
  program.validate()
  const code = Buffer.from(program.toBinary({}).buffer).toString('base64')
  program.destroy()
  const lines = code.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? []
  return `/** head-scan.wat as compiled by scripts/assemble-head-scan.ts: a WebAssembly module in Base64. */
export const HEAD_SCAN_CODE: string =
${lines.map((line) => `  '${line}'`).join(' +\n')}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, await headScanModule())
