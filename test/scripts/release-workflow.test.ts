/**
 * The workflows of releases: what they start and name is there, and nothing is drafted before every executable has
 * started.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { targets } from '../../scripts/standalone-targets.ts'
import { projectRoot } from '../helpers/document.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly shell?: string
}

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
  readonly steps: readonly Step[]
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const workflowText = (name: string): string => readFileSync(join(projectRoot, '.github', 'workflows', name), 'utf8')
const release = parse(workflowText('release.yml')) as Workflow
const scriptsOf = ({ steps }: Job): string => steps.map(({ run = '' }) => run).join('\n')

describe('the release workflow', () => {
  it('starts every executable on a machine of its system', () => {
    const started = release.jobs.start!.strategy!.matrix.include as readonly {
      readonly target: string
      readonly runner: string
    }[]
    const systems: Readonly<Record<string, RegExp>> = { linux: /^ubuntu-/, darwin: /^macos-/, windows: /^windows-/ }
    for (const { target, runner } of started) {
      expect(runner).toMatch(systems[target.split('-')[0]!]!)
      // Runners for macOS are for arm64 unless they say otherwise, all others for x64.
      const isArm = runner.startsWith('macos-') ? !runner.endsWith('-intel') : runner.endsWith('-arm')
      expect(isArm, runner).toBe(target.endsWith('-arm64'))
    }
    // Alpine: in its image, on both processors.
    const { file, runner } = release.jobs.images!.strategy!.matrix
    expect(file).toContain('alpine.Dockerfile')
    expect(runner).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm'])
    const names = [...started.map(({ target }) => target), 'linux-x64-musl', 'linux-arm64-musl']
    expect(names.toSorted()).toEqual(targets.map(({ name }) => name).toSorted())
  })

  it.each(['start', 'images'])('tests what the job "%s" installs with .ci/try', (job) => {
    expect(scriptsOf(release.jobs[job]!)).toMatch(/^\.ci\/try "\$\{GITHUB_REF_NAME#v\}" \S+/m)
  })

  it('drafts after all other jobs, and only this job may write', () => {
    const { draft, ...others } = release.jobs
    expect(draft!.needs).toEqual(Object.keys(others))
    expect(draft!.permissions).toEqual({ contents: 'write' })
    expect(release.permissions).toEqual({ contents: 'read' })
    for (const job of Object.values(others)) expect(job.permissions).toBeUndefined()
  })

  it('builds images from files that exist', () => {
    for (const file of release.jobs.images!.strategy!.matrix.file as readonly string[]) {
      expect(existsSync(join(projectRoot, 'standalone', file)), file).toBe(true)
    }
  })
})

describe.each(['.github/workflows/release.yml', '.github/workflows/ci.yml', 'action.yml'])('%s', (path) => {
  const text = readFileSync(join(projectRoot, path), 'utf8')

  it('pins third-party actions to a commit, with its version', () => {
    const used = [...text.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => action)
    expect(used).not.toEqual([])
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('has scripts that the shell can parse', () => {
    const { jobs, runs } = parse(text) as Partial<Workflow> & { readonly runs?: Job }
    const steps = [...Object.values(jobs ?? {}), ...(runs === undefined ? [] : [runs])].flatMap((job) => job.steps)
    const scripts = steps.flatMap(({ run }) => run ?? [])
    expect(scripts).not.toEqual([])
    for (const script of scripts) {
      const { status, stderr } = spawnSync('bash', ['-n', '-c', script.replace(/\$\{\{.*?\}\}/g, 'x')])
      expect(`${stderr}`).toBe('')
      expect(status).toBe(0)
    }
  })
})
