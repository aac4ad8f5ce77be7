import type { ChildProcess } from 'node:child_process';
import { asStarted } from '../as-started.ts';
import { end, messageFrom, start } from '../discord/child.ts';
import type { Strain } from '../text/probe.ts';
import type { Served, SideOrders } from './orders.ts';

/** The bot as started in production, and its memory. */
export interface MeasuredBot {
  strain(collect?: boolean): Promise<Strain>;
}

/** The embedded servers, and a bot between them. */
export class Stage {
  readonly #sides: ChildProcess;
  readonly #served: Served;

  constructor(sides: ChildProcess, served: Served) {
    this.#sides = sides;
    this.#served = served;
  }

  async ask<Kind extends keyof SideOrders>(
    kind: Kind,
    input: SideOrders[Kind]['input'],
  ): Promise<SideOrders[Kind]['answer']> {
    this.#sides.send({ kind, input });
    return messageFrom<SideOrders[Kind]['answer']>(this.#sides);
  }

  async withBot(work: (bot: MeasuredBot) => Promise<void>): Promise<void> {
    const child = start(new URL('../../src/index.ts', import.meta.url), {
      environment: this.#served.settings,
      nodeOptions: [...asStarted, '--expose-gc', '--import', new URL('../text/probe.ts', import.meta.url).href],
    });
    try {
      await work({
        strain(collect = false) {
          child.send({ collect });
          return messageFrom<Strain>(child);
        },
      });
    } finally {
      await end(child);
    }
  }
}
