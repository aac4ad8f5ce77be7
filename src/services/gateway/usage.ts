import { z } from 'zod';
import { isRecord } from '../../lib/exact-json.ts';
import { malformedError } from './errors.ts';
import { type CallOptions, Resource } from './http.ts';
import { asAmount, asNumber, asText, asTime, firstAt, listAt, places } from './places.ts';
import { day, validate } from './schemas.ts';

/** The usage of the account. Every amount is text with exactly the digits that the service sent, in the service's unit. */
export interface Usage {
  total: string | undefined;
  rows: NonNullable<ReturnType<typeof rowFrom>>[];
}

const range = z
  .object({ start: day, end: day })
  .refine(({ start, end }) => start <= end, { path: ['end'], message: 'the end is before the start' });

const fieldPaths = {
  rows: places('daily_costs[]', 'data.daily_costs[]', 'data[]', 'data.data[]', 'rows[]', 'usage[]', '[]'),
  total: places('total_usage', 'data.total_usage', 'total_amount', 'total', 'amount', 'spend'),
  limit: places('hard_limit_usd', 'data.hard_limit_usd', 'system_hard_limit_usd'),
  items: places('line_items[]', 'LineItems[]', 'items[]'),
  date: places('date', 'day', 'timestamp', 'created_at', 'time'),
  model: places('model', 'model_name', 'name'),
  requests: places('request_count', 'requests', 'count', 'n_requests'),
  amount: places('amount', 'cost', 'spend', 'spend_amount', 'quota', 'total'),
  name: places('name', 'model'),
} as const;

export class UsageReports extends Resource {
  /** Returns the total that the account can spend. The specification has no such endpoint, but gateways with this usage endpoint offer it. */
  async limit(options?: CallOptions): Promise<string | undefined> {
    return firstAt(
      await this.http.read({ path: '/v1/dashboard/billing/subscription', ...options }),
      fieldPaths.limit,
      asAmount,
    );
  }

  /** Both dates are required (4.11), and the end date is included. Some gateways ignore the range, so check the dates of the rows. */
  async get(input: { start: string; end: string }, options?: CallOptions): Promise<Usage> {
    const { start, end } = validate(range, input);
    const query = { start_date: start, end_date: end };
    const response = await this.http.read({ path: '/v1/dashboard/billing/usage', query, ...options });
    const rows = listAt(response, fieldPaths.rows, rowFrom);
    const total = firstAt(response, fieldPaths.total, asAmount);
    if (rows.length === 0 && total === undefined && !isReport(response)) {
      throw malformedError('The gateway’s response is not a usage report.');
    }
    return { total, rows };
  }
}

/** An empty report is still a report. */
function isReport(response: unknown): boolean {
  return (
    Array.isArray(response) ||
    (isRecord(response) && ('data' in response || 'daily_costs' in response || response.object === 'list'))
  );
}

function rowFrom(value: unknown) {
  if (!isRecord(value)) return undefined;
  const items = listAt(value, fieldPaths.items, itemFrom);
  const row = {
    /** `YYYY-MM-DD` (UTC). */
    date: firstAt(value, fieldPaths.date, asDay),
    model: firstAt(value, fieldPaths.model, asText),
    requests: firstAt(value, fieldPaths.requests, asNumber),
    amount: firstAt(value, fieldPaths.amount, asAmount),
    items,
  };
  const isEmpty =
    row.date === undefined && row.requests === undefined && row.amount === undefined && items.length === 0;
  return isEmpty ? undefined : row;
}

function itemFrom(value: unknown): { name: string; amount: string } | undefined {
  const amount = firstAt(value, fieldPaths.amount, asAmount);
  return amount === undefined ? undefined : { name: firstAt(value, fieldPaths.name, asText) ?? '', amount };
}

function asDay(value: unknown): string | undefined {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value)) return value.slice(0, 10);
  const time = asTime(value);
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 10);
}
