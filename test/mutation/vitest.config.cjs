// The checks that a mutant has to survive: few and fast, since each of them runs once for every mutant.
const tests = ['errors', 'framing', 'limits', 'start-line', 'traps']
module.exports = {
  test: {
    include: ['test/mutation/parser-checks.ts', `test/message/{${tests.join(',')}}.test.ts`],
    isolate: false,
    testTimeout: 20_000,
  },
}
