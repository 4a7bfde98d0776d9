/** The words of the command line against the option table. */
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../../../src/cli/frame/argv.ts'
import type { AnyValues, ParsedArguments } from '../../../src/cli/frame/command.ts'
import { UsageError } from '../../../src/cli/frame/usage-error.ts'
import {
  type CommandSpecification,
  commands,
  type PositionalSpecification,
} from '../../../src/cli/options/option-table.ts'
import { serve } from '../../../src/cli/options/serve.ts'

/** A separate command, so that these tests do not depend on the real commands. */
const specification: CommandSpecification = {
  name: 'probe',
  summary: 'A command for tests.',
  description: '',
  examples: [],
  positionals: [
    { name: '<from>', required: true, description: '' },
    { name: '<to>', required: false, description: '' },
  ],
  options: [
    { long: 'body-text', short: 'b', argument: '<text>', description: '' },
    { long: 'insecure', short: 'i', description: '' },
    { long: 'log', short: 'l', description: '' },
    { long: 'mode', short: 'm', argument: '<mode>', choices: ['all', 'body'], description: '' },
    { long: 'page', short: 'g', argument: '<file>', isValueOptional: true, description: '' },
    { long: 'password', argument: '<text>', isSecret: true, description: '' },
    { long: 'resolve', argument: '<pair>', repeatable: true, description: '' },
    { long: 'text', short: 't', argument: '<text>', description: '' },
    { long: 'help', short: 'h', description: '' },
  ],
  exclusive: [['text', '<to>', 'body-text']],
}

function parsed(...words: string[]): ParsedArguments<AnyValues> {
  const result = parseArguments(specification, words)
  if (result.type !== 'arguments') throw new Error('help was requested')
  return result.arguments
}

function failure(...words: string[]): UsageError {
  try {
    parseArguments(specification, words)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error(`${words.join(' ')} was taken`)
}

describe('an option with a value', () => {
  it.each([
    ['in the next word', ['-b', 'x'], 'x'],
    ['attached to its letter', ['-bx'], 'x'],
    ['attached to its letter with a sign that belongs to the value', ['-b=x'], '=x'],
    ['after its long name', ['--body-text', 'x'], 'x'],
    ['after an equals sign', ['--body-text=x'], 'x'],
    ['with equals signs in it', ['--body-text=a=b'], 'a=b'],
    ['that is empty', ['--body-text='], ''],
    ['that is an empty word', ['-b', ''], ''],
    ['that begins with a dash', ['-b', '-1'], '-1'],
    ['that looks like an option', ['--body-text', '--help'], '--help'],
    ['that is the end of options', ['-b', '--'], '--'],
    ['that is a dash', ['-b', '-'], '-'],
    ['at the end of bundled flags', ['-ilb', 'x'], 'x'],
    ['attached at the end of bundled flags', ['-ilbx'], 'x'],
    ['that holds the letters of flags', ['-bil'], 'il'],
  ])('takes its value %s', (_title, words, value) => {
    expect(parsed('from', ...words).value('body-text')).toBe(value)
  })

  it.each([
    ['-p', ['-k', '-p', '0']],
    ['-p0', ['-lk', '-p0']],
    ['--tls-self-signed', ['--keystore', '--tls-self-signed']],
    ['--port=0', ['-k', '--port=0']],
  ])('is not mistaken for a file when it is the option %s', (follower, words) => {
    expect(() => parseArguments(serve, ['site', ...words])).toThrow(
      expect.objectContaining({
        message: `-k/--keystore needs a file, but the option ${follower} follows`,
        hint: `Write -k <file>, or ./${follower} for a file of that name`,
      }),
    )
  })

  it('is a file name that begins with a dash if no option has that name', () => {
    const words = ['site', '-k', '-x.p12', '-m', './-p', '--key=-p']
    const result = parseArguments(serve, words)
    if (result.type !== 'arguments') throw new Error('help was requested')
    expect(['keystore', 'media-types', 'key'].map(result.arguments.value)).toEqual(['-x.p12', './-p', '-p'])
  })

  it('is undefined when not given', () => {
    expect(parsed('from').value('body-text')).toBeUndefined()
    expect(parsed('from').has('body-text')).toBe(false)
  })

  it('keeps all values in order when repeated', () => {
    expect(parsed('from', '--resolve', 'a', '--resolve=b').values('resolve')).toEqual(['a', 'b'])
  })

  it.each([['-b'], ['--body-text'], ['-ib']])('needs a value: %s at the end', (word) => {
    expect(failure('from', word)).toMatchObject({ message: '-b/--body-text needs a value', hint: 'Write -b <text>' })
  })

  it.each([
    ['a file', 'serve', ['site', '-k', ''], '-k/--keystore has an empty value', 'Write -k <file>'],
    ['an attached file', 'send', ['-f', 'a', '--save='], '--save has an empty value', 'Write --save <file>'],
    ['an address', 'serve', ['site', '--host', ''], '--host has an empty value', 'Write --host <address>'],
    ['a socket', 'run', ['a.http', '-U', ''], '-U/--unix-socket has an empty value', 'Write -U <socket>'],
    ['a directory', 'run', ['a.http', '--file-root='], '--file-root has an empty value', 'Write --file-root <dir>'],
    ['a name', 'check', ['a.http', '--name', ''], '--name has an empty value', 'Write --name <name>'],
    [
      'a host',
      'serve',
      ['site', '--allowed-host='],
      '--allowed-host has an empty value',
      'Write --allowed-host <name>',
    ],
    ['a tag', 'check', ['a.http', '--tag', ''], '--tag has an empty value', 'Write --tag <tag>'],
    ['a token', 'send', [':1', '-B', ''], '-B/--bearer has an empty value', 'Write -B <token>'],
  ])('that is %s cannot be empty, which would mean something else', (_kind, name, words, message, hint) => {
    const command = commands.find((candidate) => candidate.name === name)!
    expect(() => parseArguments(command, words)).toThrow(expect.objectContaining({ message, hint }))
  })

  it('is refused when given twice, naming both values', () => {
    expect(failure('from', '-b', 'one', '--body-text', 'two').message).toBe(
      '-b/--body-text was given twice, with "one" and "two"',
    )
  })

  it('is refused when its value is not one of its choices', () => {
    expect(failure('from', '-m', 'al')).toMatchObject({
      message: '-m/--mode must be all or body, not "al"',
      unknown: { name: 'al', known: ['all', 'body'] },
    })
  })
})

describe('an option whose value is a password', () => {
  it('does not show it when given twice', () => {
    expect(failure('from', '--password', 's3cret', '--password', 'other').message).toBe('--password was given twice')
  })
})

describe('an option whose value may be left out', () => {
  it.each([
    ['nothing', ['from', 'to', '--page'], undefined],
    ['an attached value', ['from', '--page=x'], 'x'],
    ['an attached value, after its letter', ['from', '-gx'], 'x'],
    ['an empty value', ['from', '--page='], ''],
    ['the next word where no positional is missing', ['from', 'to', '--page', 'x'], 'x'],
    ['not an option that follows', ['from', 'to', '--page', '-i'], undefined],
    ['not the end of options', ['from', 'to', '--page', '--'], undefined],
    ['nothing where the next word is a positional', ['from', '--page', 'to'], undefined],
  ])('takes %s', (_, words, value) => {
    const args = parsed(...words)
    expect([args.has('page'), args.value('page')]).toEqual([true, value])
    expect(args.positionals[0]).toBe('from')
  })

  it('may be given only once with a value', () => {
    expect(failure('from', '--page=a', '--page=b').message).toContain('was given twice')
  })
})

describe('flags', () => {
  it.each([[['-i', '-l']], [['-il']], [['--insecure', '--log']], [['-i', '-i', '-l']]])(
    '%j are both given',
    (words) => {
      const result = parsed(...words, 'from')
      expect([result.has('insecure'), result.has('log')]).toEqual([true, true])
      expect(result.value('insecure')).toBeUndefined()
    },
  )

  it('take no value', () => {
    expect(failure('--log=yes').message).toBe('-l/--log takes no value, but "yes" was given')
  })
})

describe('positionals', () => {
  it.each([
    ['before options', ['a', 'b', '-i']],
    ['after options', ['-i', 'a', 'b']],
    ['around options', ['a', '-i', 'b']],
    ['after the end of options', ['-i', '--', 'a', 'b']],
  ])('are found %s', (_title, words) => {
    expect(parsed(...words).positionals).toEqual(['a', 'b'])
  })

  it('may begin with a dash after the end of options', () => {
    expect(parsed('--', '-i', '--').positionals).toEqual(['-i', '--'])
  })

  it('may be a single dash', () => {
    expect(parsed('-', '-').positionals).toEqual(['-', '-'])
  })

  it.each([
    ['<from>', ['', 'b']],
    ['<to>', ['a', '']],
  ])('cannot be empty, which would mean the working directory: %s', (name, words) => {
    expect(failure(...words)).toMatchObject({
      message: `${name} is empty`,
      hint: 'Check the variable that it comes from',
    })
  })

  it('are named if missing, unless a word before them is unknown, which the command reports', () => {
    expect(failure('-i').message).toBe('<from> is missing')
    const [from, to] = specification.positionals as [PositionalSpecification, PositionalSpecification]
    const positionals = [
      { ...from, choices: ['merge'] },
      { ...to, required: true },
    ]
    const choosing = { ...specification, positionals }
    expect(() => parseArguments(choosing, ['merge'])).toThrow('<to> is missing')
    expect(parseArguments(choosing, ['mrege'])).toMatchObject({ arguments: { positionals: ['mrege'] } })
  })

  it('may be any number of words if the last one may be repeated', () => {
    const [from, to] = specification.positionals
    const repeating: CommandSpecification = {
      ...specification,
      positionals: [from as NonNullable<typeof from>, { ...(to as NonNullable<typeof to>), repeatable: true }],
    }
    const result = parseArguments(repeating, ['a', '-i', 'b', 'c', '--', '-d'])
    expect(result).toMatchObject({ arguments: { positionals: ['a', 'b', 'c', '-d'] } })
    expect(() => parseArguments(repeating, ['a', 'b', ''])).toThrow('<to> is empty')
  })

  it('are named if there are too many', () => {
    expect(failure('a', 'b', 'c').message).toBe('unexpected argument "c"')
    expect(() => parseArguments({ ...specification, positionals: [] }, ['c'])).toThrow(
      expect.objectContaining({ hint: 'Write httpcli probe, with options only' }),
    )
  })
})

describe('an unknown option', () => {
  it.each([
    [['--colour'], 'unknown option --colour', '--colour'],
    [['--colour=x'], 'unknown option --colour', '--colour'],
    [['-z'], 'unknown option -z', '-z'],
    [['-ilz'], 'unknown option -z in -ilz', '-z'],
    [['-resolve'], 'unknown option -r in -resolve', '-resolve'],
  ])('%j is named', (words, message, likeness) => {
    expect(failure('from', ...words)).toMatchObject({ message, unknown: { name: likeness } })
  })
})

describe('options that cannot be used together', () => {
  it('are both named', () => {
    expect(failure('from', '-t', 'x', '-b', 'y').message).toBe('-t/--text and -b/--body-text cannot be used together')
  })

  it('may be a positional', () => {
    expect(failure('from', 'to', '-t', 'x').message).toBe('-t/--text and <to> (to) cannot be used together')
  })

  it('are accepted alone', () => {
    expect(parsed('from', '-t', 'x').value('text')).toBe('x')
    expect(parsed('from', 'to').positionals).toEqual(['from', 'to'])
  })
})

describe('help', () => {
  it.each([[['-h']], [['--help']], [['-ih']], [['a', 'b', 'c', '--help']]])('%j asks for help', (words) => {
    expect(parseArguments(specification, words).type).toBe('help')
  })

  it('is not recognised after the end of options', () => {
    expect(parsed('--', '-h').positionals).toEqual(['-h'])
  })
})

describe.each(commands)('the table of $name', ({ options, positionals, exclusive }) => {
  it('uses every name and every letter once', () => {
    const names = options.map(({ long }) => long)
    const letters = options.flatMap(({ short }) => short ?? [])
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(letters).size).toBe(letters.length)
  })

  it('gives choices and repetition only to options with a value', () => {
    expect(options.filter((option) => (option.choices || option.repeatable) && option.argument === undefined)).toEqual(
      [],
    )
  })

  it('excludes only options that it has', () => {
    const names = [...options.map(({ long }) => long), ...positionals.map(({ name }) => name)]
    expect(exclusive.flat().filter((name) => !names.includes(name))).toEqual([])
  })
})
