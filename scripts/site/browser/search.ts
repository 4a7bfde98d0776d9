/**
 * The search field: shows results as links while the user types.
 *
 * Rules: arrow keys move between the field and the results, Enter follows a result (in the field: the first), Escape
 * closes. The number of results is announced. Loaded after search-index.js, when the field is first used.
 */
import { createSearch, type Finding, type SearchPage } from '../search-ranking.ts'

declare const siteSearchPages: readonly SearchPage[]

const field = document.querySelector<HTMLInputElement>('.field')!
const panel = document.querySelector<HTMLElement>('.results')!
const status = panel.querySelector<HTMLElement>('p')!
const list = panel.querySelector<HTMLElement>('ol')!
const root = new URL('.', document.querySelector<HTMLScriptElement>('script[src$="site.js"]')!.src)
const search = createSearch(siteSearchPages)

function show(): void {
  const query = field.value.trim()
  panel.hidden = query === ''
  const findings = query === '' ? [] : search(query)
  const count = findings.length
  status.textContent = count === 0 ? `No results for “${query}”` : `${count} ${count === 1 ? 'result' : 'results'}`
  list.replaceChildren(...findings.map(resultOf))
}

function resultOf({ href, title, heading, excerpt }: Finding): HTMLElement {
  const link = document.createElement('a')
  link.href = new URL(href, root).href
  link.append(
    textElement('strong', heading),
    ...(heading === title ? [] : [' ', textElement('em', title)]),
    textElement('span', excerpt),
  )
  const item = document.createElement('li')
  item.append(link)
  return item
}

function textElement(name: 'strong' | 'em' | 'span', text: string): HTMLElement {
  const element = document.createElement(name)
  element.textContent = text
  return element
}

function close(): void {
  panel.hidden = true
}

/** The elements that the arrow keys move between: the field, then the results. */
function stops(): readonly HTMLElement[] {
  return [field, ...list.querySelectorAll('a')]
}

const keys: Readonly<Record<string, (place: number) => HTMLElement | undefined>> = {
  ArrowDown: (place) => stops()[place + 1],
  ArrowUp: (place) => stops()[place - 1],
}

const area = field.closest('search')!
area.addEventListener('keydown', (event) => {
  const place = stops().indexOf(event.target as HTMLElement)
  if (event.key === 'Escape') {
    close()
    field.focus()
  } else if (event.key === 'Enter' && event.target === field) {
    list.querySelector('a')?.click()
  } else if (event.key in keys) {
    event.preventDefault()
    keys[event.key]!(place)?.focus()
  }
})
// A link to a heading of the current page does not load a new page.
list.addEventListener('click', close)
document.addEventListener('click', ({ target }) => {
  if (!area.contains(target as Node)) close()
})
field.addEventListener('input', show)
show()
