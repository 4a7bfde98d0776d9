/** Tags: comments with a meaning, `# @name value`. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of snippets
import type { Topic } from './topic.ts'

export interface TagTopic extends Topic {
  /** The text after the name, as a snippet; undefined if nothing follows. */
  readonly snippet?: string
  /** The kind of value, for completion. */
  readonly value?: 'duration' | 'count' | 'assertion' | 'capture' | 'tag' | 'proto' | 'directory' | 'file'
}

export const tags: Readonly<Record<string, TagTopic>> = {
  name: {
    text: 'Names the request: for `run #name`, `--name`, reports, and `{{name.response.body.$.path}}`.',
    snippet: '${1:name}',
    example: '# @name login',
  },
  assert: {
    text: 'A condition that the response must meet. A failed one makes the run exit with 5.',
    snippet: '$0',
    value: 'assertion',
    example: '# @assert status == 200',
  },
  capture: {
    text: 'Stores a value of the response as a variable for the later requests of the run.',
    snippet: '${1:name} = $0',
    value: 'capture',
    example: '# @capture token = $.access_token',
  },
  tag: {
    text: "Puts the request into a group. `--tag smoke` runs the group, `--tag '!smoke'` leaves it out.",
    snippet: '${1:smoke}',
    value: 'tag',
    example: '# @tag smoke',
  },
  tags: {
    text: 'Puts the request into several groups, separated by commas or spaces.',
    snippet: '${1:smoke}, ${2:slow}',
    value: 'tag',
    example: '# @tags smoke, slow',
  },
  retry: {
    text: 'Sends the request again until it is answered and its tests pass, at most this number of times; the wait in between may follow.',
    snippet: '${1:3} ${2:500 ms}',
    value: 'count',
    example: '# @retry 3 500 ms',
  },
  timeout: {
    text: 'The longest wait for the response. Units are `ms`, `s` and `m`; a number alone is seconds.',
    snippet: '${1:5} s',
    value: 'duration',
    example: '# @timeout 5 s',
  },
  'connection-timeout': {
    text: 'The longest wait for the connection. Units are `ms`, `s` and `m`; a number alone is seconds.',
    snippet: '${1:500} ms',
    value: 'duration',
    example: '# @connection-timeout 500 ms',
  },
  'no-redirect': { text: 'Redirects are not followed: the response is the redirect itself.' },
  'no-cookie-jar': { text: 'Cookies are neither sent nor stored.' },
  'no-auto-encoding': { text: 'The URL and a form are sent as typed, without percent encoding.' },
  'no-log': { text: 'The exchange is not written to histories.' },
  prompt: {
    text: 'Asks for the value of a variable before the request is sent. `-V name=value` answers it.',
    snippet: '${1:name} ${2:What to ask}',
    example: '# @prompt code The code from the message',
  },
  note: {
    text: 'httpcli treats it as a comment. VS Code REST Client asks for confirmation before it sends the request.',
  },
  'use-os-credentials': {
    text: 'The login of the operating system, in the JetBrains editor. httpcli warns that it has no effect.',
  },
  'grpc-proto': {
    text: 'A `.proto` file with the types of the gRPC call. May be repeated.',
    snippet: '${1:file.proto}',
    value: 'proto',
    example: '# @grpc-proto protos/shop.proto',
  },
  'grpc-import-path': {
    text: 'A directory in which imports of `.proto` files are looked for. May be repeated.',
    snippet: '${1:protos}',
    value: 'directory',
    example: '# @grpc-import-path protos',
  },
  'grpc-protoset': {
    text: 'A descriptor set that `protoc --include_imports --descriptor_set_out` has written.',
    snippet: '${1:types.protoset}',
    value: 'file',
    example: '# @grpc-protoset shop.protoset',
  },
}
