/** The one style sheet of the documentation site: light and dark, from a phone to a wide screen, and on paper. */
export const siteStyle = `:root {
  color-scheme: light dark;
  --text: #1d2430; --quiet: #566173; --back: #ffffff; --panel: #f4f6f9; --line: #dde2ea; --link: #0b57c4;
  --comment: #5d6776; --string: #0a6b3d; --word: #7a2fb0; --command: #0b57c4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #dfe5ee; --quiet: #9aa7ba; --back: #14181f; --panel: #1c222b; --line: #303947; --link: #7db4ff;
    --comment: #8f9bac; --string: #86d6a4; --word: #d0a6f5; --command: #7db4ff;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; color: var(--text); background: var(--back);
  font: 1rem/1.6 system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif;
  display: grid; grid-template: auto 1fr auto / minmax(0, 1fr);
}
a { color: var(--link); text-underline-offset: .15em; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--back); padding: .5rem; z-index: 1; }
header { padding: .8rem 1.2rem; border-bottom: 1px solid var(--line); display: flex; justify-content: space-between; }
header a { font-weight: 700; color: inherit; text-decoration: none; font-size: 1.1rem; }
header .pages { font-weight: 400; font-size: 1rem; color: var(--link); }
nav { padding: .6rem 1.2rem 2rem; background: var(--panel); border-top: 1px solid var(--line); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .25rem .5rem; border-radius: .3rem; text-decoration: none; color: inherit; }
nav li a:hover { background: var(--line); }
nav li a[aria-current] { background: var(--link); color: var(--back); }
main { padding: 1.2rem; max-width: 52rem; width: 100%; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; position: relative; }
h1 { font-size: 1.8rem; margin: .2rem 0 1rem; }
h2 { font-size: 1.35rem; margin: 2.4rem 0 .8rem; padding-top: .6rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.8rem 0 .6rem; }
nav h2 { border: 0; padding: 0; font-size: .8rem; color: var(--quiet); margin: 1rem 0 .2rem; text-transform: uppercase; letter-spacing: .05em; }
.anchor { position: absolute; left: -1rem; text-decoration: none; color: var(--quiet); opacity: 0; }
h1:hover .anchor, h2:hover .anchor, h3:hover .anchor { opacity: 1; }
code { font: .9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--panel); padding: .1em .3em; border-radius: .2rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem; overflow-x: auto; }
h1 code { padding: 0; background: none; }
.file { margin: 1rem 0 -.8rem; font-size: .85rem; color: var(--quiet); }
pre code { background: none; padding: 0; font-size: .85rem; }
.comment { color: var(--comment); } .text { color: var(--string); } .word { color: var(--word); }
.command { color: var(--command); font-weight: 600; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; min-width: 100%; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem; border-bottom: 1px solid var(--line); min-width: 7rem; }
th { border-bottom-width: 2px; }
tr > :first-child { padding-left: 0; }
@media (min-width: 60rem) {
  body { grid-template: auto 1fr / 16rem minmax(0, 1fr); min-height: 100vh; }
  header { grid-column: 1 / -1; }
  nav { grid-area: 2 / 1; border-top: 0; border-right: 1px solid var(--line); }
  main { grid-area: 2 / 2; }
  header .pages { display: none; }
  main { padding: 1.6rem 3rem 4rem; }
}
@media print { nav, header, .skip { display: none; } main { max-width: none; } }
`
