import { z } from 'zod';
import { DAY_MS } from '../../../lib/clock.ts';
import { modelExperience } from '../../gateway/model-experience.ts';
import { learnedCosts } from '../../money/learned-prices.ts';
import { EMPTY_BUDGET, serverBudget } from '../../money/server-budget.ts';
import { formDraft } from '../../orders/form-drafts.ts';
import { preferenceOwnerName, preferenceRow } from '../../orders/preference-set.ts';
import { presetKey, presetRow } from '../../orders/preset.ts';
import { proposalSchema } from '../../orders/proposals.ts';
import { durationShape, erasureMark } from '../../orders/task-store.ts';
import { report } from '../../safety/report.ts';
import { serverLog } from '../../safety/server-log.ts';
import { NO_RULES, type ServerRules, serverRules } from '../../safety/server-rules.ts';
import { setupMark } from '../../safety/server-setup.ts';
import type { KindSpecs } from '../../tasks/kind-spec.ts';
import { LAST_CHARACTER } from '../backend.ts';
import type { Namespace, Namespaces } from '../namespaces.ts';
import { causeOf, noticeRow } from '../notice.ts';
import { runRow } from '../runs.ts';
import { parseWith, type Quarantine, Rows, rowKey } from './rows.ts';

/** What was learned about a model is dropped after this long without use, because the model may have changed. */
const EXPERIENCE_TTL_MS = 180 * DAY_MS;
/** If the cause of a notice persists for longer than this, the bot reports it again. */
const NOTICE_TTL_MS = 30 * DAY_MS;

/** Rows that contain what their key is made of: their name. */
export class Table<Row extends Named, Named extends object = Row> {
  readonly rows: Rows<Row>;
  readonly #namespace: Namespace;
  readonly #nameOf: (row: Named) => string;
  readonly #ttlMs: number | undefined;

  constructor(namespace: Namespace, rows: Rows<Row>, nameOf: (row: Named) => string, ttlMs?: number) {
    this.rows = rows;
    this.#namespace = namespace;
    this.#nameOf = nameOf;
    this.#ttlMs = ttlMs;
  }

  /** In the order of their keys. Unreadable rows are set aside. */
  async all(): Promise<Row[]> {
    const { good, setAside } = await this.rows.readAll();
    await setAside();
    return [...good.values()];
  }

  /** The rows whose names start with this, without reading any others. */
  async startingWith(prefix: string): Promise<Row[]> {
    return Array.fromAsync(this.each(prefix));
  }

  /** Reads one row after the other, those that start with a prefix if there is one. */
  async *each(prefix = ''): AsyncGenerator<Row> {
    for await (const [key, value] of this.#namespace.entries(rowKey(prefix), rowKey(prefix) + LAST_CHARACTER)) {
      const row = this.rows.read(key, value);
      if (typeof row !== 'string') yield row;
    }
  }

  get(row: Named): Promise<Row | undefined> {
    return this.rows.get(this.#keyOf(row));
  }

  put(row: Row, ttlMs = this.#ttlMs): Promise<void> {
    return this.#namespace.put(this.#keyOf(row), row, ttlMs);
  }

  remove(...rows: readonly Named[]): Promise<void> {
    return this.#namespace.delete(...rows.map((row) => this.#keyOf(row)));
  }

  #keyOf(row: Named): string {
    return rowKey(this.#nameOf(row));
  }
}

const ofServer = { guildId: z.string() };
const serverOf = ({ guildId }: { guildId: string }): string => guildId;
const memberOf = ({ memberId }: { memberId: string }): string => memberId;
const idOf = ({ id }: { id: string }): string => id;

export const experienceRow = z.object({ id: z.string(), ...modelExperience.shape });
export const durationsRow = z.object({ durationKey: z.string(), durations: z.array(durationShape) });
/** The sums that an anonymous ledger entry still counts in. */
const keptScopes = z.object({ entry: z.string(), scopes: z.array(z.string()) });
export type KeptScopes = z.output<typeof keptScopes>;

export type Tables = ReturnType<typeof openTables>;

/** Each with the schema of its rows, what names a row, and how long a row is kept. */
export function openTables(namespaces: Namespaces, quarantine: Quarantine, specs: KindSpecs) {
  const table = <Row extends Named, Named extends object>(
    namespace: Namespace,
    schema: z.ZodType<Row>,
    nameOf: (row: Named) => string,
    ttlMs?: number,
    replacementFor?: (name: string) => Row,
  ) => new Table(namespace, new Rows(namespace, quarantine, parseWith(schema), replacementFor), nameOf, ttlMs);
  return {
    durations: table(namespaces.durations, durationsRow, ({ durationKey }: { durationKey: string }) => durationKey),
    experience: table(namespaces.models, experienceRow, idOf, EXPERIENCE_TTL_MS),
    costs: table(
      namespaces.costs,
      learnedCosts,
      ({ kind, model }: z.output<typeof learnedCosts>) => `${kind}:${model}`,
      EXPERIENCE_TTL_MS,
    ),
    keptScopes: table(namespaces.allowances, keptScopes, ({ entry }: KeptScopes) => entry),
    // A server without its limits or rules would accept everything, so a row that refuses new requests replaces an unreadable one.
    budgets: table(namespaces.budgets, serverBudget.extend(ofServer), serverOf, undefined, (guildId) => ({
      guildId,
      ...EMPTY_BUDGET,
      isPaused: true,
      unreadable: 'untold' as const,
    })),
    rules: table<ServerRules & { guildId: string }, { guildId: string }>(
      namespaces.rules,
      serverRules.extend(ofServer),
      serverOf,
      undefined,
      (guildId) => ({ guildId, ...NO_RULES, unreadable: 'untold' }),
    ),
    reports: table(namespaces.reports, report, idOf),
    serverLogs: table(namespaces.serverLogs, serverLog, serverOf),
    setups: table(
      namespaces.setups,
      setupMark,
      ({ guildId, mark }: z.output<typeof setupMark>) => `${guildId}:${mark}`,
    ),
    proposals: table(namespaces.proposals, proposalSchema(specs), idOf),
    // The drafts of a member are next to each other, so that reading them does not read those of all members.
    drafts: table(
      namespaces.drafts,
      formDraft,
      ({ memberId, id }: { memberId: string; id: string }) => `${memberId}:${id}`,
    ),
    preferences: table(namespaces.preferences, preferenceRow, preferenceOwnerName),
    presets: table(namespaces.presets, presetRow, presetKey),
    pseudonyms: table(namespaces.pseudonyms, z.object({ memberId: z.string(), pseudonym: z.string() }), memberOf),
    notices: table(namespaces.notices, noticeRow, causeOf, NOTICE_TTL_MS),
    runs: table(namespaces.runs, runRow, ({ at }: { at: number }) => String(at)),
    erasures: table(namespaces.erasures, erasureMark, memberOf),
  };
}
