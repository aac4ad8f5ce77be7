import type { Config } from '../config.ts';
import { changeOf, type SettingsChange } from '../config-reload.ts';
import type { Log } from '../lib/log.ts';
import { followReloadRounds, leadReloadRound, ReloadError } from '../services/cluster/reload-rounds.ts';
import type { RunningRole } from './app.ts';

interface ReloadSources {
  /** The settings in force: a reload replaces its sections. */
  settings: Config;
  /** Reads the settings as a start would. Throws a `ConfigError`. */
  read: () => Config;
  role: RunningRole;
  log: Log;
}

/** Takes over changed settings while the bot runs: all that can be, or none. */
export function openReload({ settings, read, role, log }: ReloadSources) {
  const apply = async ({ next, taken, needRestart }: SettingsChange): Promise<void> => {
    Object.assign(settings, next);
    log.level = next.log.level;
    try {
      await role.applyReload();
      const message = 'No setting that can be taken over has changed.';
      log.info({ taken, needRestart }, taken.length === 0 ? message : 'Took over changed settings.');
    } catch (error) {
      log.error({ err: error, taken }, 'Not all changed settings could be taken over.');
      throw new ReloadError('Not all changed settings could be taken over. Restart the bot.');
    }
  };
  /** Reads and checks everything; nothing changes before `apply`. */
  const prepare = async () => {
    const change = changeOf(settings, read());
    await role.prepareReload(change.next);
    return { change, digest: change.digest, apply: () => apply(change) };
  };
  // Without a cluster, this process is the whole bot.
  const { cluster } = role;
  const stopFollowing = cluster && followReloadRounds(cluster, prepare);
  let running: Promise<unknown> = Promise.resolve();
  return {
    /** One at a time. Returns what has changed, or throws the error because of which nothing has. */
    run(): Promise<SettingsChange> {
      const run = running.then(async () => {
        const prepared = await prepare();
        await (cluster ? leadReloadRound(cluster, prepared.digest) : prepared.apply());
        return prepared.change;
      });
      running = run.catch(() => undefined);
      return run;
    },
    stop: async (): Promise<void> => stopFollowing?.(),
  };
}
