/**
 * The order of the test files: in each project those that take longest start first, so that none of them is alone on
 * one core at the end. A fresh clone has no results of an earlier run, and a file's size says little about its time.
 */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than half a minute, or short files that take more than ten seconds. */
const longest: readonly string[] = [
  'test/e2e/documents-site.test.ts',
  'test/hostile-length/hostile-length.test.ts',
  'test/e2e/serve-hostile.test.ts',
  'test/e2e/documents.test.ts',
  'test/e2e/hostile-documents.test.ts',
  'test/e2e/message-package.test.ts',
  'test/e2e/run-report-page.test.ts',
  'test/e2e/cli-package.test.ts',
  'test/e2e/serve-browser.test.ts',
  'test/e2e/run-memory.test.ts',
  'test/e2e/hostile-servers.test.ts',
  'test/scripts/generate.test.ts',
  'test/property/differential.test.ts',
  'test/property/plain-scan.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const isLong = (file: TestSpecification): boolean =>
      longest.includes(relative(this.ctx.config.root, file.moduleId).replaceAll('\\', '/'))
    return projects.flatMap((name) => {
      const ofProject = sorted.filter(({ project }) => project.name === name)
      return [...ofProject.filter(isLong), ...ofProject.filter((file) => !isLong(file))]
    })
  }
}
