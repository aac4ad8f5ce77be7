import { closeSync, openSync } from 'node:fs';
import { z } from 'zod';
import { type Config, ConfigError } from '../config.ts';
import type { SettingsChange } from '../config-reload.ts';
import { answerLocalRequests } from '../lib/local-requests.ts';
import type { Log } from '../lib/log.ts';
import { ReloadError } from '../services/cluster/reload-rounds.ts';
import { publicName, type StoreAddress } from '../services/store/backend.ts';
import { StoreError } from '../services/tasks/store-error.ts';
import type { App } from './app.ts';

/** `npm run reload` finds the processes of a store by this. */
export const reloadPurpose = (store: StoreAddress): string => `reload ${publicName(store)}`;

export const reloadAnswer = z.object({ isDone: z.boolean(), text: z.string() });

/** Reads the settings again on SIGHUP and for `npm run reload`. On Windows there is neither. */
export async function acceptReloadRequests({ reload }: App, { store }: Config, log: Log): Promise<void> {
  if (!reload || process.platform === 'win32') return;
  const run = async (): Promise<z.input<typeof reloadAnswer>> => {
    try {
      return { isDone: true, text: changeText(await reload()) };
    } catch (error) {
      const text = failureText(error);
      // After a SIGHUP, the log is the only answer.
      log.error({ err: error, problems: text.split('\n') }, 'The settings were not reloaded.');
      return { isDone: false, text };
    }
  };
  // A terminal sends it when it is closed, which ends the bot.
  if (!hasTerminal()) process.on('SIGHUP', () => void run());
  try {
    await answerLocalRequests(reloadPurpose(store), async () => JSON.stringify(await run()));
  } catch (error) {
    log.warn({ err: error }, 'npm run reload cannot reach this process.');
  }
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

const changeText = ({ taken, needRestart }: SettingsChange): string =>
  [
    taken.length === 0 ? 'No setting that can be taken over has changed.' : `Took over ${taken.join(', ')}.`,
    ...(needRestart.length === 0 ? [] : [`Only a restart takes over ${needRestart.join(', ')}.`]),
  ].join('\n');

function failureText(error: unknown): string {
  if (error instanceof ConfigError) return `Nothing was changed, because of invalid settings.\n${error.message}`;
  if (error instanceof StoreError) return `Nothing was changed. ${error.message}`;
  return error instanceof ReloadError ? error.message : 'The reload failed. The log says why.';
}
