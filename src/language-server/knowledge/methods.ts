/** Methods and versions of request lines. */
import type { Topics } from './topic.ts'

export const methods: Topics = {
  GET: {
    text: 'Asks for the current state of the resource. Safe, repeatable and cacheable.',
    source: 'RFC 9110 section 9.3.1',
  },
  POST: {
    text: 'Submits the body to the resource, which processes it: creates something, adds data, runs an action. Sending it twice may do it twice.',
    source: 'RFC 9110 section 9.3.3',
  },
  PUT: {
    text: 'Replaces the state of the resource with the body, or creates it. Repeating it changes nothing more.',
    source: 'RFC 9110 section 9.3.4',
  },
  PATCH: {
    text: 'Changes a part of the resource. The Content-Type names the patch format, such as `application/merge-patch+json`.',
    source: 'RFC 5789',
  },
  DELETE: {
    text: 'Removes the resource. Repeating it has the same effect as sending it once.',
    source: 'RFC 9110 section 9.3.5',
  },
  HEAD: {
    text: 'As GET, but the response has no content: only its status and its header fields.',
    source: 'RFC 9110 section 9.3.2',
  },
  OPTIONS: {
    text: 'Asks what the resource allows, for example as the preflight request of a browser. `*` as the target asks about the whole server.',
    source: 'RFC 9110 section 9.3.7',
  },
  TRACE: {
    text: 'The server returns the request as it arrived. Many servers refuse it.',
    source: 'RFC 9110 section 9.3.8',
  },
  CONNECT: {
    text: 'Asks a proxy for a tunnel to the host and port that are the target.',
    source: 'RFC 9110 section 9.3.6',
  },
  GRAPHQL: {
    text: 'Sends the query in the body as a JSON object by POST. A JSON object after the query contains its variables.',
    example: 'GRAPHQL https://api.example.com/graphql',
  },
  WEBSOCKET: {
    text: 'Opens a WebSocket and sends the messages in the body. `===` separates them; `=== wait-for-server` waits for a message first.',
    source: 'RFC 6455',
    example: 'WEBSOCKET ws://localhost:8080/chat',
  },
  GRPC: {
    text: 'Calls a method of a gRPC server. The body is the message in JSON; `===` separates the messages of a stream.',
    example: 'GRPC localhost:50051/shop.Shop/GetItem',
  },
}

export const versions: Topics = {
  'HTTP/1.1': { text: 'HTTP/1.1, the default over plain connections.', source: 'RFC 9112' },
  'HTTP/1.0': { text: 'HTTP/1.0: the connection is closed after the response.', source: 'RFC 1945' },
  'HTTP/2': { text: 'HTTP/2, negotiated with the server by TLS.', source: 'RFC 9113' },
  'HTTP/2 (Prior Knowledge)': {
    text: 'HTTP/2 without negotiation, also over a plain connection.',
    source: 'RFC 9113 section 3.3',
  },
}
