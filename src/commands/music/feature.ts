import { customIds } from '../../discord/custom-ids.ts';
import { keysOf, withoutUndefined } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasVisibleText } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import {
  areLyricsInline,
  finishedTracks,
  quoteLines,
  songTitle,
  trackLine,
  versesOf,
} from '../../messages/album/message.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { pressedTask, requireKind } from '../../messages/pressed-task.ts';
import { againButtons } from '../../messages/task-buttons.ts';
import type { CheckAdmission } from '../../services/orders/albums.ts';
import { turnPage } from '../../services/tasks/delivery-state.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { mayContinue } from '../../services/tasks/task-facts.ts';
import { maySeeAccount } from '../account-access.ts';
import { readChoices } from '../choices.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
import { MAX_OPTION_LENGTH, modelOption, modelOrDefault, promptOption, suggestModels, usualModel } from '../options.ts';
import { presetsFor } from '../presets.ts';
import { hasVariants, readVariants, repeatOption, submitVariants } from '../variants.ts';
import { readIds, shortenList } from './ids.ts';
import { musicKinds, musicSpecs } from './kinds.ts';

/** The limit is Discord's maximum, so that values that are too long are refused with the bot's own message. */
const textOption = { type: 'text', max: MAX_OPTION_LENGTH } as const;

/** More than any known gateway accepts; the gateway reports its exact limits. */
const MAX_LENGTHS = { about: 3_000, lyrics: 6_000, style: 1_000, title: 200 } as const;
type SongOptions = Partial<Record<keyof typeof MAX_LENGTHS, string | undefined>>;

/** Drops options that contain only spaces and invisible characters. */
const visibleValues = (values: SongOptions): SongOptions =>
  Object.fromEntries(
    keysOf(MAX_LENGTHS).map((name) => [name, hasVisibleText(values[name] ?? '') ? values[name]?.trim() : undefined]),
  );

/** The request without its model, which is looked up later; or a refusal if the options contradict each other. */
function songRequest(values: SongOptions & { instrumental?: boolean | undefined }) {
  const options = visibleValues(values);
  const { about, lyrics, style, title } = options;
  if (Object.values(options).every((one) => one === undefined)) return new Refusal('refusals.songEmpty');
  if (about !== undefined && lyrics !== undefined) return new Refusal('refusals.songBoth');
  if (lyrics !== undefined && values.instrumental) return new Refusal('refusals.songInstrumentalWithLyrics');
  for (const option of keysOf(MAX_LENGTHS)) {
    const [max, { length }] = [MAX_LENGTHS[option], options[option] ?? ''];
    if (length > max) return new Refusal('refusals.songTooLong', { option, max: String(max), count: String(length) });
  }
  const isLyrics = lyrics === undefined ? undefined : true;
  const facts = withoutUndefined({ isLyrics, style, title, instrumental: values.instrumental });
  return { prompt: lyrics ?? about ?? '', ...facts };
}

/** Submits a song. Whether the gateway can generate songs is not known before the first submit. */
const make = command({
  name: 'make',
  onlyOrders: true,
  presets: presetsFor('music'),
  options: {
    about: textOption,
    lyrics: textOption,
    style: textOption,
    title: textOption,
    instrumental: { type: 'switch' },
    model: modelOption,
    repeat: repeatOption,
  },
  asksFirst: ({ about: prompt = '', repeat }) => hasVariants()({ prompt, repeat }),
  parse: ({ model, repeat, ...values }) => ({
    variants: readVariants({ prompt: values.about ?? '', repeat }, (about) => songRequest({ ...values, about })),
    model,
  }),
  suggest: (_option, input, context) => suggestModels('music', input, context),
  async run({ variants, model: modelInput }, context) {
    const choices = await readChoices(context);
    const chosen = usualModel('music', { option: modelInput }, choices, context);
    const model = await modelOrDefault('music', chosen, context.services);
    const facts = { ...withoutUndefined({ model }), ...choices.fields };
    return submitVariants(variants, (request) => ({ kind: 'song', request: { ...request, ...facts } }), context);
  },
});

/** With this limit, an album takes at most three polls, and its message has at most twenty pages. */
const MAX_IDS = 300;

/** Reads each option separately, because each may be JSON. */
function idsIn(inputs: readonly string[]): string[] | Refusal {
  const parsed = inputs.map(readIds);
  const ids = [...new Set(parsed.flatMap((one) => one.ids))];
  const invalid = parsed.flatMap((one) => one.invalid);
  if (invalid.length > 0)
    return new Refusal('refusals.idsInvalid', { invalidIds: shortenList(invalid), count: invalid.length });
  if (ids.length === 0) return new Refusal('refusals.noIds');
  if (ids.length <= MAX_IDS) return ids;
  return new Refusal('refusals.tooManyIds', { max: String(MAX_IDS), count: String(ids.length) });
}

/** Follows many of the gateway's songs in one message, and polls them together. */
const follow = command({
  name: 'follow',
  isPrivate: 'chosen',
  options: {
    // Fits about 160 ids of the usual length.
    ids: promptOption,
    more: { type: 'text', max: MAX_OPTION_LENGTH },
  },
  parse: ({ ids, more = '' }) => idsIn([ids, more]),
  async run(ids, context) {
    await context.services.tasks.albums.create(context.origin, ids, await createFollowCheck(context));
    return 'shown by delivery';
  },
});

/** Checks who can follow which ids: unknown ones belong to the account, for those who can see it; known tasks are for all who can see them, private ones for their owner. */
async function createFollowCheck(context: Context): Promise<CheckAdmission> {
  const mayFollowAll = await maySeeAccount(context);
  const { facts } = context;
  // What was made in direct messages was not shown to other members.
  const mayFollow = (task: Task): boolean =>
    task.requesterId === facts.userId || (task.guildId !== undefined && mayContinue(task, facts));
  return (tasksById) => {
    const idsWhere = (matches: (task: Task | undefined) => boolean): string[] =>
      [...tasksById].filter(([, task]) => matches(task)).map(([id]) => id);
    const inaccessibleIds = idsWhere((task) => task !== undefined && !mayFollow(task));
    // A member who only guesses ids must not learn which of them belong to private tasks.
    if (!mayFollowAll)
      refuse('refusals.idsNotFollowable', [...idsWhere((task) => task === undefined), ...inaccessibleIds]);
    refuse('refusals.idsPrivateOfOthers', inaccessibleIds);
    const privateIds = idsWhere((task) => task?.route.isPrivate === true);
    if (!context.origin.route.isPrivate) refuse('refusals.idsNeedPrivateReply', privateIds);
  };
}

type FollowRefusal = 'refusals.idsNotFollowable' | 'refusals.idsPrivateOfOthers' | 'refusals.idsNeedPrivateReply';

function refuse(key: FollowRefusal, ids: readonly string[]): void {
  if (ids.length > 0) throw new Refusal(key, { ids: shortenList(ids) });
}

/** The view of a song, whether the bot generated it or only follows it. */
const songView: KindView<'song' | 'music'> = {
  title: (task, say) => songTitle(task) ?? say('music.untitled'),
  facts: (task, say) => [
    ...(task.kind === 'song' && task.request.instrumental ? [`-# ${say('music.instrumental')}`] : []),
    // Finished tracks are shown before the whole song is done.
    ...(hasEnded(task) ? [] : finishedTracks(task).map((track) => trackLine(track, task, say))),
  ],
  result: (task, say) => [...(task.tracks ?? []).map((track) => trackLine(track, task, say)), ...lyricLines(task, say)],
  buttons: () => [],
  /** Followed songs were not submitted by the bot, so they cannot be run again. */
  moreButtons: ({ id, kind }, _offering, say) => (kind === 'song' ? againButtons(id, say) : []),
};

function lyricLines(task: Task, say: Say): string[] {
  const verses = versesOf(task);
  if (verses.length === 0) return [];
  return areLyricsInline(verses) ? quoteLines(verses) : [`-# ${say('music.lyricsInFile')}`];
}

/** Turns the pages of an album. It is one message, so the page changes for everyone. */
const albumPageButton = on(customIds.albumPage, {
  reply: 'here',
  async run({ taskId, index }, context) {
    const { id } = requireKind('album', await pressedTask(taskId, context));
    const updatedAlbum = await context.services.tasks.book.change(id, (album) => turnPage(album, index));
    return context.services.messages.prepareAgain(updatedAlbum, context.origin);
  },
});

/** Shows one song of an album, with its tracks or its state, in a new message. */
const songSelect = on(customIds.albumSong, {
  reply: 'new-message',
  async run(taskId, context, { selectedValues: [chosenId] }) {
    const album = requireKind('album', await pressedTask(taskId, context));
    const part = album.request.parts.find(({ id }) => id === chosenId);
    if (!part) throw new Refusal('refusals.unknownButton');
    const task = await context.services.tasks.book.get(part.id);
    if (!task) throw new Refusal('refusals.unknownTask');
    if (!mayContinue(task, context.facts)) throw new Refusal('refusals.notYours');
    context.services.tasks.recordView(task);
    return context.services.messages.prepareAgain(task, context.origin);
  },
});

export const music: Feature = {
  command: { name: 'music', subcommands: [make, follow] },
  handlers: [albumPageButton, songSelect],
  specs: musicSpecs,
  kinds: musicKinds,
  // `music` is a song that is only followed. The messages of albums are made in `messages/album/`.
  views: { song: songView, music: songView },
};
