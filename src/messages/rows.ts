import type { ButtonPlan } from '../discord/plan.ts';

/** https://discord.com/developers/docs/components/reference#action-row */
const MOST_ROWS = 5;
const MOST_IN_ROW = 5;

/** Whether buttons find room without any row being given up that was wished for. */
export function fitRows(buttons: readonly Pick<ButtonPlan, 'startsRow'>[]): boolean {
  let rows = 0;
  let inRow = MOST_IN_ROW;
  for (const { startsRow } of buttons) {
    if (startsRow || inRow >= MOST_IN_ROW) {
      rows++;
      inRow = 0;
    }
    inRow++;
  }
  return rows <= MOST_ROWS;
}
