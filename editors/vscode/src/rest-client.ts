/**
 * Imports the environments of the extension REST Client: its setting `rest-client.environmentVariables` becomes a
 * `http-client.env.json` in the folder.
 *
 * Rules: an existing file is never overwritten. `$shared` stays what it is; `{{$shared name}}` becomes `{{name}}`,
 * because shared variables need no prefix here. Other settings of REST Client have no file here, and are named.
 */
import { Uri, window, workspace } from 'vscode'
import { environmentsOf, otherSettings } from './rest-client-settings.ts'

const fileName = 'http-client.env.json'

export async function importRestClient(): Promise<void> {
  const folder = workspace.workspaceFolders?.[0]
  if (folder === undefined) throw new Error('Open a folder: the environments become a file in it.')
  const given = workspace.getConfiguration('rest-client', folder.uri)
  const environments = environmentsOf(given.get('environmentVariables'))
  if (Object.keys(environments).length === 0) {
    throw new Error('No environments found: "rest-client.environmentVariables" is empty.')
  }
  const target = Uri.joinPath(folder.uri, fileName)
  if (await exists(target)) {
    throw new Error(`${fileName} exists and is left as it is. Rename it to import the environments of REST Client.`)
  }
  const text = `${JSON.stringify(environments, undefined, 2)}\n`
  await workspace.fs.writeFile(target, new TextEncoder().encode(text))
  await window.showTextDocument(target)
  const others = otherSettings((name) => given.inspect(name))
  const note =
    others.length === 0 ? '' : ` These settings are not in it: ${others.join(', ')}; see "Migrate from REST Client".`
  void window.showInformationMessage(
    `${fileName} has the environments of REST Client. Move passwords to http-client.private.env.json.${note}`,
  )
}

async function exists(uri: Uri): Promise<boolean> {
  try {
    await workspace.fs.stat(uri)
    return true
  } catch {
    return false
  }
}
