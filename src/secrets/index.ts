/** Finds secrets in messages, URLs and files, and masks them in all output. */
export { type Mask, maskedData } from './data-masking.ts'
export { readableField } from './field-text.ts'
export { type MaskStream, SecretMask } from './masking.ts'
export {
  collectBrokenJson,
  collectCookieFile,
  collectReceivedSecrets,
  collectSentSecrets,
  collectSettings,
  collectUrlSecrets,
  collectValues,
  collectWrittenSecrets,
  type SecretSink,
} from './secret-discovery.ts'
export { withReferences } from './secret-patterns.ts'
