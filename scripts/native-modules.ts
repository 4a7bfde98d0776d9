/**
 * Replacements for expressions in bundles, so that the program does not search for native modules.
 *
 * The WebSocket library uses native modules unless these variables are set. None is installed with the command, and a
 * module of the user must not be loaded.
 */
export const withoutNativeModules: Readonly<Record<string, string>> = {
  'process.env.WS_NO_BUFFER_UTIL': JSON.stringify('1'),
  'process.env.WS_NO_UTF_8_VALIDATE': JSON.stringify('1'),
}
