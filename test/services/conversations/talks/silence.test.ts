import { expect, it } from 'vitest';
import { createSilenceWatch } from '../../../../src/services/conversations/talks.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE = 60_000;

function startWatch() {
  const clock = new ManualClock();
  const reported: string[] = [];
  const silence = createSilenceWatch(clock, (id) => reported.push(id));
  const conversation = { heardAt: clock.now(), isBusy: false };
  silence.watch('a', conversation);
  return { clock, reported, silence, conversation };
}

it('Silence is reported a quarter of an hour after the last utterance, however often a member spoke before', () => {
  const { clock, reported, conversation } = startWatch();
  for (let count = 0; count < 5; count++) {
    clock.advance(14 * MINUTE);
    conversation.heardAt = clock.now();
  }
  clock.advance(15 * MINUTE - 1);
  expect(reported).toEqual([]);
  clock.advance(1);
  expect(reported).toEqual(['a']);
});

it('Silence is not reported during a reply, but soon after it has ended', () => {
  const { clock, reported, conversation } = startWatch();
  conversation.isBusy = true;
  clock.advance(40 * MINUTE);
  expect(reported).toEqual([]);
  conversation.isBusy = false;
  clock.advance(MINUTE);
  expect(reported).toEqual(['a']);
});

it('Silence is reported immediately for a live conversation that has already been silent for too long, and never for one that is no longer watched', () => {
  const { clock, reported, silence } = startWatch();
  silence.watch('b', { heardAt: clock.now() - 20 * MINUTE, isBusy: false });
  clock.advance(0);
  expect(reported).toEqual(['b']);
  silence.watch('c', { heardAt: clock.now(), isBusy: false });
  silence.unwatch('a');
  silence.stop();
  clock.advance(60 * MINUTE);
  expect(reported).toEqual(['b']);
});
