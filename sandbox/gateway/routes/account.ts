import { pathOf, viewOf } from '../accept-job.ts';
import { ApiError, truncated, unknownRoute } from '../api-error.ts';
import { eventsOf } from '../fine-tunes.ts';
import type { Routes } from '../parts.ts';
import { usageQuery } from '../requests/image-music-usage.ts';
import { parseRequest } from '../requests/parse.ts';
import { priceList } from '../wire/pricing.ts';
import { usageBody } from '../wire/usage.ts';

/** Usage (specification, 4.11), events of fine-tuning jobs (4.9), and prices, if the gateway lists them. */
export const accountRoutes: Routes = (server, parts) => {
  server.get('/v1/dashboard/billing/usage', (request) => {
    const ignoresDates = parts.settings.quirks.usageIgnoresDates;
    const { start_date: startDate, end_date: endDate } = ignoresDates
      ? {}
      : parseRequest(usageQuery, { ...(request.query as object) });
    return usageBody(parts.usage.rows(request.grant.key, startDate, endDate), viewOf(parts));
  });

  server.get('/v1/dashboard/billing/subscription', (request) => {
    const { creditLimit } = parts.settings.quirks;
    if (creditLimit === 0) throw unknownRoute(request.method, pathOf(request));
    return {
      object: 'billing_subscription',
      has_payment_method: true,
      access_until: 0,
      soft_limit_usd: creditLimit,
      hard_limit_usd: creditLimit,
      system_hard_limit_usd: creditLimit,
    };
  });

  server.get('/api/pricing', (request) => {
    if (parts.settings.quirks.pricesListed) return priceList();
    throw unknownRoute(request.method, pathOf(request));
  });

  server.get<{ Params: { id: string } }>('/v1/fine-tunes/:id/events', (request) => {
    if (parts.settings.quirks.fineTunesMissing) {
      throw new ApiError('API not implemented', { status: 501, code: 'api_not_implemented' });
    }
    const data = eventsOf(request.params.id, parts.pace);
    if (data) return { object: 'list', data };
    throw new ApiError(`There is no fine-tune ${truncated(request.params.id)}.`, {
      status: 404,
      code: 'fine_tune_not_found',
    });
  });
};
