/** Reflection services of other implementations, by their answers. */
import { create, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { HeaderList } from '../../../src/message/index.ts'
import { type AskServer, Reflection } from '../../../src/runner/grpc/reflection.ts'

const file = create(FileDescriptorProtoSchema, {
  name: 'clock.proto',
  package: 'clock',
  syntax: 'proto3',
  dependency: ['google/protobuf/timestamp.proto'],
  service: [
    {
      name: 'Clock',
      method: [{ name: 'Read', inputType: '.google.protobuf.Timestamp', outputType: '.google.protobuf.Timestamp' }],
    },
  ],
})

const within = (field: number, content: Uint8Array): Uint8Array =>
  new BinaryWriter().tag(field, 2).bytes(content).finish()
const notFound = new BinaryWriter().tag(1, 0).int32(5).tag(2, 2).string('no such name').finish()

const answers = {
  files: within(4, within(1, toBinary(FileDescriptorProtoSchema, file))),
  services: within(6, within(1, within(1, Buffer.from('clock.Clock')))),
  error: within(7, notFound),
}

/** A server that knows one file, and reports what it does not know in this way. */
const asking =
  (way: 'answer' | 'status'): AskServer =>
  async (_, message) => {
    const question = Buffer.from(message).toString('latin1')
    const kind = message[0] === (7 << 3) + 2 ? 'services' : question.includes('clock.Clock') ? 'files' : 'error'
    const isRefused = kind === 'error' && way === 'status'
    return {
      messages: isRefused ? [] : [answers[kind]],
      trailers: HeaderList.of([
        ['grpc-status', isRefused ? '5' : '0'],
        ['grpc-message', isRefused ? 'no such name' : ''],
      ]),
    }
  }

describe.each(['answer', 'status'] as const)('a server that reports errors in its %s', (way) => {
  const reflection = (): Reflection => new Reflection(asking(way), 'a.example:1')

  it('may lack files of google.protobuf', async () => {
    const types = await reflection().typesOf('clock.Clock')
    expect(types.services.map(({ typeName }) => typeName)).toEqual(['clock.Clock'])
  })

  it('does not know a service: the nearest name is suggested', async () => {
    await expect(reflection().typesOf('clock.Clok')).rejects.toMatchObject({
      code: 'invalid-request',
      message: 'no service clock.Clok in a.example:1',
      hint: 'Did you mean clock.Clock?',
    })
  })
})
