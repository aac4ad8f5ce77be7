import { createLogger } from '../../../src/lib/log.ts';
import { openInbox } from '../../../src/services/cluster/open-inbox.ts';

// A process that takes a packet, reports it, and never finishes, so that a test can kill it.
const [, , url = '', scheme = '', lockMs = ''] = process.argv;
const log = createLogger({ level: 'error', secrets: [], isPretty: false, write: () => undefined });
const inbox = await openInbox({ url, scheme }, { lockMs: Number(lockMs), log });
inbox.consume(0, () => {
  process.stdout.write('taken\n');
  return Promise.withResolvers<undefined>().promise;
});
// The process must not outlive its test.
process.stdin.on('end', () => process.exit()).resume();
