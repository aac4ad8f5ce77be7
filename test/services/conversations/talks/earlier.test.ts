import { expect, it } from 'vitest';
import { earlierTalkTurns } from '../../../../src/services/conversations/talk-session.ts';
import { EMPTY_ANSWER } from '../../../../src/services/tasks/answer.ts';
import type { Parts } from '../../../support/tasks.ts';
import { buildTask } from '../../orders/builders.ts';

/** Returns the earlier turns of a conversation with these stored utterances. */
function conversation(utterances: Parts[]) {
  const tasks = new Map(
    utterances.map(({ request, ...utterance }, index) => {
      const id = `said-${index}`;
      const fullRequest = { talk: 'talk', model: 'parley', ...request };
      return [id, buildTask({ kind: 'said', id, state: 'delivered', request: fullRequest, ...utterance })];
    }),
  );
  const talkRequest = { model: 'parley', who: 'me' };
  const talk = buildTask({
    kind: 'talk',
    request: talkRequest,
    talk: { turns: [...tasks.keys(), 'gone'], heardAt: 0 },
  });
  return earlierTalkTurns(talk, async (id) => tasks.get(id));
}

const answer = (changes: object) => ({ answer: { ...EMPTY_ANSWER, ...changes } });

it('The history of a live conversation contains its turns in order, with the transcripts of audio', async () => {
  const sound = { address: 'https://files.example/a.ogg', name: 'a.ogg' };
  const turns = await conversation([
    { request: { prompt: 'Hello' }, text: 'Good day.' },
    { request: { sound }, ...answer({ heard: 'how are you' }), text: 'Well.' },
    { request: { prompt: 'And this?', sound }, ...answer({ heard: 'a bell' }), text: 'A bell.' },
    { request: { sound }, state: 'failed', ...answer({ draft: 'Half of' }) },
    { request: { prompt: 'Still there?' }, state: 'failed' },
  ]);
  expect(turns).toEqual([
    { by: 'member', text: 'Hello' },
    { by: 'model', text: 'Good day.' },
    { by: 'member', text: 'how are you' },
    { by: 'model', text: 'Well.' },
    { by: 'member', text: 'And this?\n\na bell' },
    { by: 'model', text: 'A bell.' },
    { by: 'member', text: '[A spoken message that was not written down.]' },
    { by: 'model', text: 'Half of' },
    { by: 'member', text: 'Still there?' },
  ]);
});

it('The history of a live conversation leaves out turns that were deleted or are being erased', async () => {
  const turns = await conversation([
    { request: { prompt: 'secret one' }, unwanted: true },
    { request: { prompt: 'secret two' }, ...answer({ isForgotten: true }) },
    { request: { prompt: 'Hello' } },
  ]);
  expect(turns).toEqual([{ by: 'member', text: 'Hello' }]);
});

it('The history of a live conversation contains the newest twenty turns, or as many long ones as fit into sixty thousand characters', async () => {
  const newestTurns = await conversation(
    Array.from({ length: 30 }, (_, index) => ({ request: { prompt: `${index}` } })),
  );
  expect(newestTurns).toHaveLength(20);
  expect(newestTurns.at(0)?.text).toBe('10');
  const longTurns = await conversation(
    Array.from({ length: 6 }, (_, index) => ({ request: { prompt: `${index}` }, text: 'x'.repeat(19_000) })),
  );
  expect(longTurns.filter(({ by }) => by === 'member').map(({ text }) => text)).toEqual(['3', '4', '5']);
});
