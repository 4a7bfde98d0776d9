/** The templates of a request, in the order in which a run renders them. */
import {
  type Assertion,
  type BodyFileNode,
  type BodyTextNode,
  type Capture,
  type Request,
  type Subject,
  type Template,
  templateText,
} from '../../http-file/index.ts'

/** Templates that need a value before the request is sent. */
export function sentTemplates({ line, headers, body, messages, redirects }: Request): readonly Template[] {
  const parts = messages.length > 0 ? messages.flatMap((message) => message.body) : body
  return [
    line.target,
    ...headers.flatMap(({ name, value }) => [name, value]),
    ...parts.map(bodyTemplate),
    ...redirects.map(({ path }) => path),
  ]
}

/** Fields that determine where the message goes and how its body is read. */
const shapingFields = /^(?:host|content-(?:type|length)|transfer-encoding|x-request-type)$/i
/** An Authorization that is sent as written: its scheme has no short form that is encoded. */
const plainAuthorization = /^(?!basic\b|digest\b)[\w-]+[ \t]+\S/i

/**
 * The templates that determine the form of the message: all except values of other fields and texts of WebSocket
 * messages.
 */
export function shapingTemplates({ line, headers, body, messages, redirects }: Request): readonly Template[] {
  const parts = messages.length === 0 ? body : body.filter(({ kind }) => kind === 'body-file')
  return [
    line.target,
    ...headers.flatMap(({ name, value }) => (isShaping(templateText(name), value) ? [name, value] : [name])),
    ...parts.map(bodyTemplate),
    ...redirects.map(({ path }) => path),
  ]
}

function isShaping(field: string, value: Template): boolean {
  if (/^authorization$/i.test(field)) return !plainAuthorization.test(templateText(value))
  return shapingFields.test(field)
}

/** The host of a request whose URL is not parsed; "" if none is written. */
export function writtenHost(target: string, hostField: string | undefined): string {
  const text = /^[/*]/.test(target) ? hostField : target
  const authority = /^(?:[A-Za-z][\w+.-]*:\/\/)?((?:\{\{[^{}\r\n]*\}\}|[^/?#{]+|\{)*)/.exec(text ?? '')?.[1] ?? ''
  return authority.replace(/^.*@/s, '')
}

/** The templates that are rendered after the response has arrived. */
export function checkTemplates(checks: readonly (Assertion | Capture)[]): readonly Template[] {
  return checks.flatMap((check) => [...subjectTemplates(check.subject), ...predicateTemplates(check)])
}

function bodyTemplate(part: BodyTextNode | BodyFileNode): Template {
  return part.kind === 'body-text' ? part.template : part.path
}

function subjectTemplates({ argument, filters }: Subject): readonly Template[] {
  const patterns = filters.flatMap((filter) => {
    if (filter.type === 'regex') return [filter.pattern]
    return 'texts' in filter ? filter.texts : []
  })
  return argument === undefined ? patterns : [argument, ...patterns]
}

function predicateTemplates(check: Assertion | Capture): readonly Template[] {
  if (!('predicate' in check)) return []
  const { predicate } = check
  if (predicate.type === 'matches') return [predicate.pattern]
  if (predicate.type === 'in') return predicate.values.items.map(({ template }) => template)
  return 'value' in predicate ? [predicate.value.template] : []
}
