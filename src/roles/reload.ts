import type { Config } from '../config.ts';
import { changeOf, type SettingsChange } from '../config-reload.ts';
import type { Log } from '../lib/log.ts';
import { ReloadError, ReloadRounds } from '../services/cluster/reload-rounds.ts';
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
export class Reload {
  readonly #sources: ReloadSources;
  /** Undefined if this process is the whole bot. */
  readonly #rounds: ReloadRounds | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(sources: ReloadSources) {
    const { cluster } = sources.role;
    this.#sources = sources;
    this.#rounds = cluster && new ReloadRounds(cluster, () => this.#prepare());
  }

  /** One at a time. Returns what has changed, or throws the error because of which nothing has. */
  run(): Promise<SettingsChange> {
    const run = this.#running.then(async () => {
      const prepared = await this.#prepare();
      await (this.#rounds ? this.#rounds.run(prepared.digest) : prepared.apply());
      return prepared.change;
    });
    this.#running = run.catch(() => undefined);
    return run;
  }

  async stop(): Promise<void> {
    await this.#rounds?.stop();
  }

  /** Reads and checks everything; nothing changes before `apply`. */
  async #prepare() {
    const { settings, read, role } = this.#sources;
    const change = changeOf(settings, read());
    await role.prepareReload(change.next);
    return { change, digest: change.digest, apply: () => this.#apply(change) };
  }

  async #apply({ next, taken, needRestart }: SettingsChange): Promise<void> {
    const { settings, role, log } = this.#sources;
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
  }
}
