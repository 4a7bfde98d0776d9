/**
 * Shared by the pages of the server: colours, fonts, and the Content-Security-Policy for style and script.
 *
 * Rules: style and script are constant text inside a page, and the policy contains their digests, so nothing that a
 * file name injects into a page can run or be styled. Text has a contrast of at least 4.5 to 1 to its background, in
 * light and dark mode (WCAG 2.2, 1.4.3).
 */
import { createHash } from 'node:crypto'

export const pageStyle: string = `
:root{color-scheme:light dark;--text:#1c2024;--soft:#5f6872;--line:#dfe3e8;--link:#0550ae;--back:#fff;--mark:#eef4fb}
@media(prefers-color-scheme:dark){:root{--text:#e3e6ea;--soft:#98a2ad;--line:#30363d;--link:#79b8ff;--back:#14171a;--mark:#1f2933}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1.5rem 1rem 3rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
h1 a,h1 span{padding:0 .1em}
h1{margin:0 0 1rem;font-size:1.25rem;font-weight:600;overflow-wrap:anywhere}
a{color:var(--link);text-decoration:none;border-radius:3px}
a:hover{text-decoration:underline}
a:focus-visible,input:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.code{color:var(--soft);font-size:.75em}
p{color:var(--soft);font-size:.875rem}
`

const policyDigest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export interface PagePolicy {
  readonly style: string
  /** Undefined for a page without a script. */
  readonly script?: string
  /** Whether scripts that this server serves may also run, and connect back to it. */
  readonly allowsOwnScripts: boolean
}

/** The value of Content-Security-Policy. */
export function pagePolicy({ style, script, allowsOwnScripts }: PagePolicy): string {
  const scripts = [...(allowsOwnScripts ? ["'self'"] : []), ...(script === undefined ? [] : [policyDigest(script)])]
  return [
    "default-src 'none'",
    'img-src data:',
    `style-src ${policyDigest(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.join(' ')}`]),
    ...(allowsOwnScripts ? ["connect-src 'self'"] : []),
  ].join('; ')
}
