import { z } from 'zod';
import type { UsageReports } from '../gateway/usage.ts';
import type { MediaProcess } from '../media-process/media-process.ts';
import { accountSheet } from './account.ts';
import { bookSheet, type UseBook } from './book.ts';
import type { BarPicture } from './chart/picture.ts';
import type { DayRange } from './days.ts';
import type { Grouping, Note, Sheet } from './sheet.ts';

interface UsageLog {
  warn(facts: object, sentence: string): void;
}

interface DeskParts {
  reports: Pick<UsageReports, 'get'>;
  book: UseBook;
  /** What the gateway's amounts are, where the operator knows it. */
  unit: 'cents' | undefined;
  /** Where charts are drawn. */
  process: Pick<MediaProcess, 'run'>;
  log: UsageLog;
}

/** Where it is asked what was used. Who may ask what is decided before. */
export class UsageDesk {
  readonly unit: 'cents' | undefined;
  readonly #reports: DeskParts['reports'];
  readonly #book: UseBook;
  readonly #process: DeskParts['process'];
  readonly #log: UsageLog;

  constructor({ reports, book, unit, process, log }: DeskParts) {
    this.unit = unit;
    this.#reports = reports;
    this.#book = book;
    this.#process = process;
    this.#log = log;
  }

  /** The whole account. The gateway knows no members, so these come from the bot's own book, with its total beside them. */
  async account(range: DayRange, by: Grouping): Promise<Sheet> {
    if (by !== 'member') return accountSheet(await this.#reports.get(range), range, by);
    const [usage, uses] = await Promise.all([this.#reports.get(range), this.#book.uses({ range })]);
    const sheet = bookSheet(uses, range, by, 'members');
    const { total, notes } = accountSheet(usage, range, 'day');
    const beside: Note[] = total === undefined ? [] : [{ kind: 'atGateway', total }];
    return { ...sheet, notes: [...sheet.notes, ...beside, ...notes.filter(({ kind }) => kind !== 'differs')] };
  }

  /** What one member did through this bot. */
  async own(memberId: string, range: DayRange, by: Grouping): Promise<Sheet> {
    return bookSheet(await this.#book.uses({ range, memberId }), range, by, 'own');
  }

  /** The table says all of it too, so a chart that cannot be drawn is left out. */
  async draw(picture: BarPicture): Promise<Buffer | undefined> {
    try {
      return (await this.#process.run({ do: 'chart', chart: picture }, z.object({}))).bytes;
    } catch (error) {
      this.#log.warn({ err: error }, 'A chart could not be drawn.');
      return undefined;
    }
  }
}
