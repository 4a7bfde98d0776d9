/**
 * Writes a value as XML, by the XML Objects of its schema (OpenAPI 3.x, "XML Object").
 *
 * Rules: `name` renames an element, `attribute` makes it an attribute of its parent, `wrapped` puts a list into an
 * element.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { isObject, type JsonObject, objectOf, textOf } from '../draft/document.ts'
import type { Schemas } from './sample.ts'

/** The document, with its declaration. */
export function xmlText(value: JsonValue, schema: JsonValue | undefined, schemas: Schemas): string {
  const reference = isObject(schema) ? textOf(schema.$ref).split('/').at(-1) : ''
  const own = schemas.sampler.merged(schema)
  const name = textOf(objectOf(own.xml).name) || reference || 'root'
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(name, value, own, schemas, '').join('\n')}`
}

function element(
  name: string,
  value: JsonValue,
  schema: JsonObject,
  schemas: Schemas,
  indent: string,
): readonly string[] {
  if (Array.isArray(value)) return listElements(name, value, schema, schemas, indent)
  if (!isObject(value)) return [`${indent}<${name}>${escaped(textOf(value))}</${name}>`]
  const properties = objectOf(schema.properties)
  const attributes: string[] = []
  const children: string[] = []
  for (const [key, field] of Object.entries(value)) {
    const property = schemas.sampler.merged(properties[key])
    const xml = objectOf(property.xml)
    const shown = textOf(xml.name) || key
    if (xml.attribute === true) attributes.push(` ${shown}="${escaped(textOf(field))}"`)
    else for (const line of element(shown, field, property, schemas, `${indent}  `)) children.push(line)
  }
  const open = `${indent}<${name}${attributes.join('')}`
  return children.length === 0 ? [`${open}/>`] : [`${open}>`, ...children, `${indent}</${name}>`]
}

function listElements(
  name: string,
  value: readonly JsonValue[],
  schema: JsonObject,
  schemas: Schemas,
  indent: string,
): readonly string[] {
  const item = schemas.sampler.merged(schema.items)
  const isWrapped = objectOf(schema.xml).wrapped === true
  const itemName = textOf(objectOf(item.xml).name) || name
  const lines = value.flatMap((each) => element(itemName, each, item, schemas, isWrapped ? `${indent}  ` : indent))
  return isWrapped ? [`${indent}<${name}>`, ...lines, `${indent}</${name}>`] : lines
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
