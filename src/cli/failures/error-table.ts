/**
 * Every code of an error, a warning or a repair: the exit code that it causes, the options that can help, and the
 * section of docs/troubleshooting.md that has its entry.
 *
 * Rules: a code without a row does not compile, and neither does a row for a code that no room has. `ok` is for codes
 * that are reported but do not end the command. Libraries cannot name options, because only the command has options.
 * Loaded only when something has gone wrong.
 */
import type { HttpcliErrorCode, RepairCode } from '../../message/index.ts'
import type { ReportErrorCode } from '../../report/index.ts'
import type { FileDiagnosticCode } from '../../runner/index.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import type { OptionName } from '../options/option-table.ts'

export type ErrorCode = HttpcliErrorCode | FileDiagnosticCode | RepairCode | ReportErrorCode

export interface OptionAdvice {
  readonly option: OptionName
  readonly text: string
}

export interface ErrorEntry {
  readonly exitCode: ExitCode
  /** Options that help, in the order in which to try them. Each is shown only for commands that have it. */
  readonly advice: readonly OptionAdvice[]
  /** Anchor of the section in docs/troubleshooting.md. */
  readonly section: string
}

const resolve: OptionAdvice = { option: 'resolve', text: 'give its address with --resolve <host:port:addr>' }
const connectTimeout: OptionAdvice = { option: 'connect-timeout', text: 'allow more with --connect-timeout <seconds>' }
const parallel: OptionAdvice = { option: 'parallel', text: 'run fewer jobs at a time with --parallel <count>' }
const timeout: OptionAdvice = { option: 'timeout', text: 'allow more time with --timeout <seconds>' }
const authority: OptionAdvice = { option: 'cacert', text: 'trust it with --cacert <file>' }
const unchecked: OptionAdvice = { option: 'ignore-tls-cert', text: 'skip the check with -i' }
const serverName: OptionAdvice = { option: 'servername', text: 'give another name with --servername <name>' }
const http2: OptionAdvice = { option: 'http2', text: 'offer HTTP/2 with --http2' }
const clientCertificate: OptionAdvice = {
  option: 'cert',
  text: 'give a client certificate with --cert <file> and --key <file>',
}

const undecoded: OptionAdvice = { option: 'no-decode', text: 'print it as received with --no-decode' }
const keystorePassword: OptionAdvice = {
  option: 'keystore-password',
  text: 'give it with -w <password>, -w @<file> or -w env:<name>',
}
const keyPassword: OptionAdvice = {
  option: 'key-password',
  text: 'give it with --key-password <password>, @<file> or env:<name>',
}
const keystoreKey: OptionAdvice = { option: 'key', text: 'give the file of the private key with --key <file>' }
const keystoreAlias: OptionAdvice = { option: 'alias', text: 'choose one with --alias <name>' }

type Row = readonly [exitCode: ExitCode, ...advice: OptionAdvice[]]

const { ok, usage, invalidRequest, internal, io, failedTest, interrupted } = exitCodes

function under<Code extends ErrorCode>(section: string, rows: Readonly<Record<Code, Row>>): Record<Code, ErrorEntry> {
  const entries = Object.entries<Row>(rows).map(([code, [exitCode, ...advice]]) => [
    code,
    { exitCode, advice, section },
  ])
  return Object.fromEntries(entries)
}

/** By code, in the order of the document. */
export const errorTable: Readonly<Record<ErrorCode, ErrorEntry>> = {
  ...under('no-response-names-connections-time-limits', {
    'name-not-found': [io, resolve],
    'name-lookup-failed': [io, resolve],
    'connect-refused': [io],
    'connect-unreachable': [io],
    'connect-failed': [io],
    'connect-timeout': [io, connectTimeout],
    'too-many-open-files': [io, parallel],
    'first-byte-timeout': [io, timeout],
    'idle-timeout': [io, timeout],
    'connection-reset': [io],
    'connection-cut-short': [io],
    'request-body-failed': [io],
    'request-not-accepted': [ok],
    aborted: [interrupted],
    'no-host': [invalidRequest],
    'unsupported-scheme': [invalidRequest],
  }),
  ...under('tls', {
    'certificate-expired': [io, unchecked],
    'certificate-not-yet-valid': [io, unchecked],
    'certificate-self-signed': [io, authority, unchecked],
    'certificate-unknown-ca': [io, authority, unchecked],
    'certificate-wrong-host': [io, serverName, unchecked],
    'certificate-weak': [io, unchecked],
    'certificate-invalid': [io, unchecked],
    'tls-not-spoken': [io],
    'tls-client-certificate': [io, clientCertificate],
    'tls-version-refused': [io],
    'tls-name-refused': [io, serverName],
    'tls-protocol-refused': [io, http2],
    'tls-handshake-failed': [io, serverName, clientCertificate],
    'tls-configuration': [io],
    unverified: [ok],
  }),
  ...under('proxies-and-redirects', {
    'proxy-invalid': [usage],
    'proxy-refused': [io],
    'too-many-redirects': [io],
    'redirect-loop': [io],
    'redirect-invalid': [io],
    'max-time': [io],
    'not-continued': [io],
    'save-failed': [io],
    'redirect-body-not-replayable': [io],
  }),
  ...under('responses', {
    'invalid-response': [io],
    'content-coding': [io, undecoded],
    'unknown-content-coding': [io, undecoded],
    'unknown-charset': [io],
    'content-coding-waits': [io],
    'invalid-json': [io],
    'invalid-form': [io],
    'output-failed': [io],
    'output-closed': [ok],
    'bad-status': [failedTest],
    internal: [internal],
    usage: [usage],
  }),
  ...under('invalid-http-messages', {
    START_LINE: [invalidRequest],
    METHOD: [invalidRequest],
    TARGET: [invalidRequest],
    VERSION: [invalidRequest],
    STATUS: [invalidRequest],
    HOST: [invalidRequest],
    HEADER_NAME: [invalidRequest],
    HEADER_VALUE: [invalidRequest],
    HEADER_COLON: [invalidRequest],
    WHITESPACE: [invalidRequest],
    FOLD: [invalidRequest],
    BARE_CR: [invalidRequest],
    BARE_LF: [invalidRequest],
    CONTENT_LENGTH: [invalidRequest],
    TRANSFER_ENCODING: [invalidRequest],
    FRAMING_CONFLICT: [invalidRequest],
    CHUNK_SIZE: [invalidRequest],
    CHUNK_EXTENSION: [invalidRequest],
    CHUNK_DATA: [invalidRequest],
    TRAILER: [invalidRequest],
    LIMIT: [invalidRequest],
    INCOMPLETE: [invalidRequest],
    UNEXPECTED: [invalidRequest],
    framing: [invalidRequest],
    'chunked-in-http-1.0': [invalidRequest],
    'invalid-body': [invalidRequest],
    'content-length-mismatch': [invalidRequest],
    'chunk-size-mismatch': [invalidRequest],
    'out-of-turn': [invalidRequest],
    'invalid-head': [invalidRequest],
    'content-mismatch': [invalidRequest],
    'invalid-trailer': [invalidRequest],
    'connection-lost': [io],
    'invalid-violation': [io],
    'body-used': [io],
    'invalid-option': [io],
    'file-not-found': [io],
    'file-is-directory': [io],
    'file-not-readable': [io],
  }),
  ...under('repairs', {
    'bare-lf': [ok],
    bom: [ok],
    'leading-empty-line': [ok],
    'request-line-whitespace': [ok],
    'missing-version': [ok],
    'missing-scheme': [ok],
    'missing-host': [ok],
    'empty-host': [ok],
    'replaced-host': [ok],
    userinfo: [ok],
    'illegal-target-character': [ok],
    fragment: [ok],
    'missing-empty-line': [ok],
    'missing-content-length': [ok],
    'repeated-content-length': [ok],
    'content-length-with-transfer-encoding': [ok],
    'transfer-encoding-in-http-1.0': [ok],
    'chunk-whitespace': [ok],
    'chunk-extension': [ok],
    'obs-fold': [ok],
    'control-character': [ok],
    'trailing-data': [ok],
  }),
  ...under('request-files', {
    'invalid-http-file': [invalidRequest],
    'invalid-environment-file': [invalidRequest],
    'invalid-cookie-jar': [invalidRequest],
    'unreadable-file': [io],
    'outside-file-root': [io],
    'invalid-file-root': [usage],
    'protected-file': [io],
    'unwritable-file': [io],
    'path-segment': [io],
    'untrusted-file': [io],
    'not-utf-8': [invalidRequest],
    'bad-request-line': [invalidRequest],
    'missing-target': [invalidRequest],
    'unknown-version': [invalidRequest],
    'bad-continuation': [invalidRequest],
    'bad-header': [invalidRequest],
    'bad-header-name': [invalidRequest],
    'unclosed-variable': [invalidRequest],
    'bad-variable': [invalidRequest],
    'unclosed-script': [invalidRequest],
    'text-after-script': [invalidRequest],
    'misplaced-script': [invalidRequest],
    'misplaced-text': [invalidRequest],
    'foreign-syntax': [invalidRequest],
    'bad-message-separator': [invalidRequest],
    'bad-import': [invalidRequest],
    'bad-override': [invalidRequest],
    'bad-assertion': [invalidRequest],
    'bad-capture': [invalidRequest],
    'misplaced-assertion': [invalidRequest],
    'bad-json': [invalidRequest],
    'bad-environment': [invalidRequest],
    'bad-cookie': [invalidRequest],
  }),
  ...under('running-a-request-file', {
    'unknown-environment': [io],
    'unknown-variable': [io],
    'unanswered-challenge': [ok],
    'line-too-long': [io],
    'variable-too-large': [io],
    'circular-variable': [io],
    'empty-array': [io],
    'nothing-chosen': [usage],
    'invalid-data-file': [invalidRequest],
    'bad-csv': [invalidRequest],
    'bad-data': [invalidRequest],
    'bad-variable-path': [io],
    'bad-argument': [io],
    'bad-charset': [io],
    'invalid-request': [io],
    'not-supported': [io],
    'unknown-request': [io],
    'circular-run': [io],
    'run-too-large': [io],
    'unknown-auth': [io],
    'invalid-auth': [io],
    'token-refused': [io],
    'websocket-refused': [io],
    'websocket-closed': [io],
    'grpc-types': [io],
    'grpc-refused': [io],
    'grpc-message': [io],
    'script-failed': [failedTest],
    'test-failed': [failedTest],
    'assertion-failed': [failedTest],
    'later-value': [ok],
    interrupted: [interrupted],
    'report-unwritable': [io],
    'invalid-report': [invalidRequest],
    'report-mismatch': [invalidRequest],
    'spill-failed': [io],
  }),
  ...under('warnings-of-check', {
    'unknown-tag': [ok],
    'hidden-capture': [ok],
    'hidden-variable': [ok],
    'unused-variable': [ok],
    'unknown-method': [ok],
    'unknown-header': [ok],
    'extra-braces': [ok],
    'single-brace': [ok],
    'missing-separator': [ok],
    'request-in-body': [ok],
    'header-in-body': [ok],
    'assertion-in-body': [ok],
    'variable-in-body': [ok],
    'response-in-body': [ok],
    'separator-in-body': [ok],
    'script-end-in-body': [ok],
    'indented-separator': [ok],
    'repeated-header': [ok],
    'misspelt-version': [ok],
    'invisible-character': [ok],
    'typographic-quote': [ok],
    'repeated-name': [ok],
    'repeated-key': [ok],
    'foreign-key': [ok],
    'empty-tag': [ok],
    'unknown-member': [ok],
    'folded-header': [ok],
    'script-as-body': [ok],
    'comment-in-url': [ok],
    'body-in-url': [ok],
    'colon-parameter': [ok],
    'colon-after-scheme': [ok],
    'undeclared-json': [ok],
    'file-in-body': [ok],
    'missing-delimiter': [ok],
    'text-after-end': [ok],
    'written-secret': [ok],
    'no-request': [ok],
  }),
  ...under('convert-and-fmt', {
    'convert-unknown-format': [invalidRequest],
    'convert-syntax': [invalidRequest],
    'convert-loss': [invalidRequest],
    'config-map-too-large': [invalidRequest],
    'output-exists': [io],
  }),
  ...under('serve', {
    directory: [usage],
    'directory-access': [io],
    listen: [io],
    'root-path': [usage],
    credentials: [usage],
    'allowed-host': [usage],
    backend: [usage],
    loop: [io],
    'request-unforwardable': [io],
    origin: [usage],
    field: [usage],
    'application-page': [usage],
    'cache-control': [usage],
    'rules-syntax': [invalidRequest],
    'rules-conflict': [invalidRequest],
    'rules-public': [invalidRequest],
    'media-types-syntax': [invalidRequest],
    'keystore-file': [io],
    'keystore-format': [io],
    'keystore-damaged': [io],
    'keystore-password': [io, keystorePassword, keyPassword],
    'keystore-unsupported': [io],
    'keystore-key': [io, keystoreKey],
    'keystore-alias': [usage, keystoreAlias],
    worker: [io],
    'request-timeout': [io],
    'peer-gone': [io],
    busy: [io],
    'file-changed': [io],
    'wrong-length': [io],
    incomplete: [io],
  }),
}
