import { sendLocalRequest } from '../src/lib/local-requests.ts';
import { terminalSafe } from '../src/lib/text.ts';
import { reloadAnswer, reloadPurpose } from '../src/roles/reload-requests.ts';
import { configuredStore } from './store-script.ts';
import { runWithoutOptions, Stop } from './usage.ts';

const DOES =
  'Lets the running bot read .env and its JSON files again. All changed settings are taken over that can be, or none; in a cluster by all processes, or none.';

await runWithoutOptions('npm run reload', DOES, async () => {
  if (process.platform === 'win32') throw new Stop(1, 'Windows has no reload. Restart the bot.');
  const answer = await sendLocalRequest(reloadPurpose(configuredStore()));
  if (answer === undefined)
    throw new Stop(
      1,
      'No bot answers that this user started in this folder with this STORE_URL. A service is reloaded by SIGHUP.',
    );
  const { isDone, text } = reloadAnswer.parse(JSON.parse(answer));
  const lines = text.split('\n').map(terminalSafe).join('\n');
  console[isDone ? 'log' : 'error'](lines);
  return isDone ? 0 : 1;
});
