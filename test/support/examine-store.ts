import { kindSpecs } from '../../src/commands/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type Examination, examine } from '../../src/services/store/examination/examination.ts';

/** What the doctor finds in a store, and repairs, without a process of its own. */
export function examineStore(url: string, { repair }: { repair: boolean }): Promise<Examination> {
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const scheme = url.split(':')[0] ?? '';
  return examine({ url, scheme }, { specs: kindSpecs, clock: systemClock, log, repair });
}
