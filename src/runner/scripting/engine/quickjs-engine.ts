/**
 * The script engine: the memory that a script starts in, and the state kept after it.
 *
 * Rules: every script begins in the same state. Libraries that a script used are added to that state, so that the next
 * script need not load them, and so are scripts that are run repeatedly. A script that imports modules begins in the
 * state that the last such script left, because modules keep their state; names that it added to the global scope are
 * removed. The machine is rebuilt, and its modules are lost, if a script was stopped in the middle of a step, or if its
 * memory has grown; with modules, growth alone is accepted until the memory is near its limit. A machine that was
 * replaced exists until the tests of its script have run.
 */
import { ModuleFiles } from '../source/module-files.ts'
import { type PreparedScript, PreparedScripts } from '../source/prepared-scripts.ts'
import type { CompiledEngine } from './engine-program.ts'
import type { MemoryImage } from './memory-image.ts'
import { type MachineHost, QuickJsMachine, ThrownInside } from './quickjs-machine.ts'
import { checkScript } from './script-check.ts'
import type {
  EngineSurroundings,
  ScriptFailure,
  ScriptJob,
  ScriptLimits,
  ScriptOutcome,
  ScriptSource,
} from './script-engine.ts'
import { plainFailure, SCRIPT_TESTS_NOT_RUN } from './script-engine.ts'
import { ScriptRun } from './script-run.ts'

/** An engine on this thread: while a script runs, nothing else does. Call `load` first. */
export class QuickJsEngine {
  #compiled: CompiledEngine | undefined
  #machine: QuickJsMachine | undefined
  #base: MemoryImage | undefined
  #moduleState: MemoryImage | undefined
  readonly #libraries: Set<string> = new Set()
  #modules = new ModuleFiles()
  #scripts = new PreparedScripts()
  readonly #surroundings: EngineSurroundings
  /** The host while libraries are loaded. */
  readonly #libraryHost: MachineHost

  constructor(surroundings: EngineSurroundings) {
    this.#surroundings = surroundings
    this.#libraryHost = {
      answer: (operation, json) =>
        operation === 'library' ? `t${surroundings.library(JSON.parse(json)[0] as string)}` : '',
      mustStop: () => false,
      resolveModule: (specifier) => specifier,
      moduleCode: () => '',
    }
  }

  /**
   * Creates the machine before it is needed. @param compiled compiled for this limit, which the next scripts must have
   */
  load(memoryBytes: number, compiled: CompiledEngine): void {
    this.#compiled = compiled
    this.#machineFor(memoryBytes)
  }

  async run(job: ScriptJob): Promise<ScriptOutcome> {
    const runs: ScriptRun[] = []
    for (const index of job.scripts.keys()) {
      const run = await this.#runScript(job, index, runs)
      runs.push(run)
      if (run.wasAborted) break
    }
    const wasAborted = (): boolean => runs.some((run) => run.wasAborted)
    for (const run of runs) {
      if (!wasAborted()) await this.#runTests(run, runs)
      await run.finish()
    }
    return wasAborted() ? 'aborted' : runs.some((run) => run.hasFailed) ? 'failed' : 'done'
  }

  /** The errors in a script and its imports that can be found without running them. */
  check(source: ScriptSource, { memoryBytes }: ScriptLimits): readonly ScriptFailure[] {
    const machine = this.#machineFor(memoryBytes)
    machine.restore(this.#base as MemoryImage)
    const { program } = this.#scripts.take(source.parts)
    const failures = checkScript(source, program, machine, this.#modules)
    machine.restore(this.#base as MemoryImage)
    return failures
  }

  /** Forgets the modules: the next script belongs to another run, which must not see them. */
  endRun(): void {
    this.#moduleState = undefined
    this.#modules = new ModuleFiles()
  }

  async #runScript(job: ScriptJob, index: number, earlier: readonly ScriptRun[]): Promise<ScriptRun> {
    const machine = this.#machineFor(job.limits.memoryBytes)
    const prepared = this.#scripts.take((job.scripts[index] as ScriptSource).parts)
    const run = new ScriptRun(job, index, {
      machine,
      modules: this.#modules,
      prepared,
      surroundings: this.#surroundings,
    })
    machine.restore((run.hasModules ? this.#moduleState : undefined) ?? (this.#base as MemoryImage))
    if (prepared.shouldKeep && !run.hasModules) this.#keepProgram(machine, prepared)
    machine.limitRounds(this.#surroundings.maxRounds)
    await run.runScript()
    const isLast = index === job.scripts.length - 1
    if (run.hasSpentMachine || this.#isFull(machine, run)) this.#forgetMachine()
    else if (!run.hasTests) this.#keep(machine, run)
    else if (!isLast || earlier.some(({ image }) => image !== undefined)) run.image = machine.capture()
    return run
  }

  /** @param runs of the same job */
  async #runTests(run: ScriptRun, runs: readonly ScriptRun[]): Promise<void> {
    const { machine, image } = run
    if (!run.hasTests || run.hasSpentMachine) return
    if (runs.some((each) => each.hasSpentMachine && each.machine === machine)) {
      return run.failUnfinishedTests(plainFailure('error', SCRIPT_TESTS_NOT_RUN))
    }
    if (image !== undefined) {
      machine.restore(image)
      machine.discard(image)
      machine.limitRounds(this.#surroundings.maxRounds)
    }
    await run.runTests()
    if (machine !== this.#machine) return
    if (run.hasSpentMachine || this.#isFull(machine, run)) this.#forgetMachine()
    else this.#keep(machine, run)
  }

  #isFull(machine: QuickJsMachine, run: ScriptRun): boolean {
    return run.hasModules || this.#moduleState !== undefined ? machine.isNearLimit : machine.hasGrown
  }

  #machineFor(memoryBytes: number): QuickJsMachine {
    if (this.#machine?.memoryBytes !== memoryBytes) {
      this.#forgetMachine()
      const { program, world } = this.#compiled as CompiledEngine
      this.#machine = new QuickJsMachine({ memoryBytes, program, world, core: this.#surroundings.core })
      this.#base = this.#machine.initial
      this.#addLibraries(this.#machine, this.#libraries)
    }
    return this.#machine as QuickJsMachine
  }

  /** A compile error is ignored here: it is reported when the script runs. */
  #keepProgram(machine: QuickJsMachine, { program }: PreparedScript): void {
    machine.limitRounds(undefined)
    try {
      machine.keepProgram(program.text)
    } catch (error) {
      if (!(error instanceof ThrownInside)) throw error
      machine.restore(this.#base as MemoryImage)
      return
    }
    this.#base = machine.capture()
  }

  #forgetMachine(): void {
    if (this.#machine !== undefined) this.#surroundings.machineEnded()
    this.#machine = undefined
    this.#base = undefined
    this.#moduleState = undefined
    this.#modules = new ModuleFiles()
    this.#scripts = new PreparedScripts()
  }

  /** The interpreter state that the next script inherits. */
  #keep(machine: QuickJsMachine, run: ScriptRun): void {
    // The following work is the engine's own and terminates.
    machine.limitRounds(undefined)
    if (run.hasModules) {
      machine.call('end')
      if (this.#moduleState !== undefined) machine.discard(this.#moduleState)
      this.#moduleState = machine.capture()
    }
    this.#addLibraries(machine, run.libraries)
  }

  #addLibraries(machine: QuickJsMachine, names: ReadonlySet<string>): void {
    const isNew = [...names].some((name) => !this.#libraries.has(name))
    for (const name of names) this.#libraries.add(name)
    if (!isNew && names !== this.#libraries) return
    if (this.#libraries.size === 0) return
    machine.restore(this.#base as MemoryImage)
    machine.host = this.#libraryHost
    for (const name of this.#libraries) machine.call('load', name)
    this.#base = machine.capture()
  }
}
