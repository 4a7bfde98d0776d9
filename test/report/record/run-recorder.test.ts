/** The parts of a run that are recorded. */

import { describe, expect, it } from 'vitest'
import { SomeError } from '../../helpers/some-error.ts'
import { assertionError, connectError, identity, listStore, readRecordOf, requestEvents } from '../events.ts'

describe('a record', () => {
  it('counts requests by their outcome, and tests', () => {
    const { counts } = readRecordOf([
      {
        events: [
          ...requestEvents(identity(), 'passed', [{ status: 200 }, { test: 'a' }]),
          ...requestEvents(identity({ number: 2 }), 'failed', [{ test: 'b' }, { test: 'c', error: assertionError }]),
          ...requestEvents(identity({ number: 3 }), 'error', [{ retry: 'no answer' }, { error: connectError }]),
          { type: 'request-skipped', request: identity({ number: 4 }), reason: 'bail' },
        ],
      },
    ])
    expect(counts).toEqual({
      requests: 4,
      passed: 1,
      failed: 1,
      errors: 1,
      skipped: 1,
      tests: 3,
      testsFailed: 1,
      retries: 1,
    })
  })

  it('has the last response of a retried request, and the reason for the retry', () => {
    const { jobs } = readRecordOf([
      {
        events: requestEvents(identity(), 'passed', [
          { status: 503, url: 'http://h/1' },
          { retry: 'status 503' },
          { status: 200, url: 'http://h/2' },
        ]),
      },
    ])
    expect(jobs[0]?.requests[0]).toMatchObject({
      status: 200,
      url: 'http://h/2',
      retries: [{ attempt: 1, reason: 'status 503' }],
      durationMs: 20.5,
      bytesReceived: 1234,
    })
  })

  it('has parallel jobs in order', () => {
    const record = readRecordOf([
      { job: { number: 2 }, events: [] },
      { job: { number: 1 }, events: [] },
    ])
    expect(record.jobs.map(({ job }) => job.number)).toEqual([1, 2])
  })

  it('treats requests that did not end, or ended without an error, as interrupted', () => {
    const events = [
      ...requestEvents(identity(), 'passed', [{ status: 200 }]),
      ...requestEvents(identity({ number: 2 }), 'error'),
      { type: 'request-started', request: identity({ number: 3 }) } as const,
    ]
    const { jobs, isInterrupted } = readRecordOf([{ events, isFinished: false }], { isInterrupted: true })
    expect([isInterrupted, jobs[0]?.isInterrupted]).toEqual([true, true])
    expect(jobs[0]?.requests.map(({ outcome }) => outcome)).toEqual(['passed', 'interrupted', 'interrupted'])
  })

  it('says what ended the run early', () => {
    const record = readRecordOf([], { failure: Object.assign(new Error('no space'), { code: 'ENOSPC' }) })
    expect([record.isInterrupted, record.crash]).toEqual([true, { code: 'ENOSPC', message: 'no space' }])
  })

  it.each<[unknown, string]>([
    [new Error('plain'), 'plain'],
    ['a text', 'a text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{}, '[object Object]'],
  ])('accepts any thrown value: %s', (error, message) => {
    const record = readRecordOf([{ events: requestEvents(identity(), 'error', [{ error }]) }])
    expect(record.jobs[0]?.requests[0]?.errors).toEqual([{ code: 'internal', message }])
  })

  it('keeps some of the lines of a script that logs endlessly', () => {
    const logs = Array.from({ length: 500 }, (_, index) => ({ log: `line ${index}` }))
    const kept = readRecordOf([{ events: requestEvents(identity(), 'passed', logs) }]).jobs[0]?.requests[0]?.logs
    expect([kept?.length, kept?.[99], kept?.[100]]).toEqual([101, 'line 99', 'more lines are left out'])
  })
})

describe('secrets', () => {
  const mask = (text: string): string => text.replaceAll('s3cret', '***')
  const error = new SomeError('test-failed', 'got s3cret', {
    hint: 'not s3cret',
    excerpt: 'x s3cret\n^',
    where: { file: 's3cret.http', line: 1, column: 1 },
  })
  const everywhere = readRecordOf(
    [
      {
        job: { path: 's3cret.http', environment: 's3cret' },
        events: [
          { type: 'warning', error },
          ...requestEvents(
            identity({ name: 's3cret', target: '/s3cret', file: 's3cret.http', tags: ['s3cret'] }),
            'failed',
            [
              { status: 200, url: 'http://h/s3cret' },
              { log: 's3cret' },
              { retry: 's3cret' },
              { test: 's3cret', error },
              { script: error },
              { error },
            ],
          ),
        ],
      },
    ],
    { mask, failure: error },
  )

  const withoutFileNames = (text: string): string => text.replaceAll(/"(file|path)":"s3cret\.http"/g, '')

  it('are in no text of a record except the name of the file of a job, which programs open', () => {
    expect(withoutFileNames(JSON.stringify(everywhere))).not.toContain('s3cret')
    expect(JSON.stringify(everywhere.jobs)).not.toContain('***.http')
    expect(JSON.stringify(everywhere).match(/\*\*\*/g)?.length).toBeGreaterThan(20)
  })

  it('are in no text of the store', () => {
    const texts: string[] = []
    const store = { ...listStore(), put: (text: string) => texts.push(text) - 1, get: (place: number) => texts[place]! }
    readRecordOf([{ events: requestEvents(identity(), 'failed', [{ log: 's3cret' }, { error }]) }], { mask, store })
    expect(texts.join('\n')).toContain('***')
    expect(withoutFileNames(texts.join('\n'))).not.toContain('s3cret')
  })

  it('are masked before a text is shortened, so that no part of one is left', () => {
    const half = new SomeError('test-failed', `${'x'.repeat(1497)}s3cret${'y'.repeat(2000)}`)
    const record = readRecordOf([{ events: requestEvents(identity(), 'failed', [{ script: half }]) }], { mask })
    expect(JSON.stringify(record)).not.toMatch(/xs|s3|rety/)
  })

  it('that are learned later are masked in what was recorded before', () => {
    let isKnown = false
    const record = readRecordOf(
      [
        {
          events: requestEvents(identity(), 'passed', [
            { log: 'later s3cret' },
            {
              get log() {
                isKnown = true
                return 'now'
              },
            },
          ]),
        },
      ],
      { mask: (text) => (isKnown ? mask(text) : text) },
    )
    expect(record.jobs[0]?.requests[0]?.logs).toEqual(['later ***', 'now'])
  })

  it('are not masked in the keywords of the format', () => {
    const record = readRecordOf([{ events: requestEvents(identity(), 'passed', [{ test: 'passed' }]) }], {
      mask: (text) => text.replaceAll('passed', '***').replaceAll('test', '***'),
    })
    expect(record.jobs[0]?.requests[0]).toMatchObject({ outcome: 'passed', tests: [{ name: '***', kind: 'test' }] })
  })
})

describe('a store that fails', () => {
  const failure = new SomeError('spill-failed', 'no space')
  const failingAfter = (count: number) => {
    const store = listStore()
    let left = count
    return {
      ...store,
      put: (text: string): number => {
        if (left-- === 0) throw failure
        return store.put(text)
      },
    }
  }

  it.each([0, 1, 2])('after %i records ends the recording, and its error is thrown at the end', (count) => {
    const events = [1, 2, 3].flatMap((number) => requestEvents(identity({ number }), 'passed', [{ status: 200 }]))
    expect(() => readRecordOf([{ events }], { store: failingAfter(count) })).toThrow(failure)
  })

  it('also throws at the end what it throws for an unfinished job', () => {
    expect(() => readRecordOf([{ events: [], isFinished: false }], { store: failingAfter(0) })).toThrow(failure)
  })
})
