import { describe, expect, it } from 'vitest'
import type { ServeSettings } from '../../../src/cli/serve/settings.ts'
import { type StartFacts, startLines } from '../../../src/cli/serve/start-block.ts'

const settings: ServeSettings = {
  server: { directory: '/srv/site' },
  features: { directory: '/srv/site' },
  logFormat: undefined,
  shouldOpenBrowser: false,
  workers: 1,
}

const address = (family: 'IPv4' | 'IPv6', text: string, scopeid = 0): StartFacts['addresses'][number] => {
  const common = { address: text, netmask: '', mac: '', internal: false, cidr: null }
  return family === 'IPv4' ? { ...common, family } : { ...common, family, scopeid }
}

function lines(facts: Partial<Omit<StartFacts, 'server'>> = {}, host = '127.0.0.1'): readonly string[] {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:8080/docs`
  const server = { directory: '/srv/site', host, port: 8080, url, close: () => Promise.resolve() }
  return startLines({ server, settings, identity: undefined, isTerminal: true, addresses: [], ...facts })
}

describe('the startup message of serve', () => {
  it('is one line in a pipe', () => {
    const on = { ...settings, logFormat: 'text' as const }
    const expected = ['Serving directory /srv/site on http://127.0.0.1:8080/docs']
    expect(lines({ isTerminal: false, settings: on })).toEqual(expected)
  })

  it.each(['127.0.0.1', '127.1.2.3', '::1'])('says on a terminal that only this machine can connect to %s', (host) => {
    const [first, second, ...others] = lines({}, host)
    expect(first).toMatch(/^Serving directory \/srv\/site on http:/)
    expect(second).toMatch(/^ {2}Only this machine can connect: --public .* --host <address> /)
    expect(others).toEqual([])
  })

  it('names the network addresses, in a pipe too, when listening on all', () => {
    const addresses = [address('IPv4', '192.0.2.7'), address('IPv6', '2001:db8::7'), address('IPv6', 'fe80::1', 2)]
    const v4 = '  also on http://192.0.2.7:8080/docs'
    const v6 = '  also on http://[2001:db8::7]:8080/docs'
    expect(lines({ addresses, isTerminal: false }, '0.0.0.0').slice(1)).toEqual([v4])
    expect(lines({ addresses }, '::').slice(1)).toEqual([v4, v6])
    expect(lines({ addresses }, '192.0.2.7').slice(1)).toEqual([])
  })

  it.each([
    ['self-signed', '  Certificate, generated for this run: SHA-256 fingerprint AB:CD'],
    ['pkcs12', '  Certificate: SHA-256 fingerprint AB:CD'],
  ] as const)('shows the fingerprint of a certificate that is %s', (format, line) => {
    const identity = { format, alias: undefined, otherAliases: [], fingerprint256: 'AB:CD', warnings: [] }
    expect(lines({ identity: identity as unknown as NonNullable<StartFacts['identity']> }, '192.0.2.7')).toContain(line)
  })

  it('names the enabled features', () => {
    const on: ServeSettings = {
      ...settings,
      server: { directory: '/srv/site', isCompressing: true },
      features: {
        directory: '/srv/site',
        applicationPage: ['index.html'],
        hasLiveReload: true,
        credentials: { user: 'joe', password: 'pw' },
        corsOrigin: '*',
        visibility: { allowsDotfiles: true, allowsOutsideSymlinks: true },
        hasHealthPath: true,
      },
      logFormat: 'json',
      workers: 2,
    }
    const last = lines({ settings: on }).at(-1)
    for (const option of [
      'spa',
      'live',
      'auth',
      'cors',
      'compress',
      'dotfiles',
      'follow-symlinks',
      'health',
      'workers',
    ]) {
      expect(last).toContain(`(--${option})`)
    }
    expect(last).toContain('a log (-l)')
    expect(last).not.toContain('pw')
  })
})
