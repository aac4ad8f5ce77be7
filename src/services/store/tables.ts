import { z } from 'zod';
import { DAY_MS } from '../../lib/clock.ts';
import { modelExperience } from '../models/experience.ts';
import { causeOf, noticeRow } from '../notices/notice.ts';
import { runRow } from '../notices/runs.ts';
import { learnedCosts } from '../prices/learned-prices.ts';
import { report } from '../reports/report.ts';
import { type ServerRules, serverRules } from '../rules/server-rules.ts';
import { serverLog } from '../server-log/server-log.ts';
import { serverBudget } from '../spending/server-budget.ts';
import type { Namespace, Namespaces } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';
import { rowKey } from './side-rows.ts';

/** What was learned about a model is dropped after this long without use, because the model may have changed. */
const EXPERIENCE_TTL_MS = 180 * DAY_MS;
/** If the cause of a notice persists for longer than this, the bot reports it again. */
const NOTICE_TTL_MS = 30 * DAY_MS;

/** Rows that contain what their key is made of. */
class Table<Row extends object> {
  readonly rows: Rows<Row>;
  readonly #namespace: Namespace;
  readonly #nameOf: (row: Row) => string;
  readonly #ttlMs: number | undefined;

  constructor(namespace: Namespace, rows: Rows<Row>, nameOf: (row: Row) => string, ttlMs?: number) {
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

  get(name: string): Promise<Row | undefined> {
    return this.rows.get(rowKey(name));
  }

  put(row: Row): Promise<void> {
    return this.#namespace.put(rowKey(this.#nameOf(row)), row, this.#ttlMs);
  }

  remove(row: Row): Promise<void> {
    return this.#namespace.delete(rowKey(this.#nameOf(row)));
  }
}

const ofServer = { guildId: z.string() };
const serverOf = ({ guildId }: { guildId: string }): string => guildId;
const idOf = ({ id }: { id: string }): string => id;

/** Each with the schema of its rows, what names a row, and how long a row is kept. */
export function openTables(namespaces: Namespaces, quarantine: Quarantine) {
  const table = <Row extends object>(
    namespace: Namespace,
    schema: z.ZodType<Row>,
    nameOf: (row: Row) => string,
    ttlMs?: number,
  ) => new Table(namespace, new Rows(namespace, quarantine, parseWith(schema)), nameOf, ttlMs);
  return {
    experience: table(
      namespaces.models,
      z.object({ id: z.string(), ...modelExperience.shape }),
      idOf,
      EXPERIENCE_TTL_MS,
    ),
    costs: table(namespaces.costs, learnedCosts, ({ kind, model }) => `${kind}:${model}`, EXPERIENCE_TTL_MS),
    budgets: table(namespaces.budgets, serverBudget.extend(ofServer), serverOf),
    rules: table<ServerRules & { guildId: string }>(namespaces.rules, serverRules.extend(ofServer), serverOf),
    reports: table(namespaces.reports, report, idOf),
    serverLogs: table(namespaces.serverLogs, serverLog, serverOf),
    notices: table(namespaces.notices, noticeRow, causeOf, NOTICE_TTL_MS),
    runs: table(namespaces.runs, runRow, ({ at }) => String(at)),
  };
}
