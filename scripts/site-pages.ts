/**
 * The pages of the documentation site, as text.
 *
 * Rules: links to documents become links to their pages, links to files of the source stay as their names; headings
 * have the anchors that a code host gives them, so that links work in both places. The navigation stands in every page.
 * A fenced block of a known language is coloured in a light way (site-highlight.ts).
 */
import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import { highlighted } from './site-highlight.ts'

interface Section {
  readonly title: string
  /** Documents in reading order, and the short names that the navigation has for them. */
  readonly documents: readonly (readonly [path: string, name: string])[]
}

/** The pages of the navigation. A document of docs/ that is not listed here is an error, but for docs/api. */
const sections: readonly Section[] = [
  {
    title: 'Begin',
    documents: [
      ['README.md', 'Overview'],
      ['docs/install.md', 'Install'],
      ['docs/getting-started.md', 'Getting started'],
    ],
  },
  {
    title: 'Tutorial',
    documents: [
      ['docs/tutorial.md', 'What you need'],
      ['docs/tutorial-01-first-request.md', 'The first request'],
      ['docs/tutorial-02-responses.md', 'Reading the response'],
      ['docs/tutorial-03-request-file.md', 'A request file'],
      ['docs/tutorial-04-variables.md', 'Variables and environments'],
      ['docs/tutorial-05-log-in.md', 'Logging in'],
      ['docs/tutorial-06-tests.md', 'Tests and assertions'],
      ['docs/tutorial-07-scripts.md', 'Scripts'],
      ['docs/tutorial-08-data-rows.md', 'Data rows'],
      ['docs/tutorial-09-secrets.md', 'Secrets'],
      ['docs/tutorial-10-pipeline.md', 'Reports in a pipeline'],
    ],
  },
  {
    title: 'Cookbook',
    documents: [
      ['docs/cookbook.md', 'All recipes'],
      ['docs/cookbook-send.md', 'Sending requests'],
      ['docs/cookbook-run.md', 'Running request files'],
      ['docs/cookbook-serve.md', 'Serving files'],
      ['docs/cookbook-convert.md', 'Converting and CI'],
    ],
  },
  {
    title: 'Commands',
    documents: [
      ['docs/send.md', 'send'],
      ['docs/run.md', 'run'],
      ['docs/check.md', 'check'],
      ['docs/serve.md', 'serve'],
      ['docs/serve-rules.md', 'serve: rules'],
      ['docs/convert.md', 'convert'],
      ['docs/fmt.md', 'fmt'],
      ['docs/help.md', 'help, completion'],
    ],
  },
  {
    title: 'Request files',
    documents: [
      ['docs/request-file.md', 'The format'],
      ['docs/scripts.md', 'Scripts'],
      ['docs/assertions.md', 'Assertions'],
      ['docs/grpc.md', 'gRPC'],
      ['docs/secrets.md', 'Environments and secrets'],
      ['docs/reports.md', 'Reports'],
    ],
  },
  {
    title: 'Library',
    documents: [
      ['docs/library.md', 'Guide'],
      ['docs/library-connection.md', 'Proxies, mock servers, recorders'],
      ['docs/api/README.md', 'Every name'],
      ['docs/library-proof.md', 'How it is tested'],
      ['docs/rfc-map.md', 'RFC map'],
    ],
  },
  {
    title: 'Coming from',
    documents: [
      ['docs/migrating-from-rawhttp.md', 'RawHTTP'],
      ['docs/differences-from-rawhttp.md', 'RawHTTP: differences'],
      ['docs/migrating-from-ijhttp.md', 'ijhttp'],
      ['docs/migrating-from-httpie.md', 'HTTPie'],
      ['docs/migrating-from-httpyac.md', 'httpYac'],
      ['docs/migrating-from-rest-client.md', 'VS Code REST Client'],
      ['docs/dialects.md', 'Dialects of request files'],
      ['docs/migrating-from-hurl.md', 'Hurl'],
      ['docs/migrating-from-bruno.md', 'Bruno'],
      ['docs/migrating-from-insomnia.md', 'Insomnia'],
      ['docs/migrating-from-curl.md', 'curl'],
      ['docs/migrating-from-serve.md', 'serve, http-server'],
    ],
  },
  {
    title: 'More',
    documents: [
      ['docs/troubleshooting.md', 'Troubleshooting'],
      ['docs/security-model.md', 'Security model'],
      ['CHANGELOG.md', 'Changelog'],
      ['ARCHITECTURE.md', 'Architecture'],
      ['CONTRIBUTING.md', 'Contributing'],
      ['SECURITY.md', 'Security'],
    ],
  },
]

/** Pages by their path in the site. @throws Error for a document that the navigation does not know. */
export function sitePages(sources: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const known = new Set(sections.flatMap(({ documents }) => documents.map(([path]) => path)))
  const missing = [...sources.keys()].filter((path) => !known.has(path) && !path.startsWith('docs/api/'))
  if (missing.length > 0) throw new Error(`not in the navigation of the site: ${missing.join(', ')}`)
  return new Map([...sources].map(([path, text]) => [pagePath(path), page(path, text, sources)]))
}

/** Where the page of a document lies: `docs/send.md` is `send.html`, `README.md` is `index.html`. */
function pagePath(document: string): string {
  const path = document.replace(/^docs\//, '')
  const name = path.replace(/\.md$/, '.html')
  return name.replace(/(^|\/)README\.html$/, '$1index.html').replace(/^[A-Z]+\.html$/, (each) => each.toLowerCase())
}

function page(path: string, text: string, sources: ReadonlyMap<string, string>): string {
  const here = pagePath(path)
  const base = here.includes('/') ? '../' : ''
  const title = /^# (.*)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? 'httpcli'
  const content = rendered(path, text, sources)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title === 'httpcli' ? 'httpcli' : `${title} – httpcli`)}</title>
<link rel="stylesheet" href="${base}style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a href="${base}index.html">httpcli</a> <a class="pages" href="#pages">All pages</a></header>
<main id="content">
${content}
</main>
<nav id="pages" aria-label="Documents">
${navigation(path, base, sources)}
</nav>
</body>
</html>
`
}

function navigation(path: string, base: string, sources: ReadonlyMap<string, string>): string {
  return sections
    .map(({ title, documents }) => {
      const there = documents.filter(([document]) => sources.has(document))
      const links = there.map(([document, name]) => {
        const current = document === path ? ' aria-current="page"' : ''
        return `<li><a href="${base}${pagePath(document)}"${current}>${escaped(name)}</a></li>`
      })
      return `<h2>${title}</h2>\n<ul>\n${links.join('\n')}\n</ul>`
    })
    .join('\n')
}

function rendered(path: string, text: string, sources: ReadonlyMap<string, string>): string {
  const markdown = new MarkdownIt({ html: false, highlight: highlighted })
  const anchors = new Map<string, number>()
  const { renderer } = markdown
  renderer.rules.heading_open = (tokens, index) => {
    const { tag } = tokens[index]!
    const anchor = uniqueAnchor(tokens[index + 1]?.content ?? '', anchors)
    return `<${tag} id="${anchor}"><a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`
  }
  const { fence } = renderer.rules
  renderer.rules.fence = (tokens, index, options, environment, self) => {
    const name = tokens[index]!.info.trim().split(/\s+/)[1]
    const caption = name === undefined || name === 'excerpt' ? '' : `<p class="file">${escaped(name)}</p>\n`
    return caption + fence!(tokens, index, options, environment, self)
  }
  // Wide tables scroll in a separate frame, so that the page does not.
  renderer.rules.table_open = () => '<div class="table" role="region" aria-label="Table" tabindex="0"><table>\n'
  renderer.rules.table_close = () => '</table></div>\n'
  markdown.core.ruler.push('links', ({ tokens }) => {
    let tag = 'a'
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') {
        const target = linkTarget(String(token.attrGet('href')), path, sources)
        // A target without a page (a file of the source) is named, without a link.
        tag = target === undefined ? 'span' : 'a'
        token.attrs = target === undefined ? [] : [['href', target]]
      }
      if (token.type === 'link_open' || token.type === 'link_close') token.tag = tag
    }
  })
  return markdown.render(text.replace(/^ *<!--.*-->\n/gm, ''))
}

/** The anchor of a heading: small letters, blanks as hyphens, no other signs; a number for the second of its kind. */
function uniqueAnchor(heading: string, taken: Map<string, number>): string {
  const plain = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
  const count = taken.get(plain) ?? 0
  taken.set(plain, count + 1)
  return count === 0 ? plain : `${plain}-${count}`
}

/** Schemas lie on the site as beside the documents. */
const SCHEMAS = 'docs/schemas/'

/** A link of a document as a link of its page; undefined if the page does not exist. */
function linkTarget(href: string, from: string, sources: ReadonlyMap<string, string>): string | undefined {
  if (href.startsWith('#') || /^[a-z]+:/.test(href)) return href
  const [target = '', anchor] = href.split('#')
  const document = posix.join(posix.dirname(from), target)
  if (document.startsWith(SCHEMAS)) return href
  const found = [document, `${document}/README.md`].find((each) => sources.has(each))
  if (found === undefined) return undefined
  const relative = posix.relative(posix.dirname(pagePath(from)), pagePath(found))
  return anchor === undefined ? relative : `${relative}#${anchor}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
