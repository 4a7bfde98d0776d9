/**
 * The `.env` files that `{{$dotenv NAME}}` reads.
 *
 * Rules: `.env.<environment>`, otherwise `.env`, next to the request file, otherwise in the nearest directory above, up
 * to the file root. A file above the request file's directory is used only if no other user could have written it
 * (file-trust.ts). Each file is read once per run, and its values are secret.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getBuiltinModule } from 'node:process'
import type { SecretSink } from '../../../secrets/index.ts'
import { RunError } from '../../base/errors.ts'
import type { ConfinedFiles } from '../../files/confined-files.ts'
import { distrustOf, ownersFor } from '../../files/file-trust.ts'
import { isInside } from '../../files/path-rules.ts'

type Values = Readonly<Record<string, string | undefined>>

export class DotenvFiles {
  readonly #files: ConfinedFiles
  readonly #environmentName: string | undefined
  readonly #secrets: SecretSink | undefined
  readonly #read: Map<string, Values> = new Map()

  constructor(files: ConfinedFiles, environmentName: string | undefined, secrets: SecretSink | undefined) {
    this.#files = files
    this.#environmentName = environmentName
    this.#secrets = secrets
  }

  /** @param directory of the request file. @throws HttpcliError */
  value(name: string, directory: string): string {
    const path = this.#find(directory)
    const values = this.#read.get(path) ?? this.#readFile(path)
    const text = Object.hasOwn(values, name) ? values[name] : undefined
    if (text === undefined) {
      throw new RunError('unknown-variable', `the file ${path} has no ${JSON.stringify(name)}`)
    }
    this.#secrets?.add(text)
    return text
  }

  #readFile(path: string): Values {
    const values = getBuiltinModule('node:util').parseEnv(this.#files.readText(path))
    this.#read.set(path, values)
    return values
  }

  #find(start: string): string {
    const names = [...(this.#environmentName === undefined ? [] : [`.env.${this.#environmentName}`]), '.env']
    const owners = ownersFor(start)
    for (let directory = start; ; directory = dirname(directory)) {
      const path = names.map((name) => join(directory, name)).find((each) => existsSync(each))
      if (path !== undefined) {
        const distrust = directory === start ? undefined : distrustOf(path, owners)
        if (distrust === undefined) return path
        throw new RunError('untrusted-file', `the file ${path} is not read: ${distrust}`)
      }
      const above = dirname(directory)
      const { directory: root } = this.#files.root
      if (above === directory || root === undefined || !isInside(above, root)) break
    }
    throw new RunError(
      'unknown-variable',
      `${names.join(' or ')} not found in the directory of the request file or above it`,
      {
        hint: 'Write the file, or write {{$env.NAME}}, a variable of the process, in its place.',
      },
    )
  }
}
