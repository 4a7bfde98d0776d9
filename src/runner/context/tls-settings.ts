/**
 * Reads `SSLConfiguration` of an environment as TLS settings.
 *
 * Rules: paths are relative to the directory of the environment file; paths in a private file may lead anywhere, all
 * others must be below the file root. The content of a certificate or key file decides whether it is PEM, DER, PKCS12
 * or a Java keystore; a contradicting `format` is an error. The passphrase is in `certificatePassphrase`, preferably
 * in the private file or as a variable, since a run cannot ask for it.
 */
import { isAbsolute, join } from 'node:path'
import { isJsonObject, type JsonValue } from '../../http-file/index.ts'
import { KeystoreError, readKeystore, type TlsIdentity } from '../../keystore/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import type { TlsOptions } from '../../wire/index.ts'
import { errorAt, placed } from '../base/errors.ts'
import { type ConfinedFiles, unreadable } from '../files/confined-files.ts'
import type { SettingPart, SettingSource } from './environment-files.ts'

const names: ReadonlySet<string> = new Set([
  'clientCertificate',
  'clientCertificateKey',
  'hasCertificatePassphrase',
  'certificatePassphrase',
  'verifyHostCertificate',
])

export interface SettingReader {
  /** Replaces variables. */
  readonly render: (text: string) => Promise<string>
  /** The same for a path. */
  readonly renderPath: (text: string) => Promise<string>
  readonly files: ConfinedFiles
  /** Called for a certificate that servers may refuse. */
  readonly warn: (warning: HttpcliError) => Promise<void> | void
}

/** @throws HttpcliError `tls-configuration`, `unreadable-file`, `outside-file-root`, with the place. */
export async function readSslConfiguration(
  setting: SettingSource,
  { render, renderPath, files, warn }: SettingReader,
): Promise<TlsOptions> {
  const wrong = (message: string, hint?: string): HttpcliError =>
    errorAt(setting.source, setting.span, {
      code: 'tls-configuration',
      message: `SSLConfiguration: ${message}`,
      ...(hint === undefined ? {} : { hint }),
    })
  if (!isJsonObject(setting.value)) throw wrong('expected an object')
  const members = setting.value
  const unknown = Object.keys(members).find((name) => !names.has(name))
  if (unknown !== undefined) throw wrong(`"${unknown}" is not a setting`, `the settings are ${[...names].join(', ')}`)
  const read = async (name: string): Promise<KeyFile | undefined> => {
    const value = members[name]
    if (value === undefined || value === null) return undefined
    const { path, format } = fileOf(value) ?? {}
    if (path === undefined) throw wrong(`"${name}" is a path, or an object with "path" and "format"`)
    const part = partWith(setting, name)
    const shown = await renderPath(path)
    const file = isAbsolute(shown) ? shown : join(part.directory, shown)
    try {
      const bytes = part.isPrivate ? files.readAnywhere(file) : files.read(file)
      return { name: shown, bytes, format: format?.toUpperCase() }
    } catch (cause) {
      throw placed(unreadable(`SSLConfiguration: the file ${shown} of "${name}"`, cause), part)
    }
  }
  const certificate = await read('clientCertificate')
  const key = await read('clientCertificateKey')
  const written = members.certificatePassphrase
  const passphrase = typeof written === 'string' ? await render(written) : undefined
  if (members.hasCertificatePassphrase === true && passphrase === undefined) {
    throw wrong('"hasCertificatePassphrase" is true, but no passphrase is given', passphraseHint)
  }
  if (key !== undefined && certificate === undefined)
    throw wrong('"clientCertificateKey" is given without "clientCertificate"')
  let identity: TlsIdentity | undefined
  try {
    identity = certificate && identityOf(certificate, key, passphrase)
  } catch (cause) {
    if (cause instanceof FormatError)
      throw wrong(cause.message, 'Write the format of the file (PEM, DER or PKCS12), or omit "format"')
    if (cause instanceof KeystoreError) throw wrong(cause.message, cause.hint ?? passphraseHint)
    throw cause
  }
  for (const warning of identity?.warnings ?? [])
    await warn(wrong(`${certificate?.name}: ${warning}; the server may refuse it`))
  return {
    ...(members.verifyHostCertificate === false ? { verify: false } : {}),
    ...identity?.secureContext,
    ...(passphrase === undefined ? {} : { passphrase }),
  }
}

const passphraseHint =
  'Add "certificatePassphrase": "{{name}}" and give the variable in the private environment file or with -V'

interface KeyFile {
  readonly name: string
  readonly bytes: Uint8Array
  /** The format in the settings, in capitals. */
  readonly format: string | undefined
}

/** A file in an unexpected format. */
class FormatError extends Error {}

/** @throws FormatError; KeystoreError */
function identityOf(certificate: KeyFile, key: KeyFile | undefined, password: string | undefined): TlsIdentity {
  for (const { name, bytes, format } of key === undefined ? [certificate] : [certificate, key]) {
    const isPem = Buffer.from(bytes).includes('-----BEGIN ')
    if (format === 'PEM' && !isPem) throw new FormatError(`${name} is not a PEM file`)
    if (format === 'DER' && isPem) throw new FormatError(`${name} is a PEM file, not DER`)
  }
  const octets = { file: certificate.bytes, keyFile: key?.bytes }
  const identity = readKeystore(octets, { file: certificate.name, password, keyFile: key?.name }, Date.now())
  const isContradicted = key === undefined && (certificate.format ?? identity.format) !== identity.format
  if (isContradicted)
    throw new FormatError(`${certificate.name} is a ${identity.format} file, not ${certificate.format}`)
  return identity
}

/** The part of the setting that defines the path with this name. */
function partWith({ parts }: SettingSource, name: string): SettingPart {
  const found = parts.findLast(({ value }) => isJsonObject(value) && fileOf(value[name] ?? null)?.path !== undefined)
  return found as SettingPart
}

function fileOf(
  value: JsonValue,
): { readonly path: string | undefined; readonly format: string | undefined } | undefined {
  if (typeof value === 'string') return { path: value, format: undefined }
  if (!isJsonObject(value)) return undefined
  const { path, format } = value
  return {
    path: typeof path === 'string' ? path : undefined,
    format: typeof format === 'string' ? format : undefined,
  }
}
