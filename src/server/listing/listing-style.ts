/**
 * Style and script of the listing page.
 *
 * Rules: the script is a comfort (keys, a filter); the page is whole without it.
 */
import { kindStyle } from './file-kinds.ts'
import { pageStyle } from './page-style.ts'

/** Rows that a browser lays out together. Slow readers hold a few of these groups, of some 12 KB. */
export const entriesInGroup = 64

/** Approximate height of a row, for groups that are not laid out yet. */
const rowRem = 2.1

export const listingStyle: string = `${pageStyle}input{width:100%;margin:0 0 .75rem;padding:.4rem .6rem;border:1px solid var(--line);border-radius:6px;background:var(--back);color:inherit;font:inherit}
table,thead,tbody{display:block}
tr{display:grid;grid-template-columns:minmax(0,1fr) 5.5rem 9.5rem}
tbody{content-visibility:auto;contain-intrinsic-size:auto ${entriesInGroup * rowRem}rem}
tbody:has(.parent){content-visibility:visible}
thead{position:sticky;top:0;z-index:1}
th{background:var(--back);border-bottom:1px solid var(--line);font-size:.875rem;text-align:start;white-space:nowrap}
th,td{padding:.3rem .5rem;vertical-align:baseline}
td:first-child{overflow-wrap:anywhere}
tbody a{padding-inline-start:1.6em;background:no-repeat 0 .1em/1.1em;unicode-bidi:plaintext}
${kindStyle}th[aria-sort=ascending] a::after{content:" \\2191";content:" \\2191"/""}
th[aria-sort=descending] a::after{content:" \\2193";content:" \\2193"/""}
.size{text-align:end}
td.size,td.date{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
tbody tr:hover,tbody tr:focus-within{background:var(--mark)}
tr[hidden],tbody[hidden]{display:none}
@media(max-width:34rem){
body{padding:1rem .5rem 2rem}
tr{grid-template-columns:1fr auto;border-bottom:1px solid var(--line)}
tbody{contain-intrinsic-size:auto ${2 * entriesInGroup * rowRem}rem}
thead tr{grid-template-columns:1fr auto auto}
tbody td:first-child{grid-column:1/-1;padding-bottom:0}
tbody a{display:block;padding-block:.2rem;background-position-y:.4rem}
td.size,td.date{padding-top:0;font-size:.8125rem}
td.date{grid-column:1;grid-row:2}
td.size{grid-column:2;grid-row:2}
}
`

/** Arrow keys walk the rows, Home and End jump, a slash reaches the filter, Escape empties it. */
export const listingScript = `
const rows=[...document.querySelectorAll('tbody tr')]
const groups=[...document.querySelectorAll('tbody')]
const names=rows.map(row=>row.firstChild.textContent.toLowerCase())
const links=()=>rows.filter(row=>!row.hidden).map(row=>row.querySelector('a'))
const filter=document.createElement('input')
filter.type='search';filter.placeholder='Filter names ( / )';filter.setAttribute('aria-label','Filter names')
filter.autocomplete='off';filter.spellcheck=false
const apply=()=>{
const wanted=filter.value.toLowerCase()
rows.forEach((row,index)=>{
const isHidden=!names[index].includes(wanted)&&row.className!=='parent'
if(row.hidden!==isHidden)row.hidden=isHidden
})
for(const group of groups)group.hidden=!group.querySelector('tr:not([hidden])')
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
