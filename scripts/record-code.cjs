/**
 * Preloaded into the command while it is built: keeps the code that the engine compiled during a run beside each chunk,
 * for src/cli/launcher.ts to use. What was recorded in an earlier run stays.
 */
const { existsSync, writeFileSync } = require('node:fs')
const { basename, dirname, join } = require('node:path')
const vm = require('node:vm')

const recorded = []
const { Script } = vm

vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    recorded.push({ script: this, file: join(dirname(process.argv[1]), `${basename(options.filename)}.code`) })
  }
}

// At the end, so that functions are in it that were compiled when they were first called.
process.on('exit', () => {
  for (const { script, file } of recorded) {
    if (!existsSync(file)) writeFileSync(file, script.createCachedData())
  }
})
