/**
 * Simple syntax highlighting of code blocks: comments, strings, keywords and commands; nothing else.
 *
 * Rules: each language has a table of patterns, which are tried in order from left to right; unmatched text is plain,
 * and so is a language without a table.
 */
import { escaped } from './escaped.ts'

interface Colour {
  readonly name: 'comment' | 'text' | 'word' | 'command'
  readonly pattern: RegExp
}

const comment = (pattern: RegExp): Colour => ({ name: 'comment', pattern })
const text = (pattern: RegExp): Colour => ({ name: 'text', pattern })
const word = (pattern: RegExp): Colour => ({ name: 'word', pattern })

const quoted = text(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/)

const languages: Readonly<Record<string, readonly Colour[]>> = {
  ts: [
    comment(/\/\/.*/),
    quoted,
    word(/\b(?:import|export|from|const|let|for|of|async|await|function|new|return|if|throw|try|catch|type|yield)\b/),
  ],
  json: [word(/"(?:[^"\\\n]|\\.)*"(?=\s*:)/), text(/"(?:[^"\\\n]|\\.)*"/)],
  http: [
    word(/^###.*/m),
    comment(/^\s*(?:#|\/\/).*/m),
    text(/\{\{.*?\}\}/),
    word(/^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|GRAPHQL|WEBSOCKET)(?= )/m),
    word(/^[A-Za-z][\w-]*(?=: )/m),
    comment(/^(?:<|>|=)? ?\{%|^%\}/m),
  ],
  console: [{ name: 'command', pattern: /^\$ .*(?:\n> .*)*/m }],
  sh: [comment(/#.*/), quoted],
  yaml: [comment(/#.*/), word(/^[\s-]*[\w-]+(?=:)/m), quoted],
  hurl: [word(/^(?:GET|POST|PUT|DELETE|HTTP)(?= )|^\[\w+\]/m), quoted],
}

/** The code as HTML. */
export function highlighted(code: string, language: string): string {
  const colours = languages[language]
  if (colours === undefined) return escaped(code)
  const all = new RegExp(colours.map(({ pattern }) => `(${pattern.source})`).join('|'), 'gm')
  let html = ''
  let end = 0
  for (const match of code.matchAll(all)) {
    const colour = colours[match.slice(1).findIndex((group) => group !== undefined)]!
    html += `${escaped(code.slice(end, match.index))}<span class="${colour.name}">${escaped(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escaped(code.slice(end))
}
