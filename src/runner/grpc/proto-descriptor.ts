/**
 * Creates the descriptor of a `.proto` file from the parser's output.
 *
 * Rules: proto2, proto3 and editions. Type names are as written, and are completed when all files are known. A map is a
 * list of entries; an optional field of proto3 is a oneof with one field, after the declared ones. Options are omitted
 * unless they change a message or its JSON.
 */
import { create } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  Edition,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  type FeatureSet,
  FeatureSet_EnumType,
  FeatureSet_FieldPresence,
  FeatureSet_JsonFormat,
  FeatureSet_MessageEncoding,
  FeatureSet_RepeatedFieldEncoding,
  FeatureSet_Utf8Validation,
  FeatureSetSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  type ServiceDescriptorProto,
  ServiceDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt'

/** The parser's output for a file, as plain values. */
export interface ParsedProto {
  readonly package: string | undefined
  readonly imports: readonly string[]
  readonly root: ParsedScope
}

interface ParsedScope {
  readonly nested?: Readonly<Record<string, Parsed>>
}

type Options = Readonly<Record<string, unknown>>

/** A message, an enum, a service, an extension or a package; its members show which. */
interface Parsed extends ParsedScope {
  /** Undefined for proto3. */
  readonly edition?: string
  readonly options?: Options
  readonly fields?: Readonly<Record<string, ParsedField>>
  readonly oneofs?: Readonly<Record<string, { readonly oneof: readonly string[] }>>
  readonly extensions?: readonly (readonly [from: number, to: number])[]
  readonly group?: boolean
  readonly values?: Readonly<Record<string, number>>
  readonly methods?: Readonly<Record<string, ParsedMethod>>
}

interface ParsedField {
  readonly type: string
  readonly id: number
  readonly rule?: 'required' | 'repeated'
  /** Present for a map. */
  readonly keyType?: string
  readonly extend?: string
  readonly options?: Options
}

interface ParsedMethod {
  readonly requestType: string
  readonly requestStream?: boolean
  readonly responseType: string
  readonly responseStream?: boolean
}

/** @param name the name by which other files import it. @throws Error for an unknown edition */
export function fileDescriptor(
  name: string,
  { package: packageName = '', imports, root }: ParsedProto,
): FileDescriptorProto {
  const scope = packageName
    .split('.')
    .filter((part) => part !== '')
    .reduce<ParsedScope>((outer, part) => outer.nested?.[part] ?? {}, root)
  const types = Object.entries(scope.nested ?? {})
  return create(FileDescriptorProtoSchema, {
    name,
    package: packageName,
    dependency: [...imports],
    ...syntaxOf(types.map(([, { edition }]) => edition)[0]),
    ...members(types),
    service: types.flatMap(([each, { methods }]) => (methods === undefined ? [] : [serviceOf(each, methods)])),
  })
}

function syntaxOf(edition: string | undefined): Pick<FileDescriptorProto, 'syntax'> & { readonly edition?: Edition } {
  if (edition === undefined || edition === 'proto3') return { syntax: 'proto3' }
  if (edition === 'proto2') return { syntax: 'proto2' }
  const known = Edition[`EDITION_${edition}` as keyof typeof Edition]
  if (known === undefined) throw new Error(`edition ${JSON.stringify(edition)} is not supported`)
  return { syntax: 'editions', edition: known }
}

/** The messages, enums and extensions of a file or a message. */
function members(types: readonly (readonly [name: string, Parsed])[]): {
  messageType: DescriptorProto[]
  enumType: EnumDescriptorProto[]
  extension: FieldDescriptorProto[]
} {
  const extensions = types.filter(([, type]) => 'extend' in type) as unknown as readonly (readonly [
    string,
    ParsedField,
  ])[]
  return {
    messageType: types.flatMap(([name, type]) => (type.fields === undefined ? [] : [messageOf(name, type)])),
    enumType: types.flatMap(([name, { values, options }]) =>
      values === undefined ? [] : [enumOf(name, values, options)],
    ),
    extension: extensions.map(([name, field]) => fieldOf(name, field, undefined)),
  }
}

function messageOf(name: string, type: Parsed): DescriptorProto {
  const { fields = {}, oneofs = {}, nested = {}, extensions = [], options } = type
  const isSynthetic = ([, { oneof }]: readonly [string, { readonly oneof: readonly string[] }]): boolean => {
    return oneof.every((each) => fields[each]?.options?.proto3_optional === true)
  }
  const written = Object.entries(oneofs)
  const ordered = [...written.filter((each) => !isSynthetic(each)), ...written.filter(isSynthetic)]
  const { messageType, enumType, extension } = members(Object.entries(nested))
  const own = Object.entries(fields)
  return create(DescriptorProtoSchema, {
    name,
    field: own.map(([each, field]) => {
      const index = ordered.findIndex(([, { oneof }]) => oneof.includes(each))
      return fieldOf(each, field, index === -1 ? undefined : index, nested[field.type]?.group === true)
    }),
    nestedType: [...messageType, ...own.flatMap(([each, field]) => entryOf(each, field) ?? [])],
    enumType,
    extension,
    oneofDecl: ordered.map(([each]) => ({ name: each })),
    // The parser returns the last number of a range; a descriptor has the number after it.
    extensionRange: extensions.map(([start, end]) => ({ start, end: end + 1 })),
    ...featureOptions(options),
  })
}

/** The entry message of a map. */
function entryOf(name: string, { keyType, type, options }: ParsedField): DescriptorProto | undefined {
  if (keyType === undefined) return undefined
  return create(DescriptorProtoSchema, {
    name: entryName(name),
    field: [
      fieldOf('key', { type: keyType, id: 1 }, undefined),
      fieldOf('value', { type, id: 2, ...featuresOnly(options) }, undefined),
    ],
    options: { mapEntry: true },
  })
}

function entryName(field: string): string {
  return `${field.replace(/(?:^|_+)(.?)/g, (_start, letter: string) => letter.toUpperCase())}Entry`
}

function fieldOf(
  name: string,
  { type, id, rule, keyType, extend, options = {} }: ParsedField,
  oneofIndex: number | undefined,
  isGroup = false,
): FieldDescriptorProto {
  const scalar = keyType === undefined ? scalarTypes[type] : undefined
  const { json_name: jsonName, packed, proto3_optional: isProto3Optional } = options
  const label =
    keyType !== undefined || rule === 'repeated' ? 'REPEATED' : rule === 'required' ? 'REQUIRED' : 'OPTIONAL'
  const features = featuresOf(options)
  return create(FieldDescriptorProtoSchema, {
    name,
    number: id,
    label: FieldDescriptorProto_Label[label],
    ...(scalar === undefined ? {} : { type: scalar }),
    ...(isGroup ? { type: FieldDescriptorProto_Type.GROUP } : {}),
    ...(scalar === undefined ? { typeName: keyType === undefined ? type : entryName(name) } : {}),
    ...(extend === undefined ? {} : { extendee: extend }),
    ...(oneofIndex === undefined ? {} : { oneofIndex }),
    ...(isProto3Optional === true ? { proto3Optional: true } : {}),
    ...(typeof jsonName === 'string' ? { jsonName } : {}),
    options: {
      ...(typeof packed === 'boolean' ? { packed } : {}),
      ...(features === undefined ? {} : { features }),
    },
  })
}

const scalarTypes: Readonly<Record<string, FieldDescriptorProto_Type>> = {
  double: FieldDescriptorProto_Type.DOUBLE,
  float: FieldDescriptorProto_Type.FLOAT,
  int64: FieldDescriptorProto_Type.INT64,
  uint64: FieldDescriptorProto_Type.UINT64,
  int32: FieldDescriptorProto_Type.INT32,
  fixed64: FieldDescriptorProto_Type.FIXED64,
  fixed32: FieldDescriptorProto_Type.FIXED32,
  bool: FieldDescriptorProto_Type.BOOL,
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
  uint32: FieldDescriptorProto_Type.UINT32,
  sfixed32: FieldDescriptorProto_Type.SFIXED32,
  sfixed64: FieldDescriptorProto_Type.SFIXED64,
  sint32: FieldDescriptorProto_Type.SINT32,
  sint64: FieldDescriptorProto_Type.SINT64,
}

function enumOf(
  name: string,
  values: Readonly<Record<string, number>>,
  options: Options | undefined,
): EnumDescriptorProto {
  return create(EnumDescriptorProtoSchema, {
    name,
    value: Object.entries(values).map(([each, number]) => ({ name: each, number })),
    ...featureOptions(options, options?.allow_alias === true ? { allowAlias: true } : {}),
  })
}

function serviceOf(name: string, methods: Readonly<Record<string, ParsedMethod>>): ServiceDescriptorProto {
  return create(ServiceDescriptorProtoSchema, {
    name,
    method: Object.entries(methods).map(
      ([each, { requestType, requestStream = false, responseType, responseStream = false }]) => ({
        name: each,
        inputType: requestType,
        outputType: responseType,
        clientStreaming: requestStream,
        serverStreaming: responseStream,
      }),
    ),
  })
}

/** The features of an edition, by their names in the file. */
const featureValues: Readonly<Record<string, readonly [member: keyof FeatureSet, values: object]>> = {
  field_presence: ['fieldPresence', FeatureSet_FieldPresence],
  enum_type: ['enumType', FeatureSet_EnumType],
  repeated_field_encoding: ['repeatedFieldEncoding', FeatureSet_RepeatedFieldEncoding],
  utf8_validation: ['utf8Validation', FeatureSet_Utf8Validation],
  message_encoding: ['messageEncoding', FeatureSet_MessageEncoding],
  json_format: ['jsonFormat', FeatureSet_JsonFormat],
}

function featuresOf({ features }: Options): FeatureSet | undefined {
  if (typeof features !== 'object' || features === null) return undefined
  const found = Object.entries(features).flatMap(([name, value]) => {
    const [member, values] = featureValues[name] ?? []
    return member === undefined ? [] : [[member, (values as Record<string, unknown>)[String(value)]] as const]
  })
  return create(FeatureSetSchema, Object.fromEntries(found))
}

function featureOptions(options: Options = {}, others: object = {}): { options?: object } {
  const features = featuresOf(options)
  const all = { ...others, ...(features === undefined ? {} : { features }) }
  return Object.keys(all).length === 0 ? {} : { options: all }
}

function featuresOnly({ features }: Options = {}): { options?: Options } {
  return features === undefined ? {} : { options: { features } }
}
