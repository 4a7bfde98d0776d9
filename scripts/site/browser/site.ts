/**
 * The script that every page of the site loads: copy buttons, the state of the table of contents, and loading the
 * search.
 */
import { addCopyButtons } from './copy-buttons.ts'

const WIDE = '(min-width: 90rem)'

addCopyButtons()
openContentsWhereWide()
limitFocusToScrollers()
loadSearchWhenUsed()

function openContentsWhereWide(): void {
  const details = document.querySelector<HTMLDetailsElement>('.contents details')
  if (details === null) return
  const wide = matchMedia(WIDE)
  const adapt = (): void => {
    details.open = wide.matches
  }
  adapt()
  wide.addEventListener('change', adapt)
}

/** Removes code and tables that fit from the tab order. */
function limitFocusToScrollers(): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0')
      else target.removeAttribute('tabindex')
    }
  })
  for (const scroller of document.querySelectorAll('main [tabindex="0"]')) observer.observe(scroller)
}

function loadSearchWhenUsed(): void {
  const field = document.querySelector<HTMLInputElement>('.field')!
  const { src } = document.querySelector<HTMLScriptElement>('script[src$="site.js"]')!
  field.closest('search')!.hidden = false
  field.addEventListener(
    'focus',
    () => {
      // In this order, because the search needs the index when it starts.
      for (const name of ['search-index.js', 'search.js']) {
        const script = document.createElement('script')
        script.src = new URL(name, src).href
        script.async = false
        document.head.append(script)
      }
    },
    { once: true },
  )
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
}
