/**
 * The message classes as programs see them: the source of a message decides whether it is in memory.
 *
 * Rules: only types; a class declaration cannot derive its type argument from its constructor's arguments.
 */
import type { MemoryBodyInit } from '../body/body-init.ts'
import { type HttpRequestInit, HttpRequest as MessageRequest, type Origin } from './request.ts'
import { type HttpResponseInit, HttpResponse as MessageResponse } from './response.ts'

/** A body in memory, or none. */
interface InMemory {
  readonly body?: MemoryBodyInit | null
}

/** A request. `O` says whether its body is in memory or still on its source. */
export type HttpRequest<O extends Origin = Origin> = MessageRequest<O>

/** A response. `O` says whether its body is in memory or still on its source. */
export type HttpResponse<O extends Origin = Origin> = MessageResponse<O>

/** Creates requests; see `HttpRequest`. */
export interface HttpRequestConstructor extends Pick<typeof MessageRequest, 'fromEvents' | 'fromFetch' | 'prototype'> {
  new (init: HttpRequestInit & InMemory): HttpRequest<'memory'>
  new <O extends Origin = Origin>(init: HttpRequestInit): HttpRequest<O>
}

/** Creates responses; see `HttpResponse`. */
export interface HttpResponseConstructor
  extends Pick<typeof MessageResponse, 'fromEvents' | 'fromFetch' | 'prototype'> {
  new (init: HttpResponseInit & InMemory): HttpResponse<'memory'>
  new <O extends Origin = Origin>(init: HttpResponseInit): HttpResponse<O>
}

export const HttpRequest: HttpRequestConstructor = MessageRequest
export const HttpResponse: HttpResponseConstructor = MessageResponse
