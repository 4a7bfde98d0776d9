/** Status codes, for assertions and scripts that compare them. RFC 9110 section 15, unless another RFC is named. */
import type { Topic } from './topic.ts'

type Row = readonly [reason: string, text: string, source?: string]

const rows: Readonly<Record<number, Row>> = {
  100: ['Continue', 'The server asks for the body that the client announced with `Expect: 100-continue`.'],
  101: ['Switching Protocols', 'The connection continues with the protocol of the Upgrade field, such as WebSocket.'],
  103: ['Early Hints', 'Links that the client may load before the final response.', 'RFC 8297'],
  200: ['OK', 'The request succeeded; the content depends on the method.'],
  201: ['Created', 'A new resource exists. Location, or else the URL of the request, names it.'],
  202: ['Accepted', 'The request was accepted, and its processing has not finished.'],
  203: ['Non-Authoritative Information', 'A proxy has changed the content of the origin server.'],
  204: ['No Content', 'The request succeeded, and the response has no content.'],
  205: ['Reset Content', 'The request succeeded, and the client should clear the form or view that sent it.'],
  206: ['Partial Content', 'The response contains the ranges that the Range field asked for.'],
  207: ['Multi-Status', 'The content gives a status for each of several resources.', 'RFC 4918 section 11.1'],
  300: ['Multiple Choices', 'Several representations exist, and the client may choose one.'],
  301: ['Moved Permanently', 'The resource has moved permanently. Clients may turn a POST into a GET.'],
  302: ['Found', 'The resource is at another URL for now. Clients may turn a POST into a GET.'],
  303: ['See Other', 'The result is at another URL, which is read with GET.'],
  304: ['Not Modified', 'The copy that the client has is still current.'],
  307: ['Temporary Redirect', 'As 302, but method and body stay the same.'],
  308: ['Permanent Redirect', 'As 301, but method and body stay the same.'],
  400: ['Bad Request', 'The server cannot process the request because of an error in it.'],
  401: ['Unauthorized', 'Valid credentials are missing. WWW-Authenticate names the accepted schemes.'],
  402: ['Payment Required', 'Reserved; some services use it for quotas and payments.'],
  403: ['Forbidden', 'The server understood the request and refuses it. Other credentials may help.'],
  404: ['Not Found', 'The server has nothing at this URL, or does not admit that it has.'],
  405: ['Method Not Allowed', 'The resource does not support this method. Allow lists those that it supports.'],
  406: ['Not Acceptable', 'No representation fits the Accept fields of the request.'],
  407: ['Proxy Authentication Required', 'The proxy requires credentials, as the server does with 401.'],
  408: ['Request Timeout', 'The request did not arrive in the time that the server waits.'],
  409: ['Conflict', 'The request conflicts with the current state of the resource, such as a newer version.'],
  410: ['Gone', 'The resource existed and will not come back.'],
  411: ['Length Required', 'The server requires a Content-Length.'],
  412: ['Precondition Failed', 'A condition such as If-Match does not hold.'],
  413: ['Content Too Large', 'The body is larger than the server accepts.'],
  414: ['URI Too Long', 'The target is longer than the server accepts.'],
  415: ['Unsupported Media Type', 'The server does not accept this Content-Type or Content-Encoding here.'],
  416: ['Range Not Satisfiable', 'No range of the Range field lies in the content.'],
  417: ['Expectation Failed', 'The server cannot do what the Expect field asks for.'],
  421: ['Misdirected Request', 'This server does not answer for the host of the URL.'],
  422: ['Unprocessable Content', 'The body is well-formed, but its meaning is wrong.'],
  423: ['Locked', 'The resource is locked.', 'RFC 4918 section 11.3'],
  425: ['Too Early', 'The server does not process a request that might be replayed.', 'RFC 8470 section 5.2'],
  426: ['Upgrade Required', 'The server requires another protocol, named in the Upgrade field.'],
  428: ['Precondition Required', 'The server requires a condition such as If-Match.', 'RFC 6585 section 3'],
  429: [
    'Too Many Requests',
    'The client has sent too many requests. Retry-After may say when to continue.',
    'RFC 6585 section 4',
  ],
  431: [
    'Request Header Fields Too Large',
    'The header section is larger than the server accepts.',
    'RFC 6585 section 5',
  ],
  451: ['Unavailable For Legal Reasons', 'A legal demand forbids the answer.', 'RFC 7725'],
  500: ['Internal Server Error', 'The server encountered an unexpected error.'],
  501: ['Not Implemented', 'The server does not know the method, or does not support it at all.'],
  502: ['Bad Gateway', 'A proxy received an invalid response from the upstream server.'],
  503: ['Service Unavailable', 'The server is overloaded or under maintenance. Retry-After may say when to try again.'],
  504: ['Gateway Timeout', 'A proxy did not receive a response from the upstream server in time.'],
  505: ['HTTP Version Not Supported', 'The server does not support the major version of the request.'],
  507: ['Insufficient Storage', 'The server has no space for what the request would store.', 'RFC 4918 section 11.5'],
  511: ['Network Authentication Required', 'The network requires a login first.', 'RFC 6585 section 6'],
}

const classes: readonly string[] = [
  ...[
    '',
    'The request continues: an interim response.',
    'The request succeeded.',
    'The client must do something more.',
  ],
  ...['The request has an error.', 'The server failed.'],
]

const sections: readonly string[] = ['', '15.2', '15.3', '15.4', '15.5', '15.6']

/** The codes that have a description. */
export const statusCodes: readonly number[] = Object.keys(rows).map(Number)

/** Undefined if the number is not a status code. */
export function statusTopic(code: number): Topic | undefined {
  const row = rows[code]
  const group = Math.floor(code / 100)
  if (!Number.isInteger(code) || group < 1 || group > 5) return undefined
  const source = row?.[2] ?? `RFC 9110 section ${sections[group]}`
  if (row === undefined) return { text: `**${code}** ${classes[group]}`, source }
  return { text: `**${code} ${row[0]}**\n\n${row[1]}`, source }
}

export function reasonOf(code: number): string {
  return rows[code]?.[0] ?? ''
}
