import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../sandbox/discord/exchange.ts';
import type { Modal } from '../../sandbox/discord/interactions/interaction.ts';
import { eachComponent } from '../../sandbox/discord/message-content.ts';

/** A message or a form that members see often. */
export interface Seen {
  readonly name: string;
  readonly shown: Message | Modal;
}

/** The custom ids of a message's buttons and menus, which are the same in every language. */
function controlsOf({ components }: Message): string[] {
  const ids: string[] = [];
  eachComponent(components ?? [], ({ custom_id: id }) => typeof id === 'string' && ids.push(id));
  return ids;
}

const controlOf = (message: Message, verb: string): string =>
  controlsOf(message).find((id) => `${id}.`.startsWith(`${verb}.`)) ?? verb;
const has =
  (verb: string) =>
  (message: Message): boolean =>
    controlsOf(message).some((id) => id.startsWith(`${verb}.`));
const isRunning = ({ content }: Message): boolean => /[▰▱]/.test(content);
const hasFiles = ({ attachments }: Message): boolean => attachments.length > 0;

/** Uses the bot of a sandbox as its members do, and collects what they see most. */
export async function seeMessages(discord: EmbeddedDiscord): Promise<Seen[]> {
  const seen: Seen[] = [];
  // One after the other, because a busy machine would take longer than Discord waits.
  for (const see of [tasks, answers, limits, pages, afterwards]) seen.push(...(await see(discord)));
  return seen;
}

const shownBy = async (exchange: Promise<Exchange>, matches?: (message: Message) => boolean): Promise<Message> =>
  (await exchange).message(matches);

async function tasks(discord: EmbeddedDiscord): Promise<Seen[]> {
  const imagine = await discord.as('member').slash('imagine', { prompt: 'a red fox in the snow --ar 3:2' });
  const running = await imagine.message();
  const orders = {
    'an image': ['other', 'image', { prompt: 'a lighthouse at dawn' }],
    'a video': ['admin', 'video', { prompt: 'waves on a beach' }],
    'a song': ['owner', 'music make', { about: 'a song about rain' }],
  } as const;
  const seen: Seen[] = [
    { name: 'a grid in progress', shown: running },
    { name: 'a grid', shown: await imagine.message(hasFiles) },
  ];
  for (const [name, [who, command, options]] of Object.entries(orders))
    seen.push({ name, shown: await shownBy(discord.as(who).slash(command, options), hasFiles) });
  return seen;
}

async function answers(discord: EmbeddedDiscord): Promise<Seen[]> {
  const member = discord.as('member').in('studio');
  const answer = await shownBy(member.slash('ask', { prompt: 'What is a fox?' }), has('more'));
  const started = await member.slash('talk start', { voice: 'marin' });
  const reply = await started.message();
  const threads = () =>
    [...discord.world.channels.values()].find((channel) => channel.thread && channel.name !== 'thread');
  const thread = await discord.until(threads, 'the thread');
  const opening = await discord.until(() => discord.messages(thread.id).find(has('endtalk')), 'the opening');
  await discord.as('member').in(thread.id).click(opening, controlOf(opening, 'endtalk'));
  return [
    { name: 'an answer', shown: answer },
    { name: 'the start of a live conversation', shown: reply },
    { name: 'a live conversation', shown: opening },
    { name: 'the details of an answer', shown: await shownBy(member.click(answer, controlOf(answer, 'details'))) },
  ];
}

/** On the server with budgets and rules. */
async function limits(discord: EmbeddedDiscord): Promise<Seen[]> {
  const HALL = 'elsewhere/hall';
  const member = discord.as('member').in(HALL);
  const price = await shownBy(member.slash('video', { prompt: 'a long walk' }), has('anyway'));
  const rule = await shownBy(member.slash('imagine', { prompt: 'a casino' }));
  const admin = discord.as('admin').in(HALL);
  await (await admin.slash('budget set', { limits: '0 tasks a day', member: 'other' })).message();
  const limit = await shownBy(discord.as('other').in(HALL).slash('imagine', { prompt: 'a fox' }));
  const held = await member.slash('imagine', { prompt: 'shows:violence' });
  const proposal = await held.message();
  if (has('anyway')(proposal)) await member.click(proposal, controlOf(proposal, 'anyway'));
  const question = await discord.until(
    () => discord.messages('elsewhere/log').find(has('allowr')),
    'the question to the moderators',
  );
  return [
    { name: 'the question about a price', shown: price },
    { name: 'a refusal by a rule', shown: rule },
    { name: 'a refusal by a limit', shown: limit },
    { name: 'a held result', shown: await held.message((message) => !has('anyway')(message) && !isRunning(message)) },
    { name: 'the question about a held result', shown: question },
    { name: 'the budget', shown: await shownBy(admin.slash('budget show')) },
  ];
}

async function pages(discord: EmbeddedDiscord): Promise<Seen[]> {
  const admin = discord.as('admin').in('studio');
  const owner = discord.as('owner').in('studio');
  const rules = await shownBy(admin.slash('server rules'));
  // Reports need a channel.
  const logForm = await formOf(admin.click(rules, controlOf(rules, 'rules.1.log')));
  await (await admin.fill(logForm, { logChannel: ['no-threads'] })).message();
  const settings = await shownBy(owner.slash('settings'));
  const preset = { name: 'Poster', command: 'imagine', template: '{prompt}, poster', options: 'style:raw' };
  await (await owner.slash('preset save', preset)).message();
  return [
    { name: 'the rules', shown: rules },
    { name: 'a form of the rules', shown: await formOf(admin.click(rules, controlOf(rules, 'rules'))) },
    { name: 'the settings', shown: settings },
    { name: 'a form of the settings', shown: await formOf(owner.click(settings, controlOf(settings, 'prefs'))) },
    { name: 'the presets', shown: await shownBy(owner.slash('preset list')) },
    { name: 'the set-up', shown: await shownBy(admin.slash('setup')) },
    { name: 'the help', shown: await shownBy(owner.slash('help')) },
    { name: 'the models', shown: await shownBy(owner.slash('models')) },
  ];
}

/** Needs the tasks. */
async function afterwards(discord: EmbeddedDiscord): Promise<Seen[]> {
  const member = discord.as('member').in('studio');
  const list = await shownBy(member.slash('tasks'));
  const menu = controlOf(list, 'task');
  const grid = discord.messages('studio').find(has('all'));
  if (!grid) throw new Error('There is no grid.');
  const [task = ''] = /\w{10,}/.exec(controlOf(grid, 'all')) ?? [];
  return [
    { name: 'the tasks', shown: list },
    { name: 'the page of a task', shown: await shownBy(member.choose(list, menu, [task])) },
    { name: 'the usage', shown: await shownBy(member.slash('usage')) },
    { name: 'the form of a report', shown: await formOf(discord.as('other').in('studio').menu('Report', grid)) },
  ];
}

const formOf = async (exchange: Promise<Exchange>): Promise<Modal> => (await exchange).modal();
