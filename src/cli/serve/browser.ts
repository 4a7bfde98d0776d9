/**
 * Shows a page in the browser of the one who sits at this machine (`--open`).
 *
 * Rules: the program that BROWSER names, else the platform's own opener; the address is one argument of its own, never
 * part of a shell's line. That it fails is a note and no error: the server serves anyway.
 */
import { spawn } from 'node:child_process'
import { platform } from 'node:os'

type Opener = readonly [program: string, ...words: string[]]

/** By the platform's name; every other one has the opener of the desktops on Linux. */
const openers: Readonly<Record<string, Opener>> = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
}

const freeDesktopOpener: Opener = ['xdg-open']

/** What opens an address here; the address follows as the last word. */
export function openerFor(
  environment: Readonly<Record<string, string | undefined>>,
  system: string = platform(),
): Opener {
  const browser = environment.BROWSER
  return browser ? [browser] : (openers[system] ?? freeDesktopOpener)
}

/** Settles when the opener runs or has failed, in words; it is not waited for. Never rejects. */
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
