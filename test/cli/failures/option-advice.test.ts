/** Advice on options: only what the sub-command has. */
import { describe, expect, it } from 'vitest'
import { describeFailure } from '../../../src/cli/failures/failure.ts'
import { optionAdvice } from '../../../src/cli/failures/option-advice.ts'
import { commands } from '../../../src/cli/options/option-table.ts'
import { HttpcliError } from '../../../src/message/index.ts'

const commandNamed = (name: string): (typeof commands)[number] => commands.find((command) => command.name === name)!

describe('advice on options', () => {
  it('names what send has, in the order in which to try it', () => {
    expect(optionAdvice('certificate-unknown-ca', commandNamed('send'))).toEqual([
      'trust it with --cacert <file>',
      'skip the check with -i',
    ])
  })

  it('names nothing that the sub-command does not have', () => {
    expect(optionAdvice('certificate-unknown-ca', commandNamed('help'))).toEqual([])
    expect(optionAdvice('idle-timeout', commandNamed('serve'))).toEqual([])
    expect(optionAdvice('idle-timeout', undefined)).toEqual([])
  })

  it('follows the hint of the error', () => {
    const error = new HttpcliError('name-not-found', 'no such host', { hint: 'check the spelling' })
    const settings = { program: 'httpcli send', debug: false, colors: false, command: commandNamed('send') }
    expect(describeFailure(error, settings).text).toBe(
      'httpcli send: no such host. Check the spelling, or give its address with --resolve <host:port:addr>.\n',
    )
  })
})
