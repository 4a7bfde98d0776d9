/** A value typed on the terminal: what is shown, and what is not an answer. */
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../../../src/cli/frame/command.ts'
import { askOnTerminal } from '../../../src/cli/run/terminal-prompt.ts'

async function asked(
  typed: string,
  isSecret: boolean,
): Promise<{ readonly answer: string | undefined; readonly shown: string }> {
  const stdin = new PassThrough()
  let shown = ''
  const stderr = {
    write: (text: string): Promise<void> => {
      shown += text
      return Promise.resolve()
    },
  }
  const context = { stdin, stderr, signal: new AbortController().signal } as unknown as CommandContext
  const answer = askOnTerminal(context, { name: 'user', question: 'Who?', isSecret })
  stdin.end(typed)
  return { answer: await answer, shown }
}

describe('a prompt', () => {
  it('reads a line', async () => {
    expect(await asked('ada lovelace\nmore\n', false)).toEqual({ answer: 'ada lovelace', shown: 'Who?: ' })
  })

  it('shows nothing of a secret', async () => {
    expect(await asked('hush\r', true)).toEqual({ answer: 'hush', shown: 'Who?: \n' })
  })

  it.each<[string, string, boolean]>([
    ['the end of the input', '', false],
    ['Ctrl-C', 'hu\u0003', true],
    ['Ctrl-D', '\u0004', true],
  ])('treats %s as no answer', async (_title, typed, isSecret) => {
    expect((await asked(typed, isSecret)).answer).toBeUndefined()
  })

  it('treats an empty line as an empty value', async () => {
    expect((await asked('\n', false)).answer).toBe('')
  })
})
