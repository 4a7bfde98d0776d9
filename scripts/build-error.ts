/** An error that prevents a build: reported in one line, without a stack trace. */
export class BuildError extends Error {}

/** Runs the work of a script; if it fails with a BuildError, prints the reason and sets the exit code. */
export async function orReport(program: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    const isOfSystem = typeof code === 'string' && path !== undefined
    if (!(error instanceof BuildError) && !isOfSystem) throw error
    const reason = isOfSystem ? `cannot use ${path} (${code})` : (error as Error).message
    process.stderr.write(`${program}: ${reason}\n`)
    process.exitCode = 1
  }
}
