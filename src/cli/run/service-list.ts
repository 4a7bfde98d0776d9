/** `run --list-services`: prints the services of gRPC servers as requests. */
import { loadServiceStubs } from '../../runner/index.ts'
import type { WireOptions } from '../../wire/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import type { RunValues } from '../options/run.ts'

/** @throws as `serviceStubs` */
export async function listServices(
  { arguments: { positionals }, stdout }: CommandContext<RunValues>,
  wire: WireOptions,
): Promise<ExitCode> {
  const { serviceStubs } = await loadServiceStubs()
  for (const [index, address] of positionals.entries()) {
    await stdout.write(`${index === 0 ? '' : '\n'}${await serviceStubs(address, wire)}`)
  }
  return exitCodes.ok
}
