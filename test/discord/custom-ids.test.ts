import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handlers } from '../../src/commands/index.ts';
import {
  type CustomId,
  customId,
  customIds,
  fineTuneIdFits,
  fitsCustomId,
  originalFormId,
  readCustomId,
  type Verb,
} from '../../src/discord/custom-ids.ts';
import { Refusal } from '../../src/lib/refusal.ts';

/**
 * One custom id of each kind in use. Posted messages keep them forever, so none may ever be removed or change its
 * meaning.
 */
const POSTED_CUSTOM_IDS = [
  'a.1.01k3v9x2mabcdefgh.3',
  'rr.1.01k3v9x2mabcdefgh',
  'zoom.1.01k3v9x2mabcdefgh.3',
  'remix.1.01k3v9x2mabcdefgh.3',
  'use.1.01k3v9x2mabcdefgh.0.image',
  'chg.1.01k3v9x2mabcdefgh.U2',
  'chg.1.01k3v9x2mabcdefgh.R',
  'w.1.01k3v9x2mabcdefgh.12',
  'wf.1.01k3v9x2mabcdefgh.12',
  'go.1.01k3v9x2mabcdefgh',
  'gof.1.01k3v9x2mabcdefgh',
  'all.1.01k3v9x2mabcdefgh',
  'large.1.01k3v9x2mabcdefgh.4K',
  'cancel.1.01k3v9x2mabcdefgh',
  'allowr.1.01k3v9x2mabcdefgh',
  'denyr.1.01k3v9x2mabcdefgh',
  'report.1.01k3v9x2mabcdefgh.1575182249945464832',
  'repdel.1.01k3v9x2mabcdefgh',
  'repoff.1.01k3v9x2mabcdefgh',
  'repblock.1.01k3v9x2mabcdefgh',
  'repblocf.1.01k3v9x2mabcdefgh',
  'rules.1.words',
  'rulesf.1.words',
  'rulesf.1.words.n2rDjXk_9q-A',
  'rulesf.1.words.n2rDjXk_9q-A.n2rDjXk_9q-B',
  'rulesn.1.words',
  'rulesnf.1.words.n2rDjXk_9q-A',
  'access.1',
  'budget.1',
  'budgetr.1.400000000000000001',
  'setup.1.budget.access',
  'setup.1.permissions.',
  'setup.1.overview.privacy',
  'setupl.1.access',
  'prefs.1.member.images',
  'prefsf.1.channel.persona',
  'prefsf.1.channel.persona.47DEQpj8',
  'prefsr.1.server',
  'prefsra.1.server.reset',
  'preset.1',
  'presetc.1.01k3v9x2mabcdefgh',
  'presetd.1.01k3v9x2mabcdefgh',
  'presetr.1.01k3v9x2mabcdefgh',
  'presetf.1.01k3v9x2mabcdefgh',
  'resume.1.1575182249945464832',
  'import.1.01k3v9x2mabcdefgh',
  'importc.1.01k3v9x2mabcdefgh',
  'retry.1.01k3v9x2mabcdefgh',
  'edit.1.01k3v9x2mabcdefgh',
  'retryo.1.01k3v9x2mabcdefgh',
  'edito.1.01k3v9x2mabcdefgh',
  'editf.1.01k3v9x2mabcdefgh',
  'editfo.1.01k3v9x2mabcdefgh',
  'editfp.1.01k3v9x2mabcdefgh',
  'tx.1.01k3v9x2mabcdefgh.m..un..',
  'th.1.01k3v9x2mabcdefgh.m..un..',
  'to.1.01k3v9x2mabcdefgh.s.image-to-video.wa.01k3v9x2mabcdefgh.~ZWluIEZ1Y2hz',
  'album.1.01k3v9x2mabcdefgh.1',
  'song.1.01k3v9x2mabcdefgh',
  'lines.1.01k3v9x2mabcdefgh',
  'anim.1.01k3v9x2mabcdefgh',
  'animf.1.01k3v9x2mabcdefgh',
  'allow.1.01k3v9x2mabcdefgh.1',
  'decline.1.01k3v9x2mabcdefgh.2',
  'details.1.01k3v9x2mabcdefgh',
  'letgo.1.01k3v9x2mabcdefgh',
  'aboutf.1..01k3v9x2mabcdefgh',
  'aboutf.1.alone.01k3v9x2mabcdefgh',
  'more.1.01k3v9x2mabcdefgh',
  'moref.1.01k3v9x2mabcdefgh',
  'stop.1.01k3v9x2mabcdefgh',
  'delete.1.01k3v9x2mabcdefgh',
  'unpost.1.01k3v9x2mabcdefgh',
  'anyway.1.01k3v9x2mabcdefgh',
  'drop.1.01k3v9x2mabcdefgh',
  'prompts.1.01k3v9x2mabcdefgh',
  'typed.1.01k3v9x2mabcdefgh',
  'rest.1.01k3v9x2mabcdefgh',
  'failed.1.01k3v9x2mabcdefgh',
  'of.1.01k3v9x2mabcdefgh',
  'price.1.01k3v9x2mabcdefgh',
  'why.1.01k3v9x2mabcdefgh',
  'unsay.1.100000000000000002',
  'film.1.01k3v9x2mabcdefgh',
  'filmf.1.01k3v9x2mabcdefgh.01k3v9x2mabcdefgh',
  'filmf.1..01k3v9x2mabcdefgh',
  'filmf.1.alone.01k3v9x2mabcdefgh',
  'ref.1.01k3v9x2mabcdefgh',
  'reff.1.01k3v9x2mabcdefgh.01k3v9x2mabcdefgh',
  'reff.1..01k3v9x2mabcdefgh',
  'reff.1.alone.01k3v9x2mabcdefgh',
  'correct.1.01k3v9x2mabcdefgh',
  'correctf.1.alone.~cmVmZi4xLjAxazN2OXgybWFiY2RlZmdoLjAxazN2OXgybWFiY2RlZmdo',
  'line.1.01k3v9x2mabcdefgh.10',
  'linef.1.01k3v9x2mabcdefgh',
  'models.1.own..1.',
  'models.1.compatible.image.12.~bHVtZW4gZ3Jvw59l',
  'export.1',
  'forget.1',
  'forgets.1',
  'forgetr.1',
  'same.1.01k3v9x2mabcdefgh',
  'show.1.01k3v9x2mabcdefgh',
  'showme.1.01k3v9x2mabcdefgh',
  'showask.1.01k3v9x2mabcdefgh',
  'showall.1.01k3v9x2mabcdefgh',
  'endtalk.1.01k3v9x2mabcdefgh',
  'speak.1.01k3v9x2mabcdefgh',
  'spoken.1.01k3v9x2mabcdefgh',
  'tasks.1.m....',
  'tasks.1.s.image-to-video.wa.01k3v9x2mabcdefgh.~ZWluIEZ1Y2hz',
  'task.1.m..un..',
  'tp.1.01k3v9x2mabcdefgh.m..un..',
  'td.1.01k3v9x2mabcdefgh.s.image-to-video.wa.01k3v9x2mabcdefgh.~ZWluIEZ1Y2hz',
  'again.1.01k3v9x2mabcdefgh',
  'againo.1.01k3v9x2mabcdefgh',
  'againb.1.01k3v9x2mabcdefgh',
  'dismiss.1.01k3v9x2mabcdefgh',
  'usage.1.week.model.me',
  'usage.1.week.kind.server',
  'exact.1.2026-01-01.2026-01-31.day.account',
  'tune.1.page.~ZnQtMTpoYXJib3Vy.2',
  'tune.1.follow.~ZnQtMTpoYXJib3Vy',
  'tune.1.stop.~ZnQtMTpoYXJib3Vy.a1b2c3d4',
  'press.1',
  'press.1.1',
];

const verbs = new Map<string, Verb<unknown>>(Object.values(customIds).map((one) => [one.name, one]));

function readKnownId(text: string): { id: CustomId; verb: Verb<unknown> } {
  const id = readCustomId(text);
  const verb = id && verbs.get(id.verb);
  if (!id || !verb) throw new Error(`${text} is not a known custom id.`);
  return { id, verb };
}

describe('The table of custom ids', () => {
  it.each(POSTED_CUSTOM_IDS)('The custom id %s can be read and is still written the same way', (text) => {
    const { id, verb } = readKnownId(text);
    const pointer = verb.read(id);
    expect(pointer).not.toBeInstanceOf(Refusal);
    expect(verb.id(pointer)).toBe(text);
  });

  it('Every custom id in the table has a handler', () => {
    for (const text of POSTED_CUSTOM_IDS) {
      const { id } = readKnownId(text);
      const handlings = handlers.handlers.filter(({ verb }) => verb === id.verb).map(({ read }) => read(id));
      // Known to the router itself: a list that replaces buttons, and a refused form.
      expect(handlings, text).toHaveLength(['press', 'correct', 'correctf'].includes(id.verb) ? 0 : 1);
    }
  });

  it('Every verb is defined once and occurs in the table of custom ids', () => {
    expect(verbs.size).toBe(Object.keys(customIds).length);
    expect([...verbs.keys()].toSorted()).toEqual(
      [...new Set(POSTED_CUSTOM_IDS.map((id) => readKnownId(id).id.verb))].toSorted(),
    );
  });

  it.each([
    'retry.1',
    'retry.1.x',
    'a.1.01k3v9x2mabcdefgh',
    'a.1.01k3v9x2mabcdefgh.-1',
    'a.1.01k3v9x2mabcdefgh.10000',
    'chg.1.01k3v9x2mabcdefgh.U9',
    'large.1.01k3v9x2mabcdefgh.8K',
    'filmf.1.x',
    'report.1.01k3v9x2mabcdefgh.me',
    'models.1.other..1.',
    'usage.1.year.day.me',
    'usage.1.week.day',
    'exact.1.2026-01-01.2026-02-31.day.me',
    'tune.1.delete.ft',
    'tune.1.page..1',
    'tune.1.page.ft',
    'tune.1.page.ft.10000',
    'tune.1.page',
    'tune.1.follow',
    'correctf.1',
    'correctf.1.alone',
    'correctf.1.alone.x',
    'correctf.1.other.~cmV0cnkuMS4wMWszdjl4Mm1hYmNkZWZnaA',
    'reff.1..x',
    'models.1.own.unknown.1.',
    'models.1.own..10000.',
    'models.1.own.',
    'usage.1.week.year.me',
    'exact.1.2026-02-31.2026-03-01.day.me',
    'exact.1.2026-01-01.2026-01-31.year.me',
    'exact.1.2026-01-01.2026-01-31.day.you',
    'exact.1',
    'report.1.x.1',
    'report.1.01k3v9x2mabcdefgh',
    'rules.1.other',
    'prefs.1.member.other',
    'prefsr.1.everyone',
    'resume.1.everything',
    'resume.1',
    'press.1.100',
    'press.1.x',
    'tp.1.x.m..un..',
    'tp.1',
    'tasks.1.m.A...',
    'tasks.1.m..xx..',
    'tasks.1.m...x.',
    `tasks.1.m....${'x'.repeat(29)}`,
    'tasks.1.x....',
  ])('The custom id %s, which the bot never writes, is refused', (text) => {
    const { id, verb } = readKnownId(text);
    expect(verb.read(id)).toEqual(new Refusal('refusals.unknownButton'));
  });

  it('An incomplete custom id of a list or a menu stands for the default', () => {
    const pointerOf = (text: string): unknown => {
      const { id, verb } = readKnownId(text);
      return verb.read(id);
    };
    expect(pointerOf('press.1')).toBe(0);
    expect(pointerOf('tasks.1.m')).toBeInstanceOf(Refusal);
    expect(pointerOf('tasks.1.s..')).toEqual({
      whose: 'server',
      kind: undefined,
      status: undefined,
      before: undefined,
      words: undefined,
    });
    expect(pointerOf('reff.1')).toEqual({ from: 'menu', isPrivate: false, draftId: undefined });
    expect(pointerOf('tune.1.stop.ft')).toEqual({ do: 'stop', fineTuneId: 'ft', followId: '' });
  });

  it('Search words and fine-tune ids fit up to their limits, in bytes', () => {
    expect([fitsCustomId('x'.repeat(28)), fitsCustomId('x'.repeat(29)), fitsCustomId()]).toEqual([true, false, true]);
    expect([fitsCustomId('ü'.repeat(14)), fitsCustomId('ü'.repeat(15))]).toEqual([true, false]);
    expect([fineTuneIdFits('x'.repeat(60)), fineTuneIdFits('x'.repeat(61))]).toEqual([true, false]);
  });

  it('Only verbs that create an order say so, and a negative page of models is the first', () => {
    expect([customIds.retry.createsOrder, customIds.cancel.createsOrder]).toEqual([true, false]);
    expect(customIds.models.id({ list: 'own', kind: undefined, text: undefined, page: -1 })).toBe('models.1.own..0.');
  });

  it('A corrected form stands for its original, and any other id for itself', () => {
    const formId = customIds.editFilled.id('01k3v9x2mabcdefgh');
    expect(originalFormId(customIds.corrected.id({ formId, isPrivate: false }))).toBe(formId);
    for (const text of [formId, 'correctf.1.alone.x', 'x']) expect(originalFormId(text)).toBe(text);
  });

  it('A custom id of an unknown version is refused with its own explanation', () => {
    const { id, verb } = readKnownId('retry.2.01k3v9x2mabcdefgh');
    expect(verb.read(id)).toEqual(new Refusal('refusals.outdatedButton'));
  });
});

describe('The encoding of custom ids', () => {
  it('A custom id preserves any value', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 4 }), (args) => {
        expect(readCustomId(customId('models', 3, ...args))).toEqual({ verb: 'models', version: 3, args });
      }),
    );
  });

  it('A custom id of plain values is written without encoding, as in posted messages', () => {
    expect(customId('a', 1, '01k2', '3')).toBe('a.1.01k2.3');
  });

  it('Creating a custom id longer than Discord allows throws', () => {
    const longest = customId('a', 1, 'x'.repeat(96));
    expect(readCustomId(longest)?.args).toEqual(['x'.repeat(96)]);
    expect(() => customId('a', 1, 'x'.repeat(97))).toThrow(RangeError);
    expect(() => customId('Verb', 1)).toThrow(RangeError);
  });

  it.each([
    '',
    'a',
    'a.',
    'a.0',
    'a.x',
    'A.1',
    'a.1.~',
    'a.1.~*',
    'a.1.b c',
    '../a.1',
    `a.1.${'x'.repeat(100)}`,
    'a.99999',
  ])('The forged custom id %j is refused', (text) => {
    expect(readCustomId(text)).toBeUndefined();
  });

  it('Any text is either read as a custom id or refused, without throwing', () => {
    fc.assert(fc.property(fc.string(), (text) => void readCustomId(text)));
  });
});
