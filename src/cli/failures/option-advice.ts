/**
 * Which options can help with which error: what libraries cannot know, because only the command has options.
 *
 * Rules: advice on an option is given only where the sub-command that failed has it. Loaded when something went wrong.
 */
import type { CommandSpecification } from '../options/option-table.ts'

interface Advice {
  /** Long name of the option. */
  readonly option: string
  readonly text: string
}

const resolve: Advice = { option: 'resolve', text: 'give its address with --resolve <host:port:addr>' }
const connectTimeout: Advice = { option: 'connect-timeout', text: 'allow more with --connect-timeout <seconds>' }
const parallel: Advice = { option: 'parallel', text: 'run fewer jobs at a time with --parallel <count>' }
const timeout: Advice = { option: 'timeout', text: 'set the limit with --timeout <seconds>' }
const authority: Advice = { option: 'cacert', text: 'trust it with --cacert <file>' }
const unchecked: Advice = { option: 'ignore-tls-cert', text: 'skip the check with -i' }
const serverName: Advice = { option: 'servername', text: 'give another name with --servername <name>' }
const clientCertificate: Advice = {
  option: 'cert',
  text: 'give a client certificate with --cert <file> and --key <file>',
}

const undecoded: Advice = { option: 'no-decode', text: 'print it as it was sent with --no-decode' }
const keystorePassword: Advice = {
  option: 'keystore-password',
  text: 'give it with -w <password>, -w @<file> or -w env:<name>',
}
const keystoreKey: Advice = { option: 'key', text: 'give the file of the private key with --key <file>' }
const keystoreAlias: Advice = { option: 'alias', text: 'choose one with --alias <name>' }

const adviceByCode: Readonly<Record<string, readonly Advice[]>> = {
  'name-not-found': [resolve],
  'name-lookup-failed': [resolve],
  'connect-timeout': [connectTimeout],
  'too-many-open-files': [parallel],
  'first-byte-timeout': [timeout],
  'idle-timeout': [timeout],
  'certificate-expired': [unchecked],
  'certificate-not-yet-valid': [unchecked],
  'certificate-self-signed': [authority, unchecked],
  'certificate-unknown-ca': [authority, unchecked],
  'certificate-wrong-host': [serverName, unchecked],
  'certificate-weak': [unchecked],
  'certificate-invalid': [unchecked],
  'tls-client-certificate': [clientCertificate],
  'tls-handshake-failed': [serverName, clientCertificate],
  'tls-name-refused': [serverName],
  'keystore-password': [keystorePassword],
  'keystore-key': [keystoreKey],
  'keystore-alias': [keystoreAlias],
  'content-coding': [undecoded],
  'unknown-content-coding': [undecoded],
}

/** What options of the command can do about an error, in the order in which to try them. */
export function optionAdvice(code: string, command: CommandSpecification | undefined): readonly string[] {
  const has = (long: string): boolean => command?.options.some((option) => option.long === long) === true
  return (adviceByCode[code] ?? []).filter(({ option }) => has(option)).map(({ text }) => text)
}
