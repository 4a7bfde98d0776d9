/**
 * What makes values, loaded before the texts that need it are rendered.
 *
 * Rules: rendering that finds something missing begins anew when it is there, and draws random octets a second time;
 * which of several runs is the first to miss it is a matter of chance. So where octets must come out the same, everything
 * that the texts may need is loaded before. Too much may be loaded, never too little.
 */

import { whenReady } from '../base/pending.ts'
import { loadFakes, loadLanguages } from './dynamic/dynamic-variables.ts'
import { needQueries } from './variable-path.ts'

/** @param texts all that may hold variables */
export async function preloadValues(texts: readonly string[]): Promise<void> {
  const has = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text))
  if (has(/\$random\./i)) await loadFakes()
  if (has(/\$random\.locale\b/i)) await loadLanguages()
  await whenReady(needQueries)
}
