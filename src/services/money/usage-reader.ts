import { z } from 'zod';
import type { PlainLog } from '../../lib/log.ts';
import { GatewayError } from '../gateway/errors.ts';
import type { Usage, UsageReports } from '../gateway/usage.ts';
import type { ChartData } from '../media/chart.ts';
import type { MediaProcess } from '../media/media-process.ts';
import type { Ledger } from './ledger.ts';
import type { DayRange } from './usage-days.ts';
import { accountSheet, comparedModels, type Grouping, ledgerSheet, type Sheet, type SheetNote } from './usage-sheet.ts';

/** Answers usage queries. The caller checks the permissions. `unit`: of the gateway's amounts, if the operator configured it. */
export function createUsageReader(
  reports: Pick<UsageReports, 'get'>,
  ledger: Pick<Ledger, 'queryUsage'>,
  unit: 'cents' | undefined,
  process: MediaProcess,
  log: PlainLog,
) {
  async function reportIfAvailable(range: DayRange): Promise<Usage | undefined> {
    try {
      return await reports.get(range);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      log.warn({ err: error }, 'The usage of the account could not be read.');
      return undefined;
    }
  }
  return {
    unit,

    /** Returns the usage of the whole account. The usage of members comes from the ledger, because the gateway does not know them. */
    async readAccount(range: DayRange, grouping: Grouping): Promise<Sheet> {
      if (grouping === 'day') return accountSheet(await reports.get(range), range, grouping);
      if (grouping === 'model') {
        const [usage, uses] = await Promise.all([reports.get(range), ledger.queryUsage({ range })]);
        const account = accountSheet(usage, range, grouping);
        return { ...account, notes: [...account.notes, ...comparedModels(uses)] };
      }
      const [usage, uses] = await Promise.all([reportIfAvailable(range), ledger.queryUsage({ range })]);
      const sheet = ledgerSheet(uses, range, grouping, 'members');
      if (!usage) return { ...sheet, notes: [...sheet.notes, { kind: 'noGatewayTotal' }] };
      const { total, notes } = accountSheet(usage, range, 'day');
      const gatewayTotal: SheetNote[] = total === undefined ? [] : [{ kind: 'atGateway', total }];
      return { ...sheet, notes: [...sheet.notes, ...gatewayTotal, ...notes.filter(({ kind }) => kind !== 'differs')] };
    },

    async readMember(memberId: string, range: DayRange, grouping: Grouping): Promise<Sheet> {
      return ledgerSheet(await ledger.queryUsage({ range, memberId }), range, grouping, 'own');
    },

    async readServer(guildId: string, range: DayRange, grouping: Grouping): Promise<Sheet> {
      return ledgerSheet(await ledger.queryUsage({ range, guildId }), range, grouping, 'server');
    },

    /** The table contains all the numbers, so a chart that cannot be drawn is left out. */
    async drawChart(chart: ChartData): Promise<Buffer | undefined> {
      try {
        return (await process.run({ do: 'chart', chart }, z.object({}))).bytes;
      } catch (error) {
        log.warn({ err: error }, 'A chart could not be drawn.');
        return undefined;
      }
    },
  };
}
