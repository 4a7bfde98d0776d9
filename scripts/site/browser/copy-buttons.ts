/**
 * Adds a copy button to each code block.
 *
 * Rules: if a block has prompts, only the commands are copied, without prompts and output. The result is shown on the
 * button and announced. If the page cannot use the clipboard (plain HTTP), the code is selected instead.
 */
const SHOWN_MS = 2_000

export function addCopyButtons(): void {
  const status = document.createElement('p')
  status.className = 'announcement'
  status.setAttribute('role', 'status')
  document.querySelector('main')!.append(status)
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const code = block.querySelector('code')!
    const commands = commandsIn(code)
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', commands === '' ? 'Copy code' : 'Copy commands')
    button.addEventListener('click', async () => {
      const message = await copy(commands || code.textContent, code)
      button.textContent = status.textContent = message
      setTimeout(() => {
        button.textContent = 'Copy'
        status.textContent = ''
      }, SHOWN_MS)
    })
    block.append(button)
  }
}

function commandsIn(code: HTMLElement): string {
  return [...code.querySelectorAll('.command')].map(({ textContent }) => textContent.replace(/^[$>] /gm, '')).join('\n')
}

/** Returns the message about the result. */
async function copy(text: string, code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    getSelection()?.selectAllChildren(code)
    return 'Selected: press Ctrl+C'
  }
}
