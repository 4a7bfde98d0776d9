/** The codes of the errors and warnings of a run. Each set is closed. */
import type { Diagnostic, DiagnosticCode } from '../../http-file/index.ts'

/** Codes of errors that stop a run, or stop one of its requests from being sent or from passing. */
export type RunErrorCode =
  | InvalidFileCode
  | AdviceCode
  // Files
  | 'unreadable-file'
  | 'unwritable-file'
  | 'outside-file-root'
  | 'protected-file'
  | 'invalid-file-root'
  | 'untrusted-file'
  | 'path-segment'
  | 'bad-charset'
  | 'not-utf-8'
  // The selection of requests
  | 'unknown-environment'
  | 'nothing-chosen'
  | 'unknown-request'
  | 'circular-run'
  | 'run-too-large'
  | 'invalid-request'
  | 'not-supported'
  // Variables
  | 'unknown-variable'
  | 'circular-variable'
  | 'variable-too-large'
  | 'empty-array'
  | 'bad-variable-path'
  | 'bad-argument'
  | 'later-value'
  // Authorization
  | 'unknown-auth'
  | 'invalid-auth'
  | 'token-refused'
  // The exchange
  | 'aborted'
  | 'tls-configuration'
  | 'unverified'
  | 'bad-cookie'
  | 'unanswered-challenge'
  | 'line-too-long'
  | 'grpc-refused'
  | 'grpc-types'
  | 'grpc-message'
  // Scripts and assertions
  | 'script-failed'
  | 'test-failed'
  | 'assertion-failed'

/** The kind of file that has errors. */
export type InvalidFileCode =
  | 'invalid-http-file'
  | 'invalid-environment-file'
  | 'invalid-cookie-jar'
  | 'invalid-data-file'

/** Probable mistakes in a request file: warnings of a check. */
export type AdviceCode =
  | 'assertion-in-body'
  | 'body-in-url'
  | 'colon-after-scheme'
  | 'colon-parameter'
  | 'comment-in-url'
  | 'empty-tag'
  | 'extra-braces'
  | 'file-in-body'
  | 'folded-header'
  | 'header-in-body'
  | 'hidden-capture'
  | 'hidden-variable'
  | 'indented-separator'
  | 'invalid-json'
  | 'invisible-character'
  | 'misplaced-script'
  | 'missing-delimiter'
  | 'missing-separator'
  | 'misspelt-version'
  | 'no-request'
  | 'repeated-header'
  | 'repeated-key'
  | 'foreign-key'
  | 'repeated-name'
  | 'request-in-body'
  | 'response-in-body'
  | 'script-as-body'
  | 'script-end-in-body'
  | 'separator-in-body'
  | 'single-brace'
  | 'text-after-end'
  | 'typographic-quote'
  | 'unclosed-variable'
  | 'undeclared-json'
  | 'unknown-header'
  | 'unknown-member'
  | 'unknown-method'
  | 'unknown-tag'
  | 'unused-variable'
  | 'variable-in-body'
  | 'written-secret'

/** Codes of errors in files that a run reads. */
export type FileDiagnosticCode = DiagnosticCode | 'bad-cookie' | 'bad-csv' | 'bad-data' | 'not-utf-8'

export type FileDiagnostic = Diagnostic<FileDiagnosticCode>
