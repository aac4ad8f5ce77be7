import { type Ask, command, type Seen } from '../../discord/handlers.ts';
import { dayOf } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { askedRange } from '../../services/usage/asked-range.ts';
import { type Grouping, groupings } from '../../services/usage/sheet.ts';
import { isManagerAtHome } from '../audience.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { usageAnswer } from './answer.ts';
import { usageRangeButton } from './range-button.ts';

/** A date has ten letters; what is no date should reach us all the same, to be told what one looks like. */
const LONGEST_DATE = 40;

const date = { type: 'text', most: LONGEST_DATE } as const;

const usageCommand = command({
  name: 'usage',
  isPrivate: (values, seen: Seen<Services>) => (values.private ?? false) || !isManagerAtHome(seen),
  options: {
    start: date,
    end: date,
    by: { type: 'text', choices: groupings },
    private: { type: 'switch' },
  },
  guards: [
    ({ askedAt }, values) => {
      const range = askedRange(values, dayOf(askedAt));
      return range instanceof Refusal ? range : undefined;
    },
  ],
  async run({ start, end, by }, ask: Ask<Services>) {
    const range = askedRange({ start, end }, dayOf(ask.place.askedAt));
    if (range instanceof Refusal) throw range;
    return usageAnswer({ range, by: (by ?? 'day') as Grouping }, ask);
  },
});

export const usage: Feature = {
  command: usageCommand,
  buttons: [usageRangeButton],
};
