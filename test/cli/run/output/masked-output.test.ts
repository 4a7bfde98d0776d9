import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { CommandContext, Output } from '../../../../src/cli/frame/command.ts'
import { withMaskedOutputs } from '../../../../src/cli/run/output/masked-output.ts'
import { SecretMask } from '../../../../src/secrets/index.ts'

class KeptOutput implements Output {
  readonly isTerminal = false
  readonly columns = 80
  readonly colors = false
  text = ''

  async write(data: string | Uint8Array): Promise<void> {
    this.text += typeof data === 'string' ? data : Buffer.from(data).toString('utf8')
  }
}

function contextOn(stdout: Output, stderr: Output): CommandContext {
  return {
    arguments: { positionals: [], has: () => false, value: () => undefined, values: () => [] },
    stdin: new PassThrough(),
    stdout,
    stderr,
    environment: {},
    workingDirectory: '/',
    signal: new AbortController().signal,
  }
}

const mask = new SecretMask()
mask.add('hunter2-hunter2')

describe.each(['stdout', 'stderr'] as const)('%s', (name) => {
  it('hides a secret that arrives piece by piece', async () => {
    const outputs = { stdout: new KeptOutput(), stderr: new KeptOutput() }
    await withMaskedOutputs(contextOn(outputs.stdout, outputs.stderr), mask, async ({ context }) => {
      for (const octet of Buffer.from('a hunter2-hunter2 b hunter2-hun'))
        await context[name].write(Uint8Array.of(octet))
    })
    expect(outputs[name].text).toBe('a *** b hunter2-hun')
  })

  it('writes held-back output when the command fails', async () => {
    const outputs = { stdout: new KeptOutput(), stderr: new KeptOutput() }
    const running = withMaskedOutputs(contextOn(outputs.stdout, outputs.stderr), mask, async ({ context }) => {
      await context[name].write(Buffer.from('hunter2'))
      throw new Error('the command failed')
    })
    await expect(running).rejects.toThrow('the command failed')
    expect(outputs[name].text).toBe('hunter2')
  })
})

it('writes a message at once, after held-back output', async () => {
  const outputs = { stdout: new KeptOutput(), stderr: new KeptOutput() }
  await withMaskedOutputs(contextOn(outputs.stdout, outputs.stderr), mask, async ({ context }) => {
    await context.stderr.write(Buffer.from('body hunter'))
    await context.stderr.write('\nwarning: hunter2-hunter2, hunter')
    expect(outputs.stderr.text).toBe('body hunter\nwarning: ***, hunter')
  })
})
