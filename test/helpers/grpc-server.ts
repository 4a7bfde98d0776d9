/** A gRPC server of another implementation: every kind of call, errors, metadata; with or without reflection. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as grpc from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'

/** The folder of the `.proto` files. */
export const protoDirectory: string = fileURLToPath(new URL('../fixtures/grpc', import.meta.url))

export interface GrpcPeer {
  /** `127.0.0.1:port` */
  readonly address: string
  /** The metadata of the calls so far, without that of reflection. */
  readonly calls: readonly Readonly<Record<string, unknown>>[]
  /** The number of requests to the reflection service. */
  readonly reflections: () => number
  /** The number of calls that the client cancelled. */
  readonly cancelled: () => number
  close(): void
}

export interface GrpcPeerOptions {
  readonly reflection?: 'v1' | 'v1alpha' | 'none'
  /** TLS with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly ca?: string }
}

type Values = Readonly<Record<string, unknown>>

/** Starts a server of test/fixtures/grpc/shop.proto on a free port. */
export async function grpcServer({ reflection = 'v1', tls }: GrpcPeerOptions = {}): Promise<GrpcPeer> {
  const definition = loadSync('shop.proto', {
    keepCase: true,
    longs: String,
    defaults: false,
    oneofs: true,
    includeDirs: [protoDirectory],
  })
  const loaded = grpc.loadPackageDefinition(definition) as unknown as {
    shop: { v1: { Shop: { service: grpc.ServiceDefinition } } }
  }
  const calls: Values[] = []
  let reflections = 0
  let cancelled = 0
  const server = new grpc.Server({
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    interceptors: [
      (method, call) => {
        if (method.path.includes('ServerReflection')) reflections++
        return new grpc.ServerInterceptingCall(call)
      },
    ],
  })
  const note = (call: { readonly metadata: grpc.Metadata }): void => {
    calls.push(call.metadata.getMap())
  }
  server.addService(loaded.shop.v1.Shop.service, {
    Get(call: grpc.ServerUnaryCall<Values, Values>, callback: grpc.sendUnaryData<Values>) {
      note(call)
      const { id } = call.request
      const metadata = new grpc.Metadata()
      metadata.set('x-head', 'from the server')
      metadata.set('x-data-bin', Buffer.from([1, 2, 3]))
      call.sendMetadata(metadata)
      const trailer = new grpc.Metadata()
      trailer.set('x-trail', 'last')
      if (id === 'missing') {
        callback({ code: grpc.status.NOT_FOUND, details: 'no item missing: 100 % sure, ä', metadata: trailer })
      } else if (id === 'details') {
        // google.rpc.Status with one google.protobuf.Any of an unknown type.
        const any = Buffer.concat([
          Buffer.from([0x0a, 9]),
          Buffer.from('t.test/Abc'.slice(0, 9)),
          Buffer.from([0x12, 1, 7]),
        ])
        const status = Buffer.concat([Buffer.from([8, 3, 0x12, 1, 0x78, 0x1a, any.length]), any])
        trailer.set('grpc-status-details-bin', status)
        callback({ code: grpc.status.INVALID_ARGUMENT, details: 'x', metadata: trailer })
      } else if (id === 'slow') {
        call.on('cancelled', () => {
          cancelled++
        })
      } else callback(null, { ...call.request, name: `item ${String(id)}`, stock: '9007199254740993' }, trailer)
    },
    List(call: grpc.ServerWritableStream<Values, Values>) {
      note(call)
      const count = Number(call.request.count ?? 3)
      call.on('cancelled', () => {
        cancelled++
      })
      let next = 0
      const write = (): void => {
        while (next < count) {
          if (!call.write({ id: String(next++), name: 'x'.repeat(Number(call.request.size ?? 0)) })) {
            call.once('drain', write)
            return
          }
        }
        if (call.request.fails === true) call.emit('error', { code: grpc.status.DATA_LOSS, details: 'lost' })
        else call.end()
      }
      write()
    },
    Put(call: grpc.ServerReadableStream<Values, Values>, callback: grpc.sendUnaryData<Values>) {
      note(call)
      const names: string[] = []
      call.on('data', ({ id }: Values) => names.push(String(id)))
      call.on('end', () => callback(null, { names, count: names.length }))
    },
    Chat(call: grpc.ServerDuplexStream<Values, Values>) {
      note(call)
      call.on('data', ({ id }: Values) => (id === 'bye' ? call.end() : call.write({ id: `re ${String(id)}` })))
      call.on('end', () => call.end())
    },
  })
  if (reflection !== 'none') {
    // The facade adds both versions; a server with only one version is assembled from its parts.
    type Part = Pick<ReflectionService, 'addToServer'>
    const { v1, v1Alpha } = new ReflectionService(definition) as unknown as { v1: Part; v1Alpha: Part }
    const part = { v1, v1alpha: v1Alpha }[reflection]
    part.addToServer(server)
  }
  const credentials =
    tls === undefined
      ? grpc.ServerCredentials.createInsecure()
      : grpc.ServerCredentials.createSsl(
          tls.ca === undefined ? null : Buffer.from(tls.ca),
          [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }],
          tls.ca !== undefined,
        )
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)))
  })
  return {
    address: `127.0.0.1:${port}`,
    calls,
    reflections: () => reflections,
    cancelled: () => cancelled,
    close: () => server.forceShutdown(),
  }
}

/** A `.proto` file of the fixtures. */
export function protoFile(name: string): string {
  return join(protoDirectory, name)
}
