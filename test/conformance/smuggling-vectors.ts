/**
 * Requests that two readers could cut in two ways, so that one of them sees a request that the other did not.
 *
 * Rules: each vector is bytes with a second request, `GET /smuggled`, hidden in them. `refused`: the server preset
 * gives an error before anything of it is reported. `contained`: the bytes are right by the RFCs, which leave one
 * reading only, and in that reading the hidden request is content. RFC 9112 sections 2.2, 5.1, 6.1, 6.3, 7.1 and 11.2.
 */
import { head } from './connection-rows.ts'
import { chunkVectors } from './smuggling-chunks.ts'
import { codingVectors } from './smuggling-codings.ts'
import { headVectors } from './smuggling-heads.ts'
import { lengthVectors } from './smuggling-lengths.ts'
import { asChunk, hidden, type Vector, vector } from './smuggling-rows.ts'

/** Refused by the server preset before the hidden request can be seen. */
export const REFUSED: Readonly<Record<string, readonly Vector[]>> = {
  ...codingVectors,
  ...lengthVectors,
  ...chunkVectors,
  ...headVectors,
}

/** Right by the RFCs: one request, with the hidden one as its content. */
export const CONTAINED: readonly Vector[] = [
  vector('a length', [`Content-Length: ${hidden.length}`], hidden),
  vector('a length with zeros before it', [`Content-Length: 000${hidden.length}`], hidden),
  vector('a chunk', ['Transfer-Encoding: chunked'], asChunk),
  vector('chunked in capitals', ['Transfer-Encoding: CHUNKED'], asChunk),
  vector('chunked after a tab', ['Transfer-Encoding:\tchunked'], asChunk),
  vector(
    'a chunk with an extension that looks like an end',
    ['Transfer-Encoding: chunked'],
    `${hidden.length.toString(16)};a="0"\r\n${hidden}\r\n0\r\n\r\n`,
  ),
  {
    title: 'a length on GET (CL.0)',
    octets: head('GET / HTTP/1.1', 'Host: a', `Content-Length: ${hidden.length}`) + hidden,
  },
  {
    title: 'a length on HEAD',
    octets: head('HEAD / HTTP/1.1', 'Host: a', `Content-Length: ${hidden.length}`) + hidden,
  },
  {
    title: 'a length on OPTIONS',
    octets: head('OPTIONS / HTTP/1.1', 'Host: a', `Content-Length: ${hidden.length}`) + hidden,
  },
  { title: 'chunks on GET (TE.0)', octets: head('GET / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked') + asChunk },
  {
    title: 'a length with Expect',
    octets: head('POST / HTTP/1.1', 'Host: a', 'Expect: 100-continue', `Content-Length: ${hidden.length}`) + hidden,
  },
  {
    title: 'a length with an offer of h2c',
    octets:
      head(
        'POST / HTTP/1.1',
        'Host: a',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        `Content-Length: ${hidden.length}`,
      ) + hidden,
  },
  {
    title: 'a length that Connection names',
    octets:
      head('POST / HTTP/1.1', 'Host: a', 'Connection: Content-Length', `Content-Length: ${hidden.length}`) + hidden,
  },
  {
    title: 'a coding that Connection names',
    octets: head('POST / HTTP/1.1', 'Host: a', 'Connection: Transfer-Encoding', 'Transfer-Encoding: chunked') + asChunk,
  },
  {
    title: 'after Connection: close',
    octets: head('POST / HTTP/1.1', 'Host: a', 'Connection: close', 'Content-Length: 0') + hidden,
  },
  { title: 'after HTTP/1.0', octets: head('POST / HTTP/1.0', 'Host: a', 'Content-Length: 0') + hidden },
  {
    title: 'a Host other than that of the URL',
    octets: head('POST http://a/ HTTP/1.1', 'Host: b', `Content-Length: ${hidden.length}`) + hidden,
  },
  {
    title: 'a length among the trailers',
    octets: `${head('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Connection: close')}0\r\nContent-Length: 0\r\nTransfer-Encoding: x\r\n\r\n${hidden}`,
  },
]
