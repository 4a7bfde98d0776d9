/**
 * Terminal output as a figure: an SVG whose text can be selected, coloured by the style sheet of the page.
 *
 * Rules: only the colours that the command uses (SGR codes below) are supported; any other control sequence is an
 * error, so that none is shown as text. A picture keeps the size of its text and scrolls separately in a narrow window.
 */
import { BuildError } from '../build-error.ts'
import { escaped } from './escaped.ts'

const COLUMN_PIXELS = 8.6
const LINE_PIXELS = 20
const PADDING_PIXELS = 14

/** Class by SGR code; undefined ends a colour. */
const classes: Readonly<Record<string, string | undefined>> = {
  '0': undefined,
  '1': 'bold',
  '22': undefined,
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '35': 'magenta',
  '36': 'cyan',
  '39': undefined,
}

/** @param text lines with SGR codes; a line that starts with `$ ` is a command @throws BuildError for other codes */
export function terminalPicture(text: string, caption: string): string {
  const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n')
  const columns = Math.max(...lines.map((line) => plain(line).length))
  const width = Math.ceil(columns * COLUMN_PIXELS + 2 * PADDING_PIXELS)
  const height = lines.length * LINE_PIXELS + 2 * PADDING_PIXELS
  const rows = lines.map((line, index) => {
    const y = PADDING_PIXELS + index * LINE_PIXELS + 14
    return `<text x="${PADDING_PIXELS}" y="${y}" xml:space="preserve">${line.startsWith('$ ') ? command(line) : spans(line)}</text>`
  })
  return `<figure class="terminal">
<div class="frame" role="group" aria-label="Terminal: ${escaped(caption)}" tabindex="0">
<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${rows.join('\n')}
</svg>
</div>
<figcaption>${escaped(caption)}</figcaption>
</figure>
`
}

const command = (line: string): string =>
  `<tspan class="prompt">$ </tspan><tspan class="bold">${escaped(line.slice(2))}</tspan>`

function spans(line: string): string {
  let current: string | undefined
  return line
    .split(/\x1b\[([0-9;]*)m/)
    .map((part, index) => {
      if (index % 2 === 1) {
        if (!(part in classes)) throw new BuildError(`unknown colour code ${part} in the output "${plain(line)}"`)
        current = classes[part]
        return ''
      }
      if (part.includes('\x1b')) throw new BuildError(`unknown control sequence in the output "${plain(line)}"`)
      if (part === '') return ''
      return current === undefined ? escaped(part) : `<tspan class="${current}">${escaped(part)}</tspan>`
    })
    .join('')
}

const plain = (line: string): string => line.replace(/\x1b\[[0-9;]*m/g, '')
