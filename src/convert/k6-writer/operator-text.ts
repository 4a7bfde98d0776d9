/**
 * A script for k6 as resources of the k6 operator for Kubernetes: a ConfigMap with the script and its files, and the
 * TestRun that runs it.
 *
 * Rules: secret values come from a Secret of the same name. Applied on the server, the ConfigMap is not copied into an
 * annotation, which could hold only 256 KiB. Keys of a ConfigMap are letters, digits, `-`, `_` and `.`.
 * https://grafana.com/docs/k6/latest/set-up/set-up-distributed-k6/usage/executing-k6-scripts-with-testrun-crd/
 */
export interface OperatorSettings {
  /** The name of all resources. */
  readonly name: string
  /** Names of the values in the Secret. */
  readonly secrets: readonly string[]
  /** Files that the script opens, by key. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

export const SCRIPT_KEY = 'load.js'

/** The limit of Kubernetes for the values of a ConfigMap. */
export const MAX_CONFIG_MAP_BYTES = 1_048_576

export function operatorText(script: string, { name, secrets, files }: OperatorSettings): string {
  const isText = !unprintable.test(script)
  const contents = isText ? [...files] : [[SCRIPT_KEY, Buffer.from(script)] as const, ...files]
  const binary = contents.map(([key, bytes]) => `  ${key}: ${Buffer.from(bytes).toString('base64')}`)
  const created = secrets.map((secret) => ` --from-literal=${secret}=…`).join('')
  const variables = secrets.flatMap((secret) => [
    `      - name: ${secret}`,
    '        valueFrom:',
    '          secretKeyRef:',
    `            name: ${name}`,
    `            key: ${secret}`,
  ])
  return [
    '# kubectl apply --server-side -f this file; needs the k6 operator in the cluster.',
    ...(secrets.length === 0 ? [] : [`# Its secrets: kubectl create secret generic ${name}${created}`]),
    `# Results: kubectl logs -l k6_cr=${name}`,
    'apiVersion: k6.io/v1alpha1',
    'kind: TestRun',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    '  parallelism: 1',
    '  script:',
    '    configMap:',
    `      name: ${name}`,
    `      file: ${SCRIPT_KEY}`,
    ...(variables.length === 0 ? [] : ['  runner:', '    env:', ...variables]),
    '---',
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    `  name: ${name}`,
    ...(binary.length === 0 ? [] : ['binaryData:', ...binary]),
    ...(isText ? ['data:', `  ${SCRIPT_KEY}: |`, ...indented(script)] : []),
    '',
  ].join('\n')
}

/** Characters that a YAML document cannot contain, or that end a line in it. */
const unprintable = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/

function indented(script: string): readonly string[] {
  const lines = script.trimEnd().split('\n')
  return lines.map((line) => (line === '' ? '' : `    ${line}`))
}

/**
 * A Kubernetes name (RFC 1123 section 2.1): lower-case letters, digits and dashes. The operator appends up to 12
 * characters for its jobs, whose names have at most 63.
 */
export function resourceName(fileName: string): string {
  const name = fileName
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 45)
  return `${name.replace(/-+$/, '') || 'requests'}-load`
}
