/** `send` by way of proxies that other people wrote, with and without the right credentials. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CertificateFiles, makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { accepting, isInstalled, startProgram } from '../helpers/peer-program.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, closedPort, startPeer } from '../wire/peer.ts'
import { response, send } from './send-outcome.ts'

/** Of squid. The helper takes `joe` with `p@ss`; names below blocked.test are refused. */
async function startSquid(directory: string, { certificate, key }: CertificateFiles): Promise<[number, number]> {
  const [port, tlsPort] = [await closedPort(), await closedPort()]
  // Started by root, squid gives its rights up.
  for (const path of [directory, join(directory, 'squid')]) {
    mkdirSync(path, { recursive: true })
    chmodSync(path, 0o777)
  }
  for (const file of [certificate, key]) chmodSync(file, 0o644)
  const helper = join(directory, 'helper.sh')
  writeFileSync(
    helper,
    'while read -r user password; do case $user:$password in joe:p@ss | joe:p%40ss) echo OK;; *) echo ERR;; esac; done\n',
  )
  writeFileSync(
    join(directory, 'squid.conf'),
    `http_port 127.0.0.1:${port}
https_port 127.0.0.1:${tlsPort} tls-cert=${certificate} tls-key=${key}
auth_param basic program /bin/sh ${helper}
auth_param basic children 1
acl blocked dstdomain .blocked.test
acl known proxy_auth REQUIRED
http_access deny blocked
http_access allow known
http_access deny all
cache deny all
access_log none
cache_log ${directory}/squid/log
pid_filename none
coredump_dir ${directory}/squid
shutdown_lifetime 0 seconds
visible_hostname localhost
`,
  )
  const squid = startProgram('squid', ['-N', '-f', join(directory, 'squid.conf')], directory)
  await accepting(port, squid)
  await accepting(tlsPort, squid)
  return [port, tlsPort]
}

describe('squid', () => {
  it.skipIf(!isInstalled('squid'))('forwards with the right credentials, and its refusals are explained', async () => {
    const directory = temporaryDirectory()
    const authority = makeAuthority(directory)
    const files = makeCertificate(directory, { name: 'localhost', authority })
    const [port, tlsPort] = await startSquid(directory, files)
    const peer = await startPeer(answering(response))
    const by = (proxy: string, url = `${peer.origin}/`) =>
      send(['-t', `GET ${url}`, '--proxy', proxy, '--cacert', authority.certificate, '-p', 'body'])

    for (const proxy of [`http://joe:p%40ss@127.0.0.1:${port}`, `https://joe:p%40ss@localhost:${tlsPort}`]) {
      expect(await by(proxy)).toEqual({ code: 0, out: 'hello', err: '' })
      expect(await by(proxy, 'https://a.blocked.test/')).toEqual({
        code: 4,
        out: '',
        err: expect.stringMatching(/ refused the tunnel to a\.blocked\.test:443: 403 .*Check that the proxy allows/),
      })
    }
    const refused = [
      ['http://joe:no@', /Check user and password in the URL of the proxy/i],
      ['http://', /give user and password in the URL of the proxy: http:\/\/user:password@host:port/i],
    ] as const
    for (const [start, hint] of refused) {
      const proxy = `${start}127.0.0.1:${port}`
      expect(await by(proxy)).toMatchObject({ code: 0, err: expect.stringMatching(hint) })
      expect(await by(proxy, 'https://localhost:1/')).toMatchObject({ code: 4, err: expect.stringMatching(hint) })
    }
  })
})

describe('microsocks', () => {
  it.skipIf(!isInstalled('microsocks'))('connects with the right credentials only', async () => {
    const port = await closedPort()
    const words = ['-i', '127.0.0.1', '-p', String(port), '-u', 'joe', '-P', 'p@ss']
    await accepting(port, startProgram('microsocks', words, temporaryDirectory()))
    const peer = await startPeer(answering(response))
    const by = (proxy: string, url = `${peer.origin}/`) => send(['-t', `GET ${url}`, '--proxy', proxy, '-p', 'body'])

    for (const scheme of ['socks5', 'socks5h']) {
      expect(await by(`${scheme}://joe:p%40ss@127.0.0.1:${port}`)).toEqual({ code: 0, out: 'hello', err: '' })
      expect(await by(`${scheme}://joe:no@127.0.0.1:${port}`)).toMatchObject({
        code: 4,
        err: expect.stringContaining('refused user and password'),
      })
      expect(await by(`${scheme}://127.0.0.1:${port}`)).toMatchObject({
        code: 4,
        err: expect.stringContaining('requires user and password'),
      })
    }
    const closed = await by(`socks5://joe:p%40ss@127.0.0.1:${port}`, `http://127.0.0.1:${await closedPort()}/`)
    expect(closed).toMatchObject({ code: 4, err: expect.stringContaining('the connection was refused') })
  })
})
