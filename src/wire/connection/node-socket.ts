/** Opens sockets of Node.js: the only place that does, so that a distribution can have others. */
import { connect } from 'node:net'
import type { OpenSocket } from '../base/exchange-socket.ts'

export const openSocket: OpenSocket = (target) => connect({ ...target, allowHalfOpen: true })
