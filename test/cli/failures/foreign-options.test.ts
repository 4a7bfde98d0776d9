/** Options of other tools: none is one of ours, and each answer names options that there are. */
import { describe, expect, it } from 'vitest'
import { describeFailure } from '../../../src/cli/failures/failure.ts'
import { foreignAdvice, foreignLettersAdvice, foreignOptions } from '../../../src/cli/failures/foreign-options.ts'
import { parseArguments } from '../../../src/cli/frame/argv.ts'
import { commands } from '../../../src/cli/options/option-table.ts'

const send = commands.find(({ name }) => name === 'send')!

describe('an option of another tool', () => {
  it.each([...foreignOptions, '-XPUT', '-sS', '--verify=no', '--print=HBhb', '-sSL'])(
    '%s is answered with what to write',
    (word) => {
      let thrown: unknown
      try {
        parseArguments(send, [word, 'value'])
      } catch (error) {
        thrown = error
      }
      const { text, exitCode } = describeFailure(thrown, {
        program: 'httpcli send',
        isDebug: false,
        colors: false,
        command: send,
      })
      expect(exitCode).toBe(1)
      expect(text).toMatch(/unknown option -.*\. (?:Write|Omit|-s: omit|Not supported:) /)
      const named = [
        ...(foreignAdvice(word) ?? foreignLettersAdvice(word) ?? '')
          .replaceAll(/-\w: /g, '')
          .matchAll(/(?<!\S)--([a-z-]+)|(?<!\S)-([a-zA-Z])\b/g),
      ]
      for (const [, long, short] of named) {
        expect(send.options.some((option) => option.long === long || option.short === short)).toBe(true)
      }
    },
  )

  it('is not one of ours', () => {
    const ours = send.options.flatMap(({ long, short }) => [`--${long}`, ...(short === undefined ? [] : [`-${short}`])])
    expect(ours.filter((word) => foreignAdvice(word) !== undefined)).toEqual([])
  })
})
