/** Generates the sources that git ignores before tests import them, for each project of vitest.config.ts. */
import type { TestProject } from 'vitest/node'
import { generateSources } from '../../scripts/generate.ts'

export async function setup(project: TestProject): Promise<void> {
  await generateSources()
  project.onTestsRerun(async () => {
    await generateSources()
  })
}
