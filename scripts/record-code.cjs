/**
 * Preloaded into the command while it is built: keeps the code that the engine compiled during a run beside each chunk,
 * for src/cli/programs/launcher.ts to use. What was recorded in an earlier run, and could be used in this one, is kept with it.
 *
 * Rules: code is good for the switches of the engine that are set when it is loaded. A command sets some on its way, so
 * each chunk is recorded with those that were set when the chunk was loaded.
 */
const { execFileSync } = require('node:child_process')
const { writeFileSync } = require('node:fs')
const { basename, dirname, join } = require('node:path')
const v8 = require('node:v8')
const vm = require('node:vm')

const recorded = []
const switches = []
const { Script } = vm
const { setFlagsFromString } = v8

v8.setFlagsFromString = (name) => {
  switches.push(name)
  setFlagsFromString(name)
}

vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    // The command compiles some code of its own, which has no name.
    if (options?.filename === undefined) return
    const file = join(dirname(process.argv[1]), `${basename(options.filename)}.code`)
    recorded.push({ script: this, file, switchCount: switches.length })
  }
}

/** The switch as it is where nobody sets it. */
function defaultOf(name) {
  const word = name.replace(/^--(no-)?/, '').replace(/=.*/, '')
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  return new RegExp(`default: (--(?:no-)?${word}(?:=\\S*)?)$`, 'm').exec(options)[1]
}

// At the end, so that functions are in it that were compiled when they were first called.
process.on('exit', () => {
  for (const { script, file, switchCount } of recorded.reverse()) {
    while (switches.length > switchCount) setFlagsFromString(defaultOf(switches.pop()))
    if (script.cachedDataRejected !== true) writeFileSync(file, script.createCachedData())
  }
})
