/** Explains a name in request files: the data for completion and hover, and its layout. */

export interface Topic {
  /** One or two sentences, in Markdown. */
  readonly text: string
  /** Where it is specified. */
  readonly source?: string
  /** As written in a request file. */
  readonly example?: string
}

export type Topics = Readonly<Record<string, Topic>>

/** Markdown; also readable as plain text. */
export function topicText({ text, example, source }: Topic): string {
  return [text, example === undefined ? undefined : `Example: \`${example}\``, source]
    .filter((each) => each !== undefined)
    .join('\n\n')
}

/** The topic of a name, if the table has it as an own key. */
export function topicOf(topics: Topics, name: string): Topic | undefined {
  return Object.hasOwn(topics, name) ? topics[name] : undefined
}
