import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMarkdown, type FineTunePage, fineTunePage } from '../../../src/commands/finetune/view.ts';
import { texts } from '../../../src/commands/index.ts';
import { speak } from '../../../src/locales/index.ts';
import type { FineTuneEvent } from '../../../src/services/gateway/fine-tunes.ts';

const say = speak(texts);
const page = (more: Partial<FineTunePage>) =>
  fineTunePage({ fineTuneId: 'ft-1', events: [], following: { is: 'not' }, ...more }, say);
const event = (message: string, at: number | undefined = 1_700_000_000_000): FineTuneEvent => ({
  id: undefined,
  at,
  level: 'info',
  message,
});
/** What Discord shows: the sign behind a backslash, and not the backslash. */
const shown = (text: string) => text.replace(/\\([!-/:-@[-`{-~])/g, '$1');

describe('the words of a fine-tune', () => {
  it('The words of a fine-tune are shown letter by letter, with every sign that means something taken literally', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(shown(escapeMarkdown(text))).toBe(text);
        expect(escapeMarkdown(text).replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[!-/:-@[-`{-~]/);
      }),
    );
  });

  it('The words of a fine-tune fit into a message however many and long they are, and the file has all of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 900, unit: 'grapheme' }), { minLength: 1, maxLength: 30 }),
        fc.nat({ max: 40 }),
        (messages, at) => {
          const plan = page({ events: messages.map((message) => event(message)), page: at });
          expect(plan.content?.length).toBeLessThanOrEqual(2_000);
          const [file] = plan.files ?? [];
          const isWhole = messages.every((message) => shown(plan.content ?? '').includes(message));
          if (!isWhole) expect(file).toBeDefined();
          if (file)
            expect(file.bytes?.toString()).toBe(
              messages.map((message) => `2023-11-14T22:13:20.000Z\tinfo\t${message}\n`).join(''),
            );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('The words of a fine-tune stand each on exactly one page, in their order', () => {
    const events = Array.from({ length: 200 }, (_, at) => event(`step ${at} of them`));
    const all: string[] = [];
    for (let at = 0; ; at++) {
      const { content = '', controls = [] } = page({ events, page: at });
      all.push(...(shown(content).match(/step \d+ of them/g) ?? []));
      const next = controls.find((control) => control.type === 'button' && control.label === 'Next');
      if (next?.type !== 'button' || next.disabled) break;
    }
    expect(all).toEqual(events.map(({ message }) => message));
  });

  it('The words of a fine-tune are the newest while they are followed, and only then can the following be stopped', () => {
    const events = Array.from({ length: 200 }, (_, at) => event(`step ${at} of them`));
    const followed = page({
      events,
      page: 0,
      following: { is: 'followed', followId: 'f-1', until: 0, quietMs: 600_000 },
    });
    expect(followed.content).toContain('step 199');
    expect(followed.controls).toMatchObject([{ id: 'tune.1.stop.ft-1.f-1' }]);
    expect(page({ events, following: { is: 'quiet' } }).controls?.at(-1)).toMatchObject({ id: 'tune.1.follow.ft-1' });
  });

  it('The words of a fine-tune without a time or a level are shown all the same, and none at all is said', () => {
    expect(page({ events: [{ ...event('well'), at: undefined, level: undefined }] }).content).toContain(
      'unknown time · well',
    );
    expect(page({}).content).toContain('has reported no events yet');
    expect(page({ events: undefined }).content).toContain('did not respond');
  });
});
