/**
 * Style and script of the listing page, and the policy under which a browser lets them in.
 *
 * Rules: both are constant text inside the page, and the policy names their digests, so nothing that a file name smuggles
 * into the page can ever run or be styled. The script is a comfort (keys, a filter); the page is whole without it.
 */
import { createHash } from 'node:crypto'

export const listingStyle = `
:root{color-scheme:light dark;--text:#1c2024;--soft:#5f6872;--line:#dfe3e8;--link:#0550ae;--back:#fff;--mark:#eef4fb}
@media(prefers-color-scheme:dark){:root{--text:#e3e6ea;--soft:#98a2ad;--line:#30363d;--link:#79b8ff;--back:#14171a;--mark:#1f2933}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1.5rem 1rem 3rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
h1 a,h1 span{padding:0 .1em}
h1{margin:0 0 1rem;font-size:1.25rem;font-weight:600;overflow-wrap:anywhere}
a{color:var(--link);text-decoration:none;border-radius:3px}
a:hover{text-decoration:underline}
a:focus-visible,input:focus-visible{outline:2px solid var(--link);outline-offset:2px}
input{width:100%;margin:0 0 .75rem;padding:.4rem .6rem;border:1px solid var(--line);border-radius:6px;background:var(--back);color:inherit;font:inherit}
table{width:100%;border-collapse:collapse}
th{position:sticky;top:0;background:var(--back);border-bottom:1px solid var(--line);font-size:.875rem;text-align:start;white-space:nowrap}
th,td{padding:.3rem .5rem;vertical-align:baseline}
th:first-child,td:first-child{width:100%;overflow-wrap:anywhere}
th[aria-sort=ascending] a::after{content:" \\2191";content:" \\2191"/""}
th[aria-sort=descending] a::after{content:" \\2193";content:" \\2193"/""}
.size{text-align:end}
td.size,td.date{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
tbody tr:hover,tbody tr:focus-within{background:var(--mark)}
.folder{font-weight:600}
.code{color:var(--soft);font-size:.75em}
p{color:var(--soft);font-size:.875rem}
tr[hidden]{display:none}
@media(max-width:34rem){
body{padding:1rem .5rem 2rem}
table,tbody,thead{display:block}
tr{display:grid;grid-template-columns:1fr auto;border-bottom:1px solid var(--line)}
thead tr{grid-template-columns:1fr auto auto}
tbody td:first-child{grid-column:1/-1;padding-bottom:0}
tbody a{display:block;padding:.2rem 0}
td.size,td.date{padding-top:0;font-size:.8125rem}
td.date{grid-column:1;grid-row:2}
td.size{grid-column:2;grid-row:2}
}
`

/** Arrow keys walk the rows, Home and End jump, a slash reaches the filter, Escape empties it. */
export const listingScript = `
const rows=[...document.querySelectorAll('tbody tr')]
const links=()=>rows.filter(row=>!row.hidden).map(row=>row.querySelector('a'))
const filter=document.createElement('input')
filter.type='search';filter.placeholder='Filter names ( / )';filter.setAttribute('aria-label','Filter names')
filter.autocomplete='off';filter.spellcheck=false
const apply=()=>{
const wanted=filter.value.toLowerCase()
for(const row of rows)row.hidden=!row.classList.contains('parent')&&!row.querySelector('a').textContent.toLowerCase().includes(wanted)
}
filter.addEventListener('input',apply)
if(rows.length>1)document.querySelector('table').before(filter)
addEventListener('keydown',event=>{
if(event.altKey||event.ctrlKey||event.metaKey)return
const isTyping=event.target===filter
if(event.key==='/'&&!isTyping)filter.focus()
else if(event.key==='Escape'&&isTyping){filter.value='';apply();filter.blur()}
else{
const all=links(),at=all.indexOf(document.activeElement)
const next={ArrowDown:at+1,ArrowUp:at<0?all.length-1:at-1,Home:isTyping?undefined:0,End:isTyping?undefined:all.length-1}[event.key]
if(next===undefined)return
const link=all[next]
if(link)link.focus()
else if(next<0)filter.focus()
}
event.preventDefault()
})
`

const policyDigest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const policy = [
  "default-src 'none'",
  'img-src data:',
  `style-src ${policyDigest(listingStyle)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
]

/** The value of Content-Security-Policy. `runsOwnScripts`: files of this server may run and connect back, too. */
export function listingPolicy(runsOwnScripts: boolean): string {
  const scripts = policyDigest(listingScript)
  const more = runsOwnScripts ? [`script-src 'self' ${scripts}`, "connect-src 'self'"] : [`script-src ${scripts}`]
  return [...policy, ...more].join('; ')
}
