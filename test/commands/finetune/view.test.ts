import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeCodeBlock, type FineTunePage, fineTunePage } from '../../../src/commands/finetune/feature.ts';
import { say } from '../../../src/locales/index.ts';
import type { FineTuneEvent } from '../../../src/services/gateway/fine-tunes.ts';

const page = (changes: Partial<FineTunePage>) =>
  fineTunePage({ fineTuneId: 'ft-1', events: [], following: { state: 'not' }, ...changes }, say);
const event = (message: string, at: number | undefined = 1_700_000_000_000): FineTuneEvent => ({
  id: undefined,
  at,
  level: 'info',
  message,
});
/** The text as a reader sees it: the space between backticks is invisible. */
const visibleText = (text: string) => text.replaceAll('`\u200b', '`');

describe('The events of a fine-tuning job', () => {
  it('The events of a fine-tuning job are displayed verbatim in a code block that they cannot close', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '```', '\n', '-', '*', '<@1>', 'a ')), (pieces) => {
        const text = pieces.join('');
        expect(visibleText(escapeCodeBlock(text))).toBe(text);
        const { content = '' } = page({ events: [event(text)] });
        expect(content.split('```')).toHaveLength(3);
        expect(content.endsWith('\n```')).toBe(true);
        expect(visibleText(content)).toContain(`11/14/2023, 22:13:20  info  ${text}`);
      }),
    );
  });

  it('The events of a fine-tuning job fit into one message regardless of their number and length, and the file contains all of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 900, unit: 'grapheme' }), { minLength: 1, maxLength: 30 }),
        fc.nat({ max: 40 }),
        (messages, pageIndex) => {
          const plan = page({ events: messages.map((message) => event(message)), page: pageIndex });
          expect(plan.content?.length).toBeLessThanOrEqual(2_000);
          const [file] = plan.files ?? [];
          expect(file?.bytes?.toString()).toBe(
            messages.map((message) => `2023-11-14T22:13:20.000Z\tinfo\t${message}\n`).join(''),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('Each event of a fine-tuning job is on exactly one page, in order', () => {
    const events = Array.from({ length: 200 }, (_, i) => event(`step ${i} of them`));
    const all: string[] = [];
    for (let pageIndex = 0; ; pageIndex++) {
      const { content = '', controls = [] } = page({ events, page: pageIndex });
      all.push(...(visibleText(content).match(/step \d+ of them/g) ?? []));
      const next = controls.find((control) => control.type === 'button' && control.label === 'Next');
      if (next?.type !== 'button' || next.disabled) break;
    }
    expect(all).toEqual(events.map(({ message }) => message));
  });

  it('A followed fine-tuning job shows its newest events, and only a followed one has a stop button', () => {
    const events = Array.from({ length: 200 }, (_, i) => event(`step ${i} of them`));
    const followedPage = page({
      events,
      page: 0,
      following: { state: 'followed', followId: 'f-1', until: 0, quietMs: 600_000 },
    });
    expect(followedPage.content).toContain('step 199');
    expect(followedPage.controls).toMatchObject([{ id: 'tune.1.stop.ft-1.f-1' }]);
    expect(page({ events, following: { state: 'quiet' } }).controls?.at(-1)).toMatchObject({
      id: 'tune.1.follow.ft-1',
    });
  });

  it('Events without a time or level are shown, and the page says if a fine-tuning job has no events', () => {
    expect(page({ events: [{ ...event('well'), at: undefined, level: undefined }] }).content).toContain(
      'unknown time  well',
    );
    expect(page({}).content).toContain('has reported no events yet');
    expect(page({ events: undefined }).content).toContain('did not respond');
  });
});
