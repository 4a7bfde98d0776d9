/**
 * Converts security schemes to headers, queries and cookies with variables for the secrets.
 *
 * Rules: the first of several alternatives is used; an empty list means that nothing is needed. Variables are named
 * after the scheme and belong in the private environment file.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { type JsonObject, objectOf, objectsOf, textOf } from '../draft/document.ts'
import type { Entry, EnvironmentVariable } from '../draft/draft.ts'
import { literal, variableName } from '../draft/literal-text.ts'
import { encodedComponent } from '../draft/request-url.ts'
import type { References } from './references.ts'

export interface Security {
  readonly headers: readonly Entry[]
  readonly query: readonly string[]
  readonly cookies: readonly string[]
  readonly variables: readonly EnvironmentVariable[]
  /** Schemes without an equivalent. */
  readonly lost: readonly string[]
}

const secret = (name: string): EnvironmentVariable => ({ name, value: '', isSecret: true })

/** @param requirement security requirement of the operation, or of the document */
export function securityOf(requirement: JsonValue | undefined, schemes: JsonObject, references: References): Security {
  const [first] = objectsOf(requirement)
  const applied = Object.keys(first ?? {}).map((name) => schemeOf(name, references.resolve(schemes[name])))
  return {
    headers: applied.flatMap(({ headers }) => headers ?? []),
    query: applied.flatMap(({ query }) => query ?? []),
    cookies: applied.flatMap(({ cookies }) => cookies ?? []),
    variables: applied.flatMap(({ variables }) => variables ?? []),
    lost: applied.flatMap(({ lost }) => lost ?? []),
  }
}

function schemeOf(name: string, scheme: JsonObject): Partial<Security> {
  const variable = variableName(name)
  const kind = textOf(scheme.scheme).toLowerCase()
  switch (textOf(scheme.type)) {
    case 'http':
      if (kind === 'basic') return basic
      if (kind === 'digest') return { ...basic, headers: [authorization('Digest {{username}} {{password}}')] }
      if (kind === 'bearer') return bearer(variable)
      return { lost: [`the security scheme ${name} (http ${kind})`] }
    case 'basic':
      return basic
    case 'oauth2':
    case 'openIdConnect':
      return bearer(variable)
    case 'apiKey':
      return apiKey(textOf(objectOf(scheme).in), textOf(scheme.name), variable)
    default:
      return { lost: [`the security scheme ${name}`] }
  }
}

const authorization = (value: string): Entry => ({ name: 'Authorization', value })

const basic: Partial<Security> = {
  headers: [authorization('Basic {{username}} {{password}}')],
  variables: [{ name: 'username', value: '', isSecret: false }, secret('password')],
}

function bearer(variable: string): Partial<Security> {
  return { headers: [authorization(`Bearer {{${variable}}}`)], variables: [secret(variable)] }
}

function apiKey(place: string, name: string, variable: string): Partial<Security> {
  const value = `{{${variable}}}`
  const variables = [secret(variable)]
  if (place === 'query') return { query: [`${encodedComponent(name)}=${value}`], variables }
  if (place === 'cookie') return { cookies: [`${literal(name)}=${value}`], variables }
  return { headers: [{ name: literal(name), value }], variables }
}
