import type { Dated } from './agenda.ts';
import { type Asked, earliest } from './allowance.ts';
import type { InLine } from './line.ts';
import type { Road } from './road.ts';

/** Waiting for its moment, ready to be asked about, being asked about, or that and to be asked about once more. */
type Stage = 'waiting' | 'ready' | 'asked' | 'asked-again';

/** One task as the scheduler knows it. There may be a hundred thousand of these, so there is nothing else in it. */
export class Entry implements Dated, InLine<Entry> {
  readonly id: string;
  readonly group: string;
  readonly road: Road;
  /** Shared with whatever takes its place under the same id: what was asked stays asked. */
  readonly asked: Asked;
  stage: Stage = 'waiting';
  slot = -1;
  before: Entry | undefined = undefined;
  behind: Entry | undefined = undefined;

  constructor(id: string, group: string, road: Road, asked: Asked) {
    this.id = id;
    this.group = group;
    this.road = road;
    this.asked = asked;
  }

  /** Nobody asks about it before that. */
  get opensAt(): number {
    return earliest(this.asked);
  }
}
