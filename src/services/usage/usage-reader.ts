import { z } from 'zod';
import type { PlainLog } from '../../lib/log.ts';
import type { UsageReports } from '../gateway/usage.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { MediaProcess } from '../media-process/media-process.ts';
import type { ChartData } from './chart.ts';
import type { DayRange } from './days.ts';
import { accountSheet, comparedModels, type Grouping, ledgerSheet, type Sheet, type SheetNote } from './sheet.ts';

interface UsageParts {
  reports: Pick<UsageReports, 'get'>;
  ledger: Pick<Ledger, 'queryUsage'>;
  /** The unit of the gateway's amounts, if the operator configured it. */
  unit: 'cents' | undefined;
  process: Pick<MediaProcess, 'run'>;
  log: Pick<PlainLog, 'warn'>;
}

/** Answers usage queries. The caller checks the permissions. */
export class UsageReader {
  readonly unit: UsageParts['unit'];
  readonly #parts: UsageParts;

  constructor(parts: UsageParts) {
    this.unit = parts.unit;
    this.#parts = parts;
  }

  /** Returns the usage of the whole account. The usage of members comes from the ledger, because the gateway does not know them. */
  async readAccount(range: DayRange, by: Grouping): Promise<Sheet> {
    const { reports, ledger } = this.#parts;
    if (by === 'day') return accountSheet(await reports.get(range), range, by);
    const [usage, uses] = await Promise.all([reports.get(range), ledger.queryUsage({ range })]);
    if (by === 'model') {
      const account = accountSheet(usage, range, by);
      return { ...account, notes: [...account.notes, ...comparedModels(uses)] };
    }
    const sheet = ledgerSheet(uses, range, by, 'members');
    const { total, notes } = accountSheet(usage, range, 'day');
    const beside: SheetNote[] = total === undefined ? [] : [{ kind: 'atGateway', total }];
    return { ...sheet, notes: [...sheet.notes, ...beside, ...notes.filter(({ kind }) => kind !== 'differs')] };
  }

  async readMember(memberId: string, range: DayRange, by: Grouping): Promise<Sheet> {
    return ledgerSheet(await this.#parts.ledger.queryUsage({ range, memberId }), range, by, 'own');
  }

  async readServer(guildId: string, range: DayRange, by: Grouping): Promise<Sheet> {
    return ledgerSheet(await this.#parts.ledger.queryUsage({ range, guildId }), range, by, 'server');
  }

  /** The table contains all the numbers, so a chart that cannot be drawn is left out. */
  async drawChart(chart: ChartData): Promise<Buffer | undefined> {
    try {
      return (await this.#parts.process.run({ do: 'chart', chart }, z.object({}))).bytes;
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'A chart could not be drawn.');
      return undefined;
    }
  }
}
