/** Opens Node.js sockets. The build of the stand-alone executable replaces this file with runtime-socket.ts. */
import { connect } from 'node:net'
import type { OpenSocket } from '../base/exchange-socket.ts'

export const openSocket: OpenSocket = (target) => connect({ ...target, allowHalfOpen: true })
