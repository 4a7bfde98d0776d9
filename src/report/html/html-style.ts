/**
 * Style and script of the report page, and the Content-Security-Policy that allows only them.
 *
 * Rules: both are constant text inside the page, and the policy contains their digests, so nothing that a name or a
 * message injects into the page can run or be styled, and nothing is fetched. The script is optional (a filter, a
 * button that opens all); the page is complete without script and style. Colours have a contrast of at least 4.5 to 1
 * in light and dark mode (WCAG 2.2, 1.4.3).
 */
import { createHash } from 'node:crypto'

export const reportStyle = `
:root{color-scheme:light dark;--text:#1c2024;--soft:#57606a;--line:#d8dee4;--back:#fff;--panel:#f6f8fa;--link:#0550ae
;--good:#116329;--bad:#b3261e;--warn:#8a4600;--idle:#57606a;--badback:#fff1f0}
@media(prefers-color-scheme:dark){:root{--text:#e6e9ed;--soft:#9da7b1;--line:#343b43;--back:#14171a;--panel:#1c2126;--link:#79b8ff
;--good:#56d364;--bad:#ff8f87;--warn:#f0a94b;--idle:#9da7b1;--badback:#2b1716}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 4rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{margin:0;font-size:1.5rem;line-height:1.25}
h2{margin:2.5rem 0 .75rem;font-size:1.125rem}
h2 small,h3 small{color:var(--soft);font-weight:400;font-size:.875rem}
h3{margin:1.5rem 0 .5rem;font-size:1rem}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,input:focus-visible,button:focus-visible,pre:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.verdict{margin:.25rem 0 0;font-size:1.125rem;font-weight:600}
.facts{margin:.25rem 0 0;color:var(--soft);font-size:.875rem}
.notice{margin:1rem 0 0;padding:.6rem .8rem;border-left:4px solid var(--bad);background:var(--badback)}
.counts{display:grid;grid-template-columns:repeat(auto-fit,minmax(6.5rem,1fr));gap:.5rem;margin:1.25rem 0 .75rem}
.counts div{padding:.5rem .75rem;border:1px solid var(--line);border-radius:8px;background:var(--panel)}
.counts dt{color:var(--soft);font-size:.8125rem}
.counts dd{margin:0;font-size:1.375rem;font-weight:600;font-variant-numeric:tabular-nums}
.share{display:block;width:100%;height:.5rem;border-radius:4px;background:var(--panel)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.idle{color:var(--idle)}
rect.good{fill:var(--good)}rect.bad{fill:var(--bad)}rect.warn{fill:var(--warn)}rect.idle{fill:var(--idle)}
rect.soft{fill:var(--line)}rect.link{fill:var(--link)}
.tools{display:flex;flex-wrap:wrap;gap:.5rem;margin:1.25rem 0 0}
.tools input{flex:1 1 12rem;min-width:0}
.tools input,.tools button{min-height:2.5rem;padding:.3rem .7rem;border:1px solid var(--line);border-radius:6px;background:var(--back);color:inherit;font:inherit}
.tools button{cursor:pointer}
.tools button[aria-pressed=true]{border-color:var(--link);color:var(--link);font-weight:600}
[hidden]{display:none!important}
.request{border:1px solid var(--line);border-radius:8px;margin:0 0 .4rem;background:var(--back)}
.large .request{content-visibility:auto;contain-intrinsic-size:auto 3rem}
.request[open]{background:var(--panel)}
.request.failed,.request.error{border-left:4px solid var(--bad)}
summary,.row{display:grid;grid-template-columns:4.5rem 1fr auto;gap:.1rem .75rem;align-items:baseline;padding:.45rem .75rem}
summary{cursor:pointer;border-radius:8px}
summary:hover{background:var(--panel)}
.row{border:1px dashed var(--line);border-radius:8px;margin:0 0 .4rem}
.outcome{font-size:.8125rem;font-weight:600}
summary .outcome::before{content:"\\25B8\\A0";content:"\\25B8\\A0"/""}
[open]>summary .outcome::before{content:"\\25BE\\A0";content:"\\25BE\\A0"/""}
.target{display:block;color:var(--soft);font-size:.8125rem}
.figures{color:var(--soft);font-size:.8125rem;font-variant-numeric:tabular-nums;text-align:end;white-space:nowrap}
.bar{display:block;width:7rem;height:.25rem;margin:.2rem 0 0 auto;border-radius:2px}
.details{padding:.25rem .75rem .75rem;border-top:1px solid var(--line)}
.details dl{display:grid;grid-template-columns:minmax(5rem,auto) 1fr;gap:.15rem .75rem;margin:.5rem 0;font-size:.875rem}
.details dt{color:var(--soft)}
.details dd{margin:0}
.phases{width:100%;max-width:24rem;height:.5rem;display:block;margin:.2rem 0}
.timeline{border:1px solid var(--line);border-radius:8px;margin:0 0 .6rem}
.timeline summary{display:block}
.scroll{overflow-x:auto;padding:0 .75rem .5rem}
.timeline table{border-collapse:collapse;width:100%;font-size:.8125rem;font-variant-numeric:tabular-nums}
.timeline th,.timeline td{padding:.15rem .5rem .15rem 0;text-align:end;font-weight:400;white-space:nowrap}
.timeline thead th{color:var(--soft)}
.timeline th:first-child{text-align:start;max-width:16rem;overflow:hidden;text-overflow:ellipsis}
.timeline .bars{width:50%;min-width:12rem;padding:0}
.bars svg{display:block;width:100%;height:.6rem;background:var(--panel)}
.tests{list-style:none;margin:.5rem 0 0;padding:0}
.tests li{padding:.3rem 0;border-top:1px solid var(--line)}
.message{margin:.25rem 0;max-height:14rem;overflow-y:auto;white-space:pre-wrap;font:.8125rem/1.45 ui-monospace,monospace}
.hint{margin:.15rem 0;color:var(--soft);font-size:.875rem}
pre{margin:.35rem 0;padding:.5rem .6rem;border:1px solid var(--line);border-radius:6px;background:var(--back);font:.8125rem/1.45 ui-monospace,monospace;overflow-x:auto;max-height:24rem}
code{font-family:ui-monospace,monospace;font-size:.9em}
footer{margin:3rem 0 0;color:var(--soft);font-size:.8125rem}
@media(max-width:34rem){
body{padding:1rem .6rem 3rem}
summary,.row{grid-template-columns:1fr auto}
.title{grid-column:1/-1;grid-row:2}
.bar{width:5rem}
}
@media print{
:root{--text:#000;--soft:#444;--line:#bbb;--back:#fff;--panel:#fff;--link:#000;--good:#116329;--bad:#b3261e;--warn:#8a4600;--idle:#57606a;--badback:#fff}
body{max-width:none;padding:0;font-size:10pt}
.tools,.bar{display:none!important}
summary .outcome::before,[open]>summary .outcome::before{content:none}
summary{list-style:none}
a{text-decoration:none}
pre,.message{max-height:none;overflow:visible;white-space:pre-wrap}
.scroll{overflow:visible}
.large .request{content-visibility:visible}
summary,.row,.counts div{break-inside:avoid}
}
`

/** The filter shows requests that contain its words or did not pass; files without any visible request are hidden. */
export const reportScript = `
const tools=document.querySelector('.tools')
if(tools){
const [find,troubled,open]=tools.children
const requests=[...document.querySelectorAll('.request,.row')].map(node=>({node,text:node.textContent.toLowerCase(),isTroubled:!node.classList.contains('passed')}))
const sections=[...document.querySelectorAll('main section')]
const apply=()=>{
const words=find.value.toLowerCase().split(/\\s+/).filter(Boolean)
const only=troubled.getAttribute('aria-pressed')==='true'
for(const {node,text,isTroubled} of requests)node.hidden=(only&&!isTroubled)||!words.every(word=>text.includes(word))
for(const section of sections){
const own=[...section.querySelectorAll('.request,.row')]
section.hidden=own.length>0&&own.every(node=>node.hidden)
}
}
find.addEventListener('input',apply)
troubled.addEventListener('click',()=>{troubled.setAttribute('aria-pressed',String(troubled.getAttribute('aria-pressed')!=='true'));apply()})
open.addEventListener('click',()=>{
const all=[...document.querySelectorAll('details:not([hidden])')]
const isOpening=all.some(node=>!node.open)
for(const node of all)node.open=isOpening
})
addEventListener('keydown',event=>{
if(event.altKey||event.ctrlKey||event.metaKey)return
if(event.key==='/'&&event.target!==find){find.focus();event.preventDefault()}
else if(event.key==='Escape'&&event.target===find){find.value='';apply();find.blur()}
})
tools.hidden=false
}
const reveal=()=>{
const target=location.hash.length>1?document.getElementById(location.hash.slice(1)):null
if(target instanceof HTMLDetailsElement){target.open=true;target.scrollIntoView()}
}
addEventListener('hashchange',reveal)
reveal()
`

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** In the page itself, because it may be opened as a file, without HTTP headers. */
export const reportPolicy: string = [
  "default-src 'none'",
  'img-src data:',
  `style-src ${digest(reportStyle)}`,
  `script-src ${digest(reportScript)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
