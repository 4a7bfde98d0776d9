/** Request files that are deep, long or circular, and the required answer of each command. */
import {
  all,
  circular,
  DEEP,
  deep,
  deepJson,
  deepPath,
  deepScript,
  type HostileCase,
  json,
  laughs,
  MANY,
  many,
  nothingToConvert,
  ok,
  post,
  request,
  requestFile,
  tooLarge,
} from './hostile-case.ts'

export const hostileRequestFiles: readonly HostileCase[] = [
  ...requestFile('variables that multiply', () => `${laughs(15, 4)}GET http://h.test/{{v15}}\n`, all(tooLarge)),
  ...requestFile(
    'variables that multiply in a body',
    () => `${laughs(15, 4)}${post('text/plain', '{{v15}}')}`,
    all(tooLarge),
  ),
  ...requestFile(
    'one variable used often in a body',
    () => `@v = ${'x'.repeat(100_000)}\n${post('text/plain', '{{v}}'.repeat(20_000))}`,
    all([4, /more than 64 MiB of text: v$/m]),
  ),
  ...requestFile(
    'a chain of 10 000 variables',
    () => `@v0 = x\n${many(10_000, (i) => `@v${i + 1} = {{v${i}}}\n`)}GET http://h.test/{{v10000}}\n`,
    all([4, /a\.http:9802:10: .*more than 200 others/]),
  ),
  ...requestFile('a circle of variables', () => `@a = {{b}}\n@b = {{a}}\nGET http://h.test/{{a}}\n`, all(circular)),
  ...requestFile(
    'deep parentheses in a script',
    () => `${request}\n> {% ${deep('(', ')', DEEP, '1')} %}\n`,
    all(deepScript),
  ),
  ...requestFile('deep arrays in a script', () => `${request}\n> {% const a = ${deep('[', ']')} %}\n`, all(deepScript)),
  ...requestFile(
    'deep objects in a script',
    () => `${request}\n> {% const a = ${deep('{a:', '}', DEEP, '1')} %}\n`,
    all(deepScript),
  ),
  ...requestFile('deep blocks in a script', () => `< {% ${deep('{', '}')} %}\n${request}`, all(deepScript)),
  ...requestFile(
    'deep functions in a script',
    () => `< {% ${deep('(()=>', ')', DEEP, '1')} %}\n${request}`,
    all(deepScript),
  ),
  ...requestFile(
    'deep templates in a script',
    () => `< {% ${deep('`${', '}`', DEEP, '1')} %}\n${request}`,
    all(deepScript),
  ),
  ...requestFile('many operators in a script', () => `< {% 1${'+1'.repeat(DEEP)} %}\n${request}`, all([[0, 5], /^/])),
  ...requestFile('many negations in a script', () => `< {% ${'!'.repeat(DEEP)}1 %}\n${request}`, all(deepScript)),
  ...requestFile('many else in a script', () => `< {% ${'if(0);else '.repeat(DEEP)}; %}\n${request}`, all(deepScript)),
  ...requestFile(
    'a deep regular expression in a script',
    () => `< {% /${deep('(', ')')}/ %}\n${request}`,
    all(deepScript),
  ),
  ...requestFile(
    'a deep common script',
    () => `={% const a = ${deep('[', ']')} %}\n###\n${request}`,
    all([[0, 5], /^/]),
  ),
  ...requestFile(
    'a deep test',
    () => `${request}\n> {% client.test('a', () => client.assert(${deep('(', ')', DEEP, '1')})) %}\n`,
    all(deepScript),
  ),
  ...requestFile(
    'an assertion with a deep path',
    () => `# @assert jsonpath "$${deep('[?@', ']')}" == 1\n${request}`,
    all(deepPath),
  ),
  ...requestFile(
    'an assertion with deep parentheses',
    () => `# @assert jsonpath "$[?${deep('(', ')', DEEP, '@.a')}]" == 1\n${request}`,
    all(deepPath),
  ),
  ...requestFile(
    'an assertion with a deep value',
    () => `# @assert body == ${deep('[', ']')}\n${request}`,
    all([2, /a\.http:1:220: .*nested deeper than 200 levels/], [2, /a\.http:1:220: .*nested deeper than 200 levels/]),
  ),
  ...requestFile(
    'an assertion with a deep xpath',
    () => `# @assert xpath "${deep('(', ')', DEEP, '1')}" == 1\n${request}`,
    all(ok),
  ),
  ...requestFile(
    'an assertion with a deep regular expression',
    () => `# @assert body matches /${deep('(', ')')}/\n${request}`,
    all([2, /a\.http:1:24: this is not a regular expression/], [2, /a\.http:1:24: this is not a regular expression/]),
  ),
  ...requestFile(
    'an assertion with many words',
    () => `# @assert ${'not '.repeat(DEEP)}status == 200\n${request}`,
    all(ok),
  ),
  ...requestFile(
    'a capture with a deep path',
    () => `# @capture a = jsonpath "$${deep('[?@', ']')}"\n${request}`,
    all(deepPath),
  ),
  ...requestFile(
    'a variable with a deep path',
    () => `@a = 1\nGET http://h.test/{{a${'[0]'.repeat(DEEP)}}}\n`,
    all([4, /a\.http:2:19: /]),
  ),
  ...requestFile(
    'a variable with a deep query',
    () => `@a = 1\nGET http://h.test/{{$.a${deep('[?@', ']', 300)}}}\n`,
    all([4, /a\.http:2:19: /]),
  ),
  ...requestFile(
    'many open braces',
    () => `GET http://h.test/${'{{'.repeat(DEEP)}\n`,
    all([2, /"\{\{" is not closed/], [2, /"\{\{" is not closed/]),
  ),
  ...requestFile('many braces in a body', () => post('text/plain', '{{'.repeat(MANY)), all(ok)),
  ...requestFile('deep JSON in a body', () => post('application/json', deep('[', ']')), all(ok)),
  ...requestFile(
    'deep JSON with variables in a body',
    () => `@a = 1\n${post('application/json', deep('{"a":', '}', DEEP, '{{a}}'))}`,
    all(ok),
  ),
  ...requestFile('a deep GraphQL query', () => `GRAPHQL http://127.0.0.1:9/\n\n${deep('{a', '}')}\n`, all(ok)),
  ...requestFile(
    'deep GraphQL variables',
    () => `GRAPHQL http://127.0.0.1:9/\n\n{ a }\n\n${deep('{"a":', '}', DEEP, '1')}\n`,
    all([4, /GraphQL variables .*nested deeper than 200 levels/]),
  ),
  ...requestFile(
    'multipart in multipart',
    () =>
      post(
        'multipart/mixed; boundary=b0',
        `${many(300, (i) => `--b${i}\nContent-Type: multipart/mixed; boundary=b${i + 1}\n\n`)}--b300\n\nx\n--b300--`,
      ),
    all([4, /a\.http:4:1: multipart bodies .*more than 20 deep/]),
  ),
  ...requestFile('many parts', () => post('multipart/mixed; boundary=b', '--b\n\nx\n'.repeat(MANY)), all(ok)),
  ...requestFile(
    'many fields of a form',
    () =>
      post(
        'application/x-www-form-urlencoded',
        many(MANY, (i) => `a${i} = 1 &\n`),
      ),
    all(ok),
  ),
  ...requestFile('many headers', () => `${request}${many(MANY, (i) => `X-${i}: 1\n`)}`, all(ok)),
  ...requestFile('a long header', () => `${request}X: ${'x'.repeat(1_000_000)}\n`, all(ok)),
  ...requestFile('a long URL', () => `GET http://127.0.0.1:9/${'x'.repeat(1_000_000)}\n`, all(ok)),
  ...requestFile('a long host', () => `GET http://${'x'.repeat(1_000_000)}/\n`, all(ok)),
  ...requestFile('many tags', () => `${'# @no-log\n'.repeat(MANY)}${request}`, all(ok)),
  ...requestFile('many lines of a URL', () => `${request}${'  &a=1\n'.repeat(MANY)}`, all(ok)),
  ...requestFile('a circle of imports', () => `import ./b.http\nrun ./b.http\n###\n${request}`, all(circular), {
    'b.http': () => `import ./a.http\nrun ./a.http\n###\n${request}`,
  }),
  ...requestFile('a file that runs itself', () => `run ./a.http\n###\n${request}`, all(circular)),
  ...requestFile(
    'a request that runs itself',
    () => `import ./a.http\n### a\n${request}\n###\nrun #a\n### b\nrun #b\n`,
    all([4, /no request "b" found here/]),
  ),
  ...requestFile(
    'files that run each other twice',
    () => 'run ./b0.http\n',
    { ...all([4, /more than 1000000 requests/]), convert: nothingToConvert },
    Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [
        `b${i}.http`,
        () => (i === 24 ? request : `run ./b${i + 1}.http\n###\nrun ./b${i + 1}.http\n`),
      ]),
    ),
  ),
  ...requestFile(
    '300 files in a chain',
    () => 'run ./c0.http\n',
    { ...all([4, /c98\.http:1:1: files refer to each other more than 100 deep/]), convert: nothingToConvert },
    Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`c${i}.http`, () => (i === 299 ? request : `run ./c${i + 1}.http\n`)]),
    ),
  ),
  ...requestFile(
    '120 requests in a chain of calls',
    () => `${many(120, (i) => `### r${i}\nrun #r${i + 1}\n${i === 0 ? '' : request}\n`)}### r120\n${request}`,
    all([4, /requests call each other more than 100 deep/]),
  ),
  ...requestFile('10 000 requests', () => many(10_000, (i) => `### r${i}\n${request}\n`), {
    check: ok,
    fmt: ok,
    convert: ok,
  }),
  ...requestFile(
    'a deep environment file',
    () => `GET http://h.test/{{a}}\n`,
    { check: deepJson, dry: deepJson },
    { 'http-client.env.json': () => `{"dev": {"a": ${deep('[', ']')}}}` },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'a deep environment file that is never closed',
    () => `GET http://h.test/{{a}}\n`,
    { check: deepJson, dry: deepJson },
    { 'http-client.env.json': () => '{"a":'.repeat(DEEP) },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'a deep Security block',
    () => `GET http://h.test/{{a}}\n`,
    { check: deepJson, dry: deepJson },
    { 'http-client.env.json': () => `{"dev": {"Security": {"Auth": ${deep('{"a":', '}', DEEP, '1')}}}}` },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'an environment that multiplies',
    () => `GET http://h.test/{{v15}}\n`,
    { check: tooLarge, dry: tooLarge },
    {
      'http-client.env.json': () =>
        json({
          dev: Object.fromEntries([
            ['v0', 'ha'.repeat(50)],
            ...Array.from({ length: 15 }, (_, i) => [`v${i + 1}`, `{{v${i}}}`.repeat(4)]),
          ]),
        }),
    },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'an environment of arrays that multiplies',
    () => `GET http://h.test/{{v15}}\n`,
    { check: [4, /more than 200000 other variables: v15 → /], dry: [4, /more than 200000 other variables: v15 → /] },
    {
      'http-client.env.json': () =>
        json({
          dev: Object.fromEntries([
            ['v0', ['ha'.repeat(50)]],
            ...Array.from({ length: 15 }, (_, i) => [`v${i + 1}`, { a: Array(4).fill(`{{v${i}}}`) }]),
          ]),
        }),
    },
    ['-e', 'dev'],
  ),
  ...requestFile(
    'deep JSON in --data',
    () => request,
    { check: deepJson, dry: deepJson },
    { 'd.json': () => `[{"a": ${deep('[', ']')}}]` },
    ['--data', 'd.json'],
  ),
  ...requestFile(
    'a deep line in --data',
    () => request,
    { check: deepJson, dry: deepJson },
    { 'd.jsonl': () => `{"a": ${deep('[', ']')}}\n` },
    ['--data', 'd.jsonl'],
  ),
  ...requestFile(
    'many columns in --data',
    () => request,
    { check: ok, dry: ok },
    { 'd.csv': () => `${many(MANY, (i) => `c${i},`)}z\n${'1,'.repeat(MANY)}1\n` },
    ['--data', 'd.csv'],
  ),
  ...requestFile(
    'a quote that is never closed in --data',
    () => request,
    { check: [2, /d\.csv:2:1: a field begins with a quote/], dry: [2, /d\.csv:2:1: a field begins with a quote/] },
    { 'd.csv': () => `a,b\n"${'x\n'.repeat(1_000_000)}` },
    ['--data', 'd.csv'],
  ),
  ...requestFile(
    'a row of --data that names itself',
    () => `GET http://h.test/{{a}}\n`,
    { check: circular, dry: circular },
    { 'd.json': () => json([{ a: '{{a}}{{a}}' }]) },
    ['--data', 'd.json'],
  ),
]
