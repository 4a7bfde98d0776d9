/** The helpers of scripts: jsonPath, documents, crypto, tokens, names of the web. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts are texts here
import { createHash, createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { logsOf, runScript } from '../running-scripts.ts'

describe('jsonPath', () => {
  const store = '{"store":{"book":[{"title":"A","price":8},{"title":"B","price":12}],"a b":1}}'
  it.each<[string, string]>([
    ['$.store.book[0].title', 'A'],
    ["$['store']['a b']", '1'],
    ['$.store.book[-1].title', 'B'],
    ['$.store.none', 'undefined'],
    ['$.store.book[*].title', '["A","B"]'],
    ['$..price', '[8,12]'],
    ['$.store.book[?(@.price < 10)].title', '["A"]'],
    ['$.store.book[0,1].price', '[8,12]'],
    ['store.book[1].price', '12'],
  ])('%s gives %s', async (path, text) => {
    const code = `client.log(jsonPath(response.body, ${JSON.stringify(path)}))`
    expect(await logsOf(code, { body: store })).toEqual([text])
  })

  it('that cannot be read is an error with the expression', async () => {
    const { failures } = await runScript('jsonPath({}, "$.[")')
    expect(failures).toMatchObject([{ message: expect.stringContaining('"$.["'), line: 1 }])
  })
})

describe('documents', () => {
  const xml = '<feed xmlns:x="u"><item id="1" class="a b">One</item><item id="2">Two<x:deep/></item><!-- c --></feed>'
  const html =
    '<!doctype html><title>T</title><div id=main class="big red"><p>One<p>Two &amp; <b>three</b><br></div><input name=q>'

  it.each<[string, string]>([
    ['response.body.documentElement.tagName', 'feed'],
    ['response.body.getElementsByTagName("item").length', '2'],
    ['response.body.getElementsByTagName("item").item(1).textContent', 'Two'],
    ['response.body.getElementsByTagName("item")[0].getAttribute("id")', '1'],
    ['response.body.getElementsByClassName("b").item(0).textContent', 'One'],
    ['response.body.getElementById("2").textContent', 'Two'],
    ['response.body.documentElement.children.length', '2'],
    ['response.body.xpath("//item").length', '2'],
    ['response.body.xpath("//item[@id=2]")[0].textContent', 'Two'],
    ['response.body.xpath("string(//item[1])")', 'One'],
    ['response.body.xpath("count(//item)")', '2'],
    ['xpath(response.body, "//item/@id")[0].value', '1'],
    ['xpath(response.body.documentElement, "item[1]/text()")[0].nodeValue', 'One'],
    ['response.body.documentElement.firstChild', '<item id="1" class="a b">One</item>'],
  ])('of XML: %s is %s', async (expression, text) => {
    expect(await logsOf(`client.log(${expression})`, { mimeType: 'application/xml', body: xml })).toEqual([text])
  })

  it.each<[string, string]>([
    ['response.body.getElementsByTagName("p").length', '2'],
    ['response.body.getElementsByTagName("p")[1].textContent', 'Two & three'],
    ['response.body.getElementById("main").getAttribute("class")', 'big red'],
    ['response.body.getElementsByClassName("red").length', '1'],
    ['response.body.getElementsByName("q").length', '1'],
    ['response.body.xpath("//title")[0].textContent', 'T'],
    ['response.body.xpath("//div/p").length', '2'],
  ])('of HTML: %s is %s', async (expression, text) => {
    expect(await logsOf(`client.log(${expression})`, { mimeType: 'text/html', body: html })).toEqual([text])
  })

  it('are created from strings', async () => {
    const code = `const parser = new DOMParser()
      client.log(parser.parseFromString('<a><b>x</b></a>', 'text/xml').getElementsByTagName('b')[0].textContent)
      client.log(parser.parseFromString('<p>x<p>y', 'text/html').getElementsByTagName('p').length)
      client.log(DOMParser().parseFromString('<a/>', 'application/xml').documentElement.tagName)`
    expect(await logsOf(code)).toEqual(['x', '2', 'a'])
  })

  it('that are not well-formed cause an error that reports the mistake', async () => {
    const { failures } = await runScript('new DOMParser().parseFromString("<a></b>", "text/xml")')
    expect(failures).toMatchObject([{ message: 'SyntaxError: Opening and ending tag mismatch: "a" != "b"', line: 1 }])
  })

  it('of many scripts are loaded once, and no script sees changes of another', async () => {
    const settings = { mimeType: 'application/xml', body: xml }
    const code =
      'client.log(response.body.x, response.body.xpath("count(//item)")); Object.getPrototypeOf(response.body).x = 1'
    for (let i = 0; i < 3; i++) expect(await logsOf(code, settings)).toEqual(['undefined 2'])
  })

  it('that are nested too deep cause a script error, and the next script runs', async () => {
    const deep = '<a>'.repeat(100_000) + '</a>'.repeat(100_000)
    const settings = { mimeType: 'application/xml', body: deep }
    await runScript('client.log(response.body.documentElement.textContent.length)', settings)
    expect(await logsOf('client.log(1)')).toEqual(['1'])
  })

  it('do not expand what a text defines', async () => {
    const bomb = `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(100)}"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>`
    const settings = { mimeType: 'application/xml', body: bomb }
    const { events } = await runScript('client.log(String(response.body).length < 1000)', settings)
    expect(events).toEqual([{ type: 'log', text: 'true' }])
  })
})

describe('crypto', () => {
  it.each<[string, string]>([
    ['crypto.md5().updateWithText("a").digest().toHex()', createHash('md5').update('a').digest('hex')],
    ['crypto.sha1().updateWithText("a").digest().toHex()', createHash('sha1').update('a').digest('hex')],
    [
      'crypto.sha256().updateWithText("ä").updateWithHex("00ff").updateWithBase64("AQI=").digest().toBase64()',
      createHash('sha256')
        .update('ä')
        .update(Buffer.from([0, 255, 1, 2]))
        .digest('base64'),
    ],
    [
      'crypto.sha512().updateWithText("ä", "ISO-8859-1").digest().toBase64(true)',
      createHash('sha512')
        .update(Buffer.from([0xe4]))
        .digest('base64url'),
    ],
    ['crypto.sha384().updateWithText("a", "UTF8").digest().toHex()', createHash('sha384').update('a').digest('hex')],
    ['crypto.sha3("256").updateWithText("a").digest().toHex()', createHash('sha3-256').update('a').digest('hex')],
    [
      'crypto.hmac.sha256().withTextSecret("k").updateWithText("a").digest().toHex()',
      createHmac('sha256', 'k').update('a').digest('hex'),
    ],
    [
      'crypto.hmac.sha512().withHexSecret("6b").updateWithText("a").digest().toBase64()',
      createHmac('sha512', 'k').update('a').digest('base64'),
    ],
    [
      'crypto.hmac.sha3("512").withBase64Secret("aw", true).updateWithText("a").digest().toHex()',
      createHmac('sha3-512', 'k').update('a').digest('hex'),
    ],
    ['crypto.randomUUID().length', '36'],
    ['crypto.getRandomValues(new Uint8Array(4)).length', '4'],
  ])('%s', async (expression, text) => {
    expect(await logsOf(`client.log(${expression})`)).toEqual([text])
  })

  it.each<[string, string]>([
    ['crypto.sha256().updateWithHex("0")', 'hexadecimal'],
    ['crypto.sha3("7")', 'sha3 has 224'],
    ['crypto.sha256().updateWithText("a", "nonsense").digest()', 'nonsense'],
  ])('reports mistakes: %s', async (code, message) => {
    const { failures } = await runScript(code.includes('digest') || code.includes('sha3') ? code : `${code}.digest()`)
    expect(failures).toMatchObject([{ kind: 'error', message: expect.stringContaining(message), line: 1 }])
  })

  it('signs and verifies with RSA and ECDSA keys', async () => {
    for (const kind of ['rsa', 'ecdsa']) {
      const pair =
        kind === 'rsa'
          ? generateKeyPairSync('rsa', { modulusLength: 2048 })
          : generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const privatePem = JSON.stringify(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
      const publicPem = JSON.stringify(pair.publicKey.export({ type: 'spki', format: 'pem' }))
      const code = `
        const signature = crypto.${kind}.sha256().withPrivateKey(${privatePem}).updateWithText('a').sign()
        client.log(signature.toBase64())
        client.log(crypto.${kind}.sha256().withPublicKey(${publicPem}).updateWithText('a').verify(signature.toBase64()))
        client.log(crypto.${kind}.sha256().withPublicKey(${publicPem}).updateWithText('b').verify(signature.toHex(), 'hex'))`
      const [signature = '', isValid, isOther] = await logsOf(code)
      expect(verify('sha256', Buffer.from('a'), pair.publicKey, Buffer.from(signature, 'base64'))).toBe(true)
      expect([isValid, isOther]).toEqual(['true', 'false'])
    }
  })
})

describe('crypto.subtle, whose results are available at once', () => {
  it.each<[string, string, string]>([
    [
      'a digest',
      `const octets = crypto.subtle.digest('SHA-256', new TextEncoder().encode('a'))
       client.log(octets instanceof ArrayBuffer, octets.byteLength, (await octets) === octets)`,
      'true 32 true',
    ],
    [
      'HMAC',
      `const key = crypto.subtle.importKey('raw', new TextEncoder().encode('k'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
       const mac = crypto.subtle.sign('HMAC', key, new TextEncoder().encode('a'))
       client.log([...new Uint8Array(mac)].map((octet) => octet.toString(16).padStart(2, '0')).join(''))`,
      createHmac('sha256', 'k').update('a').digest('hex'),
    ],
    [
      'ECDSA',
      `const { privateKey, publicKey } = crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
       const data = new Uint8Array([1, 2]), algorithm = { name: 'ECDSA', hash: { name: 'SHA-256' } }
       client.log(crypto.subtle.verify(algorithm, publicKey, crypto.subtle.sign(algorithm, privateKey, data), data))`,
      'true',
    ],
    [
      'RSA-PSS by an exported key',
      `const algorithm = { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 2048, saltLength: 32 }
       const pair = crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
       const spki = crypto.subtle.exportKey('spki', pair.publicKey)
       const key = crypto.subtle.importKey('spki', spki, algorithm, true, ['verify'])
       const data = new Uint8Array([7])
       client.log(crypto.subtle.verify(algorithm, key, crypto.subtle.sign(algorithm, pair.privateKey, data), data))`,
      'true',
    ],
    [
      'AES-GCM with a derived key',
      `const secret = crypto.subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveKey'])
       const key = crypto.subtle.deriveKey({ name: 'PBKDF2', salt: new Uint8Array(8), iterations: 10, hash: 'SHA-256' },
         secret, { name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt'])
       const iv = new Uint8Array(12)
       const sealed = crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode('geheim'))
       client.log(sealed.byteLength, new TextDecoder().decode(crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed)))`,
      '22 geheim',
    ],
    [
      'JWK',
      `const jwk = { kty: 'oct', k: 'aw' }
       const key = crypto.subtle.importKey('jwk', jwk, { name: 'HMAC', hash: 'SHA-1' }, true, ['sign'])
       client.log(crypto.subtle.exportKey('jwk', key).k, crypto.subtle.sign('HMAC', key, new Uint8Array()).byteLength)`,
      'aw 20',
    ],
  ])('%s', async (_, code, text) => {
    expect(await logsOf(code)).toEqual([text])
  })

  it.each<[string, string]>([
    ['crypto.subtle.digest("SHA-9", new Uint8Array())', 'SHA-9'],
    ['crypto.subtle.digest("SHA-256", "text")', 'takes bytes'],
    ['crypto.subtle.generateKey({ name: "RSA-PSS", hash: "SHA-256", modulusLength: 16384 }, true, [])', '4096'],
    [
      'crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(1), iterations: 1e12 }, crypto.subtle.importKey("raw", new Uint8Array(1), "PBKDF2", false, ["deriveBits"]), 256)',
      'iterations',
    ],
    [
      'crypto.subtle.sign("HMAC", crypto.subtle.importKey("raw", new Uint8Array(1), { name: "HMAC", hash: "SHA-1" }, true, []), new Uint8Array())',
      'may not be used to sign',
    ],
  ])('refuses what it cannot do: %s', async (code, message) => {
    expect((await runScript(code)).failures).toMatchObject([{ message: expect.stringContaining(message) }])
  })
})

describe('jwt', () => {
  it('signs what others can verify, and verifies what others signed', async () => {
    const code = `
      const token = jwt.sign({ sub: 'ada' }, 'key', { algorithm: 'HS512', expiresIn: '1h', issuer: 'us' })
      client.log(token)
      client.log(jwt.verify(token, 'key').sub, jwt.decode(token).iss, jwt.decode(token, { complete: true }).header)`
    const [token = '', claims] = await logsOf(code)
    const [head, body, signature] = token.split('.')
    expect(createHmac('sha512', 'key').update(`${head}.${body}`).digest('base64url')).toBe(signature)
    expect(claims).toBe('ada us {"alg":"HS512","typ":"JWT"}')
  })

  it('signs with RSA and ECDSA keys', async () => {
    const pairs = [
      ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
      ['PS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
      ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ] as const
    for (const [algorithm, pair] of pairs) {
      const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' })
      const publicPem = createPublicKey(pair.privateKey).export({ type: 'spki', format: 'pem' })
      const code = `
        const token = jwt.sign({ a: 1 }, ${JSON.stringify(pem)}, '${algorithm}')
        client.log(jwt.verify(token, ${JSON.stringify(publicPem)}, '${algorithm}').a)`
      expect(await logsOf(code)).toEqual(['1'])
    }
  })

  it.each<[string, string, string]>([
    ['another key', 'jwt.verify(jwt.sign({}, "a"), "b")', 'signature'],
    ['a token that expired', 'jwt.verify(jwt.sign({ exp: 1 }, "a"), "a")', 'expired at 1970-01-01T00:00:01.000Z'],
    ['a token of later', 'jwt.verify(jwt.sign({ nbf: 9999999999 }, "a"), "a")', 'not valid before'],
    ['another audience', 'jwt.verify(jwt.sign({ aud: "x" }, "a"), "a", { audience: "y" })', 'audience'],
    ['no token', 'jwt.verify("a.b", "a")', '3 parts'],
    ['an unknown algorithm', 'jwt.sign({}, "a", "HS1")', '"HS1"'],
    ['a token without signature', 'jwt.verify(btoa(\'{"alg":"none"}\').replace(/=/g, "") + ".e30.", "a")', 'none'],
    ['another algorithm than said', 'jwt.verify(jwt.sign({}, "a"), "a", { algorithms: ["HS512"] })', 'HS256'],
  ])('refuses %s', async (_, code, message) => {
    expect((await runScript(code)).failures).toMatchObject([{ message: expect.stringContaining(message), line: 1 }])
  })
})

describe('names of the web', () => {
  it.each<[string, string]>([
    ['new URLSearchParams("a=1&b=2&a=%C3%A4+b").getAll("a")', '["1","ä b"]'],
    ['new URLSearchParams({ q: "a b&c", z: "ä" }).toString()', 'q=a+b%26c&z=%C3%A4'],
    ['new URLSearchParams([["a", "1"], ["a", "2"]]).get("a")', '1'],
    ['[...new URLSearchParams("?x=1&y=2")].map(([name]) => name)', '["x","y"]'],
    [
      '(() => { const p = new URLSearchParams("a=1&a=2&b=3"); p.set("a", "9"); p.append("c", "4"); p.delete("b"); return `${p}` })()',
      'a=9&c=4',
    ],
    ['new URLSearchParams("a=%zz").get("a")', '%zz'],
    ['btoa("Ada:x")', Buffer.from('Ada:x').toString('base64')],
    ['btoa("ÿ")', '/w=='],
    ['atob("QWRhOng=")', 'Ada:x'],
    ['atob(" Q W Q ")', 'Ad'],
    ['new TextEncoder().encode("ä").length', '2'],
    ['new TextDecoder().decode(new Uint8Array([0xc3, 0xa4]))', 'ä'],
    ['typeof Math.random()', 'number'],
  ])('%s', async (expression, text) => {
    expect(await logsOf(`client.log(${expression})`)).toEqual([text])
  })

  it.each(['btoa("€")', 'atob("a")', 'atob("%")'])('refuses %s', async (code) => {
    expect((await runScript(code)).failures).toMatchObject([{ kind: 'error', line: 1 }])
  })

  it('may be shadowed by names of the script', async () => {
    expect(
      await logsOf('const crypto = 1; var atob = 2; console = { log: client.log }; console.log(crypto, atob)'),
    ).toEqual(['1 2'])
  })

  it('give other random numbers to each script', async () => {
    const [first] = await logsOf('client.log(Math.random())')
    expect(await logsOf('client.log(Math.random())')).not.toEqual([first])
  })
})
