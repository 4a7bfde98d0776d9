/**
 * Opens a page in the user's browser (`--open`).
 *
 * Rules: the program in BROWSER, otherwise the platform's opener; the address is a separate argument, never part of a
 * shell command. A failure is a note, not an error: the server runs anyway.
 */
import { spawn } from 'node:child_process'
import { platform } from 'node:os'

type Opener = readonly [program: string, ...words: string[]]

/** By the platform's name; all others use the opener of Linux desktops. */
const openers: Readonly<Record<string, Opener>> = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
}

const freeDesktopOpener: Opener = ['xdg-open']

/** The opener on this machine; the address follows as the last argument. */
export function openerFor(
  environment: Readonly<Record<string, string | undefined>>,
  system: string = platform(),
): Opener {
  const browser = environment.BROWSER
  return browser ? [browser] : (openers[system] ?? freeDesktopOpener)
}

/** Settles with undefined when the opener runs, or with its error; it is not awaited further. Never rejects. */
export function openInBrowser(url: string, [program, ...words]: Opener): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true })
    child.once('spawn', () => {
      child.unref()
      resolve(undefined)
    })
    child.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'program not found' : error.message
      resolve(`cannot open a browser with ${JSON.stringify(program)}: ${reason}`)
    })
  })
}
