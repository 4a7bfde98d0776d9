/**
 * Diagnostics as the user types.
 *
 * Rules: syntax errors are sent on each change, together with the findings of the last check, moved to their new
 * positions; the next check runs when the user pauses. If the text changes during a check, the result of the check is
 * dropped. Files that depend on a changed file are checked again.
 */
import type { Connection } from 'vscode-languageserver'
import type { Diagnostic } from 'vscode-languageserver-protocol'
import { RunResources } from '../../runner/index.ts'
import type { Feature } from '../base/feature.ts'
import { editBetween } from '../base/minimal-edits.ts'
import { LineIndex } from '../base/positions.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { DiagnosticData } from './diagnostic.ts'
import { type FindingsByUri, fileFindings, syntaxFindings } from './file-findings.ts'

/** The pause in typing after which a file is checked. */
const CHECK_DELAY_MS = 150

/** The same for files that may import the changed file. */
const DEPENDENT_DELAY_MS = 500

/** The script engine takes 9 MB, and is closed if nothing was checked for this time. */
const ENGINE_IDLE_MS = 60_000

interface Checked {
  readonly text: string
  readonly findings: FindingsByUri
}

class Diagnostics {
  readonly #connection: Connection
  readonly #workspace: Workspace
  readonly #resources: RunResources
  readonly #checked: Map<string, Checked> = new Map()
  readonly #timers: Map<string, NodeJS.Timeout> = new Map()
  /** The findings that the client shows, by the checked document: several documents may have findings in one file. */
  readonly #shown: Map<string, FindingsByUri> = new Map()
  #queue: Promise<void> = Promise.resolve()
  #engineTimer: NodeJS.Timeout | undefined

  constructor(connection: Connection, workspace: Workspace) {
    this.#connection = connection
    this.#workspace = workspace
    this.#resources = new RunResources(undefined, workspace.context.onEngineLoad, true, (path) =>
      workspace.textInEditor(path),
    )
  }

  /** Also called when a document is opened, which is then checked immediately. */
  changed(uri: string): void {
    this.#publishKnown(uri)
    this.#schedule(uri, this.#checked.has(uri) ? CHECK_DELAY_MS : 0)
    for (const other of this.#workspace.openFiles) {
      const hasImports = other.file.sections.some(({ directives }) => directives.length > 0)
      if (other.uri !== uri && hasImports) this.#schedule(other.uri, DEPENDENT_DELAY_MS)
    }
  }

  closed(uri: string): void {
    clearTimeout(this.#timers.get(uri))
    this.#timers.delete(uri)
    this.#checked.delete(uri)
    this.#publish(uri, new Map())
  }

  /** Checks every open file again, because a file that they may depend on has changed. */
  checkAll(): void {
    for (const { uri } of this.#workspace.openFiles) this.#schedule(uri, CHECK_DELAY_MS)
  }

  async close(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    clearTimeout(this.#engineTimer)
    await this.#resources.close()
  }

  /** Publishes the syntax errors, with the other findings of the last check. */
  #publishKnown(uri: string): void {
    const analysis = this.#workspace.analysis(uri)
    if (analysis === undefined) return
    const syntax = syntaxFindings(analysis, this.#workspace)
    const last = this.#checked.get(uri)
    const own = last?.findings.get(uri) ?? []
    const kept = last === undefined ? [] : movedFindings(last.text, analysis.text, own.filter(isNotOfSyntax))
    this.#publish(uri, new Map([...(last?.findings ?? []), [uri, [...syntax, ...kept]]]))
  }

  #schedule(uri: string, delayMs: number): void {
    clearTimeout(this.#timers.get(uri))
    const check = (): void => {
      this.#timers.delete(uri)
      this.#queue = this.#queue.then(() => this.#check(uri)).catch((error: unknown) => this.#reportDefect(error))
    }
    this.#timers.set(uri, setTimeout(check, delayMs))
  }

  async #check(uri: string): Promise<void> {
    const analysis = this.#workspace.analysis(uri)
    if (analysis === undefined) return
    this.#resources.forgetFiles()
    clearTimeout(this.#engineTimer)
    const findings = await fileFindings(analysis, this.#workspace, this.#resources)
    this.#engineTimer = setTimeout(() => this.#resources.engines.close(), ENGINE_IDLE_MS).unref()
    if (this.#workspace.analysis(uri) !== analysis) return
    this.#checked.set(uri, { text: analysis.text, findings })
    this.#publish(uri, findings)
  }

  #publish(owner: string, findings: FindingsByUri): void {
    const before = this.#shown.get(owner)
    this.#shown.set(owner, findings)
    if (findings.size === 0) this.#shown.delete(owner)
    for (const uri of new Set([...(before?.keys() ?? []), ...findings.keys()])) this.#send(uri)
  }

  #send(uri: string): void {
    const diagnostics = distinct([...this.#shown.values()].flatMap((findings) => findings.get(uri) ?? []))
    const version = this.#workspace.analysis(uri)?.version
    void this.#connection.sendDiagnostics({ uri, diagnostics, ...(version === undefined ? {} : { version }) })
  }

  #reportDefect(error: unknown): void {
    const { console: log } = this.#connection
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

function distinct(all: readonly Diagnostic[]): Diagnostic[] {
  const byPlace = new Map(
    all.map((each) => {
      const { start, end } = each.range
      return [`${start.line}:${start.character}-${end.line}:${end.character} ${each.message}`, each]
    }),
  )
  return [...byPlace.values()]
}

function isNotOfSyntax({ data }: Diagnostic): boolean {
  return (data as DiagnosticData | undefined)?.isSyntax !== true
}

/**
 * Moves findings of an earlier text to their positions in a later text. Those that the edit between the texts has
 * touched are dropped.
 */
function movedFindings(before: string, after: string, findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const edit = editBetween(before, after, 0)
  if (findings.length === 0 || edit === undefined) return findings
  const [from, to] = [new LineIndex(before), new LineIndex(after)]
  return findings.flatMap((finding) => {
    const first = from.offsetAt(finding.range.start)
    const last = from.offsetAt(finding.range.end)
    if (last < edit.offset) return [finding]
    if (first < edit.offset + edit.length) return []
    const shift = edit.text.length - edit.length
    return [{ ...finding, range: { start: to.positionAt(first + shift), end: to.positionAt(last + shift) } }]
  })
}

/** The documents themselves announce that they are opened, changed or closed, see language-server.ts. */
export const diagnostics: Feature = {
  capabilities: {},
  listen(connection, workspace) {
    const live = new Diagnostics(connection, workspace)
    workspace.onChange((uri) => live.changed(uri))
    workspace.onClose((uri) => live.closed(uri))
    workspace.onContextChange(() => live.checkAll())
    workspace.onEnd(() => live.close())
  },
}
