/** Opens sockets of Node.js. The build of the stand-alone executable puts runtime-socket.ts in its place. */
import { connect } from 'node:net'
import type { OpenSocket } from '../base/exchange-socket.ts'

export const openSocket: OpenSocket = (target) => connect({ ...target, allowHalfOpen: true })
