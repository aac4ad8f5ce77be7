import type { AppContext } from '../../lib/app-context.ts';
import { DAY_MS, dayOf } from '../../lib/clock.ts';
import { compare, difference, divideBy100, isZero, product, roundDown, roundUp, sumOf } from '../../lib/decimals.ts';
import { repeat } from '../../lib/repeat.ts';
import { GatewayError } from '../gateway/errors.ts';
import type { UsageReports } from '../gateway/usage.ts';
import type { Ledger } from './ledger.ts';
import { addDays } from './usage-days.ts';

const POLL_INTERVAL_MS = 15 * 60_000;
/** If a gateway does not report the balance, the bot tries again after this time, because an upgrade may change that. */
const UNREPORTED_RETRY_MS = DAY_MS;
const AVERAGE_DAYS = 7;
/**
 * A day without any use. A gateway that ignores dates reports for it what was used in total, which its limit includes. One that reads them reports
 * nothing: it does not say for which time its limit is, so the balance is unknown.
 */
const UNUSED_DAY = '2000-01-01';
/** What gateways report for an account without a limit. */
const UNLIMITED = '100000000';

/** In dollars. */
export interface LowBalance {
  left: string;
  perDay: string;
}

/**
 * Checks whether the account's balance will last for another day. This requires that the gateway reports a limit and the usage of all
 * time, and that its amounts are known to be cents.
 */
export function createBalanceWatch({ clock, log }: AppContext, reports: UsageReports, ledger: Ledger) {
  let low: LowBalance | undefined;
  let stop: (() => Promise<void>) | undefined;

  /** Returns when to check again. */
  async function check(): Promise<number> {
    try {
      const limit = await reports.limit({ attempts: 1 });
      if (limit === undefined || compare(limit, UNLIMITED) >= 0) return UNREPORTED_RETRY_MS;
      low = await computeLowBalance(limit);
    } catch (error) {
      if (error instanceof GatewayError && UNSUPPORTED_ERRORS.has(error.kind)) return UNREPORTED_RETRY_MS;
      log.info({ err: error }, 'The balance of the gateway account could not be read.');
    }
    return POLL_INTERVAL_MS;
  }

  async function computeLowBalance(limit: string): Promise<LowBalance | undefined> {
    const { total = '0' } = await reports.get({ start: UNUSED_DAY, end: UNUSED_DAY }, { attempts: 1 });
    if (isZero(total)) return undefined;
    const perDay = await computeDailyCost(dayOf(clock.now()));
    const left = difference(limit, divideBy100(total));
    if (compare(left, perDay) >= 0 && compare(left, '0') > 0) return undefined;
    return { left: roundDown(left), perDay: roundUp(perDay) };
  }

  /** Computes the average over the days on which something was used. */
  async function computeDailyCost(today: string): Promise<string> {
    const range = { start: addDays(today, 1 - AVERAGE_DAYS), end: today };
    const uses = (await ledger.queryUsage({ range })).filter(({ amount }) => amount !== undefined);
    const days = new Set(uses.map(({ day }) => day)).size;
    const sum = sumOf(uses.flatMap(({ amount }) => amount ?? [])) ?? '0';
    return days === 0 ? '0' : product(sum, String(1 / days));
  }

  return {
    /** Undefined if the balance is sufficient or unknown. */
    get lowBalance(): LowBalance | undefined {
      return low;
    },

    start(): void {
      stop = repeat(clock, check);
    },

    stop: async (): Promise<void> => stop?.(),
  };
}

const UNSUPPORTED_ERRORS: ReadonlySet<string> = new Set([
  'not-offered',
  'not-found',
  'invalid',
  'malformed',
  'forbidden',
]);
