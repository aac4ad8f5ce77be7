import { sendLocalRequest } from '../src/lib/local-requests.ts';
import { terminalSafe } from '../src/lib/text.ts';
import { reloadAnswer, reloadPurpose } from '../src/roles/reload-requests.ts';
import { configuredStore, EX_CONFIG } from './store-script.ts';
import { runWithoutOptions } from './usage.ts';

const USAGE = 'npm run reload';
const DOES =
  'Lets the running bot read .env and its JSON files again. All changed settings are taken over that can be, or none; in a cluster by all processes, or none.';

async function reload(): Promise<number> {
  if (process.platform === 'win32') {
    console.error('Windows has no reload. Restart the bot.');
    return 1;
  }
  const store = configuredStore();
  if (!store) return EX_CONFIG;
  const answer = await sendLocalRequest(reloadPurpose(store));
  if (answer === undefined) {
    console.error(
      'No bot answers that this user started in this folder with this STORE_URL. A service is reloaded by SIGHUP.',
    );
    return 1;
  }
  const { isDone, text } = reloadAnswer.parse(JSON.parse(answer));
  const lines = text.split('\n').map(terminalSafe).join('\n');
  console[isDone ? 'log' : 'error'](lines);
  return isDone ? 0 : 1;
}

await runWithoutOptions(USAGE, DOES, async () => {
  process.exitCode = await reload();
});
