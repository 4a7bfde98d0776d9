/**
 * Shows a result in a form that the client supports.
 *
 * Rules: the first that applies. A client with virtual documents (LSP 3.18, or `experimental.httpcli.results`) shows
 * one; with the setting `results: "file"` the text is written to a private temporary directory, which is removed when
 * the server ends; every other client gets a message of one line. The answer to the command always has the result.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Connection, type MessageType, ShowMessageNotification } from 'vscode-languageserver'
import { TextDocumentContentRefreshRequest, TextDocumentContentRequest } from 'vscode-languageserver-protocol'
import { uriOfPath } from '../base/file-uri.ts'
import { unawaited } from '../base/unawaited.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { ResultDocuments } from './result-documents.ts'

/** `httpcli/result`: the text of a document, for clients without `workspace/textDocumentContent`. */
const RESULT_REQUEST = 'httpcli/result'
/** `httpcli/resultChanged`: a document with a result is new, or its text has changed. */
const RESULT_NOTIFICATION = 'httpcli/resultChanged'

const OWNER_ONLY = 0o600
const MAX_MESSAGE_CHARACTERS = 4000

export interface ShownResult {
  /** The key of the request: its next result replaces this one. */
  readonly key: string
  readonly title: string
  readonly text: string
  /** For a client that cannot show documents. */
  readonly message: string
  readonly type: MessageType
}

export class ResultView {
  readonly #connection: Connection
  readonly #workspace: Workspace
  readonly #documents: ResultDocuments = new ResultDocuments()
  #directory: string | undefined

  constructor(connection: Connection, workspace: Workspace) {
    this.#connection = connection
    this.#workspace = workspace
    const contentOf = ({ uri }: { readonly uri: string }): { readonly text: string } => {
      return { text: this.#documents.text(uri) ?? 'The result is no longer available. Send the request again.\n' }
    }
    connection.onRequest(TextDocumentContentRequest.type, contentOf)
    connection.onRequest(RESULT_REQUEST, contentOf)
  }

  /** @returns the URI of the document */
  show({ key, title, text, message, type }: ShownResult): string {
    const { uri, isKnown } = this.#documents.put(key, title, text)
    const { workspace } = this.#workspace.client
    if (this.#workspace.hasAbility('results')) {
      this.#notify(RESULT_NOTIFICATION, { uri, title, message })
    } else if (workspace?.textDocumentContent !== undefined) {
      if (isKnown) this.#request(TextDocumentContentRefreshRequest.method, { uri })
      this.#open(uri)
    } else if (this.#workspace.settings.shouldWriteResults) {
      const file = this.#write(uri, text)
      if (!this.#open(file)) this.message(type, `${message} (${file})`)
      return file
    } else {
      this.message(type, message)
    }
    return uri
  }

  message(type: MessageType, message: string): void {
    this.#notify(ShowMessageNotification.method, { type, message: message.slice(0, MAX_MESSAGE_CHARACTERS) })
  }

  close(): void {
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true })
    this.#directory = undefined
  }

  /** @returns whether the client can show it */
  #open(uri: string): boolean {
    if (this.#workspace.client.window?.showDocument?.support !== true) return false
    this.#request('window/showDocument', { uri, takeFocus: false })
    return true
  }

  #write(uri: string, text: string): string {
    this.#directory ??= mkdtempSync(join(tmpdir(), 'httpcli-results-'))
    const [, number, name = ''] = /\/(\d+)\/([^/]*)$/.exec(uri) ?? []
    const path = join(this.#directory, basename(`${number}-${decodeURIComponent(name)}`))
    writeFileSync(path, text, { mode: OWNER_ONLY })
    return uriOfPath(path)
  }

  #request(method: string, parameters: object): void {
    unawaited(() => this.#connection.sendRequest(method, parameters))
  }

  #notify(method: string, parameters: object): void {
    unawaited(() => this.#connection.sendNotification(method, parameters))
  }
}
