/** Finds secrets in messages, URLs and files, and masks them in all output. */
export { type Mask, maskedData } from './data-masking.ts'
export { readableField } from './field-text.ts'
export { type MaskStream, SecretMask } from './masking.ts'
export {
  type SecretSink,
  tellBrokenJson,
  tellCookieFile,
  tellReceivedSecrets,
  tellSentSecrets,
  tellSettings,
  tellUrlSecrets,
  tellValues,
  tellWrittenSecrets,
} from './secret-discovery.ts'
export { withReferences } from './secret-patterns.ts'
