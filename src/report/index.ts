/**
 * Run events as text. Opens nothing, writes nothing: whoever has the output writes what is given here.
 */
export { type ConsoleStyle, consoleText, summaryText } from './console-text.ts'
