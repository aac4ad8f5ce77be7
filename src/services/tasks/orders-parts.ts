import type { Clock } from '../../lib/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ModelCatalogue } from '../models/catalogue.ts';
import type { Estimate } from '../prices/estimate.ts';
import type { Rules } from '../rules/rules.ts';
import type { Spending } from '../spending/spending.ts';
import type { TaskBook } from './book.ts';
import type { ModelCircuits } from './circuits.ts';
import type { Partition } from './homes.ts';
import type { Kind } from './kind.ts';
import type { KindSpecs, TaskKind } from './kind-spec.ts';
import type { LiveLimits } from './live-limits.ts';
import type { Offers } from './offers.ts';
import type { SenderParts } from './sender.ts';
import type { Slots } from './slots.ts';
import type { Task } from './task.ts';
import type { Order } from './transitions.ts';

export interface OrdersParts extends SenderParts {
  book: TaskBook;
  ledger?: Ledger | undefined;
  /** Undefined if no price is known. */
  estimateOf?(order: Order): Estimate | undefined;
  /** Undefined if there are no limits. */
  spending?: Pick<Spending, 'check' | 'checkNotBlocked' | 'checkWaiting' | 'weightOf'> | undefined;
  /** The rules of the servers and the operator. Undefined if everything is allowed. */
  rules?: Pick<Rules, 'assertAllowed' | 'moderate'> | undefined;
  kinds: ReadonlyMap<TaskKind, Kind>;
  specs: KindSpecs;
  clock: Clock;
  models?: Pick<ModelCatalogue, 'markUnfit'> | undefined;
  offers: Pick<Offers, 'markRefused' | 'markAccepted' | 'isKindRefused'>;
  liveLimits?: LiveLimits | undefined;
  /** Refuses orders for models that are currently failing. */
  circuits?: Pick<ModelCircuits, 'run' | 'admit' | 'recordRefusal' | 'findFailing'> | undefined;
  /** For the jobs of all partitions of this process. */
  slots: Slots;
  /** Called if the account has no credit left for this kind, and with each task of it that is accepted. */
  notifyCredit(kind: TaskKind, isAvailable: boolean): void;
  /** The partition of the store that contains the tasks. */
  partition?: Partition | undefined;
  follow(task: Task): void;
}
