/**
 * Assembles the world that a script sees, and the calls by which the host runs the script in it.
 *
 * Rules: this is evaluated once per engine; the resulting memory is the state in which every script begins.
 */
import type { WorldCalls } from '../engine/world-calls.ts'
import { compare } from './assertion.ts'
import { client, consoleObject } from './client.ts'
import { useClock } from './clock.ts'
import { defineDynamicNames } from './dynamic.ts'
import { ask, connect, type HostCall } from './host.ts'
import { lazyGlobal, library } from './libraries.ts'
import { bindImports } from './modules.ts'
import { request } from './request.ts'
import { forgetResponse, response } from './response.ts'
import { defineShellNames } from './shell.ts'
import { endTest, finishTest, forgetTests, startTest } from './tests.ts'
import { clearTimer, deliver, fireTimer, forgetTimers, nextTimerMs, setInterval, setTimeout, sleep } from './timers.ts'
import { describe } from './values.ts'

const { defineProperty, freeze, getOwnPropertyNames } = Object
const { ownKeys } = Reflect

/** Global names that come from a library, which is loaded when one of them is first used. */
const libraryNames: Readonly<Record<string, readonly string[]>> = {
  web: ['URLSearchParams', 'atob', 'btoa', 'TextEncoder', 'TextDecoder'],
  crypto: ['crypto', 'jwt'],
  document: ['DOMParser', 'XMLSerializer', 'xpath'],
  'json-path': ['jsonPath'],
}

const plain: Readonly<Record<string, unknown>> = {
  client,
  request,
  response,
  setTimeout,
  setInterval,
  sleep,
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
}

function defineNames(): void {
  for (const name of getOwnPropertyNames(plain)) {
    defineProperty(globalThis, name, { value: plain[name], enumerable: true, configurable: true })
  }
  // Some scripts replace the console.
  defineProperty(globalThis, 'console', { value: consoleObject, writable: true, configurable: true })
  for (const name of getOwnPropertyNames(libraryNames)) {
    for (const member of libraryNames[name] as readonly string[]) lazyGlobal(member, () => library(name)[member])
  }
  defineDynamicNames()
  defineShellNames()
  // This is a clock of the engine, not of the language, and a seed cannot set it.
  Reflect.deleteProperty(globalThis, 'performance')
}

export function createWorld(call: HostCall): WorldCalls {
  connect(call)
  defineNames()
  Math.random = () => ask('random-number') as number
  const own = new Set(ownKeys(globalThis))
  const { has } = own
  return freeze({
    useClock,
    hideResponse: () => {
      Reflect.deleteProperty(globalThis, 'response')
    },
    end: () => {
      forgetTests()
      forgetTimers()
      forgetResponse()
      defineProperty(globalThis, 'response', { value: response, enumerable: true, configurable: true })
      for (const name of ownKeys(globalThis)) {
        if (!has.call(own, name)) delete (globalThis as Record<PropertyKey, unknown>)[name]
      }
    },
    compare,
    bindImports,
    describe,
    load: (libraryName) => {
      library(libraryName)
    },
    startTest,
    endTest,
    finishTest,
    nextTimerMs,
    fireTimer,
    forgetTimers,
    deliver,
  } satisfies WorldCalls)
}
