import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { type ExportCounts, exportText } from './export.ts';
import { type Packed, packed } from './packed.ts';

/** An export that is larger is compressed, and one that is larger even so is refused: Discord's own limit may be much higher. */
const MOST_BYTES = 24 * 2 ** 20;

export interface ExportFile extends Packed, ExportCounts {
  /** Gives back the memory that it holds. The next export begins only then. */
  release(): void;
}

interface ExportsParts {
  rowsOf(memberId: string): Parameters<typeof exportText>[0];
  /** Everything about this member is being deleted. */
  isForgotten(memberId: string): boolean;
}

/** Exports are made one after the other, so that however many members ask, no more than one of them lies in memory. */
export class Exports {
  readonly #parts: ExportsParts;
  readonly #lock = new KeyedLock();
  readonly #underWay = new Set<string>();

  constructor(parts: ExportsParts) {
    this.#parts = parts;
  }

  /** `most`: bytes that the file may have. */
  of(memberId: string, most: number): Promise<ExportFile> {
    const { promise, resolve, reject } = Promise.withResolvers<ExportFile>();
    if (this.#underWay.has(memberId)) reject(new Refusal('refusals.exportUnderWay'));
    else {
      this.#underWay.add(memberId);
      void this.#lock.run('one at a time', () => this.#held(memberId, most, resolve)).catch(reject);
    }
    return promise;
  }

  /** Comes back once it is released. */
  async #held(memberId: string, most: number, hear: (file: ExportFile) => void): Promise<void> {
    try {
      const file = await this.#make(memberId, Math.min(most, MOST_BYTES));
      await new Promise<void>((release) => hear({ ...file, release }));
    } finally {
      this.#underWay.delete(memberId);
    }
  }

  async #make(memberId: string, most: number): Promise<Packed & ExportCounts> {
    const counts = { tasks: 0, entries: 0 };
    const file = await packed(this.#unlessForgotten(memberId, counts), most);
    if (!file) throw new Refusal('refusals.exportTooLarge');
    return { ...file, ...counts };
  }

  /** A part of what is being deleted would be neither what was there nor what is left. */
  async *#unlessForgotten(memberId: string, counts: ExportCounts): AsyncGenerator<string> {
    const check = (): void => {
      if (this.#parts.isForgotten(memberId)) throw new Refusal('refusals.exportWhileForgotten');
    };
    check();
    for await (const piece of exportText(this.#parts.rowsOf(memberId), counts)) {
      check();
      yield piece;
    }
    check();
  }
}
