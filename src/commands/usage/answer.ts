import type { Ask } from '../../discord/handlers.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { dayOf } from '../../lib/clock.ts';
import type { DayRange } from '../../services/usage/days.ts';
import type { Grouping } from '../../services/usage/sheet.ts';
import { maySeeAccount } from '../audience.ts';
import type { Services } from '../services.ts';
import { usagePage } from './view/page.ts';
import { altOf, pictureOf } from './view/picture.ts';

interface Asked {
  range: DayRange;
  by: Grouping;
}

/** What was used in a range, as much of it as whoever asks may see. */
export async function usageAnswer({ range, by }: Asked, ask: Ask<Services>): Promise<MessagePlan> {
  const { place, say } = ask;
  const { usage } = ask.services;
  const sheet = (await maySeeAccount(ask)) ? await usage.account(range, by) : await usage.own(place.userId, range, by);
  const picture = pictureOf(sheet, say);
  const bytes = picture && (await usage.draw(picture));
  const chart = picture && bytes && { bytes, alt: altOf(picture, say) };
  const today = dayOf(place.askedAt);
  return usagePage({ sheet, chart, unit: usage.unit, today }, say);
}
