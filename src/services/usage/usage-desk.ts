import { z } from 'zod';
import type { PlainLog } from '../../lib/log.ts';
import type { UsageReports } from '../gateway/usage.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { MediaProcess } from '../media-process/media-process.ts';
import type { BarPicture } from './chart.ts';
import type { DayRange } from './days.ts';
import { accountSheet, bookSheet, type Grouping, type Note, type Sheet } from './sheet.ts';

interface DeskParts {
  reports: Pick<UsageReports, 'get'>;
  book: Pick<Ledger, 'uses'>;
  /** The unit of the gateway's amounts, if the operator configured it. */
  unit: 'cents' | undefined;
  process: Pick<MediaProcess, 'run'>;
  log: Pick<PlainLog, 'warn'>;
}

/** Usage queries. Permissions are checked before. */
export class UsageDesk {
  readonly unit: DeskParts['unit'];
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.unit = parts.unit;
    this.#parts = parts;
  }

  /** The whole account. Members' usage comes from the ledger, because the gateway knows no members. */
  async account(range: DayRange, by: Grouping): Promise<Sheet> {
    const { reports, book } = this.#parts;
    if (by !== 'member') return accountSheet(await reports.get(range), range, by);
    const [usage, uses] = await Promise.all([reports.get(range), book.uses({ range })]);
    const sheet = bookSheet(uses, range, by, 'members');
    const { total, notes } = accountSheet(usage, range, 'day');
    const beside: Note[] = total === undefined ? [] : [{ kind: 'atGateway', total }];
    return { ...sheet, notes: [...sheet.notes, ...beside, ...notes.filter(({ kind }) => kind !== 'differs')] };
  }

  async own(memberId: string, range: DayRange, by: Grouping): Promise<Sheet> {
    return bookSheet(await this.#parts.book.uses({ range, memberId }), range, by, 'own');
  }

  /** The table has all the numbers, so a chart that cannot be drawn is left out. */
  async draw(picture: BarPicture): Promise<Buffer | undefined> {
    try {
      return (await this.#parts.process.run({ do: 'chart', chart: picture }, z.object({}))).bytes;
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'A chart could not be drawn.');
      return undefined;
    }
  }
}
