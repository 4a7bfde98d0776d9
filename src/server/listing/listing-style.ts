/**
 * Style and script of the listing page.
 *
 * Rules: the script is optional (keys, a filter); the page is complete without it.
 */
import { kindStyle } from './file-kinds.ts'
import { pageStyle } from './page-style.ts'

/** The number of rows that a browser lays out together. */
export const entriesInGroup = 64

/** Approximate height of a row, for groups that are not laid out yet. */
const rowRem = 2.1

export const listingStyle: string = `${pageStyle}input{width:100%;margin:0 0 .75rem;padding:.4rem .6rem;border:1px solid var(--line);border-radius:6px;background:var(--back);color:inherit;font:inherit}
table,thead,tbody{display:block}
tr{display:grid;grid-template-columns:minmax(0,1fr) 5.5rem 9.5rem}
tbody{content-visibility:auto;contain-intrinsic-size:auto ${entriesInGroup * rowRem}rem}
tbody.parent{content-visibility:visible}
thead{position:sticky;top:0;z-index:1}
th{background:var(--back);border-bottom:1px solid var(--line);font-size:.875rem;text-align:start;white-space:nowrap}
th,td{padding:.3rem .5rem;vertical-align:baseline}
td:first-child{overflow-wrap:anywhere}
tbody a{padding-inline-start:1.6em;background:no-repeat 0 .1em/1.1em;unicode-bidi:plaintext}
${kindStyle}th[aria-sort=ascending] a::after{content:" \\2191";content:" \\2191"/""}
th[aria-sort=descending] a::after{content:" \\2193";content:" \\2193"/""}
.size,td:nth-child(2){text-align:end}
td+td{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
tbody tr:hover,tbody tr:focus-within{background:var(--mark)}
tr[hidden],tbody[hidden]{display:none}
@media(max-width:34rem){
body{padding:1rem .5rem 2rem}
tr{grid-template-columns:1fr auto;border-bottom:1px solid var(--line)}
tbody{contain-intrinsic-size:auto ${2 * entriesInGroup * rowRem}rem}
thead tr{grid-template-columns:1fr auto auto}
tbody td:first-child{grid-column:1/-1;padding-bottom:0}
tbody a{display:block;padding-block:.2rem;background-position-y:.4rem}
td+td{grid-row:2;padding-top:0;font-size:.8125rem}
td:nth-child(2){grid-column:2}
td:nth-child(3){grid-column:1}
}
`

/**
 * Arrow keys move through the rows, Home and End jump, a slash focuses the filter, Escape empties it. Rows are examined
 * on demand: tens of thousands would block the page.
 */
export const listingScript = `
const all=query=>[...document.querySelectorAll(query)]
const links=()=>all('tbody:not([hidden]) tr:not([hidden]) a')
let names
const filter=document.createElement('input')
filter.type='search';filter.placeholder='Filter names ( / )';filter.setAttribute('aria-label','Filter names')
filter.autocomplete='off';filter.spellcheck=false
const apply=()=>{
names??=all('tbody:not(.parent) a').map(link=>[link.closest('tr'),link.textContent.toLowerCase()])
const wanted=filter.value.toLowerCase()
for(const [row,name] of names){
const isHidden=!name.includes(wanted)
if(row.hidden!==isHidden)row.hidden=isHidden
}
for(const group of all('tbody'))group.hidden=!group.querySelector('tr:not([hidden])')
}
filter.addEventListener('input',apply)
if(document.querySelector('tbody~tbody,tr~tr'))document.querySelector('table').before(filter)
addEventListener('keydown',event=>{
if(event.altKey||event.ctrlKey||event.metaKey)return
const isTyping=event.target===filter
if(event.key==='/'&&!isTyping)filter.focus()
else if(event.key==='Escape'&&isTyping){filter.value='';apply();filter.blur()}
else if(event.key==='ArrowDown'||event.key==='ArrowUp'||!isTyping&&(event.key==='Home'||event.key==='End')){
const shown=links(),last=shown.length-1,at=shown.indexOf(document.activeElement)
const next={ArrowDown:at+1,ArrowUp:at<0?last:at-1,Home:0,End:last}[event.key]
const link=shown[next]
if(link)link.focus()
else if(next<0)filter.focus()
}else return
event.preventDefault()
})
`
