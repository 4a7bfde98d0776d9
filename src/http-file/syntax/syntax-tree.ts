/**
 * The syntax tree of a request file.
 *
 * Rules: every node keeps the exact text it was read from, including line endings, and a section's parts follow each
 * other without gap or overlap, so their texts joined are the file. Meaning (`Request`) refers to the same nodes and
 * never repeats text. Offsets count UTF-16 units from 0, lines and columns from 1. New forms get new nodes; text that
 * is not understood is never dropped: it becomes `invalid`, and an error is reported next to the tree.
 */
import type { Assertion, Capture } from './assertion-tree.ts'
import type { Span, Template } from './span.ts'

export interface NodeOf<Kind extends string> {
  readonly kind: Kind
  readonly span: Span
  /** The exact text in the file, including line endings. */
  readonly text: string
}

/** `### name`: begins a section. */
export interface SeparatorNode extends NodeOf<'separator'> {
  readonly name: string
}
/** Blank lines without a meaning. Those inside a body belong to the body's text. */
export type BlankNode = NodeOf<'blank'>
export type CommentNode = NodeOf<'comment'>
/** `# @name value`: a comment to every tool that does not know it. */
export interface TagNode extends NodeOf<'tag'> {
  readonly name: string
  readonly value: string
}
/** `@name = value` */
export interface VariableNode extends NodeOf<'variable'> {
  readonly name: string
  readonly nameSpan: Span
  readonly value: Template
}
/** `import file`, `run file`, `run #name`; `run` may end in `(@a = b, @c = d)`. */
export interface DirectiveNode extends NodeOf<'directive'> {
  readonly directive: 'import' | 'run'
  readonly target: DirectiveTarget
  /** Variables for this call only. */
  readonly overrides: readonly Override[]
}

export type DirectiveTarget =
  | { readonly type: 'file'; readonly path: Template; readonly span: Span }
  /** `name` as written after `#`: the name of a request, or its method and URL. */
  | { readonly type: 'request'; readonly name: string; readonly span: Span }

export interface Override {
  readonly name: string
  readonly value: Template
}

export type ScriptSource =
  /** `span` covers the code between `{%` and `%}`. */
  | { readonly type: 'inline'; readonly code: string; readonly span: Span }
  | { readonly type: 'file'; readonly path: Template }

/**
 * `< {% … %}`, `< file.js` before the request line; `> {% … %}`, `> file.js` after the body; `={% … %}`: code that
 * every script of the file can use.
 */
export interface ScriptNode extends NodeOf<'script'> {
  readonly phase: 'pre-request' | 'handler' | 'common'
  readonly source: ScriptSource
}

export type RequestVersion = 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2' | 'HTTP/2 (Prior Knowledge)'

export interface RequestLineNode extends NodeOf<'request-line'> {
  /** As written; undefined without a method, which means GET. */
  readonly method: string | undefined
  /** Continuation lines trimmed and joined. Tokens are split before variables are replaced. */
  readonly target: Template
  readonly targetSpan: Span
  readonly version: RequestVersion | undefined
}

export interface HeaderNode extends NodeOf<'header'> {
  readonly name: Template
  readonly nameSpan: Span
  /** Trimmed; continuation lines joined by one space. */
  readonly value: Template
  readonly valueSpan: Span
}

/** Lines typed into the body, joined by LF, without the last line ending. */
export interface BodyTextNode extends NodeOf<'body-text'> {
  readonly template: Template
}
/** `< path`: the file's bytes. `<@ path`, `<@latin1 path`: its text with variables replaced. */
export interface BodyFileNode extends NodeOf<'body-file'> {
  readonly path: Template
  readonly pathSpan: Span
  readonly substitutes: boolean
  readonly charset: string | undefined
}
/** `===` or `=== wait-for-server` between the messages of a WebSocket or gRPC request. */
export interface MessageSeparatorNode extends NodeOf<'message-separator'> {
  readonly shouldWaitForServer: boolean
}
/** `>> path`, `>>! path`: where the response body is saved. */
export interface RedirectNode extends NodeOf<'redirect'> {
  readonly path: Template
  readonly shouldOverwrite: boolean
}
/** `<> path`: an earlier response, for people and editors. */
export interface ReferenceNode extends NodeOf<'reference'> {
  readonly path: Template
}
/** Text that was not understood; the error is in the list beside the tree. */
export type InvalidNode = NodeOf<'invalid'>

export type Part =
  | BlankNode
  | CommentNode
  | TagNode
  | VariableNode
  | DirectiveNode
  | ScriptNode
  | RequestLineNode
  | HeaderNode
  | BodyTextNode
  | BodyFileNode
  | MessageSeparatorNode
  | RedirectNode
  | ReferenceNode
  | InvalidNode

export type PartOf<Kind extends Part['kind']> = Extract<Part, { readonly kind: Kind }>

/** A message of a WebSocket or gRPC request. */
export interface MessageNode {
  /** The number of server messages to await before this one is sent. */
  readonly waitsForServer: number
  /** Parts of the request's body. Empty only for the last one: `=== wait-for-server` with nothing after it. */
  readonly body: readonly (BodyTextNode | BodyFileNode)[]
}

/** The request of a section. */
export interface Request {
  /** From `# @name`, otherwise from the separator, otherwise empty. */
  readonly name: string
  readonly line: RequestLineNode
  readonly tags: readonly TagNode[]
  readonly preRequestScripts: readonly ScriptNode[]
  readonly headers: readonly HeaderNode[]
  /** Joined by LF when sent. */
  readonly body: readonly (BodyTextNode | BodyFileNode)[]
  /** The same parts as messages; empty unless the request is a WEBSOCKET or GRPC. */
  readonly messages: readonly MessageNode[]
  readonly handlers: readonly ScriptNode[]
  readonly redirects: readonly RedirectNode[]
  readonly references: readonly ReferenceNode[]
  /** From `# @assert`. */
  readonly assertions: readonly Assertion[]
  /** From `# @capture`. */
  readonly captures: readonly Capture[]
}

/** From one `###` to the next. The first section of a file may have no separator. */
export interface Section {
  readonly separator: SeparatorNode | undefined
  readonly parts: readonly Part[]
  readonly variables: readonly VariableNode[]
  readonly directives: readonly DirectiveNode[]
  /** Undefined if the section has no request: comments, variables, directives only. */
  readonly request: Request | undefined
}

/** Scripts that apply to every request of the file: the scripts of sections before the first request. */
export interface CommonScripts {
  /** `={% … %}`: evaluated before each script, in its global scope. */
  readonly code: readonly ScriptNode[]
  /** Run before the scripts of the request. */
  readonly preRequestScripts: readonly ScriptNode[]
  /** Run after the handlers of the request. */
  readonly handlers: readonly ScriptNode[]
}

export interface HttpFile {
  readonly byteOrderMark: string
  readonly sections: readonly Section[]
  readonly common: CommonScripts
}
