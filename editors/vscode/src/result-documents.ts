/** Results as documents beside the request file: the next result of a request takes the place of the last one. */
import {
  type Disposable,
  EventEmitter,
  languages,
  type TextDocumentContentProvider,
  Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode'

const SCHEME = 'httpcli-response'

export class ResultDocuments implements TextDocumentContentProvider {
  readonly #textOf: (uri: string) => Promise<{ readonly text: string }>
  readonly #changes: EventEmitter<Uri> = new EventEmitter()
  readonly #registration: Disposable

  /** @param textOf asks the server */
  constructor(textOf: (uri: string) => Promise<{ readonly text: string }>) {
    this.#textOf = textOf
    this.#registration = workspace.registerTextDocumentContentProvider(SCHEME, this)
  }

  get onDidChange(): EventEmitter<Uri>['event'] {
    return this.#changes.event
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    return (await this.#textOf(uri.toString(true))).text
  }

  async show(address: string): Promise<void> {
    const uri = Uri.parse(address)
    this.#changes.fire(uri)
    const document = await workspace.openTextDocument(uri)
    await languages.setTextDocumentLanguage(document, 'http-response')
    await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true })
  }

  dispose(): void {
    this.#registration.dispose()
    this.#changes.dispose()
  }
}
